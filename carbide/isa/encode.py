"""Instructions to words. The rules of what may stand where are here, once, for both directions."""

from collections.abc import Callable

from carbide.isa import table as isa
from carbide.isa.operands import (
    Address,
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
    Reference,
    Register,
    is_transfer,
)

REGISTERS, DESCRIPTORS, QUEUES, SLOTS = 64, 32, 8, 12
"""Numbers run from 0; slot 0 is the main thread, slots 1 to SLOTS the microthreads."""
GENERAL_SLOTS = 8
"""Slots above this one run only umov."""

_MEMORY = (Memory, Indirect, Indexed)
_VALUE = (Register, Descriptor, InputQueue, Immediate, *_MEMORY)
_TARGET = (Register, Descriptor, OutputQueue, *_MEMORY, Nothing)
ALLOWED: dict[str, tuple[type, ...]] = {
    isa.H: _VALUE,
    isa.W: _VALUE,
    isa.DH: _TARGET,
    isa.DW: _TARGET,
    isa.DS: (Descriptor,),
    isa.N: (Immediate,),
    isa.R: (Register, Immediate),
}
NAMES: dict[type, str] = {
    Register: "a register",
    Descriptor: "a vector",
    InputQueue: "an input queue",
    OutputQueue: "an output queue",
    Immediate: "an immediate",
    Memory: "memory at an address",
    Indirect: "memory at a register",
    Indexed: "memory at a register plus displacement",
    Nothing: "nothing",
}


class EncodeError(Exception):
    """An instruction that has no encoding; the message says why."""


def allowed(row: isa.Instruction, place: int) -> tuple[type, ...]:
    """The kinds of operand that may stand at a place of an instruction."""
    role = row.roles[place]
    if row.kind == "branch":  # a branch never waits for a vector, a queue or memory
        if role == isa.DH:
            return (Register, Nothing)
        return tuple(k for k in ALLOWED[role] if k in (Register, Immediate))
    if row.kind == "send" and place == 0:
        return (Descriptor, OutputQueue)
    return ALLOWED[role]


def check(op: Operation) -> str | None:
    """Why the instruction is not one of the set, or None when it is."""
    row = isa.BY_MNEMONIC.get(op.mnemonic)
    if row is None:
        return f"no instruction is called '{op.mnemonic}'"
    if len(op.operands) != len(row.roles):
        return f"{op.mnemonic} takes {len(row.roles)} operands, not {len(op.operands)}"
    for place, operand in enumerate(op.operands):
        reason = _check_operand(row, place, operand)
        if reason:
            return f"operand {place + 1} of {op.mnemonic} {reason}"
    return _check_flags(op, row)


def _check_operand(row: isa.Instruction, place: int, operand: Operand) -> str | None:
    kinds = allowed(row, place)
    if type(operand) not in kinds:
        names = ", ".join(NAMES[k] for k in kinds)
        return f"cannot be {NAMES.get(type(operand), repr(operand))}; it may be {names}"
    wide = row.roles[place] in (isa.W, isa.DW)
    if isinstance(operand, Register):
        if not 0 <= operand.number < REGISTERS:
            return f"names R{operand.number}; registers are R0 to R{REGISTERS - 1}"
        if wide and operand.number % 2:
            return f"is a 32-bit value and cannot start at the odd register R{operand.number}"
    elif isinstance(operand, Descriptor):
        if not 0 <= operand.number < DESCRIPTORS:
            return f"names DS{operand.number}; descriptors are DS0 to DS{DESCRIPTORS - 1}"
    elif isinstance(operand, InputQueue | OutputQueue):
        if not 0 <= operand.number < QUEUES:
            return f"names queue {operand.number}; queues are 0 to {QUEUES - 1}"
    elif isinstance(operand, Indirect | Indexed):
        if not 0 <= operand.register < REGISTERS:
            return f"names R{operand.register}; registers are R0 to R{REGISTERS - 1}"
    elif isinstance(operand, Immediate):
        bits = 32 if wide else 16
        value = operand.value
        if isinstance(value, int) and not -(1 << bits - 1) <= value < 1 << bits:
            return f"is {value}, which does not fit in {bits} bits"
    return None


def _check_flags(op: Operation, row: isa.Instruction) -> str | None:
    transfer = is_transfer(op)
    if not 0 <= op.slot <= SLOTS:
        return f"there is no slot {op.slot}; slots are 0 to {SLOTS}"
    if op.slot:
        if not transfer:
            return f"{op.mnemonic} with these operands is no transfer; microthreads run only those"
        if op.slot > GENERAL_SLOTS and not op.mnemonic.startswith("umov"):
            return f"microthread {op.slot - 1} runs only umov, not {op.mnemonic}"
        if isinstance(op.operands[0], Register):
            return "a microthread cannot write a register"
    if op.terminate and row.kind == "branch":
        return f"{op.mnemonic} goes on elsewhere and cannot end the task"
    if op.flip and not isinstance((*op.operands, None)[0], Descriptor | OutputQueue):
        return f"only a send can flip, and {op.mnemonic} here sends nothing"
    if (op.keep or op.no_load) and row.kind != "accumulate":
        return f"{op.mnemonic} has no accumulator to keep"
    return None


def length(op: Operation) -> int:
    """Words of the instruction; does not depend on the addresses of labels."""
    words = 1 + (len(op.operands) + 1) // 2
    for role, operand in zip(op.row.roles, op.operands, strict=True):
        if isinstance(operand, Immediate):
            words += 2 if role in (isa.W, isa.DW) else 1
        elif isinstance(operand, Memory | Indexed):
            words += 1
    return words


def _unknown(reference: Reference) -> int:
    raise EncodeError(f"there is no label '{reference.name}'")


def _specifier(operand: Operand, wide: bool) -> tuple[int, Address | None]:
    """The specifier byte and the value that follows it, if one does."""
    match operand:
        case Register(number):
            return isa.REGISTER + number, None
        case Descriptor(number):
            return isa.DESCRIPTOR + number, None
        case InputQueue(number):
            return isa.INPUT_QUEUE + number, None
        case OutputQueue(number):
            return isa.OUTPUT_QUEUE + number, None
        case Immediate(value):
            return (isa.IMMEDIATE32 if wide else isa.IMMEDIATE16), value
        case Memory(address):
            return isa.MEMORY, address
        case Indirect(register):
            return isa.INDIRECT + register, None
        case Indexed(register, displacement):
            return isa.INDEXED + register, displacement
    return isa.NONE, None


def encode(op: Operation, resolve: Callable[[Reference], int] = _unknown) -> list[int]:
    """The words of an instruction. `resolve` gives the address of a label.

    Raises EncodeError when the instruction is not one of the set.
    """
    reason = check(op)
    if reason:
        raise EncodeError(reason)
    row = op.row
    specifiers: list[int] = []
    tail: list[int] = []
    for role, operand in zip(row.roles, op.operands, strict=True):
        wide = role in (isa.W, isa.DW)
        byte, value = _specifier(operand, wide)
        specifiers.append(byte)
        if value is None:
            continue
        number = resolve(value) if isinstance(value, Reference) else value
        tail.append(number & 0xFFFF)
        if byte == isa.IMMEDIATE32:
            tail.append(number >> 16 & 0xFFFF)
    if len(specifiers) % 2:
        specifiers.append(isa.NONE)
    pairs = zip(specifiers[::2], specifiers[1::2], strict=True)
    return [row.opcode << 8 | op.flags, *(high << 8 | low for high, low in pairs), *tail]
