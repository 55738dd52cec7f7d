# ruff: noqa: UP007
"""The syntax tree of a Tungsten program: what the source says, before names and types are known.

    program     = Program(file, items)
    item        = Import(modules) | Function(name, parameters, body) | Teardown(body) | statement

    statement   = Block(statements) | Main(body) | Empty()
                | Assignment(target, operator, value) | Action(expression)
                | Loop(walk, body) | While(condition, body) | Forever(body)
                | If(condition, then, otherwise) | Return(value)
                | Parallel(body) | Dispatch(socket, handlers) | Reset(iterators)
                | Attributed(attributes, statement) | declaration
    handler     = Handler(kind, parameters, body)
    walk        = Walk(variable, range | None)          range = Range(low, high, closed)

    declaration = Variables(type, declarators) | Parameters(type, declarators)
                | Constants(type, declarators) | Typedef(type, declarators)
                | Sockets(type | None, declarators) | Fifos(type, declarators)
                | Streams(declarators) | Iterators(declarators) | Filters(declarators)
                | Ranges(bindings) | AggregateOnly(type)
    declarator  = Declarator(name, dimensions, placements, attributes, value)
    type        = Basic(name) | Named(name) | Aggregate(kind, tag, members)

    expression  = Name(name) | Number(text, value, type) | Infinity()
                | Unary(operator, operand) | Binary(operator, left, right)
                | Conditional(condition, yes, no) | Cast(type, operand) | View(type, operand)
                | Sum(operand) | Call(name, arguments)
                | Element(array, index) | Next(source) | Member(aggregate, name)
    value       = expression | ListValue(entries)

`Next` is `s[]`, `View` is `wv:s[]`. Every node has a `place`, which equality ignores.
"""

from typing import Any, Union

from attrs import field

from carbide.node import Node, node
from mitools.console import Place

NOWHERE = Place("")


def _place() -> Any:
    return field(default=NOWHERE, eq=False, kw_only=True, repr=False)


# Expressions.


@node
class Name(Node):
    name: str
    place: Place = _place()


@node
class Number(Node):
    """A literal. `type` is that of `0.0:sp`; without one the context decides."""

    text: str
    value: int | float
    type: str | None = None
    place: Place = _place()


@node
class Infinity(Node):
    """`∞` as the end of a range or as the walk `∀∞`."""

    place: Place = _place()


@node
class Unary(Node):
    """`-`, `+`, `!`, `~`, and `&` (the address of a variable, in placements)."""

    operator: str
    operand: "Expression"
    place: Place = _place()


@node
class Binary(Node):
    operator: str
    left: "Expression"
    right: "Expression"
    place: Place = _place()


@node
class Conditional(Node):
    condition: "Expression"
    yes: "Expression"
    no: "Expression"
    place: Place = _place()


@node
class Cast(Node):
    """`(sp)(e)`: a value converted to a basic type."""

    type: str
    operand: "Expression"
    place: Place = _place()


@node
class View(Node):
    """`wv:s[]`: the elements of a transfer as that type, whatever their own."""

    type: str
    operand: "Expression"
    place: Place = _place()


@node
class Sum(Node):
    """`∑ e`."""

    operand: "Expression"
    place: Place = _place()


@node
class Call(Node):
    name: str
    arguments: tuple["Expression", ...]
    place: Place = _place()


@node
class Element(Node):
    array: "Expression"
    index: "Expression"
    place: Place = _place()


@node
class Next(Node):
    """`s[]`: the next element of a socket, iterator, stream or FIFO."""

    source: "Expression"
    place: Place = _place()


@node
class Member(Node):
    aggregate: "Expression"
    name: str
    place: Place = _place()


Expression = Union[
    Name, Number, Infinity, Unary, Binary, Conditional, Cast, View, Sum, Call, Element, Next, Member
]  # fmt: skip


@node
class Entry(Node):
    """One entry of a list, with `.name =` before it or not."""

    name: str | None
    value: "Value"
    place: Place = _place()


@node
class ListValue(Node):
    entries: tuple[Entry, ...]
    place: Place = _place()


Value = Union[Expression, ListValue]


@node
class Range(Node):
    """`[low, high)`; `closed` is for `[low, high]`, which the check refuses with a remedy."""

    low: Expression
    high: Expression
    closed: bool = False
    place: Place = _place()


@node
class Walk(Node):
    """`∀i`, `∀i in [a, b)`, `i in [a, b)`; `∀inf` and `∀∞` walk for ever (variable `inf`)."""

    variable: str
    range: Range | None
    place: Place = _place()


# Types and declarators.


@node
class Basic(Node):
    name: str
    place: Place = _place()


@node
class Named(Node):
    """A typedef's name (or a struct's tag without its keyword)."""

    name: str
    place: Place = _place()


@node
class Members(Node):
    """One line of a struct; no declarators: an anonymous inner struct or union."""

    type: "Type"
    declarators: tuple["Declarator", ...]
    place: Place = _place()


@node
class Aggregate(Node):
    """`struct` or `union`; `members` None: only named here."""

    kind: str
    tag: str | None
    members: tuple[Members, ...] | None
    place: Place = _place()


Type = Union[Basic, Named, Aggregate]


@node
class Dimension(Node):
    """`[n=N]`, `[N]`, `[]` (size None: the argument's)."""

    name: str | None
    size: Expression | None
    place: Place = _place()


@node
class Placement(Node):
    """`bank(1)`, `address(0x7c00)`, `address(&x)`."""

    kind: str
    argument: Expression
    place: Place = _place()


@node
class Attribute(Node):
    """`uthread.enable(on)`, `dir=in`; `#pragma uthread enable on` is written as the first."""

    name: str
    arguments: tuple[Expression, ...] = ()
    value: Expression | None = None
    place: Place = _place()


@node
class Declarator(Node):
    name: str
    dimensions: tuple[Dimension, ...] = ()
    placements: tuple[Placement, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    value: Value | None = None
    place: Place = _place()


@node
class IteratorDeclarator(Node):
    """`it = ∀i ∀j x[i+j]`."""

    name: str
    walks: tuple[Walk, ...] = ()
    target: Expression | None = None
    place: Place = _place()


@node
class FilterDeclarator(Node):
    """`f[counter] = {.limit=3}`."""

    name: str
    kind: str
    settings: ListValue | None = None
    place: Place = _place()


@node
class RangeBinding(Node):
    name: str
    range: Range
    place: Place = _place()


# Declarations.


@node
class Variables(Node):
    type: Type
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Parameters(Node):
    type: Type
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Constants(Node):
    type: Type
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Typedef(Node):
    type: Type
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Sockets(Node):
    type: Type | None
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Fifos(Node):
    type: Type
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Streams(Node):
    declarators: tuple[Declarator, ...]
    place: Place = _place()


@node
class Iterators(Node):
    declarators: tuple[IteratorDeclarator, ...]
    place: Place = _place()


@node
class Filters(Node):
    declarators: tuple[FilterDeclarator, ...]
    place: Place = _place()


@node
class Ranges(Node):
    """`let i in [0, N);`."""

    bindings: tuple[RangeBinding, ...]
    place: Place = _place()


@node
class AggregateOnly(Node):
    """`struct S { … };` without a variable."""

    type: Aggregate
    place: Place = _place()


Declaration = Union[
    Variables, Parameters, Constants, Typedef, Sockets, Fifos, Streams, Iterators, Filters, Ranges,
    AggregateOnly,
]  # fmt: skip


# Statements.


@node
class Block(Node):
    statements: tuple["Statement", ...]
    place: Place = _place()


@node
class Main(Node):
    """`main { … }`; `name` is what stands there, for the check to judge."""

    name: str
    body: Block
    place: Place = _place()


@node
class Empty(Node):
    place: Place = _place()


@node
class Assignment(Node):
    """`operator` is `<-` (for `←` and `=` too), `<+-` (for `←̟` and `+=` too), `-=`, `*=`, or one of
    `/= %= &= |= ^= <<= >>=`."""

    target: Expression
    operator: str
    value: Value
    place: Place = _place()


@node
class Action(Node):
    """An expression that stands as a statement: a call, `tx.flip`, a receive thrown away."""

    expression: Expression
    place: Place = _place()


@node
class Loop(Node):
    walk: Walk
    body: "Statement"
    place: Place = _place()


@node
class While(Node):
    condition: Expression
    body: "Statement"
    place: Place = _place()


@node
class Forever(Node):
    body: "Statement"
    place: Place = _place()


@node
class If(Node):
    condition: Expression
    then: "Statement"
    otherwise: "Statement | None" = None
    place: Place = _place()


@node
class Return(Node):
    value: Expression | None = None
    place: Place = _place()


@node
class Parallel(Node):
    body: Block
    place: Place = _place()


@node
class Handler(Node):
    """`wavelet(x, i) { … }`, `control(7) { … }`; `kind` is the word that stands there."""

    kind: str
    parameters: tuple[Expression, ...]
    body: Block
    place: Place = _place()


@node
class Dispatch(Node):
    socket: Expression
    handlers: tuple[Handler, ...]
    place: Place = _place()


@node
class Reset(Node):
    """`reset it, other;`."""

    iterators: tuple[Name, ...]
    place: Place = _place()


@node
class Attributed(Node):
    attributes: tuple[Attribute, ...]
    statement: "Statement"
    place: Place = _place()


Statement = Union[
    Block, Main, Empty, Assignment, Action, Loop, While, Forever, If, Return, Parallel, Dispatch,
    Reset, Attributed, Declaration,
]  # fmt: skip


# Programs.


@node
class Import(Node):
    """`programs` are the files that come in here: what no earlier import brought, in order."""

    modules: tuple[str, ...]
    programs: tuple["Program", ...] = field(default=(), eq=False, repr=False)
    place: Place = _place()


@node
class FunctionParameter(Node):
    """`kind` is `value` (scalars, arrays, structs), `socket`, `stream` or `iterator`."""

    kind: str
    type: Type | None
    name: str
    dimensions: tuple[Dimension, ...] = ()
    place: Place = _place()


@node
class Function(Node):
    name: str
    parameters: tuple[FunctionParameter, ...]
    body: Block
    place: Place = _place()


@node
class Teardown(Node):
    """`#pragma teardown on { … }`."""

    body: Block
    place: Place = _place()


Item = Union[Import, Function, Teardown, Statement]


@node
class Program(Node):
    """One source file."""

    file: str
    items: tuple[Item, ...]
