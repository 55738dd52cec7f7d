"""Instructions over virtual registers: what the builder makes and the allocator colours.

A `Routine` is a graph of blocks in one order of layout. A `Value` has one definition (phis join
values where paths meet), is 1 or 2 words wide and gets a register or an even pair. Nothing lives
in registers across a barrier (`susp`): the builder sees to that.
"""

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from carbide.ir import NOWHERE, Place
from carbide.isa import table as isa
from carbide.isa.operands import (
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    InputQueue,
    Memory,
    Nothing,
    OutputQueue,
    Reference,
    Register,
)

FIRST_FREE, LAST_FREE = 0, 59
"""Registers that values may take; R60:R61 hold the wavelet that starts a task."""
SCRATCH = 62
"""R62:R63 are free between instructions."""
COPY = ".copy"
"""Pseudo-instruction: copies that happen at once."""


@define(eq=False, repr=False)
class Value:
    """A virtual register. `hint` is a register it would best take."""

    number: int
    words: int
    name: str = ""
    depth: int = 0
    definition: "Instruction | None" = None
    hint: int | None = None

    def __repr__(self) -> str:
        return f"v{self.number}" + ("d" if self.words == 2 else "") + self.name


@define(eq=False)
class At:
    """Memory at a value plus a displacement (a number or a label)."""

    base: Value
    displacement: int | Reference = 0


@define(eq=False)
class Instruction:
    """One CE instruction. `operands` hold Values where registers will stand.

    `clobbers` are registers an inner call destroys; a barrier destroys all.
    """

    mnemonic: str
    operands: list[Any]
    slot: int = 0
    terminate: bool = False
    flip: bool = False
    keep: bool = False
    no_load: bool = False
    clobbers: int = 0
    fixed_uses: int = 0
    """Registers that it reads besides its operands (the arguments of a call)."""
    barrier: bool = False
    stays: bool = False
    """Touches a register of the machine: nothing moves across, and it moves nowhere."""
    tied: bool = False
    """Its target has another definition before: the register is read again (a reduction)."""
    copies: "list[tuple[Value, Any]]" = field(factory=list)
    """Of the pseudo-instruction COPY: all at once, target := source."""
    place: Place = NOWHERE

    @property
    def roles(self) -> tuple[str, ...]:
        return isa.BY_MNEMONIC[self.mnemonic].roles if self.mnemonic != COPY else ()

    @property
    def kind(self) -> str:
        return isa.BY_MNEMONIC[self.mnemonic].kind if self.mnemonic != COPY else self.mnemonic

    @property
    def rate(self) -> str:
        """Which field of `Timing` says how fast it is as a transfer."""
        return isa.BY_MNEMONIC[self.mnemonic].rate

    def target(self) -> Value | None:
        """The value that the instruction defines."""
        first = self.operands[0] if self.operands else None
        if self.mnemonic == COPY:
            return None
        return first if isinstance(first, Value) and self.roles[0] in (isa.DH, isa.DW) else None

    def defines(self) -> list[Value]:
        if self.mnemonic == COPY:
            return [target for target, _ in self.copies]
        target = self.target()
        return [] if target is None else [target]

    def uses(self) -> Iterator[Value]:
        if self.mnemonic == COPY:
            yield from (s for _, s in self.copies if isinstance(s, Value))
        for place, operand in enumerate(self.operands):
            if isinstance(operand, Value):
                if place or self.roles[0] not in (isa.DH, isa.DW):
                    yield operand
            elif isinstance(operand, At):
                yield operand.base

    def replace(self, change: dict[Value, Any]) -> None:
        """Put other values for the ones used."""
        for place, operand in enumerate(self.operands):
            if isinstance(operand, Value):
                if (place or self.roles[0] not in (isa.DH, isa.DW)) and operand in change:
                    self.operands[place] = change[operand]
            elif isinstance(operand, At) and operand.base in change:
                new = change[operand.base]
                if isinstance(new, Value):
                    self.operands[place] = At(new, operand.displacement)
                else:
                    self.operands[place] = Memory(plus(new.value, operand.displacement))

    @property
    def reads_or_writes_memory(self) -> bool:
        vectors = (Memory, At, Indirect, Indexed, Descriptor, InputQueue, OutputQueue)
        return any(isinstance(o, vectors) for o in self.operands)

    @property
    def pure(self) -> bool:
        """May be dropped when nobody uses its result."""
        return self.kind in ("alu", "move") and not self.reads_or_writes_memory

    @property
    def plain_load(self) -> bool:
        return (
            self.mnemonic in ("mov16", "mov32")
            and not self.slot
            and isinstance(self.operands[0], Value)
            and isinstance(self.operands[1], (Memory, At))
        )


def plus(a: int | Reference, b: int | Reference) -> int | Reference:
    """The sum of two addresses, of which at most one is a label."""
    if isinstance(a, Reference):
        assert isinstance(b, int)
        return Reference(a.name, (a.offset + b))
    if isinstance(b, Reference):
        return Reference(b.name, (b.offset + a))
    return (a + b) & 0xFFFF


@define(eq=False)
class Phi:
    target: Value
    sources: dict["Block", Any]


@define(eq=False, repr=False)
class Block:
    """A straight run. It ends with `branch` to `other` (when taken), else goes to `next`.

    `next` None: the last instruction ends the task or returns.
    """

    name: str
    phis: list[Phi] = field(factory=list)
    code: list[Instruction] = field(factory=list)
    branch: Instruction | None = None
    other: "Block | None" = None
    next: "Block | None" = None
    depth: int = 0
    """How many loops are around it."""
    pinned: bool = False
    """A task's entry names it."""

    def __repr__(self) -> str:
        return self.name

    def successors(self) -> list["Block"]:
        return [b for b in (self.other if self.branch else None, self.next) if b is not None]


@define(eq=False)
class Routine:
    """Code with one entry (the first block). `label` is where it starts."""

    label: str
    blocks: list[Block] = field(factory=list)

    def predecessors(self) -> dict[Block, list[Block]]:
        found: dict[Block, list[Block]] = {b: [] for b in self.blocks}
        for b in self.blocks:
            for s in b.successors():
                found[s].append(b)
        return found


def show_operand(operand: Any) -> str:
    match operand:
        case Value():
            return repr(operand)
        case At():
            return f"[{operand.base!r}+{operand.displacement}]"
        case Memory():
            return f"[{operand.address}]"
        case Immediate():
            return str(operand.value)
        case Descriptor():
            return f"[DS{operand.number}]"
        case InputQueue():
            return f"IQ{operand.number}"
        case OutputQueue():
            return f"OQ{operand.number}"
        case Register():
            return f"R{operand.number}"
        case Nothing():
            return "none"
    return str(operand)


def show_instruction(ins: Instruction) -> str:
    flags = f".u{ins.slot - 1}" if ins.slot else ""
    flags += ".t" * ins.terminate + ".flip" * ins.flip + ".keep" * ins.keep
    flags += ".noload" * ins.no_load
    return f"{ins.mnemonic}{flags} " + ", ".join(map(show_operand, ins.operands))


def show_routine(routine: Routine) -> str:
    """The blocks as text, for tests and for looking at."""
    lines = [f"{routine.label}:"]
    for block in routine.blocks:
        lines.append(f"{block.name}:")
        for phi in block.phis:
            sources = ", ".join(f"{b.name}: {show_operand(o)}" for b, o in phi.sources.items())
            lines.append(f"    {phi.target!r} = phi({sources})")
        lines += [f"    {show_instruction(i)}" for i in block.code]
        if block.branch is not None:
            lines.append(f"    {show_instruction(block.branch)} -> {block.other}")
        lines.append(f"    -> {block.next}")
    return "\n".join(lines) + "\n"
