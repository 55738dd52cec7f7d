"""Operands and instructions as objects: what the back end builds and the encoder writes.

    operation("fmacs", Descriptor(0), Descriptor(1), Register(2), Descriptor(0))
    operation("mov16", Descriptor(0), Descriptor(1), slot=microthread(3), terminate=True)
    operation("jne16", Register(4), Immediate(0), Immediate(Reference("again")))

Values are raw bits: a float constant stands as its bit pattern. The width of an operand comes
from the role the instruction gives it (`carbide.isa.table`), not from the operand.
"""

from typing import Any

from attrs import field, frozen

from carbide.isa.table import BY_MNEMONIC, FLIP, KEEP, NO_LOAD, TERMINATE
from carbide.isa.table import Instruction as Row


@frozen
class Reference:
    """The address of a label, plus an offset in words; known after layout."""

    name: str
    offset: int = 0

    def __add__(self, words: int) -> "Reference":
        return Reference(self.name, self.offset + words)

    def __str__(self) -> str:
        return f"{self.name}{self.offset:+d}" if self.offset else self.name


Address = int | Reference


@frozen
class Register:
    """`R0`-`R63`; for a 32-bit role the even register of a pair."""

    number: int


@frozen
class Descriptor:
    """The vector behind a descriptor register, or in a `ds` role the register itself."""

    number: int


@frozen
class InputQueue:
    """One element from an input queue."""

    number: int


@frozen
class OutputQueue:
    """One element to an output queue."""

    number: int


@frozen
class Immediate:
    """A constant; negative values are taken modulo the width of the role."""

    value: Address


@frozen
class Memory:
    """The memory word (or pair) at an address."""

    address: Address


@frozen
class Indirect:
    """Memory at the address in a register."""

    register: int


@frozen
class Indexed:
    """Memory at the address in a register plus a displacement, modulo 2^16."""

    register: int
    displacement: Address


@frozen
class Nothing:
    """No operand; as a destination, the result is discarded."""


Operand = (
    Register
    | Descriptor
    | InputQueue
    | OutputQueue
    | Immediate
    | Memory
    | Indirect
    | Indexed
    | Nothing
)


def microthread(number: int) -> int:
    """The slot of microthread 0-7, or of the umov microthreads 8-11."""
    return number + 1


@frozen
class Operation:
    """One instruction. `slot` 0 is the main thread, `microthread(n)` the others.

    `place` is where the text of it stands (line, column), for error messages only.
    """

    mnemonic: str
    operands: tuple[Operand, ...] = ()
    slot: int = 0
    terminate: bool = False
    flip: bool = False
    keep: bool = False
    no_load: bool = False
    place: Any = field(default=None, eq=False, repr=False)

    @property
    def row(self) -> Row:
        """The row of the instruction table. Raises KeyError for a mnemonic that is not there."""
        return BY_MNEMONIC[self.mnemonic]

    @property
    def flags(self) -> int:
        """The low byte of word 0."""
        return (
            self.slot
            | TERMINATE * self.terminate
            | FLIP * self.flip
            | KEEP * self.keep
            | NO_LOAD * self.no_load
        )


def operation(
    mnemonic: str,
    *operands: Operand,
    slot: int = 0,
    terminate: bool = False,
    flip: bool = False,
    keep: bool = False,
    no_load: bool = False,
) -> Operation:
    """An `Operation`, with its operands written one by one."""
    return Operation(mnemonic, operands, slot, terminate, flip, keep, no_load)


TRANSFER_KINDS = ("move", "alu", "send", "accumulate")


def is_transfer(op: Operation) -> bool:
    """Whether the instruction runs as a vector instruction (docs/isa.md, scalars and vectors)."""
    if op.row.kind not in TRANSFER_KINDS:
        return False
    in_memory = [isinstance(o, Memory | Indirect | Indexed) for o in op.operands]
    if any(isinstance(o, Descriptor | InputQueue | OutputQueue) for o in op.operands):
        return True
    if op.mnemonic in ("mov16", "mov32") and not op.slot:
        return all(in_memory)
    return any(in_memory)
