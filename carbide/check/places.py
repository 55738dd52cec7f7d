"""Names, places in memory, and ports."""

from carbide.check import numerics, typed
from carbide.check.numerics import Flexible, Value, convert, settled
from carbide.check.scopes import (
    ConstantSymbol,
    FunctionSymbol,
    PlaceSymbol,
    RangeSymbol,
    describe,
)
from carbide.check.state import State
from carbide.check.types import U16, U64, WV, XP, Array, Scalar, Struct
from carbide.syntax import ast
from carbide.syntax.print import print_expression
from mitools.console import Place, UserError, suggestion


class Places(State):
    """`memory` finds the place of an expression that has one, `port` what `s[]` stands for."""

    def name(self, node: ast.Name) -> Value:
        place = node.place
        if node.name == "inf" and self.scope.find("inf") is None:
            raise UserError("`inf` can only end a range", place)
        symbol = self.find(node.name, place)
        match symbol:
            case ConstantSymbol():
                return numerics.constant(symbol.type, symbol.value, place)
            case RangeSymbol():
                return typed.Read(typed.Whole(self.walk_variable(symbol, place)), place=place)
            case typed.Variable() | PlaceSymbol():
                return self.read(node)
            case typed.Socket():
                symbol.valued = symbol.valued or place
                direction = symbol.direction or "in"
                if direction == "in":
                    symbol.receives = symbol.receives or place
                else:
                    symbol.sends = symbol.sends or place
                return typed.Descriptor(U64, typed.SocketPort(symbol), direction, place=place)
            case typed.Iterator():
                port = typed.IteratorPort(symbol)
                return typed.Descriptor(U64, port, "in", place=place)
            case typed.Fifo():
                return typed.Descriptor(U64, typed.FifoPort(symbol), "in", place=place)
            case FunctionSymbol():
                raise UserError(f"`{node.name}` is a function", place, f"call it: `{node.name}(…)`")
        raise UserError(f"`{node.name}` is {describe(symbol)}, not a value", place)

    def walk_variable(self, symbol: RangeSymbol, place: Place) -> typed.Variable:
        """The variable of the innermost walk over a range."""
        if symbol not in self.walking:
            raise UserError(
                f"`{symbol.name}` is a range; it has a value only inside a walk over it", place,
                f"put `∀{symbol.name}` before the statement",
                [("the range is here", symbol.at)],
            )  # fmt: skip
        return self.walking[symbol]

    def read(self, node: ast.Expression) -> typed.Expression:
        """The value of a place; `.base` is an address."""
        if isinstance(node, ast.Member) and node.name == "base" and not self._has_field(node):
            return typed.Base(self.memory(node.aggregate), U16, place=node.place)
        memory = self.memory(node)
        if not isinstance(memory.type, Scalar):
            kind = "an array" if isinstance(memory.type, Array) else f"a {memory.type.kind}"
            shown = print_expression(node)
            remedy = f"name one element, as in `{shown}[i]`" if kind == "an array" else None
            raise UserError(f"`{shown}` is {kind} (`{memory.type}`), not one value", node.place,
                            remedy)  # fmt: skip
        self.mark_read(memory, node.place)
        return typed.Read(memory, place=node.place)

    def mark_read(self, memory: typed.Place_, place: Place) -> None:
        variable = root_variable(memory)
        variable.read = variable.read or place

    def mark_written(self, memory: typed.Place_) -> None:
        root_variable(memory).written = True

    def _has_field(self, node: ast.Member) -> bool:
        """Whether `a.base` is a member of a struct that has one of that name."""
        if isinstance(node.aggregate, ast.Name):
            symbol = self.find(node.aggregate.name, node.aggregate.place)
            if not isinstance(symbol, typed.Variable | PlaceSymbol):
                return False
        type_ = self.memory(node.aggregate).type
        return isinstance(type_, Struct) and type_.find(node.name) is not None

    def memory(self, node: ast.Expression) -> typed.Place_:
        """The place that a name, element or member means."""
        match node:
            case ast.Name():
                return self._named_memory(node)
            case ast.Element():
                return self._element(node)
            case ast.Member():
                return self._member(node)
            case ast.Next():
                raise UserError("an element of a stream has no place in memory", node.place)
        raise UserError("this is a value, not a place that can be assigned", node.place)

    def _named_memory(self, node: ast.Name) -> typed.Place_:
        symbol = self.find(node.name, node.place)
        match symbol:
            case typed.Variable():
                return typed.Whole(symbol, place=node.place)
            case PlaceSymbol():
                return symbol.place
            case ConstantSymbol():
                raise UserError(f"`{node.name}` is a {symbol.kind}: it has no place in memory",
                                node.place, None, [("it is declared here", symbol.at)])  # fmt: skip
            case RangeSymbol():
                return typed.Whole(self.walk_variable(symbol, node.place), place=node.place)
            case typed.Socket() | typed.Fifo() | typed.Iterator():
                shown = describe(symbol)
                raise UserError(f"`{node.name}` is {shown}, not a variable", node.place,
                                f"`{node.name}[]` is its next element")  # fmt: skip
        raise UserError(f"`{node.name}` is {describe(symbol)}, not a variable", node.place)

    def _element(self, node: ast.Element) -> typed.Place_:
        array = self.memory(node.array)
        if not isinstance(array.type, Array):
            shown = print_expression(node.array)
            raise UserError(f"`{shown}` is no array; it is `{array.type}`", node.place)
        index = convert(self._integer(node.index, "an index"), XP)
        extent = array.type.extent
        if isinstance(index, typed.Constant):
            number = int(index.value)
            if number < 0 or (extent is not None and number >= extent):
                what = print_expression(node.array)
                raise UserError(
                    f"index {number} is outside `{what}`", node.index.place,
                    f"the dimension `{array.type.dims[0][0]}` runs from 0 to {extent - 1}"
                    if extent else None,
                )  # fmt: skip
        elif extent is not None and not self.guarded:
            self._note_reach(node, index, extent)
        return typed.Item(array, index, array.type.inner, place=node.place)

    def _note_reach(self, node: ast.Element, index: typed.Expression, extent: int) -> None:
        """A note where walks over constant ranges surely reach past an array (tungsten page 6)."""
        span = self.span(index)
        if span is None or (span[0] >= 0 and span[1] < extent) or span[0] > span[1]:
            return
        shown = print_expression(node)
        self.diagnostics.note(
            f"`{shown}` reaches past its array: the index runs from {span[0]} to {span[1]}, the "
            f"dimension from 0 to {extent - 1}; it reads and writes what lies there",
            node.index.place,
        )

    def span(self, e: typed.Expression) -> tuple[int, int] | None:
        """The least and the greatest value of an index in walks over constant ranges."""
        match e:
            case typed.Constant():
                return int(e.value), int(e.value)
            case typed.Read(memory=typed.Whole(variable=variable)):
                return self.spans.get(variable)
            case typed.Binary(op="add" | "sub" | "mul"):
                left, right = self.span(e.left), self.span(e.right)
                if left is None or right is None:
                    return None
                if e.op == "add":
                    return left[0] + right[0], left[1] + right[1]
                if e.op == "sub":
                    return left[0] - right[1], left[1] - right[0]
                corners = [a * b for a in left for b in right]
                return min(corners), max(corners)
        return None

    def _integer(self, node: ast.Expression, what: str) -> typed.Expression:
        found = settled(self.expression(node), XP)
        if not found.type.is_integer:
            raise UserError(f"{what} must be an integer, not `{found.type}`", node.place,
                            "convert it: `(xp)(…)`")  # fmt: skip
        return found

    def _member(self, node: ast.Member) -> typed.Place_:
        aggregate = self.memory(node.aggregate)
        type_ = aggregate.type
        shown = print_expression(node.aggregate)
        if not isinstance(type_, Struct):
            remedy = "`.base` and `.len` are the only members of arrays and iterators"
            if isinstance(type_, Array) and isinstance(type_.element, Struct):
                remedy = f"name one element: `{shown}[i].{node.name}`"
            raise UserError(f"`{shown}` is no struct; it is `{type_}`", node.place, remedy)
        member = type_.find(node.name)
        if member is None:
            near = suggestion(node.name, type_.names())
            known = "it has " + ", ".join(f"`{name}`" for name in type_.names())
            raise UserError(f"`{type_}` has no member `{node.name}`", node.place, near or known)
        return typed.Part(aggregate, member.offset, member.type, place=node.place)

    # Ports.

    def port(self, node: ast.Expression) -> typed.Port:
        """What `node[]` takes elements from or gives them to."""
        if isinstance(node, ast.Name):
            symbol = self.find(node.name, node.place)
            match symbol:
                case typed.Socket():
                    return typed.SocketPort(symbol)
                case typed.Fifo():
                    return typed.FifoPort(symbol)
                case typed.Iterator():
                    return typed.IteratorPort(symbol)
        memory = self.memory(node)
        if memory.type is not U64:
            shown = print_expression(node)
            remedy = f"name an element: `{shown}[i]`" if isinstance(memory.type, Array) else None
            raise UserError(
                f"`{shown}` is `{memory.type}`; `[]` is for sockets, streams, iterators and FIFOs",
                node.place, remedy,
            )  # fmt: skip
        self.mark_read(memory, node.place)
        return typed.StreamPort(memory)

    def port_type(self, port: typed.Port) -> Scalar | None:
        """The type of a port's elements; None when the other side decides."""
        match port:
            case typed.SocketPort():
                return port.socket.type
            case typed.FifoPort():
                return port.fifo.type
            case typed.IteratorPort():
                return port.iterator.type
        return None

    def receive(self, node: ast.Next, wire: Scalar | None) -> Value:
        """`s[]` as a value; `wire` is the element's type where a cast or a view names it."""
        port = self.port(node.source)
        place = node.place
        if isinstance(port, typed.SocketPort):
            self.receives_on(port.socket, place)
        type_ = wire or self.port_type(port)
        if type_ is not None:
            return typed.Received(type_, port, place=place)

        def settle(target: Scalar) -> typed.Expression:
            if target is U64:
                raise UserError("a stream descriptor cannot be received", place)
            return typed.Received(target, port, place=place)

        return Flexible("received", place, WV, settle)

    def receives_on(self, socket: typed.Socket, place: Place) -> None:
        """Note a receive. Raises UserError on a socket that is output only."""
        if socket.direction == "out":
            raise UserError(
                f"`{socket.name}` only sends (`dir=out`); it cannot receive", place,
                "declare it with `dir=in`, or without `dir`", [("it is declared here", socket.at)],
            )  # fmt: skip
        socket.receives = socket.receives or place

    def sends_on(self, socket: typed.Socket, place: Place) -> None:
        """Note a send. Raises UserError on a socket that is input only."""
        if socket.direction == "in":
            raise UserError(
                f"`{socket.name}` only receives (`dir=in`); it cannot send", place,
                "declare it with `dir=out`, or without `dir`", [("it is declared here", socket.at)],
            )  # fmt: skip
        socket.sends = socket.sends or place

    def expression(self, node: ast.Expression) -> Value:
        """The value of any expression (see `Expressions`)."""
        raise NotImplementedError


def root_variable(memory: typed.Place_) -> typed.Variable:
    """The variable that a place lies in."""
    while not isinstance(memory, typed.Whole):
        memory = (
            memory.array if isinstance(memory, typed.Item)
            else memory.struct if isinstance(memory, typed.Part)
            else memory.inner
        )  # fmt: skip
    return memory.variable
