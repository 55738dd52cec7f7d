"""Branches and loops to blocks."""

from typing import Any

from carbide import ir
from carbide.isa.operands import Immediate, Reference
from carbide.passes.mnemonics import compare_mnemonic
from carbide.select.code import Block, Instruction, Phi, Value
from carbide.select.core import LoopFrame, Path
from carbide.select.effects import Effects
from carbide.select.state import Known, Operand
from carbide.select.transfers import Transfers

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


class Branches(Transfers):
    """`body` builds statements; the next layer has it."""

    def body(self, body: Any) -> None:
        raise NotImplementedError

    def scoped(self, body: Any) -> None:
        self.scopes.append({})
        self.body(body)
        self.scopes.pop()

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


def _signed(immediate: Immediate) -> int:
    value = immediate.value
    assert isinstance(value, int)
    return value - 0x10000 if value >= 0x8000 else value
