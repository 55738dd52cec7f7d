"""Whether two instructions may touch the same memory, by the labels they name."""

from typing import Any

from carbide.isa import table as isa
from carbide.isa.operands import Descriptor, InputQueue, Memory, OutputQueue, Reference
from carbide.select.code import COPY, At, Instruction

_LONG = 0x10000


def _range(operand: Any, words: int) -> tuple[str, int, int] | None:
    """Label and the words touched, where known; an index may reach anywhere under its label."""
    if isinstance(operand, Memory):
        address = operand.address
        if isinstance(address, Reference):
            return address.name, address.offset, address.offset + words
        return "", address, address + words
    if isinstance(operand, At) and isinstance(operand.displacement, Reference):
        return operand.displacement.name, -_LONG, _LONG
    return None


def may_overlap(a: Any, a_words: int, b: Any, b_words: int) -> bool:
    """Whether two memory operands may share a word."""
    first, second = _range(a, a_words), _range(b, b_words)
    if first is None or second is None:
        return True
    if first[0] != second[0]:
        return not (first[0] and second[0])  # an absolute address may lie anywhere
    return first[1] < second[2] and second[1] < first[2]


def width(ins: Instruction, place: int) -> int:
    return 2 if ins.roles[place] in (isa.W, isa.DW) else 1


def memory_operands(ins: Instruction, write: bool) -> list[tuple[Any, int]]:
    """(operand, words) of the memory operands that an instruction writes, or reads."""
    out = []
    has_target = bool(ins.roles) and ins.roles[0] in (isa.DH, isa.DW)
    for place, operand in enumerate(ins.operands):
        if isinstance(operand, Memory | At) and (place == 0 and has_target) == write:
            out.append((operand, width(ins, place)))
    return out


def opaque(ins: Instruction) -> bool:
    """Touches memory in ways its operands do not say: vectors, calls, waits, tasks."""
    if ins.mnemonic == COPY or ins.kind in ("task", "branch"):
        return True
    if ins.barrier or ins.clobbers or ins.slot or ins.stays:
        return True
    if ins.kind == "descriptor":
        return False
    return any(isinstance(o, Descriptor | InputQueue | OutputQueue) for o in ins.operands)


def hinders(between: Instruction, operand: Any, words: int, write: bool) -> bool:
    """Whether an access (a write, or a read) may not move past an instruction."""
    if opaque(between):
        return True
    if any(may_overlap(operand, words, o, w) for o, w in memory_operands(between, True)):
        return True
    if write:
        return any(may_overlap(operand, words, o, w) for o, w in memory_operands(between, False))
    return False
