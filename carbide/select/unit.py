"""One program: its routines, what they share, and the assembly they become."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from carbide import ir
from carbide.isa import table as isa
from carbide.isa.assembly import TaskAt, Words
from carbide.isa.operands import Reference, Register
from carbide.object import CONTROL_NAMES, Control
from carbide.runtime import RETURN_REGISTER
from carbide.select import cleanup, queues
from carbide.select.code import Routine
from carbide.select.contexts import Builder, Context, too_many, transfers_at_once, user_place
from carbide.select.effects import Analysis
from carbide.select.emission import items
from carbide.select.folding import fold_memory
from carbide.select.memory import HOME, Memory, label_of
from carbide.select.registers import allocate
from carbide.select.schedule import schedule
from carbide.select.sharing import background_transfers, shared_variables
from carbide.select.statements import argument_registers
from mitools.arch import load
from mitools.console import UserError

REGISTERS = (1 << 60) - 1


class Unit:
    """Builds the routines of a program; `code` and `data` are what they leave."""

    def __init__(
        self, program: ir.Program, arch: str, groups: Sequence[Iterable[str]] = ()
    ) -> None:
        self.program = program
        self.arch = arch
        self.tasks_of_arch = load(arch).tasks
        self.memory = Memory(program, arch)
        self.functions = {f.name: f for f in program.functions}
        self.iterators = {i.name: i for i in program.iterators}
        self.fifos = {f.name: f for f in program.fifos}
        self.queues = queues.assign(program, arch, groups)
        self.analysis = Analysis(self.memory, self.functions)
        nodes = [n for f in self.all_functions() for n in ir.walk(f.body)]
        self.resized = {n.name for n in nodes if isinstance(n, ir.SetLength)}
        self.restarted = {n.name for n in nodes if isinstance(n, ir.SetIterator)}
        control = load(arch).registers.float_control
        self.sets_rounding = any(
            r.address is not None and r.address <= control < r.address + r.words
            for r in program.regions
        )
        self.memory.shared |= shared_variables(program)
        self.counter = 0
        self.values = 0
        self.runtime: set[str] = set()
        self.code: list[list[Any]] = []
        self.descriptors: dict[tuple[Any, ...], str] = {}
        self.records: dict[str, Words] = {}
        self.tasks: dict[int, TaskAt] = {}
        self.taken_tasks: set[int] = set()
        self.handlers: dict[tuple[int, int | None], int] = {}
        """The tasks of control handlers by queue and name (None: any name)."""
        self.built: dict[str, tuple[str, int]] = {}
        self.building: list[str] = []
        self.callees: dict[str, set[str]] = {}
        self.owners: dict[str, str] = {}
        """Which function a place in the frame belongs to; those of tasks belong to none."""
        self.routines: list[Routine] = []
        self.spare_slots: list[int] = []
        self.background: set[int] = set()

    def all_functions(self) -> list[ir.Function]:
        found = [self.program.main, *self.program.functions]
        return found + ([self.program.teardown] if self.program.teardown else [])

    # Names and numbers.

    def fresh(self, name: str) -> str:
        self.counter += 1
        return f".{name}{self.counter}"

    def next_value(self) -> int:
        self.values += 1
        return self.values

    def temporary(self, words: int) -> Reference:
        """A place of its own in the frame."""
        self.counter += 1
        label = f".temporary{self.counter}"
        self.memory.frames[label] = words
        if self.building:
            self.owners[label] = self.building[-1]
        return Reference(label)

    # Descriptors and records in data memory.

    def descriptor(self, words: tuple[Any, ...]) -> Reference:
        """The label of four constant words."""
        if words not in self.descriptors:
            self.descriptors[words] = f".descriptor{len(self.descriptors)}"
        return Reference(self.descriptors[words])

    def record(self, base: Any, dims: Sequence[tuple[int | None, int]]) -> Reference:
        """A walk record for one vector operand."""
        label = self.fresh("walk")
        self.records[label] = Words(_walk_words(base, dims))
        return Reference(label)

    def walk_record(self, name: str) -> Reference:
        """The record of a declared iterator."""
        label = f".walk.{name}"
        if label not in self.records:
            iterator = self.iterators[name]
            self.records[label] = Words(_walk_words(self.iterator_base(name), iterator.dims))
        return Reference(label)

    def iterator_base(self, name: str) -> Any:
        iterator = self.iterators[name]
        where = self.memory.region(iterator.region)
        label = where.root.label
        shift = where.shift + iterator.offset
        return label + shift if isinstance(label, Reference) else (label + shift) & 0xFFFF

    def iterator_descriptor(self, name: str) -> Reference:
        """The descriptor of an iterator whose length the program sets."""
        label = f".iterator.{name}"
        if label not in self.records:
            length = self.iterators[name].length
            bound = isa.UNBOUNDED if length is None else length
            self.records[label] = Words((isa.DSD_WALK, self.walk_record(name), bound, 0))
        return Reference(label)

    def fifo_record(self, name: str) -> Reference:
        label = f".fifo.{name}"
        if label not in self.records:
            fifo = self.fifos[name]
            where = self.memory.region(fifo.region)
            base = where.root.label
            address = base + where.shift
            words = (address, fifo.capacity, ir.WORDS[fifo.type], 0, 0)
            self.records[label] = Words(words)
        return Reference(label)

    def port_descriptor(self, port: ir.Port, direction: str) -> Reference:
        """Where the descriptor stands that a port is as a value."""
        if port.kind == "socket":
            write = direction == "out"
            kind = isa.DSD_FABRIC_OUT if write else isa.DSD_FABRIC_IN
            queue = self.queues.number(port.name, write)
            return self.descriptor((kind, queue, isa.UNBOUNDED, 0))
        if port.kind == "fifo":
            return self.descriptor((isa.DSD_FIFO, self.fifo_record(port.name), isa.UNBOUNDED, 0))
        if port.name in self.resized:
            return self.iterator_descriptor(port.name)
        length = self.iterators[port.name].length
        bound = isa.UNBOUNDED if length is None else length
        return self.descriptor((isa.DSD_WALK, self.walk_record(port.name), bound, 0))

    # Tasks.

    def take_task(self, place: ir.Place) -> int:
        tasks = self.tasks_of_arch
        for number in range(tasks.first_software, tasks.count):
            if number in (tasks.main, tasks.teardown):
                continue
            if number not in self.taken_tasks:
                self.taken_tasks.add(number)
                return number
        raise UserError(
            "the program has more concurrent parts than a core has tasks", user_place(place)
        )

    def control_task(self, handler: ir.Handler, queue: int) -> int:
        """The task of a control handler; it waits blocked until its dispatch."""
        if handler.task is not None and not 0 <= handler.task < CONTROL_NAMES:
            raise UserError(
                f"no control wavelet can name task {handler.task}", user_place(handler.place),
                f"its payload has room for 0 to {CONTROL_NAMES - 1}",
            )  # fmt: skip
        called = queue, handler.task
        if called not in self.handlers:
            self.handlers[called] = self.take_task(handler.place)
        return self.handlers[called]

    def controls(self) -> list[Control]:
        """Which control wavelets start which handler. One that no dispatch of its own socket takes
        goes to the only handler of its name, as names are the whole core's."""
        names = [name for _, name in self.handlers if name is not None]
        out = [Control(q, None, task) for (q, name), task in self.handlers.items() if name is None]
        for (queue, name), task in self.handlers.items():
            if name is not None:
                out.append(Control(None if names.count(name) == 1 else queue, name, task))
        return out

    def handler_slots(self, handler: ir.Handler) -> list[int]:
        need = len(transfers_at_once(handler.body, False))
        if need > len(self.spare_slots):
            raise too_many(transfers_at_once(handler.body, False))
        return [self.spare_slots.pop(0) for _ in range(need)]

    def receives_from(self, body: Any, queue: int) -> bool:
        """Whether a handler's body takes elements from a queue itself."""
        for node in ir.walk(tuple(body)):
            if isinstance(node, ir.Receive | ir.Stream) and node.port.kind == "socket":
                found = self.queues.inputs.get(node.port.name) == queue
            elif isinstance(node, ir.Call):
                found = self.receives_from(self.functions[node.function].body, queue)
            else:
                found = False
            if found:
                return True
        return False

    # Routines.

    def build_task(
        self,
        label: str,
        prefix: str,
        body: Any,
        context: Context,
        finish: Callable[[Builder], None],
        launching: bool,
        start: Callable[[Builder], None] | None = None,
    ) -> None:
        """A routine that is a task: `start`, the body, `finish`, and the end of the task."""
        builder = Builder(self, label, prefix, context)
        builder.launching = launching
        if start is not None:
            start(builder)
        builder.body(body)
        exits = builder.exits + ([] if builder.dead else [(builder.block, builder.state)])
        if len(exits) != 1 or builder.dead:
            builder.meet("end", exits)
        if not builder.dead:
            finish(builder)
            builder.flush_all()
            builder.emit("term")
        self.finish(builder.routine, context.place)

    def finish(self, routine: Routine, place: ir.Place) -> int:
        """Clean, schedule, colour and emit a routine; returns the registers it uses."""
        shared = {HOME + name for name in self.memory.shared}
        cleanup.clean(routine, shared)
        fold_memory(routine)
        self.routines.append(routine)
        schedule(routine, self.arch)
        registers = allocate(routine, routine.label)
        self.code.append(items(routine, registers, place))
        used = 0
        for value, register in registers.items():
            used |= (3 if value.words == 2 else 1) << register
        for block in routine.blocks:
            for ins in block.code:
                used |= ins.clobbers
                first = ins.operands[0] if ins.operands else None
                if isinstance(first, Register):
                    used |= 3 << first.number
        return used

    def function(self, name: str) -> tuple[str, int]:
        """Label of a function's code and the registers it changes."""
        self.callees.setdefault(self.building[-1] if self.building else "", set()).add(name)
        if name not in self.built:
            self.building.append(name)
            self.built[name] = self._build_function(self.functions[name])
            self.building.pop()
            for region in self.functions[name].regions:
                self.owners[label_of(region.name)] = name
        return self.built[name]

    def owner(self, label: str) -> str:
        """The function that a place in the frame belongs to; "" for tasks."""
        if label in self.owners:
            return self.owners[label]
        if label.startswith(HOME):
            name = label.removeprefix(HOME)
            return max((f for f in self.built if name.startswith(f + ".")), key=len, default="")
        return ""

    def _build_function(self, function: ir.Function) -> tuple[str, int]:
        label = f"{function.name}"
        context = Context(self, [], None, "this transfer", function.place)
        builder = Builder(self, label, f"{function.name}.", context)
        back = builder.define("mov16", 1, Register(RETURN_REGISTER))
        for number, register in argument_registers(function):
            parameter = function.params[number]
            words = ir.WORDS[parameter.type]
            move = "mov16" if words == 1 else "mov32"
            builder.assign(parameter, builder.define(move, words, Register(register)))
        builder.body(function.body)
        exits = builder.exits + ([] if builder.dead else [(builder.block, builder.state)])
        if len(exits) != 1 or builder.dead:
            builder.meet("end", exits)
        mask = 1 << RETURN_REGISTER
        if not builder.dead:
            builder.place = function.place
            if function.result is not None:
                words = ir.WORDS[function.result]
                result = builder.value(ir.Var(function.result, ".result"))
                move = "mov16" if words == 1 else "mov32"
                builder.flush_observed()
                builder.emit(move, Register(0), result)
                mask |= 3
            else:
                builder.flush_observed()
            made = builder.emit("ret", back)
            made.fixed_uses = 3 if function.result is not None else 0
        return label, mask | self.finish(builder.routine, function.place)

    def build(self) -> None:
        """Build the program from its main body on."""
        main = self.program.main
        total = 8
        need = transfers_at_once(main.body, False)
        background = background_transfers(main.body)
        handlers = self.handler_needs()
        if len(need) + len(background) + handlers > total:
            places = [("this transfer", s.place) for s in background]
            raise too_many([*need, *places])
        slots = list(range(total))
        self.spare_slots = slots[total - handlers :]
        number = self.tasks_of_arch.main
        context = Context(self, slots[: total - handlers], number, "this transfer", main.place)
        self.background = {id(s) for s in background}
        for s in background:
            self.memory.concurrent |= self.written_by(s)
        self.build_task("main", "main.", main.body, context, lambda builder: None, False)
        tasks = self.tasks_of_arch
        self.tasks[tasks.main] = TaskAt(tasks.main, Reference("main"), True, False)
        teardown = self.program.teardown
        if teardown is not None:
            inner = Context(self, [], None, "this transfer", teardown.place)
            self.build_task(
                "teardown", "teardown.", teardown.body, inner, lambda builder: None, False
            )
            entry = Reference("teardown")
            self.tasks[tasks.teardown] = TaskAt(tasks.teardown, entry, False, False)

    def handler_needs(self) -> int:
        return sum(
            len(transfers_at_once(n.body, False))
            for f in self.all_functions()
            for n in ir.walk(f.body)
            if isinstance(n, ir.Handler)
        )

    def written_by(self, s: Any) -> set[str]:
        return self.analysis.body((s,), "main.", True).written


def _walk_words(base: Any, dims: Sequence[tuple[int | None, int]]) -> tuple[Any, ...]:
    out = [len(dims), base, base]
    for count, stride in dims:
        out += [isa.UNBOUNDED if count is None else count, stride & 0xFFFF, 0]
    return tuple(out)
