"""Coloured routines to items of assembly: copies in sequence, jumps only where needed."""

from typing import Any

from carbide import ir
from carbide.isa.assembly import Label, SourceLine
from carbide.isa.operands import (
    Immediate,
    Indexed,
    Indirect,
    Memory,
    Operation,
    Reference,
    Register,
)
from carbide.select.code import (
    COPY,
    SCRATCH,
    At,
    Block,
    Instruction,
    Routine,
    Value,
)

_OPPOSITE = {
    "jz16": "jnz16", "jnz16": "jz16", "jeq16": "jne16", "jne16": "jeq16",
    "jlt16": "jge16", "jge16": "jlt16", "jltu16": "jgeu16", "jgeu16": "jltu16",
}  # fmt: skip


def items(routine: Routine, registers: dict[Value, int], entry: ir.Place) -> list[Any]:
    """The routine as labels, source lines and operations."""
    out: list[Any] = [Label(routine.label)]
    blocks = routine.blocks
    following = [*blocks[1:], None]
    ends = [_ending(b, after) for b, after in zip(blocks, following, strict=True)]
    wanted = {target for _, targets in ends for target in targets}
    wanted |= {b.name for b in blocks if b.pinned}
    place = None
    for block, (ending, _) in zip(blocks, ends, strict=True):
        if block.name in wanted:
            out.append(Label(block.name))
        for ins in [*_ended(block.code), *ending]:
            here = ins.place if ins.place != ir.NOWHERE else entry
            if here != place and here.line:
                out.append(SourceLine(here.file, here.line, here.column))
                place = here
            out += _operations(ins, registers)
    return out


def _ended(code: list[Instruction]) -> list[Instruction]:
    """A `term` goes into the instruction before it, if that can end the task."""
    if len(code) < 2 or code[-1].mnemonic != "term" or code[-2].kind in ("branch", COPY):
        return code
    last = code[-2]
    if last.barrier or last.mnemonic in ("nop", "wait"):
        return code
    last.terminate = True
    return code[:-1]


def _ending(block: Block, following: Block | None) -> tuple[list[Instruction], list[str]]:
    """The branches at the end of a block, and the names of the blocks they go to."""
    out: list[Instruction] = []
    branch, other, next_ = block.branch, block.other, block.next
    if branch is not None and other is not None and other is following and next_ is not None:
        branch = Instruction(_OPPOSITE[branch.mnemonic], list(branch.operands), place=branch.place)
        other, next_ = next_, other
    if branch is not None and other is not None:
        branch.operands[-1] = Immediate(Reference(other.name))
        out.append(branch)
    if next_ is not None and next_ is not following:
        place = block.code[-1].place if block.code else ir.NOWHERE
        out.append(Instruction("jmp", [Immediate(Reference(next_.name))], place=place))
    targets = [o.operands[-1].value.name for o in out]
    return out, targets


def _operations(ins: Instruction, registers: dict[Value, int]) -> list[Any]:
    if ins.mnemonic == COPY:
        return list(_sequence(ins, registers))
    operands = [_operand(o, registers) for o in ins.operands]
    moves = ins.mnemonic in ("mov16", "mov32") and not ins.slot
    if moves and operands[0] == operands[1] and isinstance(operands[0], Register):
        return []
    return [
        Operation(
            ins.mnemonic, tuple(operands), ins.slot, ins.terminate, ins.flip, ins.keep, ins.no_load
        )
    ]


def _operand(operand: Any, registers: dict[Value, int]) -> Any:
    if isinstance(operand, Value):
        return Register(registers[operand])
    if isinstance(operand, At):
        if operand.displacement == 0:
            return Indirect(registers[operand.base])
        return Indexed(registers[operand.base], operand.displacement)
    if isinstance(operand, Memory) and isinstance(operand.address, int):
        return Memory(operand.address & 0xFFFF)
    return operand


def _sequence(ins: Instruction, registers: dict[Value, int]) -> list[Operation]:
    """Copies that happen at once, one after the other; a cycle goes over the scratch register."""
    pending: list[tuple[Any, Any, int]] = []
    constants: list[Operation] = []
    for target, source in ins.copies:
        move = "mov16" if target.words == 1 else "mov32"
        to = Register(registers[target])
        if isinstance(source, Value):
            if registers[source] != registers[target]:
                pending.append((to, Register(registers[source]), target.words))
        else:
            constants.append(Operation(move, (to, source)))
    out: list[Operation] = []
    while pending:
        for entry in pending:
            to, _, words = entry
            taken = any(
                _overlap(to, words, source, size)
                for _, source, size in pending
                if (_, source, size) != entry
            )
            if not taken:
                break
        else:
            to, source, words = pending[0]
            move = "mov16" if words == 1 else "mov32"
            out.append(Operation(move, (Register(SCRATCH), source)))
            pending[0] = (to, Register(SCRATCH), words)
            continue
        pending.remove(entry)
        to, source, words = entry
        out.append(Operation("mov16" if words == 1 else "mov32", (to, source)))
    return out + constants


def _overlap(a: Register, a_words: int, b: Register, b_words: int) -> bool:
    return a.number < b.number + b_words and b.number < a.number + a_words
