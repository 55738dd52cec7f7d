"""Structured statements to blocks."""

from typing import Any

from carbide import ir
from carbide.isa.operands import Immediate, Memory, Nothing, Reference, Register
from carbide.runtime import RETURN_REGISTER
from carbide.select.branches import Branches
from carbide.select.core import Path
from carbide.select.transfers import blocking, waits_itself


class Statements(Branches):
    labels: dict[str, list[Path]]
    exits: list[Path]

    def body(self, body: Any) -> None:
        for statement in body:
            if self.dead:
                return
            self.statement(statement)

    def statement(self, s: Any) -> None:
        outer = self.place
        if s.place != ir.NOWHERE:
            self.place = s.place
        match s:
            case ir.Assign():
                if not (self.launching and self.launched(s)):
                    self.assign(s.variable, self.value(s.value))
            case ir.Store():
                if not (self.launching and self.launched(s)):
                    self.store_statement(s)
            case ir.Send() | ir.SendControl():
                if not (self.launching and blocking(s.port) and self.launched(s)):
                    self.send(s)
            case ir.Evaluate():
                if not (self.launching and self.launched(s)):
                    self.evaluate(s)
            case ir.Transfer():
                if id(s) in self.unit.background:  # nothing waits for it
                    self.transfer(s, self.context.slots.pop() + 1)
                elif self.launching and self.waits(s):
                    slot = self.context.slot()
                    if self.transfer(s, slot + 1):
                        self.suspend(1 << slot)
                else:
                    self.transfer(s)
            case ir.Loop():
                self.loop(s)
            case ir.While():
                self.while_loop(s)
            case ir.Forever():
                self.forever(s.body, s)
            case ir.If():
                self.branch(s)
            case ir.Block():
                self.body(s.body)
            case ir.Breakable():
                self.breakable(s)
            case ir.Leave():
                self.labels[s.label].append(self.leave_to(None))
                self.dead = True
            case ir.Threads():
                launching, self.launching = self.launching, s.enabled
                self.body(s.body)
                self.launching = launching
            case ir.Call():
                self.call(s)
            case ir.Return():
                self.return_statement(s)
            case ir.Sum():
                self.sum(s)
            case ir.Accumulate():
                parts = [s.left] if s.right is None else [s.left, s.right]
                mnemonic = ("sum" if s.right is None else "dot") + s.type
                operands = [self.value(p) for p in parts]
                self.emit(mnemonic, Nothing(), *operands, keep=True, no_load=True)
            case ir.ResetIterator() | ir.SetLength() | ir.SetIterator():
                self.iterator_change(s)
            case ir.Parallel():
                self.parallel(s)
            case ir.Dispatch():
                self.dispatch(s)
            case _:
                raise TypeError(f"no statement: {s!r}")
        self.place = outer

    def waits(self, s: ir.Transfer) -> bool:
        operands = (s.target, *s.sources)
        return any(isinstance(o, ir.Stream) and blocking(o.port) for o in operands)

    # Small statements.

    def store_statement(self, s: ir.Store) -> None:
        words = ir.WORDS[s.value.type]
        if s.value.type == "u64":
            self.copy_descriptor(s)
            return
        self.store(s.element, words, self.value(s.value))

    def copy_descriptor(self, s: ir.Store) -> None:
        """64 bits: a descriptor, or another place that holds one."""
        target = self.locate(s.element)
        if isinstance(s.value, ir.Descriptor):
            source: Any = self.unit.port_descriptor(s.value.port, s.value.direction)
            halves = [Memory(source), Memory(source + 2)]
        else:
            assert isinstance(s.value, ir.Load)
            at = self.locate(s.value.element)
            halves = [self.half(at, 0), self.half(at, 2)]
            names = [at.root.name] if at.root else self.memory.reachable()
            self.flush_roots(set(names))
        values = [self.define("mov32", 2, half) for half in halves]
        self.spoil(target, 4)
        for place, value in zip((0, 2), values, strict=True):
            self.emit("mov32", self.half(target, place), value)
        if target.root is not None:
            self.forget_roots({target.root.name})

    def half(self, at: Any, words: int) -> Any:
        from carbide.select.code import At, plus

        displacement = plus(at.displacement, words)
        return Memory(displacement) if at.base is None else At(at.base, displacement)

    def evaluate(self, s: ir.Evaluate) -> None:
        if isinstance(s.value, ir.Receive) and not self.launching:
            self.prepare(s.value)
            words = ir.WORDS[s.value.type]
            source = self.port_operand(s.value.port, False, 1)
            self.emit("mov16" if words == 1 else "mov32", Nothing(), source)
        else:
            self.value(s.value)

    def send(self, s: ir.Send | ir.SendControl) -> None:
        operand = self.value(s.value)
        roots = self.port_effects(s.port, True)
        target = self.port_operand(s.port, True, 1)
        if blocking(s.port):
            self.flush_observed()
        self.emit(self.send_mnemonic(s), target, operand, flip=s.flip)
        self.forget_roots(roots)

    @staticmethod
    def send_mnemonic(s: ir.Send | ir.SendControl) -> str:
        if isinstance(s, ir.SendControl):
            return "movc"
        return "mov16" if ir.WORDS[s.value.type] == 1 else "mov32"

    def launched(self, s: Any) -> bool:
        """Run the statement as one launched instruction and wait for it, if it can be one."""
        if not waits_itself(s):
            return False
        slot = self.context.slot()
        if not self.launch(s, slot):
            return False
        self.suspend(1 << slot)
        return True

    def launch(self, s: Any, slot: int) -> bool:
        """Launch the statement's one transfer; False (and nothing done) if it is not just one."""
        if isinstance(s, ir.Transfer):
            if self.waits(s):
                return self.transfer(s, slot + 1)
            return False
        if isinstance(s, ir.SendControl | ir.Send):
            return self._launch_send(s, slot)
        if isinstance(s, ir.Evaluate):
            if not isinstance(s.value, ir.Receive):
                return False
            found = self.parts(s.value)
            assert found is not None
            self.emit(found[0], Nothing(), *found[1], slot=slot + 1)
            return True
        found = self.parts(s.value)
        if found is None:
            return False
        mnemonic, sources = found
        if isinstance(s, ir.Assign):
            root = self.variable_root(s.variable)
            target: Any = self.address(root, 0)
            key = (root.name, 0, ir.WORDS[s.variable.type])
            self.state.cells.pop(key, None)
        else:
            at = self.locate(s.element)
            self.spoil(at, ir.WORDS[s.value.type])
            if at.root is not None:
                self.forget_roots({at.root.name})
            target = at.operand
        self.emit(mnemonic, target, *sources, slot=slot + 1)
        return True

    def _launch_send(self, s: Any, slot: int) -> bool:
        received = [node for node in ir.walk(s.value) if isinstance(node, ir.Receive)]
        mnemonic = self.send_mnemonic(s)
        sources: list[Any] = []
        if received:
            found = self.parts(s.value) if isinstance(s, ir.Send) else None
            if found is None:
                return False
            mnemonic, sources = found
        else:
            sources = [self.value(s.value)]
        roots = self.port_effects(s.port, True)
        target = self.port_operand(s.port, True, 1)
        self.emit(mnemonic, target, *sources, slot=slot + 1, flip=s.flip)
        self.forget_roots(roots)
        return True

    def sum(self, s: ir.Sum) -> None:
        """A sum whose body is no single vector instruction."""
        wide = ir.WORDS[s.type]
        op = "sum" + s.type
        zero = Immediate(0)
        if not s.keep:  # +0 into a cleared accumulator leaves +0
            self.emit(op, Nothing(), zero, no_load=True)
        self.scoped(s.body)
        if s.target is None:
            return
        minus_zero = Immediate(0x80000000 if wide == 2 else 0x8000)  # x + -0 is x, -0 too
        value = self.new_value(wide)
        self.emit(op, value, minus_zero, keep=True)
        if isinstance(s.target, ir.Var):
            self.assign(s.target, value)
        else:
            self.store(s.target, wide, value)

    def iterator_change(self, s: Any) -> None:
        unit = self.unit
        if isinstance(s, ir.SetLength):
            length = Immediate(0xFFFF) if s.value is None else self.value(s.value)
            self.emit("mov16", Memory(unit.iterator_descriptor(s.name) + 2), length)
            self.state.descriptors.pop(("iterator", s.name), None)
            return
        record = unit.walk_record(s.name)
        iterator = unit.iterators[s.name]
        if isinstance(s, ir.SetIterator):
            base = self.value(s.base)
            self.emit("mov16", Memory(record + 1), base)
            for place, count in enumerate(s.counts):
                operand = Immediate(0xFFFF) if count is None else self.value(count)
                self.emit("mov16", Memory(record + 3 + 3 * place), operand)
        elif s.name in unit.restarted:
            base = self.define("mov16", 1, Memory(record + 1))
        else:
            base = Immediate(unit.iterator_base(s.name))
        self.emit("mov16", Memory(record + 2), base)
        for place in range(len(iterator.dims)):
            self.emit("mov16", Memory(record + 5 + 3 * place), Immediate(0))

    def breakable(self, s: ir.Breakable) -> None:
        self.labels[s.label] = []
        self.scoped(s.body)
        paths = self.labels.pop(s.label)
        if not self.dead:
            paths.append((self.block, self.state))
        if len(paths) == 1 and not self.dead:
            return
        self.meet("after", paths)

    # Functions.

    def call(self, s: ir.Call) -> None:
        """Arguments in registers from R0 on, the result in R0."""
        function = self.unit.functions[s.function]
        effects = self.unit.analysis.function(s.function)
        arguments = [self.value(a) for a in s.arguments]
        touched = effects.read | effects.written
        touched |= {c[0] for c in effects.cells | effects.cells_read}
        self.flush_roots(touched)
        if effects.observes:
            self.flush_observed()
        used = 0
        for (number, register), argument in zip(
            argument_registers(function), arguments, strict=True
        ):
            words = ir.WORDS[function.params[number].type]
            self.emit("mov16" if words == 1 else "mov32", Register(register), argument)
            used |= (3 if words == 2 else 1) << register
        label, clobbers = self.unit.function(s.function)
        target = Immediate(Reference(label))
        self.emit("call", Register(RETURN_REGISTER), target, clobbers=clobbers, fixed_uses=used)
        self.forget_descriptors()
        self.forget_roots(effects.written | {c[0] for c in effects.cells})
        if s.result is not None:
            words = ir.WORDS[s.result.type]
            value = self.define("mov16" if words == 1 else "mov32", words, Register(0))
            self.assign(s.result, value)

    def return_statement(self, s: ir.Return) -> None:
        if s.value is not None:
            self.assign(ir.Var(s.value.type, ".result"), self.value(s.value))
        self.exits.append(self.leave_to(None))
        self.dead = True

    # Provided by the last layer.

    def parallel(self, s: ir.Parallel) -> None:
        raise NotImplementedError

    def dispatch(self, s: ir.Dispatch) -> None:
        raise NotImplementedError


def argument_registers(function: ir.Function) -> list[tuple[int, int]]:
    """(parameter number, register) of each parameter."""
    out, free = [], 0
    for place, parameter in enumerate(function.params):
        words = ir.WORDS[parameter.type]
        free += free % words
        out.append((place, free))
        free += words
    return out
