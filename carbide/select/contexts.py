"""Tasks: parallel arms, dispatches and their handlers.

Every concurrent context (the main program, each block arm, each handler) has at most one task
that its waits resume, and microthread slots that no other context uses at the same time.
"""

from typing import Any

from attrs import define, field

from carbide import ir
from carbide.isa.assembly import TaskAt
from carbide.isa.operands import Immediate, Memory, Reference, Register
from carbide.select.code import Instruction
from carbide.select.descriptors import OF_MAIN
from carbide.select.statements import Statements
from carbide.select.transfers import blocking, waits_itself
from mitools.console import Place, UserError

WAVELET = 60
"""R60:R61 hold the wavelet that started a task."""


@define(eq=False)
class Context:
    """`task` resumes it; `slots` are microthreads it may launch in."""

    unit: Any
    slots: list[int]
    task: int | None = None
    what: str = ""
    place: ir.Place = field(default=ir.NOWHERE)

    def resume_task(self) -> int:
        if self.task is None:
            self.task = self.unit.take_task(self.place)
        return self.task

    def slot(self) -> int:
        if not self.slots:
            raise too_many([(self.what or "this transfer", self.place)])
        return self.slots[0]


def user_place(place: ir.Place) -> Place | None:
    """A place for a message."""
    return Place(place.file, place.line, place.column) if place.line else None


def too_many(arms: list[tuple[str, ir.Place]]) -> UserError:
    """The error of more concurrent transfers than microthreads."""
    return UserError(
        f"{len(arms)} transfers at a time need more than the 8 microthreads of a core",
        user_place(arms[0][1]),
        "let fewer arms run side by side, or put some of them into one block, one after the other",
        [(what, user_place(place)) for what, place in arms],
    )


@define
class Arms:
    """The arms of a `parallel` by how they run. Of several blocks each is a task; one block beside
    transfers needs none: `inline` runs where the `parallel` stands, once the transfers run."""

    simple: list[tuple[Any, ir.Arm]] = field(factory=list)
    blocks: list[ir.Arm] = field(factory=list)
    dispatches: list[tuple[ir.Dispatch, ir.Arm]] = field(factory=list)
    pure: list[ir.Arm] = field(factory=list)
    inline: ir.Arm | None = None


def flatten(body: Any) -> list[Any]:
    """Statements without the blocks around them; an arm runs in microthreads anyway."""
    out: list[Any] = []
    for s in body:
        if isinstance(s, ir.Block) or (isinstance(s, ir.Threads) and s.enabled):
            out += flatten(s.body)
        else:
            out.append(s)
    return out


def waits_anywhere(body: Any) -> bool:
    """Whether a body holds something that can wait for the fabric or a FIFO."""
    for node in ir.walk(tuple(body)):
        if isinstance(node, ir.Receive | ir.Stream) and blocking(node.port):
            return True
        if isinstance(node, ir.Send | ir.SendControl) and blocking(node.port):
            return True
        if isinstance(node, ir.Dispatch | ir.Parallel):
            return True
    return False


def single(s: Any) -> bool:
    """Whether a statement can be one launched instruction."""
    match s:
        case ir.Transfer():
            operands = (s.target, *s.sources)
            return any(isinstance(o, ir.Stream) and blocking(o.port) for o in operands)
        case ir.Send():
            return not _received(s.value) or _one_instruction(s.value)
        case ir.SendControl():
            return not _received(s.value)
        case ir.Evaluate():
            return isinstance(s.value, ir.Receive)
        case ir.Assign():
            return _one_instruction(s.value)
        case ir.Store():
            return s.value.type != "u64" and _one_instruction(s.value) and not _received(s.element)
    return False


def _received(e: Any) -> bool:
    return any(isinstance(node, ir.Receive) for node in ir.walk(e))


def _one_instruction(e: Any) -> bool:
    """As `Transfers.parts`, without emitting anything."""
    match e:
        case ir.Receive():
            return True
        case ir.Bits():
            return _one_instruction(e.value)
        case ir.Convert():
            if ir.WORDS[e.type] == ir.WORDS[e.value.type] and (
                e.type == e.value.type or (e.type in ir.INTEGERS and e.value.type in ir.INTEGERS)
            ):
                return _one_instruction(e.value)
            inner: tuple[Any, ...] = (e.value,)
        case ir.Binary() if e.op not in ("div", "mod", "land", "lor"):
            inner = (e.left, e.right)
        case ir.Fma() if e.type in ir.FLOATS:
            inner = (e.left, e.right, e.addend)
        case ir.Compare():
            inner = (e.left, e.right)
        case ir.Unary("neg" | "abs") if e.type in ir.FLOATS:
            inner = (e.value,)
        case _:
            return False
    direct = [isinstance(p, ir.Receive) for p in inner]
    rest = [p for p, d in zip(inner, direct, strict=True) if not d]
    return sum(direct) == 1 and not any(_received(p) or _calls(p) for p in rest)


def _calls(e: Any) -> bool:
    return any(isinstance(n, ir.Binary) and n.op in ("div", "mod") for n in ir.walk(e))


def sort_arms(s: ir.Parallel) -> Arms:
    out = Arms()
    for arm in s.arms:
        body = flatten(arm.body)
        if not body:
            continue
        if len(body) == 1 and isinstance(body[0], ir.Dispatch) and body[0].forever:
            out.dispatches.append((body[0], arm))
        elif len(body) == 1 and single(body[0]):
            out.simple.append((body[0], arm))
        elif not waits_anywhere(body):
            out.pure.append(arm)
        else:
            out.blocks.append(arm)
    if len(out.blocks) == 1 and not out.dispatches:
        out.inline = out.blocks.pop()
    return out


def transfers_at_once(body: Any, launching: bool) -> list[tuple[str, ir.Place]]:
    """The most transfers that a body has running in microthreads at one time."""
    most: list[tuple[str, ir.Place]] = []
    for s in body:
        found: list[tuple[str, ir.Place]] = []
        match s:
            case ir.Parallel():
                arms = sort_arms(s)
                found = [("this arm", arm.place) for _, arm in arms.simple]
                for arm in [*arms.blocks, *([arms.inline] if arms.inline else [])]:
                    inner = transfers_at_once(arm.body, True)
                    found += [("this arm", arm.place)] * len(inner)
                for dispatch, _ in arms.dispatches:
                    found += transfers_at_once((dispatch,), False)
            case ir.Dispatch():
                for handler in s.handlers:
                    found += transfers_at_once(handler.body, False)
            case ir.Threads():
                found = transfers_at_once(s.body, s.enabled)
            case _:
                if launching and (single(s) or waits_itself(s)):
                    found = [("this transfer", s.place)]
                for child in ir.children(s):
                    if isinstance(child, ir.STATEMENTS):
                        inner = transfers_at_once((child,), launching)
                        found = max(found, inner, key=len)
        most = max(most, found, key=len)
    return most


def _others(beside: dict[int, set[str]], arm: ir.Arm) -> set[str]:
    return {root for other, roots in beside.items() if other != id(arm) for root in roots}


class Builder(Statements):
    """Builds a whole routine, with the tasks it starts."""

    def __init__(self, unit: Any, label: str, prefix: str, context: Context) -> None:
        super().__init__(unit, label, prefix)
        self.context = context
        if context.task == unit.tasks_of_arch.main:
            self.numbers, self.lasting = OF_MAIN, True
        self.labels = {}
        self.exits = []

    # Parallel.

    def parallel(self, s: ir.Parallel) -> None:
        arms = sort_arms(s)
        wanted = transfers_at_once((s,), False)
        if len(wanted) > len(self.context.slots):
            raise too_many(wanted)
        outer_slots = list(self.context.slots)
        launching, self.launching = self.launching, True
        beside = {id(arm): self.written_by_threads(arm) for arm in s.arms}
        mask = 0
        for statement, arm in arms.simple:
            slot = self.context.slots.pop(0)
            self.place = arm.place if arm.place != ir.NOWHERE else self.place
            if self.launch(statement, slot):
                mask |= 1 << slot
        counter = self.start_blocks(arms, beside)
        self.launching = False
        for arm in arms.pure:
            self.place = arm.place
            with self.memory.changing(_others(beside, arm)):
                self.scoped(arm.body)
        if arms.inline is not None:
            self.place = arms.inline.place
            self.launching = True
            with self.memory.changing(_others(beside, arms.inline)):
                self.scoped(arms.inline.body)
        for dispatch, arm in arms.dispatches:
            with self.memory.changing(_others(beside, arm)):
                self.start_dispatch(dispatch, None)
        self.launching = launching
        self.context.slots[:] = outer_slots
        self.place = s.place
        if self.dead:
            return
        if arms.dispatches:
            self.never_resume()
            return
        if mask:
            self.suspend(mask)
        if counter is not None:
            self.await_counter(counter, bool(mask))

    def written_by_threads(self, arm: ir.Arm) -> set[str]:
        """The roots that microthreads of an arm write while the other arms run."""
        out: set[str] = set()
        for node in ir.walk(arm.body):
            if isinstance(node, ir.STATEMENTS) and self.unit.analysis.waits(node):
                found = self.unit.analysis.body((node,), self.prefix, True)
                out |= found.written | {cell[0] for cell in found.cells}
        return out

    def start_blocks(self, arms: Arms, beside: dict[int, set[str]]) -> Reference | None:
        """Activate the tasks of block arms; returns where the arms that still run are counted.
        Beside handlers that stay nothing is counted, as the `parallel` never ends."""
        if not arms.blocks:
            return None
        counter: Reference | None = None
        self.flush_all()
        if not arms.dispatches:
            counter = self.unit.temporary(1)
            self.emit("mov16", Memory(counter), Immediate(len(arms.blocks)))
            resume = self.context.resume_task()
        for arm in arms.blocks:
            need = len(transfers_at_once(arm.body, True))
            slots = [self.context.slots.pop(0) for _ in range(need)]
            context = Context(self.unit, slots, None, "this arm", arm.place)
            label = self.unit.fresh("arm")
            task = context.resume_task()

            def finish(builder: "Builder") -> None:
                if counter is not None:
                    builder.count_down(counter, resume)

            with self.memory.changing(_others(beside, arm)):
                self.unit.build_task(label, self.prefix, arm.body, context, finish, True)
            self.emit("entry", Immediate(task), Immediate(Reference(label)))
            self.emit("act", Immediate(task))
        return counter

    def count_down(self, counter: Reference, resume: int) -> None:
        """The end of a block arm: the last one wakes whoever waits for the arms."""
        self.flush_all()
        running = self.define("mov16", 1, Memory(counter))
        left = self.define("sub16", 1, running, Immediate(1))
        self.emit("mov16", Memory(counter), left)
        self.block.branch = Instruction("jnz16", [left, Immediate(0)], place=self.place)
        skip = self.leave_to(None)
        wake = self.new_block("wake")
        self.block.next = wake
        self.start(wake)
        self.emit("act", Immediate(resume))
        self.meet("end", [skip, (self.block, self.state)])

    def await_counter(self, counter: Reference, tested: bool) -> None:
        """Wait until no block arm runs; they may have ended already if we waited before."""
        paths = []
        if tested:
            running = self.define("mov16", 1, Memory(counter))
            self.block.branch = Instruction("jz16", [running, Immediate(0)], place=self.place)
            paths.append((self.block, self.state.copy()))
            waiting = self.new_block("waiting")
            self.block.next = waiting
            self.start(waiting)
        self.resume_here()
        if paths:
            self.meet("joined", [*paths, (self.block, self.state)])

    def resume_here(self) -> None:
        """End the task; whoever activates our task makes it go on here."""
        self.flush_all()
        resume = self.new_block("resume")
        resume.pinned = True
        task = Immediate(self.context.resume_task())
        self.emit("entry", task, Immediate(Reference(resume.name)))
        self.emit("term", barrier=True)
        self.block.next = resume
        self.start(resume)
        self.forget_all()

    def never_resume(self) -> None:
        """End the task for good."""
        self.flush_all()
        self.emit("term")
        self.dead = True

    # Dispatch.

    def dispatch(self, s: ir.Dispatch) -> None:
        if s.forever:
            self.start_dispatch(s, None)
            self.never_resume()
            return
        self.flush_all()
        resume = self.new_block("resume")
        resume.pinned = True
        task = self.context.resume_task()
        self.emit("entry", Immediate(task), Immediate(Reference(resume.name)))
        self.start_dispatch(s, task)
        self.emit("term", barrier=True)
        self.block.next = resume
        self.start(resume)
        self.forget_all()

    def start_dispatch(self, s: ir.Dispatch, resume: int | None) -> None:
        """Unblock the handlers. `resume` is the task to go on with after one wavelet."""
        self.flush_all()
        queue = self.unit.queues.number(s.socket, False)
        tasks = {id(h): self.unit.control_task(h, queue) for h in s.handlers if h.kind == "control"}
        data = any(h.kind == "data" for h in s.handlers)
        closing = [*([queue] if data else []), *tasks.values()]
        for h in s.handlers:
            own = queue if h.kind == "data" else tasks[id(h)]
            label = self.build_handler(h, own, closing, resume)
            entry = Immediate(Reference(label))
            if h.kind == "data":
                keep = h.value is None and self.unit.receives_from(h.body, queue)
                self.emit("dtask", Immediate(queue), entry, Immediate(int(keep)))
            else:
                self.unit.tasks.setdefault(own, TaskAt(own, Reference(label), False, True))
                self.emit("entry", Immediate(own), entry)
                self.emit("unblock", Immediate(own))

    def build_handler(self, h: ir.Handler, own: int, closing: list[int], resume: int | None) -> str:
        """The routine of a handler, which task `own` runs; with `resume` it blocks `closing`."""
        label: str = self.unit.fresh("handler")
        context = Context(self.unit, self.unit.handler_slots(h), None, "this handler", h.place)
        suspends = self.unit.analysis.body(h.body, self.prefix, False).suspends

        def start(builder: "Builder") -> None:
            if resume is not None:
                for task in closing:
                    builder.emit("block", Immediate(task))
            elif suspends:
                builder.emit("block", Immediate(own))
            for variable, register in ((h.value, WAVELET), (h.index, WAVELET + 1)):
                if variable is not None:
                    words = ir.WORDS[variable.type]
                    move = "mov16" if words == 1 else "mov32"
                    value = builder.define(move, words, Register(register))
                    builder.assign(variable, value)

        def finish(builder: "Builder") -> None:
            builder.flush_all()
            if resume is not None:
                builder.emit("act", Immediate(resume))
            elif suspends:
                builder.emit("unblock", Immediate(own))

        self.unit.build_task(label, self.prefix, h.body, context, finish, False, start)
        return label
