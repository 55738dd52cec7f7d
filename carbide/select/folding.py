"""Memory operands instead of loads and stores: an instruction on memory issues in one cycle."""

from carbide.isa import table as isa
from carbide.isa.operands import Descriptor, Memory, Register
from carbide.select.code import COPY, At, Block, Instruction, Routine, Value
from carbide.select.conflicts import hinders, may_overlap, memory_operands, width

_FOLDABLE = ("move", "alu", "send", "accumulate")


def fold_memory(routine: Routine) -> None:
    """Put loads that are used once, and stores of results used once, into the instructions."""
    uses: dict[Value, int] = {}
    for block in routine.blocks:
        for phi in block.phis:
            for source in phi.sources.values():
                if isinstance(source, Value):
                    uses[source] = uses.get(source, 0) + 2
        for ins in [*block.code, *([block.branch] if block.branch else [])]:
            for value in ins.uses():
                uses[value] = uses.get(value, 0) + 1
    for block in routine.blocks:
        _fold_loads(block, uses)
        _fold_stores(block, uses)


def _fold_loads(block: Block, uses: dict[Value, int]) -> None:
    loads: dict[Value, int] = {}
    code = block.code
    dropped: set[int] = set()
    for here, ins in enumerate(code):
        if ins.mnemonic != COPY and ins.kind in _FOLDABLE and not ins.slot and not ins.tied:
            for place, operand in enumerate(ins.operands):
                if not isinstance(operand, Value) or (place == 0 and ins.target() is operand):
                    continue
                at = loads.get(operand)
                if at is None or ins.roles[place] not in (isa.H, isa.W):
                    continue
                load = code[at]
                if width(ins, place) != operand.words or not _profitable(ins):
                    continue
                source = load.operands[1]
                between = [code[k] for k in range(at + 1, here) if k not in dropped]
                if any(hinders(b, source, operand.words, False) for b in between):
                    continue
                ins.operands[place] = source
                dropped.add(at)
        if ins.plain_load and uses.get(ins.operands[0]) == 1 and not (ins.tied or ins.stays):
            loads[ins.operands[0]] = here
    block.code = [ins for k, ins in enumerate(code) if k not in dropped]


def _profitable(ins: Instruction) -> bool:
    """A move into a register is a load already; registers of calls are set by plain moves.

    A vector instruction would read the place again for every element, and may be what changes it.
    """
    if any(isinstance(o, Descriptor) for o in ins.operands):
        return False
    move = ins.mnemonic in ("mov16", "mov32")
    return not move or not isinstance(ins.operands[0], Value | Register)


def _fold_stores(block: Block, uses: dict[Value, int]) -> None:
    made: dict[Value, int] = {}
    code = block.code
    dropped: set[int] = set()
    for here, ins in enumerate(code):
        store = ins.mnemonic in ("mov16", "mov32") and not ins.slot and not ins.stays
        if store and isinstance(ins.operands[0], Memory | At):
            value = ins.operands[1]
            at = made.get(value) if isinstance(value, Value) else None
            if at is not None and uses.get(value) == 1 and _move_store(code, at, here, dropped):
                dropped.add(here)
        target = ins.target()
        plain = not (ins.slot or ins.tied or ins.stays or ins.mnemonic == COPY)
        if target is not None and plain and ins.kind in ("alu", "move", "accumulate"):
            made[target] = here
    block.code = [ins for k, ins in enumerate(code) if k not in dropped]


def _move_store(code: list[Instruction], at: int, here: int, dropped: set[int]) -> bool:
    """Let the instruction at `at` write what the store at `here` would; False if it may not."""
    ins, store = code[at], code[here]
    value = ins.operands[0]
    target = store.operands[0]
    if width(store, 0) != value.words or ins.plain_load:
        return False
    between = [code[k] for k in range(at + 1, here) if k not in dropped]
    if isinstance(target, At) and any(target.base in b.defines() for b in between):
        return False
    if any(hinders(b, target, value.words, True) for b in between):
        return False
    if any(not _same(target, o) and _touches(target, value.words, o, w)
           for o, w in memory_operands(ins, False)):  # fmt: skip
        return False
    ins.operands[0] = target
    return True


def _same(a: object, b: object) -> bool:
    return isinstance(a, Memory) and a == b


def _touches(a: object, a_words: int, b: object, b_words: int) -> bool:
    return a_words != b_words and may_overlap(a, a_words, b, b_words)
