"""Where in a program's code each queue is sent to and received from, read from the instructions.

A PE that stands at none of these places any more still has them: "P0.0 sends on it at send.w:9".
Descriptors are followed from the last load of their register in the order of the code.
"""

from attrs import field, frozen

from carbide.isa import table as isa
from carbide.isa.decode import (
    KIND_DESCRIPTOR,
    KIND_IMMEDIATE,
    KIND_INPUT_QUEUE,
    KIND_OUTPUT_QUEUE,
    Record,
    decode_program,
)
from carbide.object import Object


@frozen
class Sites:
    """Instruction addresses by queue number, ascending."""

    sends: dict[int, list[int]] = field(factory=dict)
    receives: dict[int, list[int]] = field(factory=dict)


_known: dict[int, tuple[Object, Sites]] = {}


def sites(program: Object) -> Sites:
    """The sites of a program; read once per program."""
    found = _known.get(id(program))
    if found is None or found[0] is not program:
        found = (program, _read(program))
        _known[id(program)] = found
    return found[1]


def _read(program: Object) -> Sites:
    result = Sites()
    memory = {
        segment.address + k: word
        for segment in program.data
        for k, word in enumerate(segment.words)
    }
    descriptors: dict[int, tuple[int, int]] = {}
    code = program.code
    for record in decode_program(code.words, code.address).values():
        if isinstance(record, Record):
            _visit(record, memory, descriptors, result)
    return result


def _visit(
    record: Record,
    memory: dict[int, int],
    descriptors: dict[int, tuple[int, int]],
    result: Sites,
) -> None:
    row = isa.BY_OPCODE[record.opcode]
    first, second = record.operands[0], record.operands[1]
    if row.mnemonic == "ldds":
        descriptors.pop(first.number, None)
        if second.kind == KIND_IMMEDIATE and second.value in memory:
            kind, word = memory[second.value], memory.get(second.value + 1, 0)
            descriptors[first.number] = kind, word
        return
    if row.mnemonic == "dtask":
        result.receives.setdefault(first.value, []).append(record.address)
        return
    if row.kind not in ("move", "alu", "send", "accumulate"):
        return
    for operand in record.operands:
        kind, number = operand.kind, operand.number
        if kind == KIND_DESCRIPTOR:
            described, number = descriptors.get(number, (-1, 0))
            kind = {
                isa.DSD_FABRIC_IN: KIND_INPUT_QUEUE,
                isa.DSD_FABRIC_OUT: KIND_OUTPUT_QUEUE,
            }.get(described, -1)
        table = {KIND_INPUT_QUEUE: result.receives, KIND_OUTPUT_QUEUE: result.sends}.get(kind)
        if table is not None:
            table.setdefault(number, []).append(record.address)
