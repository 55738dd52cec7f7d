# ruff: noqa: RUF009, UP007
"""The syntax tree of a layout.

    layout     = Layout(file, statements)
    statement  = Let(name, value) | Rebind(name, operations) | Define(name, parameters, body)
               | Include(path) | expression
    expression = Name(name) | Number(text) | Symbol(name) | Text(value) | Element(name)
               | Map(entries) | Route(rule) | Call(name, arguments)
               | Unary(operator, operand) | Binary(operator, left, right)
    entry      = Entry(key, value)
    rule       = Rule(positions, initial, pop, ring)
    position   = Position(input, modifier, outputs, before, after)

Every node has a `place`, which equality ignores. `Rebind(a, (f, g))` is `a : f(…) : g(…)`, whose
calls lack their first argument.
"""

from typing import Any, Union

from attrs import field, frozen

from mitools.console import Place

NOWHERE = Place("")


def _place() -> Any:
    return field(default=NOWHERE, eq=False, kw_only=True, repr=False)


@frozen
class Name:
    name: str
    place: Place = _place()


@frozen
class Number:
    """A literal as it stands in the source: decimal or hexadecimal digits, or a decimal."""

    text: str
    place: Place = _place()


@frozen
class Symbol:
    """`'name`."""

    name: str
    place: Place = _place()


@frozen
class Text:
    """`"name"`."""

    value: str
    place: Place = _place()


@frozen
class Element:
    """`@k`: the element of list k that a copy made by `arrayplace` belongs to."""

    name: str
    place: Place = _place()


@frozen
class Entry:
    key: str
    value: "Expression"
    place: Place = _place()


@frozen
class Map:
    """`[key:value …]`."""

    entries: tuple[Entry, ...]
    place: Place = _place()


@frozen
class Position:
    """One switch position: `L>CR`. Sides are letters of LRUDC.

    `input` is "" for `[>C]`; `modifier` one of `>HVX`; `outputs` "" for `[C>]` and sorted.
    `before` and `after` are the sides of boundary operators that stand at this position.
    """

    input: str
    modifier: str
    outputs: str
    before: str = ""
    after: str = ""
    place: Place = _place()


@frozen
class Rule:
    """A route as written: what stands between its brackets."""

    positions: tuple[Position, ...]
    initial: int = 0
    pop: str = "no"
    ring: bool = False
    place: Place = _place()


@frozen
class Route:
    rule: Rule
    place: Place = _place()


@frozen
class Call:
    """`name(arguments)`. `place` spans the name alone."""

    name: str
    arguments: tuple["Expression", ...]
    place: Place = _place()


@frozen
class Unary:
    operator: str
    operand: "Expression"
    place: Place = _place()


@frozen
class Binary:
    operator: str
    left: "Expression"
    right: "Expression"
    place: Place = _place()


@frozen
class Let:
    name: str
    value: "Expression"
    place: Place = _place()


@frozen
class Rebind:
    """`name : f(a) : g(b)`: name becomes g(f(name a) b)."""

    name: str
    operations: tuple[Call, ...]
    place: Place = _place()


@frozen
class Define:
    name: str
    parameters: tuple[str, ...]
    body: tuple["Statement", ...]
    place: Place = _place()


@frozen
class Include:
    path: str
    place: Place = _place()


@frozen
class Layout:
    file: str = field(eq=False)
    statements: tuple["Statement", ...]


Expression = Union[
    Name, Number, Symbol, Text, Element, Map, Route, Call, Unary, Binary
]
Statement = Union[Let, Rebind, Define, Include, Expression]
