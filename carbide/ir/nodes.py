"""The IR of one program: structured statements over typed values and word-addressed memory.

    program    = Program(name, source, regions, sockets, fifos, iterators, filters, functions,
                         main, teardown)
    region     = Region(name, type, element_words, dims, address | alias | bank, initial)
    function   = Function(name, params, result, variables, regions, body)

    statement  = Assign(variable, value)              scalar variable := value
               | Store(element, value)                memory := value
               | Send(port, value)                    one element to a port
               | SendControl(port, value)             one control wavelet (u32 payload)
               | Flip(socket)                         marks the last word of the statement before
               | Evaluate(value)                      for its receives only
               | Loop(variable, low, high | None, step, body)      low <= variable < high
               | While(before, condition, body) | Forever(body)
               | If(condition, then, otherwise)
               | Block(body) | Breakable(label, body) | Leave(label)
               | Parallel(arms)                       arms run as microthreads; ends when all have
               | Threads(enabled, body)               uthread choice for the transfers inside
               | Dispatch(socket, handlers, forever)
               | Call(function, arguments, result) | Return(value)
               | Sum(type, keep, target, body)        the accumulator: clear, body, deliver
               | Accumulate(type, left, right | None) accumulator += left * right (fused) or left
               | ResetIterator(name) | SetLength(name, value) | SetIterator(name, base, counts)
               | Transfer(op, target, sources, counts)     one vector instruction (passes make it)

    expression = Const(type, bits) | Var(type, name) | AddressOf(region)
               | Load(type, element) | Receive(type, port) | Descriptor(port, direction)
               | Unary(op, value) | Binary(op, left, right) | Compare(op, left, right)
               | Select(condition, yes, no) | Fma(op, left, right, addend)
               | Convert(type, value) | Bits(type, value)

    element    = Element(base, offset)   base: AddressOf or any u16 address; offset in words
    port       = Port(kind, name, element)   socket, fifo, iterator, stream (a u64 in memory)
    vector     = Span(type, element, strides) | Stream(type, port) | Cell(type, element)

Types are `i16 u16 i32 u32 h s` (binary16, binary32) and `u64` (a descriptor; only in memory).
`wv` is u32. Conditions and results of comparisons are i16, 0 or 1 (any non-zero counts as true).
Expressions are evaluated left to right; only `Receive` has an effect. What an operation rounds
and what fuses is said by the nodes: no pass may change it. Offsets and addresses are i16 or u16
words modulo 2^16. A loop evaluates its bounds once; its body does not assign its variable.
Every node has a `place`, which equality ignores.
"""

from collections.abc import Iterator as Walk
from typing import Any

from attrs import evolve, field, fields, frozen

WORDS = {"i16": 1, "u16": 1, "i32": 2, "u32": 2, "h": 1, "s": 2, "u64": 4}
INTEGERS = ("i16", "u16", "i32", "u32")
FLOATS = ("h", "s")
SIGNED = ("i16", "i32")


@frozen
class Place:
    """Where in the source a node comes from; line and column count from 1."""

    file: str = ""
    line: int = 0
    column: int = 0


NOWHERE = Place()


@frozen
class Node:
    """Everything that stands somewhere in the source."""

    place: Place = field(default=NOWHERE, eq=False, kw_only=True, repr=False)


# Expressions.


@frozen
class Const(Node):
    """A value as its unsigned bit pattern (so -0.0 and NaN stay themselves)."""

    type: str
    bits: int


@frozen
class Var(Node):
    """A scalar variable of the enclosing function."""

    type: str
    name: str


@frozen
class AddressOf(Node):
    """The word address of a region, u16."""

    region: str
    type = "u16"


@frozen
class Element(Node):
    """A place in memory: `offset` words after `base`."""

    base: "Expr"
    offset: "Expr"


@frozen
class Load(Node):
    type: str
    element: Element


@frozen
class Port(Node):
    """Something that elements go to or come from.

    kind `socket`, `fifo`, `iterator`: `name` is declared in the program; kind `stream`: `element`
    is where the 64-bit descriptor stands.
    """

    kind: str
    name: str = ""
    element: Element | None = None


@frozen
class Receive(Node):
    """The next element of a port."""

    type: str
    port: Port


@frozen
class Descriptor(Node):
    """The 64-bit descriptor of a socket (direction `in` or `out`), FIFO or iterator, as a value."""

    port: Port
    direction: str = "in"
    type = "u64"


@frozen
class Unary(Node):
    """`neg`, `not` (bitwise), `lnot` (logical, i16 result), `abs`."""

    op: str
    value: "Expr"

    @property
    def type(self) -> str:
        return "i16" if self.op == "lnot" else self.value.type


@frozen
class Binary(Node):
    """Both sides have one type (a shift's right side is 16-bit).

    `add sub mul div mod and or xor shl shr min max`, and `land lor`, whose sides are free of
    effects. `shr` is arithmetic on signed types. Integer `div` truncates; a `div` of floats is
    the reciprocal sequence (tungsten page 8), constants folded before.
    """

    op: str
    left: "Expr"
    right: "Expr"

    @property
    def type(self) -> str:
        return "i16" if self.op in ("land", "lor") else self.left.type


@frozen
class Compare(Node):
    """`lt le gt ge eq ne`, both sides of one type; i16 result."""

    op: str
    left: "Expr"
    right: "Expr"
    type = "i16"


@frozen
class Select(Node):
    """`condition != 0 ? yes : no`; both sides are free of effects."""

    condition: "Expr"
    yes: "Expr"
    no: "Expr"

    @property
    def type(self) -> str:
        return self.yes.type


@frozen
class Fma(Node):
    """`fma`: left * right + addend; `fms`: addend - left * right; floats round once."""

    op: str
    left: "Expr"
    right: "Expr"
    addend: "Expr"

    @property
    def type(self) -> str:
        return self.addend.type


@frozen
class Convert(Node):
    """Value conversion between types: extension, truncation, int to float and back."""

    type: str
    value: "Expr"


@frozen
class Bits(Node):
    """The same bits as another type of the same width."""

    type: str
    value: "Expr"


Expr = (
    Const | Var | AddressOf | Load | Receive | Descriptor | Unary | Binary | Compare | Select | Fma
    | Convert | Bits
)  # fmt: skip


# Statements.


@frozen
class Assign(Node):
    variable: Var
    value: Expr


@frozen
class Store(Node):
    """The width stored is the value's."""

    element: Element
    value: Expr


@frozen
class Send(Node):
    """`flip`: this word advances the PE's own input switch (passes set it from `Flip`)."""

    port: Port
    value: Expr
    flip: bool = False


@frozen
class SendControl(Node):
    port: Port
    value: Expr
    flip: bool = False


@frozen
class Flip(Node):
    """The last word that the statement before sent on `socket` advances this PE's input switch."""

    socket: str


@frozen
class Evaluate(Node):
    value: Expr


Body = tuple[Any, ...]
"""Of statements; not said to the type checker, which would ask at every step which one."""


@frozen
class Loop(Node):
    """`variable` (i16) from low up by `step` while below high; high None: for ever."""

    variable: Var
    low: Expr
    high: Expr | None
    body: Body
    step: int = 1


@frozen
class While(Node):
    """Run `before`; while the condition holds: body, then `before` again."""

    before: Body
    condition: Expr
    body: Body


@frozen
class Forever(Node):
    body: Body


@frozen
class If(Node):
    condition: Expr
    then: Body
    otherwise: Body = ()


@frozen
class Block(Node):
    body: Body


@frozen
class Breakable(Node):
    label: str
    body: Body


@frozen
class Leave(Node):
    """Go on after the enclosing `Breakable` of that label."""

    label: str


@frozen
class Arm(Node):
    body: Body


@frozen
class Parallel(Node):
    arms: tuple[Arm, ...]


@frozen
class Threads(Node):
    enabled: bool
    body: Body


@frozen
class Handler(Node):
    """What a dispatch does with a wavelet.

    kind `data`: `value` gets the data (its type says how), `index` the upper half if wanted;
    a handler without `value` leaves the wavelet in the queue for its body to receive.
    kind `control`: control wavelets that name `task`, or without it any task that has no handler
    of its own; `value` gets the payload (u32).
    """

    kind: str
    body: Body
    value: Var | None = None
    index: Var | None = None
    task: int | None = None


@frozen
class Dispatch(Node):
    socket: str
    handlers: tuple[Handler, ...]
    forever: bool = False


@frozen
class Call(Node):
    function: str
    arguments: tuple[Expr, ...]
    result: Var | None = None


@frozen
class Return(Node):
    value: Expr | None = None


@frozen
class Sum(Node):
    """Clear the accumulator (unless `keep`), run body, deliver to `target` (if there is one)."""

    type: str
    body: Body
    target: Var | Element | None = None
    keep: bool = False


@frozen
class Accumulate(Node):
    type: str
    left: Expr
    right: Expr | None = None


@frozen
class ResetIterator(Node):
    name: str


@frozen
class SetLength(Node):
    """Elements that one use of the iterator may take; None: no bound of its own."""

    name: str
    value: Expr | None


@frozen
class SetIterator(Node):
    """Start an iterator whose base address or counts are only known at run time."""

    name: str
    base: Expr
    counts: tuple[Expr | None, ...]


# Vector operands and the vector instruction, which passes make from loops.


@frozen
class Span(Node):
    """Memory from `element` on, `strides` words apart along each of the transfer's counts."""

    type: str
    element: Element
    strides: tuple[int, ...]


@frozen
class Stream(Node):
    """Elements of a port, one after another."""

    type: str
    port: Port


@frozen
class Cell(Node):
    """One place in memory, read or written again for every element (a reduction)."""

    type: str
    element: Element


@frozen
class Transfer(Node):
    """One vector instruction of the product of `counts` elements (None: without end).

    `op` is its mnemonic. `target` is a Span, Stream, Cell, or a Var that is a source as well or
    gets an accumulator's sum; None discards. Sources are vectors or expressions that do not
    change. Counts that are no constants may be zero or less: then nothing happens.
    """

    op: str
    target: Any
    sources: tuple[Any, ...]
    counts: tuple[Expr | None, ...]
    flip: bool = False
    keep: bool = False
    load: bool = True


Stmt = (
    Assign | Store | Send | SendControl | Flip | Evaluate | Loop | While | Forever | If | Block
    | Breakable | Leave | Parallel | Threads | Dispatch | Call | Return | Sum | Accumulate
    | ResetIterator | SetLength | SetIterator | Transfer
)  # fmt: skip


# Declarations.


@frozen
class Region(Node):
    """A piece of memory of `element_words` times the product of the extents in `dims`.

    `type` is the element's type as users see it (a struct's name too). At most one of `address`
    (absolute), `alias` (region name, offset in words) and `bank` (a hint). `initial` are its first
    words. `symbol` False: not in the map.
    """

    name: str
    type: str
    element_words: int
    dims: tuple[tuple[str, int], ...] = ()
    address: int | None = None
    alias: tuple[str, int] | None = None
    bank: int | None = None
    initial: tuple[int, ...] | None = None
    symbol: bool = True

    @property
    def words(self) -> int:
        total = self.element_words
        for _, extent in self.dims:
            total *= extent
        return total


@frozen
class Socket(Node):
    """`queue` is the number of an `id=` attribute; `direction` `in`, `out` or None for both."""

    name: str
    type: str | None = None
    direction: str | None = None
    queue: int | None = None


@frozen
class Fifo(Node):
    """A ring of `capacity` elements in `region`."""

    name: str
    type: str
    region: str
    capacity: int


@frozen
class Iterator(Node):
    """A walk: base is `region` + `offset` words; dims are (count or None, stride in words).

    Outermost first, at most four. `length` bounds the elements one use takes.
    """

    name: str
    type: str
    region: str
    offset: int
    dims: tuple[tuple[int | None, int], ...]
    length: int | None = None


@frozen
class Filter(Node):
    """A counter filter for what arrives on `socket` (machine page 2.3)."""

    name: str
    socket: str
    limit: int
    maxpass: int
    counts_data: bool = True
    counts_control: bool = False
    state: int = 0


@frozen
class Function(Node):
    """`variables` holds the type of every scalar of the body, parameters included.

    Arrays, structs and unions are passed as u16 addresses. `regions` are local memory, whose
    contents do not outlive a call.
    """

    name: str
    params: tuple[Var, ...]
    result: str | None
    body: Body
    variables: tuple[Var, ...] = ()
    regions: tuple[Region, ...] = ()


@frozen
class Program:
    """`source` is the file that a printed `@line:column` means."""

    name: str
    source: str
    main: Function
    regions: tuple[Region, ...] = ()
    sockets: tuple[Socket, ...] = ()
    fifos: tuple[Fifo, ...] = ()
    iterators: tuple[Iterator, ...] = ()
    filters: tuple[Filter, ...] = ()
    functions: tuple[Function, ...] = ()
    teardown: Function | None = None


EXPRESSIONS = Expr.__args__
VECTORS = (Span, Stream, Cell)
STATEMENTS = Stmt.__args__


_LEAVES = {str, int, bool, str | None, int | None, tuple[int, ...], Place}
_parts: dict[type, tuple[str, ...]] = {}


def parts_of(kind: type) -> tuple[str, ...]:
    """The names of a class's fields that can hold nodes."""
    if kind not in _parts:
        _parts[kind] = tuple(f.name for f in fields(kind) if f.type not in _LEAVES)
    return _parts[kind]


def children(node: Any) -> Walk[Any]:
    """The nodes directly under a node, in evaluation order."""
    for name in parts_of(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item
        elif isinstance(value, Node):
            yield value


def walk(node: Any) -> Walk[Any]:
    """A node (or a tuple of nodes) and everything under it, parents first."""
    pending = list(reversed(node)) if isinstance(node, tuple) else [node]
    while pending:
        node = pending.pop()
        yield node
        below = list(children(node))
        below.reverse()
        pending += below


def rewrite(node: Any, change: Any) -> Any:
    """Rebuild a node with `change` applied to all under it and then to itself.

    A statement may become a tuple of statements.
    """
    if isinstance(node, tuple):
        out: list[Any] = []
        for item in node:
            if not isinstance(item, Node):
                out.append(item)
                continue
            new = rewrite(item, change)
            if isinstance(new, tuple):
                out.extend(new)
            else:
                out.append(new)
        if len(out) == len(node) and all(a is b for a, b in zip(out, node, strict=True)):
            return node
        return tuple(out)
    updates = {}
    for name in parts_of(type(node)):
        value = getattr(node, name)
        if isinstance(value, (tuple, Node)):
            new = rewrite(value, change)
            if new is not value:
                updates[name] = new
    return change(evolve(node, **updates) if updates else node)


# Constants.

TRUE, FALSE = Const("i16", 1), Const("i16", 0)


def integer(type: str, value: int, place: Place = NOWHERE) -> Const:
    """An integer constant, wrapped to its type."""
    return Const(type, value & ((1 << 16 * WORDS[type]) - 1), place=place)


def signed(constant: Const) -> int:
    """The number that an integer constant's bits mean."""
    bits, width = constant.bits, 16 * WORDS[constant.type]
    if constant.type in SIGNED and bits >> (width - 1):
        return bits - (1 << width)
    return bits
