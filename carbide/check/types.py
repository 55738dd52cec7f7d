"""The types of Tungsten and how they lie in memory (tungsten page, section 2).

Sizes, offsets and alignments count 16-bit words. A value of 32 or 64 bits stands at an even
address; a struct is aligned like its widest member and padded to its alignment.
"""

from collections.abc import Iterable

from attrs import define, field, frozen


@frozen
class Scalar:
    """A basic type. `ir` names the type of the IR that holds it."""

    name: str
    ir: str
    words: int

    @property
    def align(self) -> int:
        return 1 if self.words == 1 else 2

    @property
    def is_float(self) -> bool:
        return self.ir in ("h", "s")

    @property
    def is_integer(self) -> bool:
        return self.ir in ("i16", "u16", "i32", "u32")

    @property
    def is_signed(self) -> bool:
        return self.ir in ("i16", "i32")

    def __str__(self) -> str:
        return self.name


XP, I16, U16 = Scalar("xp", "i16", 1), Scalar("i16", "i16", 1), Scalar("u16", "u16", 1)
I32, U32, U64 = Scalar("i32", "i32", 2), Scalar("u32", "u32", 2), Scalar("u64", "u64", 4)
HP, SP, WV = Scalar("hp", "h", 1), Scalar("sp", "s", 2), Scalar("wv", "u32", 2)
SCALARS = {scalar.name: scalar for scalar in (XP, I16, U16, I32, U32, U64, HP, SP, WV)}


@frozen
class Array:
    """`dims` are (name, extent), outermost first; an extent is None only in a parameter whose
    argument is not known yet. The element is a scalar or a struct, never an array."""

    element: "Scalar | Struct"
    dims: tuple[tuple[str, int | None], ...]

    @property
    def extent(self) -> int | None:
        return self.dims[0][1]

    @property
    def inner(self) -> "Type":
        """The type of one element along the outermost dimension."""
        return Array(self.element, self.dims[1:]) if len(self.dims) > 1 else self.element

    @property
    def words(self) -> int:
        total = self.element.words
        for _, extent in self.dims:
            total *= extent or 0
        return total

    @property
    def align(self) -> int:
        return self.element.align

    @property
    def shape(self) -> tuple[int | None, ...]:
        return tuple(extent for _, extent in self.dims)

    def __str__(self) -> str:
        return str(self.element) + "".join(f"[{'' if n is None else n}]" for _, n in self.dims)


@frozen
class Field:
    name: str
    type: "Type"
    offset: int


@define(eq=False)
class Struct:
    """A struct or union; two of them are the same type only when they are the same object."""

    kind: str
    tag: str | None = None
    fields: tuple[Field, ...] = field(default=())
    words: int = 0
    align: int = 1

    def find(self, name: str) -> Field | None:
        """The member of that name; members of anonymous inner ones are members too."""
        for member in self.fields:
            if member.name == name:
                return member
            if not member.name and isinstance(member.type, Struct):
                inner = member.type.find(name)
                if inner is not None:
                    return Field(name, inner.type, member.offset + inner.offset)
        return None

    def names(self) -> list[str]:
        out: list[str] = []
        for member in self.fields:
            if member.name:
                out.append(member.name)
            elif isinstance(member.type, Struct):
                out += member.type.names()
        return out

    def __str__(self) -> str:
        return f"{self.kind} {self.tag}" if self.tag else f"this {self.kind}"


Type = Scalar | Array | Struct


def lay_out(struct: Struct, members: Iterable[tuple[str, Type]]) -> None:
    """Give the members their offsets, and the struct its size and alignment."""
    fields, offset, words, align = [], 0, 0, 1
    for name, type_ in members:
        align = max(align, type_.align)
        if struct.kind == "union":
            fields.append(Field(name, type_, 0))
            words = max(words, type_.words)
            continue
        offset += offset % type_.align
        fields.append(Field(name, type_, offset))
        offset += type_.words
        words = offset
    struct.fields = tuple(fields)
    struct.align = align
    struct.words = words + words % align


def common(left: Scalar, right: Scalar) -> Scalar:
    """The type in which a mixed operation is done.

    Integer with float gives the float, 16 with 32 bits gives 32; of two equal widths an unsigned
    one wins. `wv` counts as `u32`.
    """
    if left.ir == right.ir:
        return left
    for type_ in (SP, HP):
        if type_.ir in (left.ir, right.ir):
            return type_
    wide = [t for t in (left, right) if t.words == 2]
    if len(wide) == 1:
        return U32 if wide[0].ir == "u32" else I32
    return U32 if wide else U16
