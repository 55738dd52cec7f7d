"""The base of the builder: emitting instructions, values of cells, meeting of paths."""

from typing import Any

from attrs import define, field

from carbide import ir
from carbide.isa.operands import Immediate, Memory
from carbide.select import fold
from carbide.select.code import At, Block, Instruction, Phi, Routine, Value, plus
from carbide.select.effects import Effects
from carbide.select.memory import Key, Root
from carbide.select.state import Known, Operand, State


@define(eq=False)
class Pointer:
    """The base of a descriptor register that moves by `stride` words each round.

    It is set at the end of a round, for the next: the branch back covers the wait until a
    descriptor can be used.
    """

    value: Value
    phi: Phi
    stride: int
    number: int


@define(eq=False)
class LoopFrame:
    """A loop being built. Code that does not change in it goes to the end of `preheader`.

    `known` are the cells whose values the header expects in registers, `phis` those of them that
    the loop assigns. `descriptors` are descriptor registers loaded before the loop, which nothing
    in it changes; `used` those that it loads. Of a loop that counts: the cell of its variable, its
    first value and step; `pointers` walk with it.
    """

    preheader: Block
    scope: int
    effects: Effects
    loads: dict[Any, Value] = field(factory=dict)
    phis: dict[Key, Phi] = field(factory=dict)
    descriptors: dict[Any, int] = field(factory=dict)
    used: set[int] = field(factory=set)
    header: Block | None = None
    index: Key | None = None
    low: Any = None
    step: int = 0
    pointers: list["Pointer"] = field(factory=list)
    known: set[Key] = field(factory=set)


ROUNDED = frozenset(
    f"{source}to{target}" for source in "sh" for target in ("i16", "u16", "i32", "u32")
)
"""Conversions that the FP control register steers."""

Path = tuple[Block, State]
"""An open end: a block that goes nowhere yet and what is known there."""


class Core:
    """Builds one routine. `prefix` makes the names of the function's variables unique."""

    def __init__(self, unit: Any, label: str, prefix: str) -> None:
        self.unit = unit
        self.memory = unit.memory
        self.prefix = prefix
        self.routine = Routine(label)
        self.state = State()
        self.loops: list[LoopFrame] = []
        self.scopes: list[dict[Any, tuple[Value, int]]] = [{}]
        self.generation = 0
        self.dead = False
        self.place = ir.NOWHERE
        self.block = self.new_block("entry")

    # Blocks.

    def new_block(self, name: str) -> Block:
        block = Block(self.unit.fresh(name), depth=len(self.loops))
        self.routine.blocks.append(block)
        return block

    def start(self, block: Block) -> None:
        """Go on in a block, laid out here."""
        self.routine.blocks.remove(block)
        self.routine.blocks.append(block)
        block.depth = len(self.loops)
        self.block = block
        self.dead = False

    def leave_to(self, block: Block | None) -> Path:
        """End the current block with a jump; the path can be given to `meet`."""
        self.block.next = block
        return self.block, self.state

    # Instructions.

    def new_value(self, words: int, name: str = "") -> Value:
        return Value(self.unit.next_value(), words, name, len(self.loops))

    def emit(self, mnemonic: str, *operands: Any, **flags: Any) -> Instruction:
        made = Instruction(mnemonic, list(operands), place=self.place, **flags)
        self.block.code.append(made)
        return made

    def define(self, mnemonic: str, words: int, *sources: Any) -> Value:
        """A value by an instruction that must stand here."""
        value = self.new_value(words)
        value.definition = self.emit(mnemonic, value, *sources)
        return value

    def define_here(self, mnemonic: str, words: int, *sources: Any) -> Value:
        """As `define`, of an instruction that nothing may move across."""
        value = self.define(mnemonic, words, *sources)
        assert value.definition is not None
        value.definition.stays = True
        return value

    def pure(self, mnemonic: str, words: int, *sources: Any) -> Operand:
        """A value that depends on its operands only: folded, shared, or moved out of loops."""
        mnemonic, sources = fold.simpler(mnemonic, fold.order(mnemonic, sources))
        folded = fold.fold(mnemonic, words, sources)
        if folded is not None:
            return folded
        if self.unit.sets_rounding and mnemonic in ROUNDED:
            return self.define_here(mnemonic, words, *sources)
        key = (mnemonic, *sources)
        for scope in reversed(self.scopes):
            found = scope.get(key)
            if found is not None and found[1] == self.generation:
                return found[0]
        level = self.level_of(sources)
        value = self.new_value(words)
        made = Instruction(mnemonic, [value, *sources], place=self.place)
        value.definition = made
        if level < len(self.loops):
            frame = self.loops[level]
            frame.preheader.code.append(made)
            value.depth = level
            self.scopes[frame.scope][key] = (value, self.generation)
        else:
            self.block.code.append(made)
            self.scopes[-1][key] = (value, self.generation)
        return value

    def level_of(self, sources: tuple[Any, ...]) -> int:
        """How many loops must stay around an instruction on these operands."""
        level = 0
        for operand in sources:
            if isinstance(operand, Value):
                level = max(level, operand.depth)
            elif isinstance(operand, At):
                level = max(level, operand.base.depth)
        level = min(level, len(self.loops))
        for outer in range(len(self.loops), 0, -1):
            if self.loops[outer - 1].effects.suspends:
                return max(level, outer)
        return level

    # Cells.

    def address(self, root: Root, offset: int) -> Memory:
        return Memory(plus(root.label, offset))

    def flush(self, key: Key) -> None:
        """Bring a cell's value to memory."""
        known = self.state.cells[key]
        if known.dirty:
            root = self.memory.roots[key[0]]
            move = "mov16" if key[2] == 1 else "mov32"
            self.emit(move, self.address(root, key[1]), known.operand)
            self.state.clean(key)

    def flush_roots(self, roots: set[str]) -> None:
        for key in [k for k, known in self.state.cells.items() if known.dirty]:
            if key[0] in roots:
                self.flush(key)

    def flush_observed(self) -> None:
        """Before the program may stop here for good: users see the memory."""
        for key in [k for k, known in self.state.cells.items() if known.dirty]:
            if self.memory.roots[key[0]].observed:
                self.flush(key)

    def flush_all(self) -> None:
        for key in [k for k, known in self.state.cells.items() if known.dirty]:
            self.flush(key)

    def forget_roots(self, roots: set[str]) -> None:
        for key in [k for k in self.state.cells if k[0] in roots]:
            del self.state.cells[key]
        for load in [k for k in self.state.loads if k[0] in roots]:
            del self.state.loads[load]

    def forget_all(self) -> None:
        """Registers are lost. Constants are known all the same unless others may write them."""
        self.state.cells = {
            key: known
            for key, known in self.state.cells.items()
            if isinstance(known.operand, Immediate)
            and key[0].startswith("var ")
            and not self.memory.roots[key[0]].observed
        }
        self.state.loads.clear()
        self.forget_descriptors()
        self.generation += 1

    def read_cell(self, root: Root, offset: int, words: int) -> Operand:
        key = (root.name, offset, words)
        move = "mov16" if words == 1 else "mov32"
        if self.memory.volatile(root.name, offset):
            return self.define_here(move, words, self.address(root, offset))
        known = self.state.cells.get(key)
        if known is not None:
            return known.operand
        for other in self.state.overlapping(key):
            self.flush(other)
        value = self.hoisted_load(key, key, move, words, self.address(root, offset))
        self.state.cells[key] = Known(value, False)
        return value

    def hoisted_load(self, key: Key, name: Any, move: str, words: int, source: Any) -> Value:
        """Load a cell (or with an offset of -1, something of its root) as far out as it is good."""
        level = self.level_of((source,))
        place = len(self.loops)
        while place > level and self._unchanged(key, self.loops[place - 1].effects):
            place -= 1
        if place == len(self.loops):
            return self.define(move, words, source)
        frame = self.loops[place]
        if name not in frame.loads:
            value = self.new_value(words)
            value.depth = place
            value.definition = Instruction(move, [value, source], place=self.place)
            frame.preheader.code.append(value.definition)
            frame.loads[name] = value
        return frame.loads[name]

    @staticmethod
    def _unchanged(key: Key, effects: Effects, waits: bool = True) -> bool:
        """Whether a loop leaves a cell as it is; with `waits`, only if registers outlive it."""
        root, offset, words = key
        if root in effects.written or (waits and effects.suspends):
            return False
        return not any(
            c[0] == root and (offset < 0 or (c[1] < offset + words and offset < c[1] + c[2]))
            for c in effects.cells
        )

    def write_cell(self, root: Root, offset: int, words: int, operand: Operand) -> None:
        key = (root.name, offset, words)
        if self.memory.volatile(root.name, offset):
            move = "mov16" if words == 1 else "mov32"
            self.emit(move, self.address(root, offset), operand, stays=True)
            return
        for other in self.state.overlapping(key):
            if not (offset <= other[1] and other[1] + other[2] <= offset + words):
                self.flush(other)
            del self.state.cells[other]
        self.state.forget_loads(root.name, (None, plus(root.label, offset), words))
        self.state.cells[key] = Known(operand, True)

    def forget_descriptors(self) -> None:
        """Other code may have loaded descriptor registers."""
        raise NotImplementedError

    # Meeting of paths.

    def meet(self, name: str, paths: list[Path]) -> None:
        """Go on where all the paths come together; without any, the code here is dead."""
        block = self.new_block(name)
        paths = [p for p in paths if p is not None]
        for end, _ in paths:
            if end.branch is not None and end.other is None:
                end.other = block
            elif end.next is None:
                end.next = block
        if not paths:
            self.start(block)
            self.dead = True
            return
        state = self._meet_states(block, paths)
        self.start(block)
        self.state = state

    def _meet_states(self, block: Block, paths: list[Path]) -> State:
        if len(paths) == 1:
            return paths[0][1]
        met = State()
        keys: dict[Key, None] = {}
        for _, state in paths:
            keys.update(dict.fromkeys(state.cells))
        for key in keys:
            found = [state.cells.get(key) for _, state in paths]
            if any(known is None for known in found):
                self._flush_on(paths, key)
                continue
            known = [k for k in found if k is not None]
            dirty = any(k.dirty for k in known)
            first = known[0].operand
            if all(met.same_operand(first, k.operand) for k in known):
                met.cells[key] = Known(first, dirty)
            else:
                value = self.new_value(key[2])
                sources = {e: k.operand for (e, _), k in zip(paths, known, strict=True)}
                block.phis.append(Phi(value, sources))
                met.cells[key] = Known(value, dirty)
        first_state = paths[0][1]
        for descriptor, number in first_state.descriptors.items():
            if all(state.descriptors.get(descriptor) == number for _, state in paths):
                met.descriptors[descriptor] = number
        for load, value in first_state.loads.items():
            if all(state.loads.get(load) is value for _, state in paths):
                met.loads[load] = value
        return met

    def _flush_on(self, paths: list[Path], key: Key) -> None:
        """A cell not known on every path: those that have it dirty store it at their ends."""
        for end, state in paths:
            known = state.cells.get(key)
            if known is not None and known.dirty:
                root = self.memory.roots[key[0]]
                move = "mov16" if key[2] == 1 else "mov32"
                target = self.address(root, key[1])
                store = Instruction(move, [target, known.operand], place=self.place)
                end.code.append(store)
                state.clean(key)
