# ruff: noqa: UP007
"""The typed tree: what a program means, every name resolved and every conversion written out.

    program    = Program(file, name, variables, sockets, fifos, iterators, filters, instances, main,
                         teardown)
    statement  = Block(statements) | Declare(variable) | Store(place, value)
               | Update(place, op, value) | Fuse(place, op, left, right) | Copy(target, source)
               | SendValue(port, value) | SendControl(port, value) | Flip(socket) | Discard(value)
               | Accumulate(place | None, keep, deliver, loops, left, right, update)
               | Loop(variable, low, high, body) | While(condition, body) | Forever(body)
               | If(condition, then, otherwise) | Return(value) | Parallel(arms)
               | Dispatch(socket, handlers) | Threads(enabled, body)
               | Reset(iterator) | Rewind(iterator) | SetLength(iterator, value)
               | SetBase(variable, value)
    expression = Constant(type, value) | Read(place) | Base(place) | Received(type, port)
               | Descriptor(port, direction) | Convert(type, value) | Bits(type, value)
               | Unary(op, value) | Binary(op, left, right) | Compare(op, left, right)
               | Logical(op, left, right) | Choice(condition, yes, no)
               | Fused(op, left, right, addend) | Called(instance, arguments)
    place      = Whole(variable) | Item(array, index) | Part(struct, field) | Seen(place, type)
    port       = SocketPort(socket) | FifoPort(fifo) | IteratorPort(iterator) | StreamPort(place)

Operations have the IR's names (`carbide.ir.nodes`); sections 7 and 8 of the tungsten page are
decided in this tree: no later stage may fuse, reorder or round differently.
"""

from typing import Any, Union

from attrs import define, field

from carbide.check.constants import Number
from carbide.check.types import Array, Scalar, Struct, Type
from carbide.node import Node, node
from mitools.console import Place

NOWHERE = Place("")


def _place() -> Any:
    return field(default=NOWHERE, eq=False, kw_only=True, repr=False)


# Things that have names. Two of them are equal only when they are one.


@define(eq=False)
class Variable:
    """A variable. `storage`:

    - `global`: memory that lives as long as the program; the map shows it when `symbol`
    - `local`: a scalar of a block, a parameter or a loop variable, in a register
    - `frame`: an array, struct or union of a block
    - `window`: memory at the address that the scalar `pointer` holds
    """

    name: str
    type: Type
    storage: str
    at: Place = NOWHERE
    address: int | None = None
    alias: "Place_ | None" = None
    bank: int | None = None
    initial: tuple[int, ...] | None = None
    symbol: bool = True
    pointer: "Variable | None" = None
    read: Place | None = None
    written: bool = False


@define(eq=False)
class Socket:
    """`sends` and `receives` are the first places of use; `direction` is the `dir=` attribute."""

    name: str
    type: Scalar | None
    direction: str | None
    queue: int | None
    at: Place
    sends: Place | None = None
    receives: Place | None = None
    valued: Place | None = None


@define(eq=False)
class Fifo:
    name: str
    type: Scalar
    memory: "Place_"
    capacity: int
    at: Place


@define(eq=False)
class Iterator:
    """A walk: `start` is the offset in elements' words after `memory`, `dims` (count, stride).

    Counts are None for endless, expressions when only known at run time; strides count words.
    """

    name: str
    type: Scalar
    memory: "Place_"
    start: "Expression"
    dims: tuple[tuple["Expression | None", int], ...]
    at: Place


@define(eq=False)
class Filter:
    name: str
    socket: Socket
    limit: int
    maxpass: int
    counts_data: bool
    counts_control: bool
    state: int
    at: Place


@define(eq=False)
class Instance:
    """A function for one kind of arguments: arrays and structs that are known are bound to it,
    scalars and addresses that are not are its `parameters`."""

    name: str
    parameters: tuple[Variable, ...] = ()
    result: Scalar | None = None
    body: "Block | None" = None
    at: Place = NOWHERE
    broken: bool = False


# Places: what can be read and assigned.


@node
class Whole(Node):
    variable: Variable
    place: Place = _place()

    @property
    def type(self) -> Type:
        return self.variable.type


@node
class Item(Node):
    array: "Place_"
    index: "Expression"
    type: Type
    place: Place = _place()


@node
class Part(Node):
    struct: "Place_"
    offset: int
    type: Type
    place: Place = _place()


@node
class Seen(Node):
    """A place as another type (an argument as its parameter's)."""

    inner: "Place_"
    type: Type
    place: Place = _place()


Place_ = Union[Whole, Item, Part, Seen]


# Ports: what elements come from and go to.


@node
class SocketPort(Node):
    socket: Socket


@node
class FifoPort(Node):
    fifo: Fifo


@node
class IteratorPort(Node):
    iterator: Iterator


@node
class StreamPort(Node):
    memory: Place_


Port = Union[SocketPort, FifoPort, IteratorPort, StreamPort]


# Expressions. `type` is always a Scalar.


@node
class Constant(Node):
    type: Scalar
    value: Number
    place: Place = _place()


@node
class Read(Node):
    memory: Place_
    place: Place = _place()

    @property
    def type(self) -> Scalar:
        assert isinstance(self.memory.type, Scalar)
        return self.memory.type


@node
class Base(Node):
    """The word address of a place, `u16`."""

    memory: Place_
    type: Scalar
    place: Place = _place()


@node
class Received(Node):
    type: Scalar
    port: Port
    place: Place = _place()


@node
class Descriptor(Node):
    type: Scalar
    port: Port
    direction: str
    place: Place = _place()


@node
class Convert(Node):
    type: Scalar
    value: "Expression"
    place: Place = _place()


@node
class Bits(Node):
    type: Scalar
    value: "Expression"
    place: Place = _place()


@node
class Unary(Node):
    """`neg not abs`, and `lnot`, whose result is `xp`."""

    type: Scalar
    op: str
    value: "Expression"
    place: Place = _place()


@node
class Binary(Node):
    type: Scalar
    op: str
    left: "Expression"
    right: "Expression"
    place: Place = _place()


@node
class Compare(Node):
    type: Scalar
    op: str
    left: "Expression"
    right: "Expression"
    place: Place = _place()


@node
class Logical(Node):
    """`land`, `lor`: the right side is evaluated only when the left does not decide."""

    type: Scalar
    op: str
    left: "Expression"
    right: "Expression"
    place: Place = _place()


@node
class Choice(Node):
    type: Scalar
    condition: "Expression"
    yes: "Expression"
    no: "Expression"
    place: Place = _place()


@node
class Fused(Node):
    """`fma`: left * right + addend, `fms`: addend - left * right, rounded once.

    `product_first` says which of them the source evaluates first.
    """

    type: Scalar
    op: str
    left: "Expression"
    right: "Expression"
    addend: "Expression"
    place: Place = _place()


@node
class Called(Node):
    """`addresses` are the places whose addresses follow the scalar arguments."""

    type: Scalar
    instance: Instance
    arguments: tuple["Expression", ...]
    place: Place = _place()


Expression = Union[
    Constant, Read, Base, Received, Descriptor, Convert, Bits, Unary, Binary, Compare, Logical,
    Choice, Fused, Called,
]  # fmt: skip


# Statements.


@node
class Block(Node):
    statements: tuple["Statement", ...]
    place: Place = _place()


@node
class Declare(Node):
    """A local variable begins here; its contents are undefined."""

    variable: Variable
    place: Place = _place()


@node
class Store(Node):
    target: Place_
    value: Expression
    place: Place = _place()


@node
class Update(Node):
    """target = target op value; the place is found once."""

    target: Place_
    op: str
    value: Expression
    type: Scalar
    place: Place = _place()


@node
class Fuse(Node):
    """target = target + left * right (`fma`) or target - left * right (`fms`), rounded once."""

    target: Place_
    op: str
    left: Expression
    right: Expression
    place: Place = _place()


@node
class Copy(Node):
    """A struct or an array assigned whole."""

    target: Place_
    source: Place_
    place: Place = _place()


@node
class SendValue(Node):
    port: Port
    value: Expression
    place: Place = _place()


@node
class SendControl(Node):
    port: Port
    value: Expression
    place: Place = _place()


@node
class Flip(Node):
    socket: Socket
    place: Place = _place()


@node
class Discard(Node):
    value: Expression
    place: Place = _place()


@node
class Walk(Node):
    """One ∀: `low` <= variable < `high`, None for ever."""

    variable: Variable
    low: Expression
    high: Expression | None


@node
class Accumulate(Node):
    """`∑ left * right` (or `∑ left`) over `walks`, outermost first.

    Without `keep` the accumulator starts at zero; `target` gets the sum when there is one;
    `add` is for `acc += ∑ …`.
    """

    type: Scalar
    target: Place_ | None
    keep: bool
    walks: tuple[Walk, ...]
    left: Expression
    right: Expression | None
    add: str | None = None
    place: Place = _place()


@node
class Loop(Node):
    walk: Walk
    body: Block
    place: Place = _place()


@node
class While(Node):
    condition: Expression
    body: Block
    place: Place = _place()


@node
class Forever(Node):
    body: Block
    place: Place = _place()


@node
class If(Node):
    condition: Expression
    then: Block
    otherwise: Block
    place: Place = _place()


@define(eq=False)
class Return:
    """`value` is converted once the function's type of result is known."""

    value: Any
    place: Place = NOWHERE


@node
class Parallel(Node):
    arms: tuple[Block, ...]
    place: Place = _place()


@node
class Handler(Node):
    """`kind` is `data` or `control`; see `carbide.ir.nodes.Handler`."""

    kind: str
    value: Variable | None
    index: Variable | None
    task: int | None
    body: Block
    place: Place = _place()


@node
class Dispatch(Node):
    socket: Socket
    handlers: tuple[Handler, ...]
    forever: bool
    place: Place = _place()


@node
class Threads(Node):
    enabled: bool
    body: Block
    place: Place = _place()


@node
class Reset(Node):
    iterator: Iterator
    place: Place = _place()


@node
class Rewind(Node):
    """An iterator's declaration is reached: its base and counts are evaluated, it starts anew."""

    iterator: Iterator
    place: Place = _place()


@node
class SetLength(Node):
    iterator: Iterator
    value: Expression | None
    place: Place = _place()


@node
class SetBase(Node):
    """`a.base = e`."""

    variable: Variable
    value: Expression
    place: Place = _place()


Statement = Union[
    Block, Declare, Store, Update, Fuse, Copy, SendValue, SendControl, Flip, Discard, Accumulate,
    Loop, While, Forever, If, Return, Parallel, Dispatch, Threads, Reset, Rewind, SetLength,
    SetBase,
]  # fmt: skip


@node
class Program(Node):
    file: str
    name: str
    variables: tuple[Variable, ...]
    sockets: tuple[Socket, ...]
    fifos: tuple[Fifo, ...]
    iterators: tuple[Iterator, ...]
    filters: tuple[Filter, ...]
    instances: tuple[Instance, ...]
    main: Block
    teardown: Block | None
    notes: tuple[str, ...] = ()


__all__ = [name for name in dir() if not name.startswith("_")]
_ = (Array, Struct)
