"""Expressions: names resolved, types found, conversions written out."""

from typing import Any

from carbide.check import numerics, typed
from carbide.check.numerics import Flexible, Value, convert, settled
from carbide.check.scopes import (
    AlreadyReported,
    ConstantSymbol,
    FunctionSymbol,
    PlaceSymbol,
    RangeSymbol,
    describe,
)
from carbide.check.state import State
from carbide.check.types import SCALARS, U16, U32, U64, WV, XP, Array, Scalar, Struct
from carbide.syntax import ast
from carbide.syntax.print import print_expression
from mitools.console import Place, UserError, suggestion

BUILT_IN = {"min", "max", "abs"}
ABSENT = {
    "sqrt": "write a Newton step on the bits of the value (a union of `sp` and `u32`)",
    "exp": None, "log": None, "sin": None, "cos": None, "pow": None, "printf": None,
    "fabs": "write `abs`", "fmin": "write `min`", "fmax": "write `max`",
}  # fmt: skip


class Expressions(State):
    """`expression` types any expression; `memory` finds the place of an assignable one."""

    def value(self, node: ast.Expression, type_: Scalar | None = None) -> typed.Expression:
        """An expression, converted to `type_` when it is given."""
        found = self.expression(node)
        return settled(found) if type_ is None else convert(found, type_)

    def constant_value(self, node: ast.Expression, type_: Scalar, what: str) -> Any:
        """The value of an expression that must be constant. Raises UserError when it is not."""
        found = self.value(node, type_)
        if not isinstance(found, typed.Constant):
            raise UserError(
                f"{what} must be a constant expression", node.place,
                "use literals, params and consts only",
            )  # fmt: skip
        return found.value

    def integer_constant(self, node: ast.Expression, what: str) -> int:
        """A constant integer of any size (addresses and extents pass 32767)."""
        found = settled(self.expression(node), SCALARS["i32"])
        if not isinstance(found, typed.Constant) or found.type.is_float:
            raise UserError(f"{what} must be a constant integer", node.place)
        return int(found.value)

    def expression(self, node: ast.Expression) -> Value:
        place = node.place
        match node:
            case ast.Number():
                if node.type:
                    return numerics.typed_literal(node.value, node.type, place)
                return numerics.literal(node.value, place, self.warn)
            case ast.Name():
                return self.name(node)
            case ast.Element() | ast.Member():
                return self.read(node)
            case ast.Next():
                return self.receive(node, None)
            case ast.View():
                return self.view(node)
            case ast.Cast():
                return self.cast(node)
            case ast.Unary():
                return self.prefix(node)
            case ast.Binary():
                return self.binary(node)
            case ast.Conditional():
                truth = self.expression(node.condition)
                with self.under_condition():
                    yes, no = self.expression(node.yes), self.expression(node.no)
                return numerics.choice(truth, yes, no, place)
            case ast.Call():
                return self.call(node)
            case ast.Sum():
                raise UserError(
                    "`∑` must be the whole right side of an assignment", place,
                    "assign the sum to a variable first",
                )  # fmt: skip
            case ast.Infinity():
                raise UserError("`∞` can only end a range", place)
        raise TypeError(node)

    # Names and places.

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

    # Operations.

    def view(self, node: ast.View) -> Value:
        type_ = SCALARS[node.type]
        if isinstance(node.operand, ast.Next):
            return settled(self.receive(node.operand, type_))
        return convert(self.expression(node.operand), type_, node.place)

    def cast(self, node: ast.Cast) -> typed.Expression:
        type_ = SCALARS[node.type]
        if isinstance(node.operand, ast.Next):
            port = self.port(node.operand.source)
            if self.port_type(port) is None:
                return settled(self.receive(node.operand, type_))
        return convert(self.expression(node.operand), type_, node.place)

    def prefix(self, node: ast.Unary) -> Value:
        if node.operator == "&":
            raise UserError(
                "an address is taken only in `address(&x)`", node.place,
                "the word address of `x` as a value is `x.base`",
            )  # fmt: skip
        operand = self.expression(node.operand)
        if node.operator == "+":
            return operand
        op = {"-": "neg", "~": "not", "!": "lnot"}[node.operator]
        return numerics.unary(op, operand, node.place)

    def binary(self, node: ast.Binary) -> Value:
        place, sign = node.place, node.operator
        if sign in ("&&", "||"):
            op = "land" if sign == "&&" else "lor"
            left = self.expression(node.left)
            with self.under_condition():
                right = self.expression(node.right)
            return numerics.logical(op, left, right, place)
        left, right = self.expression(node.left), self.expression(node.right)
        if sign in numerics.COMPARISONS:
            return numerics.compare(numerics.COMPARISONS[sign], left, right, place)
        if sign in numerics.SHIFTS:
            return numerics.shift(numerics.SHIFTS[sign], left, right, place)
        if sign == "%":
            left, right = numerics.unify(left, right)
            self._division(right, node.right)
        if sign in numerics.BITWISE:
            return numerics.binary(numerics.BITWISE[sign], left, right, place)
        left, right = numerics.unify(left, right)
        if sign in ("+", "-") and not isinstance(left, Flexible):
            fused = self._fused(node, left, right)
            if fused is not None:
                return fused
        if sign == "/":
            self._division(right, node.right)
        return numerics.binary(numerics.ARITHMETIC[sign], left, right, place)

    def _fused(
        self, node: ast.Binary, left: typed.Expression, right: typed.Expression
    ) -> typed.Expression | None:
        """`a - b*c`, `a + b*c` or `b*c + a` where all three are plain, as one operation."""
        if self.plain(node.left) and self.plain_product(node.right):
            op = "fma" if node.operator == "+" else "fms"
            return numerics.fuse(op, *self._factors(node.right), left, node.place)
        if node.operator == "+" and self.plain(node.right) and self.plain_product(node.left):
            return numerics.fuse("fma", *self._factors(node.left), right, node.place)
        return None

    def _factors(self, node: ast.Expression) -> tuple[Value, Value]:
        assert isinstance(node, ast.Binary)
        return self.expression(node.left), self.expression(node.right)

    def _division(self, divisor: Value, node: ast.Expression) -> None:
        if isinstance(divisor, typed.Constant) and divisor.value == 0:
            result = "an infinity or NaN" if divisor.type.is_float else "meaningless"
            self.warn(f"this divides by zero: the result is {result}", node.place)

    def plain(self, node: ast.Expression) -> bool:
        """Whether an operand is a plain scalar variable, constant or param (section 8)."""
        match node:
            case ast.Number():
                return True
            case ast.Unary():
                return node.operator in ("-", "+") and isinstance(node.operand, ast.Number)
            case ast.Name():
                if node.name.startswith("∑"):  # stands for a sum inside the expression
                    return False
                symbol = self.scope.find(node.name)
                if isinstance(symbol, PlaceSymbol):
                    return isinstance(symbol.place.type, Scalar)
                return isinstance(symbol, ConstantSymbol | typed.Variable | RangeSymbol)
        return False

    def plain_product(self, node: ast.Expression) -> bool:
        return (
            isinstance(node, ast.Binary)
            and node.operator == "*"
            and self.plain(node.left)
            and self.plain(node.right)
        )

    # Calls.

    def call(self, node: ast.Call) -> Value:
        symbol = self.scope.find(node.name)
        if symbol is None and node.name in BUILT_IN:
            return self._built_in(node)
        if symbol is None and node.name == "sum" and len(node.arguments) == 1:
            return self.expression(ast.Sum(node.arguments[0], place=node.place))
        if symbol is None and node.name in ("control", "wavelet"):
            raise UserError(f"`{node.name}(…)` can only be sent", node.place,
                            f"write `s[] <- {node.name}(…)`")  # fmt: skip
        if symbol is None and node.name in ABSENT:
            raise UserError(f"there is no `{node.name}`", node.place, ABSENT[node.name])
        result = self.function_call(node)
        if result.instance.result is None and result.instance.broken:
            raise AlreadyReported
        if result.instance.result is None:
            raise UserError(f"`{node.name}` returns nothing", node.place,
                            "give it a `return value;`")  # fmt: skip
        return result

    def function_call(self, node: ast.Call) -> typed.Called:
        """A call of one of the program's own functions (see `Functions`)."""
        raise NotImplementedError

    def _built_in(self, node: ast.Call) -> Value:
        arguments = [self.expression(argument) for argument in node.arguments]
        wanted = "one argument" if node.name == "abs" else "two arguments or more"
        if (node.name == "abs" and len(arguments) != 1) or (
            node.name != "abs" and len(arguments) < 2
        ):
            raise UserError(f"`{node.name}` takes {wanted}", node.place)
        if node.name == "abs":
            return numerics.unary("abs", arguments[0], node.place)
        result = arguments[0]
        for argument in arguments[1:]:
            result = numerics.binary(node.name, result, argument, node.place)
        return result

    def control_payload(self, node: ast.Call) -> typed.Expression:
        """`control(ADV)`: a `wv`."""
        if len(node.arguments) != 1:
            raise UserError("`control` takes one payload, a `wv`", node.place)
        payload = settled(self.expression(node.arguments[0]), U32)
        if payload.type.ir not in ("u32", "i32"):
            raise UserError(
                f"a control payload is a `wv`, not `{payload.type}`", node.arguments[0].place,
                "declare it as `wv const C = {0x9249, 0x0940};`",
            )  # fmt: skip
        return convert(payload, WV)

    def wavelet_payload(self, node: ast.Call) -> typed.Expression:
        """`wavelet(x, i)`: i in the upper half, x in the lower."""
        if not 1 <= len(node.arguments) <= 2:
            raise UserError("`wavelet` takes the data and the index", node.place)
        halves = []
        for argument in node.arguments:
            half = settled(self.expression(argument), XP)
            if half.type.words != 1:
                if half.type.is_float:
                    raise UserError(f"a half of a wavelet has 16 bits; this is `{half.type}`",
                                    argument.place)  # fmt: skip
                half = convert(half, U16)
            halves.append(convert(half, WV, argument.place))
        if len(halves) == 1:
            return halves[0]
        place = node.place
        by = numerics.constant(XP, 16, place)
        upper = numerics.shift("shl", halves[1], by, place)
        joined = numerics.binary("or", upper, halves[0], place)
        return convert(joined, WV, place)


def root_variable(memory: typed.Place_) -> typed.Variable:
    """The variable that a place lies in."""
    while not isinstance(memory, typed.Whole):
        memory = (
            memory.array if isinstance(memory, typed.Item)
            else memory.struct if isinstance(memory, typed.Part)
            else memory.inner
        )  # fmt: skip
    return memory.variable
