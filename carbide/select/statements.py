"""Structured statements to blocks."""

from typing import Any

from carbide import ir
from carbide.isa.operands import Immediate, Memory, Nothing, Reference, Register
from carbide.passes.mnemonics import compare_mnemonic
from carbide.runtime import RETURN_REGISTER
from carbide.select.code import Block, Instruction, Phi, Value
from carbide.select.core import LoopFrame, Path
from carbide.select.effects import Effects
from carbide.select.state import Known, Operand
from carbide.select.transfers import Transfers, blocking

_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
_BRANCH = {
    # operation: (instruction on signed, on unsigned, sides change places)
    "lt": ("jlt16", "jltu16", False),
    "ge": ("jge16", "jgeu16", False),
    "gt": ("jlt16", "jltu16", True),
    "le": ("jge16", "jgeu16", True),
    "eq": ("jeq16", "jeq16", False),
    "ne": ("jne16", "jne16", False),
}


class Statements(Transfers):
    labels: dict[str, list[Path]]
    exits: list[Path]

    def body(self, body: Any) -> None:
        for statement in body:
            if self.dead:
                return
            self.statement(statement)

    def scoped(self, body: Any) -> None:
        self.scopes.append({})
        self.body(body)
        self.scopes.pop()

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

    # Branches.

    def branch_unless(self, condition: Any) -> bool | None:
        """End the block with a branch that is taken when the condition fails.

        A condition known now gives its truth and no branch.
        """
        negate = True
        while isinstance(condition, ir.Unary) and condition.op == "lnot":
            if ir.WORDS[condition.value.type] != 1:
                break
            condition, negate = condition.value, not negate
        return self._branch(condition, negate)

    def _branch(self, condition: Any, negate: bool) -> bool | None:
        target = Immediate(0)
        if isinstance(condition, ir.Compare) and condition.left.type in ("i16", "u16"):
            op = _NEGATED[condition.op] if negate else condition.op
            left, right = self.value(condition.left), self.value(condition.right)
            known = self.known_comparison(condition, left, right)
            if known is not None:
                return known if negate else not known
            mnemonic, operands = _compare_and_branch(op, condition.left.type, left, right)
            self.block.branch = Instruction(mnemonic, [*operands, target], place=self.place)
            return None
        operand = self.value(condition)
        if isinstance(operand, Immediate) and isinstance(operand.value, int):
            return (operand.value != 0) == negate
        mnemonic = "jz16" if negate else "jnz16"
        self.block.branch = Instruction(mnemonic, [operand, target], place=self.place)
        return None

    def known_comparison(self, c: ir.Compare, left: Operand, right: Operand) -> bool | None:
        """The result of a comparison of two constants."""
        if not (isinstance(left, Immediate) and isinstance(right, Immediate)):
            return None
        if isinstance(left.value, Reference) or isinstance(right.value, Reference):
            return None
        mnemonic, swap = compare_mnemonic(c.op, c.left.type)
        folded = self.pure(mnemonic, 1, *((right, left) if swap else (left, right)))
        assert isinstance(folded, Immediate)
        return bool(folded.value)

    def branch(self, s: ir.If) -> None:
        known = self.branch_unless(s.condition)
        if known is not None:
            self.scoped(s.then if known else s.otherwise)
            return
        end, before = self.block, self.state
        then = self.new_block("then")
        end.next = then
        paths: list[Path] = []
        self.state = before.copy()
        self.start(then)
        self.scoped(s.then)
        if not self.dead:
            paths.append((self.block, self.state))
        if s.otherwise:
            otherwise = self.new_block("else")
            end.other = otherwise
            self.state = before.copy()
            self.start(otherwise)
            self.scoped(s.otherwise)
            if not self.dead:
                paths.append((self.block, self.state))
        else:
            paths.append((end, before))
        self.meet("join", paths)

    def breakable(self, s: ir.Breakable) -> None:
        self.labels[s.label] = []
        self.scoped(s.body)
        paths = self.labels.pop(s.label)
        if not self.dead:
            paths.append((self.block, self.state))
        if len(paths) == 1 and not self.dead:
            return
        self.meet("after", paths)

    # Loops.

    def effects_of(self, body: Any) -> Effects:
        return self.unit.analysis.body(body, self.prefix, self.launching)

    def prepare_loop(self, effects: Effects) -> None:
        """Before a loop (and the test that may pass it by): make the state fit for every round."""
        if effects.suspends:
            self.flush_all()
            return
        self.flush_roots(effects.read | effects.written)
        if effects.observes:
            self.flush_observed()
        for key in [*effects.cells_read, *effects.cells]:
            for other in self.state.overlapping(key):
                self.flush(other)
        self.keep_before(effects)

    def enter_loop(self, effects: Effects) -> Block:
        """Start the header of a prepared loop; returns it."""
        preheader = self.block
        header = self.new_block("loop")
        preheader.next = header
        frame = LoopFrame(preheader, len(self.scopes) - 1, effects, header=header)
        self.loops.append(frame)
        self.scopes.append({})
        before = self.state
        self.state = before.copy()
        self.start(header)
        self.state.descriptors.clear()
        if effects.suspends:
            self.forget_all()
            for key in effects.cells:
                self.state.cells.pop(key, None)
            return header
        self.forget_roots(effects.written)
        for load in [k for k in self.state.loads if any(c[0] == k[0] for c in effects.cells)]:
            del self.state.loads[load]
        for key in sorted(effects.cells):
            for other in self.state.overlapping(key):
                del self.state.cells[other]
            if key in self.state.cells:
                value = self.new_value(key[2])
                phi = Phi(value, {preheader: before.cells[key].operand})
                header.phis.append(phi)
                frame.phis[key] = phi
                self.state.cells[key] = Known(value, True)
        frame.known = set(self.state.cells)
        return header

    def keep_before(self, effects: Effects) -> None:
        """Load what the loop changes in place, so that it stays in a register over the rounds."""
        if effects.suspends:
            return
        for key in sorted(effects.cells):
            root = self.memory.roots[key[0]]
            if key in self.state.cells or key[0] in effects.written or key[2] > 2:
                continue
            if self.memory.volatile(key[0], key[1]) or self.clashes(key, effects):
                continue
            self.read_cell(root, key[1], key[2])

    @staticmethod
    def clashes(key: Any, effects: Effects) -> bool:
        """Whether the loop writes a part of the cell in another shape."""
        root, offset, words = key
        return any(
            c[0] == root and c != key and c[1] < offset + words and offset < c[1] + c[2]
            for c in effects.cells
        )

    def end_round(self) -> None:
        """Before the jump back: what the header's phis get, and memory for what it forgot."""
        frame = self.loops[-1]
        if frame.effects.suspends:
            self.flush_all()
            return
        for key in list(self.state.cells):
            if key not in frame.known:
                self.flush(key)
        for key, phi in frame.phis.items():
            root = self.memory.roots[key[0]]
            phi.sources[self.block] = self.read_cell(root, key[1], key[2])

    def exit_loop(self) -> None:
        self.loops.pop()
        self.scopes.pop()

    def settle(self) -> None:
        """Values of a finished loop count as made outside of it from now on."""
        depth = len(self.loops)
        for known in self.state.cells.values():
            if isinstance(known.operand, Value):
                known.operand.depth = min(known.operand.depth, depth)
        for value in self.state.loads.values():
            value.depth = min(value.depth, depth)

    def loop(self, s: ir.Loop) -> None:
        low, high = self.value(s.low), None if s.high is None else self.value(s.high)
        if isinstance(low, Immediate) and isinstance(high, Immediate):
            if _signed(low) >= _signed(high):
                return
            guard = None
        else:
            guard = high
        self.assign(s.variable, low)
        effects = self.effects_of((s,))
        if effects.suspends and isinstance(high, Value):
            self.bound_in_memory(s, high)
            return
        self.prepare_loop(effects)
        skipped: Path | None = None
        if guard is not None:
            self.block.branch = Instruction("jge16", [low, guard, Immediate(0)], place=self.place)
            skipped = (self.block, self.state.copy())
        header = self.enter_loop(effects)
        frame = self.loops[-1]
        frame.index = (self.variable_root(s.variable).name, 0, 1)
        frame.low, frame.step = low, s.step
        self.body(s.body)
        if not self.dead:
            index = self.value(s.variable)
            step = self.pure("add16", 1, index, Immediate(s.step))
            self.assign(s.variable, step)
            self.move_pointers(frame)
            self.end_round()
            if high is None:
                self.block.next = header
                self.dead = True
            else:
                self.close(header, "jlt16", [step, high])
        self.finish_loop(skipped)

    def close(self, header: Block, mnemonic: str, operands: list[Operand]) -> None:
        self.block.branch = Instruction(mnemonic, [*operands, Immediate(0)], place=self.place)
        self.block.other = header

    def finish_loop(self, skipped: Path | None) -> None:
        paths: list[Path] = [] if self.dead else [(self.block, self.state)]
        self.exit_loop()
        if skipped is not None:
            paths.append(skipped)
        self.meet("done", paths)
        if not self.dead:
            self.settle()

    def bound_in_memory(self, s: ir.Loop, high: Value) -> None:
        """A loop that suspends keeps its bound in the frame."""
        name = f"{s.variable.name}.bound.{self.unit.next_value()}"
        bound = ir.Var("i16", name)
        self.assign(bound, high)
        self.loop_while(s, bound)

    def loop_while(self, s: ir.Loop, bound: ir.Var) -> None:
        step = ir.Binary("add", s.variable, ir.integer("i16", s.step))
        body = (*s.body, ir.Assign(s.variable, step))
        test = ir.Compare("lt", s.variable, bound)
        self.while_loop(ir.While((), test, body, place=s.place))

    def while_loop(self, s: ir.While) -> None:
        effects = self.effects_of((s,))
        self.prepare_loop(effects)
        if s.before:
            self.while_tested_first(s, effects)
            return
        known = self.branch_unless(s.condition)
        if known is False:
            return
        skipped: Path | None = None
        if known is None:
            skipped = (self.block, self.state.copy())
        header = self.enter_loop(effects)
        self.body(s.body)
        if not self.dead:
            self.turn(header, s.condition)
        self.finish_loop(skipped)

    def turn(self, header: Block, condition: Any) -> None:
        """The test at the end of a round."""
        if isinstance(condition, ir.Compare) and condition.left.type in ("i16", "u16"):
            left, right = self.value(condition.left), self.value(condition.right)
            known = self.known_comparison(condition, left, right)
            if known is None:
                self.end_round()
                type = condition.left.type
                self.close(header, *_compare_and_branch(condition.op, type, left, right))
                return
            operand: Operand = Immediate(int(known))
        else:
            operand = self.value(condition)
        self.end_round()
        if isinstance(operand, Immediate) and isinstance(operand.value, int):
            if operand.value:
                self.block.next = header
                self.dead = True
            return
        self.close(header, "jnz16", [operand])

    def while_tested_first(self, s: ir.While, effects: Effects) -> None:
        header = self.enter_loop(effects)
        self.body(s.before)
        if self.dead:
            self.finish_loop(None)
            return
        known = self.branch_unless(s.condition)
        exit_: Path | None = None
        if known is False:
            self.end_round()
            self.finish_loop(None)
            return
        if known is None:
            exit_ = (self.block, self.state.copy())
            inside = self.new_block("body")
            self.block.next = inside
            self.start(inside)
        self.scoped(s.body)
        if not self.dead:
            self.end_round()
            self.block.next = header
        self.dead = True
        self.finish_loop(exit_)

    def forever(self, body: Any, s: Any) -> None:
        effects = self.effects_of(body)
        self.prepare_loop(effects)
        header = self.enter_loop(effects)
        self.body(body)
        if not self.dead:
            self.end_round()
            self.block.next = header
            self.dead = True
        self.finish_loop(None)

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
        self.emit(
            "call", Register(RETURN_REGISTER), target, clobbers=clobbers, fixed_uses=used
        )
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


def _compare_and_branch(
    op: str, type: str, left: Operand, right: Operand
) -> tuple[str, list[Operand]]:
    """The branch taken when the comparison holds, and its operands without the target."""
    signed, unsigned, swap = _BRANCH[op]
    if op in ("eq", "ne"):
        zero = Immediate(0)
        if right == zero or left == zero:
            return ("jz16" if op == "eq" else "jnz16"), [left if right == zero else right]
    return (signed if type == "i16" else unsigned), [right, left] if swap else [left, right]


def argument_registers(function: ir.Function) -> list[tuple[int, int]]:
    """(parameter number, register) of each parameter."""
    out, free = [], 0
    for place, parameter in enumerate(function.params):
        words = ir.WORDS[parameter.type]
        free += free % words
        out.append((place, free))
        free += words
    return out


def _signed(immediate: Immediate) -> int:
    value = immediate.value
    assert isinstance(value, int)
    return value - 0x10000 if value >= 0x8000 else value
