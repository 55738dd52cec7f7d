"""Words to instructions: as objects (`decode`) and as plain numbers (`decode_program`)."""

from collections.abc import Sequence
from typing import NamedTuple

from carbide.isa import table as isa
from carbide.isa.encode import check
from carbide.isa.operands import (
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    InputQueue,
    Memory,
    Nothing,
    Operand,
    Operation,
    OutputQueue,
    Register,
    is_transfer,
)

# Kinds of operand in a `Record`.
(
    KIND_NONE,
    KIND_REGISTER,
    KIND_DESCRIPTOR,
    KIND_INPUT_QUEUE,
    KIND_OUTPUT_QUEUE,
    KIND_IMMEDIATE,
    KIND_MEMORY,
    KIND_INDIRECT,
    KIND_INDEXED,
) = range(9)


class DecodeError(Exception):
    """Words that are no instruction, with the address they stand at."""

    def __init__(self, address: int, reason: str) -> None:
        super().__init__(f"0x{address:04x}: {reason}")
        self.address = address
        self.reason = reason


class Place(NamedTuple):
    """One operand as numbers.

    `number` is the register, descriptor or queue; `value` the immediate (unsigned), the address
    or the displacement; what a kind does not have is 0.
    """

    kind: int
    number: int
    value: int


class Record(NamedTuple):
    """One instruction as numbers. `operands` are always four, in the order of the roles.

    `next` is the address behind it; `transfer` tells vector instructions from scalar ones.
    """

    address: int
    next: int
    opcode: int
    transfer: bool
    slot: int
    terminate: bool
    flip: bool
    keep: bool
    no_load: bool
    operands: tuple[Place, Place, Place, Place]


_EMPTY = Place(KIND_NONE, 0, 0)


def _word(words: Sequence[int], place: int, address: int) -> int:
    if place >= len(words):
        raise DecodeError(address, "the instruction is cut off by the end of the code")
    return int(words[place])


def _decode(
    words: Sequence[int], start: int, address: int
) -> tuple[isa.Instruction, int, list[Place], int]:
    """(row, flags, one place for each role, length in words), the encoding alone checked."""
    first = _word(words, start, address)
    row = isa.BY_OPCODE.get(first >> 8)
    if row is None:
        raise DecodeError(address, f"0x{first:04x} is no instruction (opcode 0x{first >> 8:02x})")
    count = len(row.roles)
    place = start + 1
    specifiers: list[int] = []
    for _ in range((count + 1) // 2):
        pair = _word(words, place, address)
        specifiers += (pair >> 8, pair & 0xFF)
        place += 1
    if count % 2 and specifiers[count] != isa.NONE:
        raise DecodeError(
            address,
            f"{row.mnemonic} has {count} operands; the place of one more holds"
            f" 0x{specifiers[count]:02x} instead of 0x{isa.NONE:02x}",
        )
    operands: list[Place] = []
    for role, byte in zip(row.roles, specifiers, strict=False):
        wide = role in (isa.W, isa.DW)
        kind, number, value, extra = KIND_NONE, 0, 0, 0
        if byte < isa.DESCRIPTOR:
            kind, number = KIND_REGISTER, byte
        elif byte < isa.INPUT_QUEUE:
            kind, number = KIND_DESCRIPTOR, byte - isa.DESCRIPTOR
        elif byte < isa.OUTPUT_QUEUE:
            kind, number = KIND_INPUT_QUEUE, byte - isa.INPUT_QUEUE
        elif byte < isa.IMMEDIATE16:
            kind, number = KIND_OUTPUT_QUEUE, byte - isa.OUTPUT_QUEUE
        elif byte in (isa.IMMEDIATE16, isa.IMMEDIATE32):
            if wide != (byte == isa.IMMEDIATE32):
                bits = 32 if wide else 16
                raise DecodeError(
                    address,
                    f"operand {len(operands) + 1} of {row.mnemonic} is a {bits}-bit value but has"
                    " an immediate of the other width",
                )
            kind, extra = KIND_IMMEDIATE, 2 if wide else 1
        elif byte == isa.MEMORY:
            kind, extra = KIND_MEMORY, 1
        elif byte == isa.NONE:
            pass
        elif byte >= isa.INDEXED:
            kind, number, extra = KIND_INDEXED, byte - isa.INDEXED, 1
        elif byte >= isa.INDIRECT:
            kind, number = KIND_INDIRECT, byte - isa.INDIRECT
        else:
            raise DecodeError(address, f"0x{byte:02x} specifies no operand")
        for part in range(extra):
            value |= _word(words, place, address) << 16 * part
            place += 1
        operands.append(Place(kind, number, value))
    return row, first & 0xFF, operands, place - start


def _operand(place: Place) -> Operand:
    kind, number, value = place
    match kind:
        case 1:
            return Register(number)
        case 2:
            return Descriptor(number)
        case 3:
            return InputQueue(number)
        case 4:
            return OutputQueue(number)
        case 5:
            return Immediate(value)
        case 6:
            return Memory(value)
        case 7:
            return Indirect(number)
        case 8:
            return Indexed(number, value)
    return Nothing()


def _read(words: Sequence[int], start: int, base: int) -> tuple[Operation, list[Place], int]:
    row, flags, places, size = _decode(words, start, base + start)
    op = Operation(
        row.mnemonic,
        tuple(_operand(place) for place in places),
        flags & isa.SLOT_MASK,
        bool(flags & isa.TERMINATE),
        bool(flags & isa.FLIP),
        bool(flags & isa.KEEP),
        bool(flags & isa.NO_LOAD),
    )
    reason = check(op)
    if reason:
        raise DecodeError(base + start, reason)
    return op, places, size


def decode(words: Sequence[int], start: int = 0, base: int = 0) -> tuple[Operation, int]:
    """The instruction at `words[start]`, which stands at address `base + start`, and its length.

    Raises DecodeError with that address for words that are no instruction of the set.
    """
    op, _, size = _read(words, start, base)
    return op, size


def decode_record(words: Sequence[int], start: int = 0, base: int = 0) -> Record:
    """As `decode`, in numbers."""
    op, places, size = _read(words, start, base)
    first, second, third, fourth = [*places, _EMPTY, _EMPTY, _EMPTY, _EMPTY][:4]
    return Record(
        base + start,
        base + start + size,
        op.row.opcode,
        is_transfer(op),
        op.slot,
        op.terminate,
        op.flip,
        op.keep,
        op.no_load,
        (first, second, third, fourth),
    )


def decode_program(words: Sequence[int], base: int = 0) -> dict[int, Record | DecodeError]:
    """Every instruction of a code segment by address, read straight through from `base`.

    Words that are no instruction get their DecodeError at that address, and reading goes on one
    word later; a program that never gets there is none the worse.
    """
    records: dict[int, Record | DecodeError] = {}
    start = 0
    while start < len(words):
        try:
            record = decode_record(words, start, base)
        except DecodeError as error:
            records[base + start] = error
            start += 1
        else:
            records[base + start] = record
            start = record.next - base
    return records
