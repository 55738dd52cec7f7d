"""How the interpreter's variables lie in memory (tungsten page, section 2): words, little-endian.

An aggregate is a `View` of words; views of the same words alias each other.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from carbide.syntax import ast
from tests.carbide.interpreter_values import (
    FLOATS,
    INTEGERS,
    Unsupported,
    Value,
    bits_of,
    convert,
    of_bits,
    width_of,
)


class Field(NamedTuple):
    type: "Type"
    extents: tuple[int, ...]
    offset: int


class Struct:
    """A struct or union; `fields` include those of anonymous inner ones."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.fields: dict[str, Field] = {}
        self.order: list[Field] = []
        self.words, self.align = 0, 1

    def add(self, name: str | None, type_: "Type", extents: tuple[int, ...]) -> None:
        align, size = align_of(type_), words_of(type_, extents)
        self.align = max(self.align, align)
        offset = 0 if self.kind == "union" else self.words + -self.words % align
        self.words = max(self.words, size) if self.kind == "union" else offset + size
        self.order.append(Field(type_, extents, offset))
        if name is None:
            assert isinstance(type_, Struct)
            for inner, field in type_.fields.items():
                self.fields[inner] = field._replace(offset=offset + field.offset)
        else:
            self.fields[name] = self.order[-1]

    def finish(self) -> None:
        self.words += -self.words % self.align


Type = str | Struct


def words_of(type_: Type, extents: tuple[int, ...] = ()) -> int:
    size = type_.words if isinstance(type_, Struct) else width_of(type_) // 16
    for extent in extents:
        size *= extent
    return size


def align_of(type_: Type) -> int:
    return type_.align if isinstance(type_, Struct) else words_of(type_)


class View(NamedTuple):
    """Elements (i, j, …) of `extents` from word `offset` on, row by row; () is one element."""

    type: Type
    extents: tuple[int, ...]
    words: list[int]
    offset: int = 0

    def element(self, index: int) -> "View":
        if not self.extents:
            raise Unsupported("an index of this")
        inner = self.extents[1:]
        step = words_of(self.type, inner)
        return View(self.type, inner, self.words, self.offset + index * step)

    def member(self, name: str) -> "View":
        if self.extents or not isinstance(self.type, Struct):
            raise Unsupported("a member of this")
        field = self.type.fields[name]
        return View(field.type, field.extents, self.words, self.offset + field.offset)

    def _scalar(self) -> str:
        if self.extents or isinstance(self.type, Struct):
            raise Unsupported("this as a value")
        if not 0 <= self.offset <= len(self.words) - words_of(self.type):
            raise Unsupported("an element outside its array")
        return self.type

    def read(self) -> Value:
        type_ = self._scalar()
        bits = self.words[self.offset]
        if words_of(type_) == 2:
            bits |= self.words[self.offset + 1] << 16
        return Value(type_, of_bits(bits, type_))

    def write(self, value: Value) -> None:
        type_ = self._scalar()
        bits = bits_of(convert(value, type_))
        self.words[self.offset] = bits & 0xFFFF
        if words_of(type_) == 2:
            self.words[self.offset + 1] = bits >> 16

    def copy_from(self, other: "View") -> None:
        if (self.type, self.extents) != (other.type, other.extents):
            raise Unsupported("an assignment of another type")
        count = words_of(self.type, self.extents)
        end = other.offset + count
        self.words[self.offset : self.offset + count] = other.words[other.offset : end]

    def fill(self, value: Any, evaluate: Callable[[Any], Value]) -> None:
        """An initialiser: nested lists, designated members, or a value."""
        if not isinstance(value, ast.ListValue):
            self.write(evaluate(value))
        elif self.extents:
            for place, entry in enumerate(value.entries):
                self.element(place).fill(entry.value, evaluate)
        elif isinstance(self.type, Struct):
            for entry, (name, field) in zip(
                value.entries, self.type.fields.items(), strict=False
            ):
                name = entry.name or name
                field = self.type.fields[name]
                View(field.type, field.extents, self.words, self.offset + field.offset).fill(
                    entry.value, evaluate
                )
        else:  # {low, high} of a wv
            halves = [bits_of(convert(evaluate(e.value), "u16")) for e in value.entries]
            self.write(Value("wv", halves[0] | halves[1] << 16))


def new(type_: Type, extents: tuple[int, ...] = ()) -> View:
    return View(type_, extents, [0] * words_of(type_, extents))


class Types:
    """Struct tags and typedefs of a program; scopes of them are not told apart."""

    def __init__(self, size: Callable[[Any], int]) -> None:
        self.tags: dict[str, Struct] = {}
        self.names: dict[str, tuple[Type, tuple[int, ...]]] = {}
        self.size = size

    def extents(self, dimensions: tuple[ast.Dimension, ...]) -> tuple[int, ...]:
        return tuple(self.size(dimension.size) for dimension in dimensions)

    def find(self, node: Any) -> tuple[Type, tuple[int, ...]]:
        """The type that a node stands for, and the extents a typedef adds."""
        match node:
            case ast.Basic(name) if name in {*INTEGERS, *FLOATS}:
                return name, ()
            case ast.Named(name) if name in self.names:
                return self.names[name]
            case ast.Named(name) if name in self.tags:
                return self.tags[name], ()
            case ast.Aggregate():
                return self.aggregate(node), ()
        raise Unsupported("this type")

    def aggregate(self, node: ast.Aggregate) -> Struct:
        if node.members is None:
            assert node.tag is not None
            return self.tags[node.tag]
        struct = Struct(node.kind)
        for members in node.members:
            type_, outer = self.find(members.type)
            if not members.declarators:
                struct.add(None, type_, ())
            for declarator in members.declarators:
                struct.add(declarator.name, type_, self.extents(declarator.dimensions) + outer)
        struct.finish()
        if node.tag is not None:
            self.tags[node.tag] = struct
        return struct

    def define(self, node: ast.Typedef) -> None:
        type_, outer = self.find(node.type)
        for declarator in node.declarators:
            self.names[declarator.name] = type_, self.extents(declarator.dimensions) + outer
