"""Runs the syntax tree of a Tungsten program as the language page says, statement by statement.

Independent of the compiler behind the parser: own types, own conversions, own arithmetic
(`tests.carbide.numerics`). No timing. Values are `Value(type, data)`; `data` is an int inside an
integer type's range, or the bit pattern of a float; `type` None is an untyped literal (a Python
number) that has not met its context yet.

A socket is two channels; `run_network` joins programs by them and runs each in a thread.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from carbide.syntax import ast
from tests.carbide import numerics as n

INTEGERS = {"xp": (16, True), "i16": (16, True), "u16": (16, False), "i32": (32, True)}
INTEGERS |= {"u32": (32, False), "wv": (32, False)}
FLOATS = {"hp": 16, "sp": 32}
TOWARD_ZERO = 1


class Value(NamedTuple):
    type: str | None
    data: Any


class Channel:
    """Elements on their way, as bit patterns; `close` ends who waits for more."""

    def __init__(self) -> None:
        from queue import Queue

        self.queue: Queue = Queue()
        self.ahead: list[int] = []

    def put(self, bits: int) -> None:
        self.queue.put(bits)

    def close(self) -> None:
        self.queue.put(None)

    def peek(self) -> int:
        """The next element, which stays. Raises Finished."""
        if not self.ahead:
            bits = self.queue.get(timeout=10)
            if bits is None:
                raise Finished
            self.ahead.append(bits)
        return self.ahead[0]

    def get(self) -> int:
        self.peek()
        return self.ahead.pop()


Socket = tuple[Channel | None, Channel | None]
"""Where elements come from, and where they go."""


class Unsupported(Exception):
    """The program uses what this interpreter does not know."""


class Finished(Exception):
    """Nobody will send any more: a program that waits for ever has done its work."""


class Returned(Exception):
    def __init__(self, value: Value | None) -> None:
        self.value = value


class Array(NamedTuple):
    """A view of `cells`: element (i, j, …) of `extents` from `offset` on, row by row."""

    type: str
    cells: list
    extents: tuple[int, ...]
    offset: int = 0


class Scalar:
    """A variable. `constant` marks consts and params."""

    def __init__(self, value: Value, *, constant: bool = False) -> None:
        self.value, self.constant = value, constant


def integer(value: Value) -> int:
    if value.type in FLOATS or isinstance(value.data, float):
        raise Unsupported("a float where an integer is wanted")
    return value.data


def wrap(data: int, type_: str) -> int:
    width, is_signed = INTEGERS[type_]
    data &= (1 << width) - 1
    return n.signed(data, width) if is_signed else data


def convert(value: Value, target: str) -> Value:
    """Implicit and explicit conversion (tungsten, section 2)."""
    source, data = value
    if source == target:
        return value
    if source is None:
        if target in FLOATS:
            return Value(target, n.from_float(float(data), FLOATS[target]))
        if isinstance(data, float):
            bits = n.from_float(data, 32)
            width, is_signed = INTEGERS[target]
            data = n.to_integer(bits, 32, width, is_signed, TOWARD_ZERO)
        return Value(target, wrap(data, target))
    if source == "wv" or target == "wv":
        return Value(target, of_bits(bits_of(value), target))
    if source in FLOATS and target in FLOATS:
        return Value(target, n.convert(data, FLOATS[source], FLOATS[target]))
    if source in FLOATS:
        width, is_signed = INTEGERS[target]
        bits = n.to_integer(data, FLOATS[source], width, is_signed, TOWARD_ZERO)
        return Value(target, wrap(bits, target))
    if target in FLOATS:
        return Value(target, n.from_integer(data, FLOATS[target]))
    return Value(target, wrap(data, target))


def bits_of(value: Value) -> int:
    """The unsigned bit pattern."""
    assert value.type is not None
    return value.data if value.type in FLOATS else value.data & (1 << width_of(value.type)) - 1


def of_bits(bits: int, type_: str) -> Any:
    return bits & (1 << FLOATS[type_]) - 1 if type_ in FLOATS else wrap(bits, type_)


def width_of(type_: str) -> int:
    return FLOATS.get(type_) or INTEGERS[type_][0]


def common(a: str, b: str) -> str:
    """The type of a mixed operation."""
    if a == b:
        return a
    for type_ in ("sp", "hp"):
        if type_ in (a, b):
            return type_
    (wa, sa), (wb, sb) = INTEGERS[a], INTEGERS[b]
    if wa != wb:
        wide = a if wa > wb else b
        return "u32" if wide == "wv" else wide
    return ("i32" if wa == 32 else "xp") if sa and sb else ("u32" if wa == 32 else "u16")


def join(a: Value, b: Value) -> tuple[str | None, Value, Value]:
    """Both sides of an operation in one type; literals follow the other side."""
    if a.type is None and b.type is None:
        return None, a, b
    type_ = common(a.type or b.type, b.type or a.type)  # type: ignore[arg-type]
    if isinstance(a.data, float) or isinstance(b.data, float):  # 1.5 makes an integer a float
        type_ = type_ if type_ in FLOATS else "sp"
    return type_, convert(a, type_), convert(b, type_)


def truth(value: Value) -> bool:
    if value.type in FLOATS:
        return value.data & ~n.SIGN[FLOATS[value.type]] != 0
    return value.data != 0


def arithmetic(op: str, a: Value, b: Value, *, constant_divisor: bool = False) -> Value:
    """One operation of the language, rounded to its type."""
    if op in ("<<", ">>"):
        return _shift(op, a, b)
    type_, a, b = join(a, b)
    if type_ is None:
        if isinstance(a.data, int) and isinstance(b.data, int):
            return Value(None, _integer(op, "literals", a.data, b.data))
        untyped = {"+": a.data + b.data, "-": a.data - b.data, "*": a.data * b.data}
        if op not in untyped:
            raise Unsupported(f"{op} of two untyped literals")
        return Value(None, untyped[op])
    if type_ in FLOATS:
        return _float(op, type_, a.data, b.data, constant_divisor)
    return Value(type_, wrap(_integer(op, type_, a.data, b.data), type_))


def _shift(op: str, a: Value, b: Value) -> Value:
    if a.type is None or a.type in FLOATS:
        raise Unsupported("a shift of this")
    count = integer(b) & 0xFFFF
    data = a.data << min(count, 64) if op == "<<" else a.data >> min(count, 64)
    type_ = "u32" if a.type == "wv" else a.type
    return Value(type_, wrap(data, type_))


def _float(op: str, type_: str, a: int, b: int, constant_divisor: bool) -> Value:
    width = FLOATS[type_]
    match op:
        case "+":
            return Value(type_, n.add(a, b, width))
        case "-":
            return Value(type_, n.subtract(a, b, width))
        case "*":
            return Value(type_, n.multiply(a, b, width))
        case "/" if constant_divisor:
            return Value(type_, n.multiply(a, n.divide(n.from_float(1, width), b, width), width))
        case "/" if type_ == "hp":
            return Value(type_, n.divide(a, b, width))
        case "/":
            return Value(type_, n.multiply(a, n.reciprocal(b), width))
        case "min" | "max":
            return Value(type_, n.minimum(a, b, width, largest=op == "max"))
    raise Unsupported(f"{op} of floats")


def _integer(op: str, type_: str, a: int, b: int) -> int:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "/" | "%":
            if b == 0:
                return -1 if op == "/" else a
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "/" else a - quotient * b
    raise Unsupported(f"{op} of {type_}")


def compare(op: str, a: Value, b: Value) -> bool:
    type_, a, b = join(a, b)
    if type_ in FLOATS:
        width = FLOATS[type_]
        match op:
            case "<":
                return n.less(a.data, b.data, width)
            case ">":
                return n.less(b.data, a.data, width)
            case "<=":
                return n.less_equal(a.data, b.data, width)
            case ">=":
                return n.less_equal(b.data, a.data, width)
        return n.equal(a.data, b.data, width) == (op == "==")
    x, y = a.data, b.data
    return {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op]


def names_in(node: Any) -> Iterator[str]:
    """The names that a place is written with."""
    if isinstance(node, ast.Name):
        yield node.name
    for part in ("array", "index", "left", "right", "operand"):
        if hasattr(node, part):
            yield from names_in(getattr(node, part))


class Interpreter:
    """Runs one program. After `run`, `arrays()` gives the final memory of its globals."""

    def __init__(
        self,
        program: ast.Program,
        parameters: dict[str, Any] | None = None,
        sockets: dict[str, Socket] | None = None,
    ) -> None:
        self.program = program
        self.parameters = parameters or {}
        self.sockets = sockets or {}
        self.socket_types: dict[str, str | None] = {}
        self.functions = {i.name: i for i in program.items if isinstance(i, ast.Function)}
        self.scopes: list[dict[str, Any]] = [{}]
        self.budget = 2_000_000
        self.accumulating: list[Value] | None = None

    def run(self) -> None:
        for item in self.program.items:
            if not isinstance(item, ast.Function):
                self.execute(item)

    def globals(self) -> dict[str, tuple[str, list[int]]]:
        """Type and bit patterns of every global variable."""
        found: dict[str, tuple[str, list[int]]] = {}
        for name, thing in self.scopes[0].items():
            if isinstance(thing, Array):
                bits = [bits_of(Value(thing.type, cell)) for cell in thing.cells]
                found[str(name)] = (thing.type, bits)
            elif isinstance(thing, Scalar) and not thing.constant:
                assert thing.value.type is not None
                found[str(name)] = (thing.value.type, [bits_of(thing.value)])
        return found

    # Names.

    def lookup(self, name: str) -> Any:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise Unsupported(f"the name {name}")

    @contextmanager
    def scope(self, names: dict[str, Any] | None = None) -> Iterator[None]:
        self.scopes.append(dict(names or {}))
        try:
            yield
        finally:
            self.scopes.pop()

    # Statements.

    def execute(self, node: Any) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise Unsupported("a program that runs so long")
        method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(type(node).__name__)
        method(node)

    def _do_block(self, node: ast.Block) -> None:
        with self.scope():
            for statement in node.statements:
                self.execute(statement)

    def _do_main(self, node: ast.Main) -> None:
        self.execute(node.body)

    def _do_empty(self, node: ast.Empty) -> None:
        pass

    def _do_attributed(self, node: ast.Attributed) -> None:
        if any(attribute.name.startswith("dot") for attribute in node.attributes):
            raise Unsupported("dot attributes")
        self.execute(node.statement)

    def _do_parameters(self, node: ast.Parameters) -> None:
        type_ = self._type(node.type)
        for declarator in node.declarators:
            value = self.parameters.get(declarator.name, declarator.value)
            if not isinstance(value, Value):
                value = self.evaluate(value) if hasattr(value, "place") else Value(None, value)
            self.scopes[-1][declarator.name] = Scalar(convert(value, type_), constant=True)

    def _do_constants(self, node: ast.Constants) -> None:
        type_ = self._type(node.type)
        for declarator in node.declarators:
            value = convert(self.evaluate(declarator.value), type_)
            self.scopes[-1][declarator.name] = Scalar(value, constant=True)

    def _do_variables(self, node: ast.Variables) -> None:
        type_ = self._type(node.type)
        for declarator in node.declarators:
            extents = tuple(
                integer(self.evaluate(dimension.size)) for dimension in declarator.dimensions
            )
            if extents:
                self.scopes[-1][declarator.name] = self._array(type_, extents, declarator.value)
            else:
                value = Value(None, 0) if declarator.value is None else None
                value = value or self.evaluate(declarator.value)
                self.scopes[-1][declarator.name] = Scalar(convert(value, type_))

    def _array(self, type_: str, extents: tuple[int, ...], value: Any) -> Array:
        size = 1
        for extent in extents:
            size *= extent
        cells = [convert(Value(None, 0), type_).data] * size
        if isinstance(value, ast.ListValue):
            self._fill(cells, 0, extents, type_, value)
        elif value is not None:
            raise Unsupported("this initialiser")
        return Array(type_, cells, extents)

    def _fill(self, cells: list, offset: int, extents: tuple, type_: str, value: Any) -> None:
        size = len(cells) if len(extents) == 1 else 1
        for extent in extents[1:]:
            size *= extent
        for place, entry in enumerate(value.entries):
            if len(extents) > 1:
                self._fill(cells, offset + place * size, extents[1:], type_, entry.value)
            else:
                cells[offset + place] = convert(self.evaluate(entry.value), type_).data

    def _do_ranges(self, node: ast.Ranges) -> None:
        for binding in node.bindings:
            self.scopes[-1][binding.name] = binding.range

    def _do_sockets(self, node: ast.Sockets) -> None:
        for declarator in node.declarators:
            type_ = None if node.type is None else self._type(node.type)
            self.socket_types[declarator.name] = type_

    def _do_assignment(self, node: ast.Assignment) -> None:
        if isinstance(node.target, ast.Next | ast.View):
            self._send(node.target, self.evaluate(node.value))
            return
        cells, offset, type_ = self._place(node.target)
        cell = cells.value.data if isinstance(cells, Scalar) else cells[offset]
        old = Value(type_, cell)
        if node.operator == "<-":
            new = self._assigned(node.value, type_)
        else:
            new = self._updated(node.operator[:1].replace("<", "+"), old, node.value)
        new = convert(new, type_)
        if isinstance(cells, Scalar):
            cells.value = new
        else:
            cells[offset] = new.data

    def _assigned(self, node: Any, type_: str) -> Value:
        """A value; an untyped socket gives what the other side wants."""
        if isinstance(node, ast.Next) and self.socket_types[node.source.name] is None:
            return self._received(node, type_)
        return self.evaluate(node)

    def _updated(self, op: str, old: Value, node: Any) -> Value:
        """`old op value`, fused when the value is a product of the same float type."""
        if op in "+-" and isinstance(node, ast.Binary) and node.operator == "*":
            type_, a, b = join(self.evaluate(node.left), self.evaluate(node.right))
            if type_ in FLOATS and type_ == old.type:
                bits = n.fma(a.data, b.data, old.data, FLOATS[type_], negate=op == "-")
                return Value(type_, bits)
            return arithmetic(op, old, arithmetic("*", a, b))
        return arithmetic(op, old, self.evaluate(node))

    def _do_action(self, node: ast.Action) -> None:
        self.evaluate(node.expression)

    def _do_if(self, node: ast.If) -> None:
        if truth(self.evaluate(node.condition)):
            self._body(node.then)
        elif node.otherwise is not None:
            self._body(node.otherwise)

    def _body(self, node: Any) -> None:
        with self.scope():
            self.execute(node)

    def _do_while(self, node: ast.While) -> None:
        while truth(self.evaluate(node.condition)):
            self._body(node.body)

    def _do_forever(self, node: ast.Forever) -> None:
        while True:
            self._body(node.body)

    def _do_loop(self, node: ast.Loop) -> None:
        walks, body = [node.walk], node.body
        while isinstance(body, ast.Loop):
            walks.append(body.walk)
            body = body.body
        if isinstance(body, ast.Assignment) and isinstance(body.value, ast.Sum):
            target = list(names_in(body.target))
            if not any(walk.variable in target for walk in walks):
                self._summed(walks, body)
                return
            if node.walk.variable not in target:
                raise Unsupported("a sum in the middle of its walks")
        for _ in self._walk(node.walk):
            self.execute(node.body)

    def _walk(self, walk: ast.Walk) -> Iterator[None]:
        """Once for every value of the variable, with it in scope; bounds are found once."""
        range_ = walk.range or self.lookup(walk.variable)
        if not isinstance(range_, ast.Range) or isinstance(range_.high, ast.Infinity):
            raise Unsupported("this range")
        low, high = (
            wrap(integer(self.evaluate(bound)), "xp") for bound in (range_.low, range_.high)
        )
        for index in range(low, high):
            with self.scope({walk.variable: Scalar(Value("xp", index))}):
                yield

    def _summed(self, walks: list[ast.Walk], node: ast.Assignment) -> None:
        """`∑` over the walks, from +0, element by element; products of floats fuse."""
        assert isinstance(node.value, ast.Sum)
        operand = node.value.operand
        cells, offset, own = self._place(node.target)
        total: Value | None = None

        def add(place: int) -> None:
            nonlocal total
            if place < len(walks):
                for _ in self._walk(walks[place]):
                    add(place + 1)
                return
            value = self.evaluate(operand)
            type_ = value.type or own
            type_ = type_ if type_ in FLOATS else common(type_, own)
            so_far = total or convert(Value(None, 0), type_)
            product = isinstance(operand, ast.Binary) and operand.operator == "*"
            if product and type_ in FLOATS and value.type == type_:
                total = self._updated("+", so_far, operand)
                return
            total = convert(arithmetic("+", so_far, convert(value, type_)), type_)

        add(0)
        result = total or convert(Value(None, 0), own)
        old = Value(own, cells.value.data if isinstance(cells, Scalar) else cells[offset])
        if node.operator != "<-":
            result = arithmetic(node.operator[:1].replace("<", "+"), old, result)
        result = convert(result, own)
        if isinstance(cells, Scalar):
            cells.value = result
        else:
            cells[offset] = result.data

    def _do_return(self, node: ast.Return) -> None:
        raise Returned(None if node.value is None else self.evaluate(node.value))

    def _do_parallel(self, node: ast.Parallel) -> None:
        """Arms in threads, for arms that talk; each with the scopes of where it stands."""
        run_all([partial(self._arm, arm) for arm in node.body.statements])

    def _arm(self, arm: Any) -> None:
        other = copy(self)
        other.scopes = list(self.scopes)
        other._body(arm)

    def _do_dispatch(self, node: ast.Dispatch) -> None:
        """One wavelet of a typed 32-bit socket; the only handler is for data."""
        (handler,) = node.handlers
        channel, _ = self.sockets[node.socket.name]
        type_ = self.socket_types[node.socket.name]
        if handler.kind != "wavelet" or type_ is None or len(handler.parameters) > 1:
            raise Unsupported("this dispatch")
        assert channel is not None
        channel.peek()
        names = {}
        if handler.parameters:
            value = Value(type_, of_bits(channel.get(), type_))
            names[handler.parameters[0].name] = Scalar(value)
        with self.scope(names):
            self.execute(handler.body)

    # Expressions.

    def evaluate(self, node: Any) -> Value:
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(type(node).__name__)
        return method(node)

    def _of_number(self, node: ast.Number) -> Value:
        literal = Value(None, node.value)
        return literal if node.type is None else convert(literal, node.type)

    def _of_name(self, node: ast.Name) -> Value:
        thing = self.lookup(node.name)
        if not isinstance(thing, Scalar):
            raise Unsupported(f"{node.name} as a value")
        return thing.value

    def _of_element(self, node: ast.Element) -> Value:
        cells, offset, type_ = self._place(node)
        return Value(type_, cells[offset])

    def _of_unary(self, node: ast.Unary) -> Value:
        value = self.evaluate(node.operand)
        type_, data = value
        match node.operator:
            case "+":
                return value
            case "!":
                return Value("xp", int(not truth(value)))
            case "-" if type_ in FLOATS:
                return Value(type_, data ^ n.SIGN[FLOATS[type_]])
            case "-":
                return Value(type_, -data if type_ is None else wrap(-data, type_))
            case "~" if type_ in INTEGERS:
                return Value(type_, wrap(~data, type_))
        raise Unsupported(f"{node.operator} of {type_}")

    def _of_binary(self, node: ast.Binary) -> Value:
        op = node.operator
        if op in ("&&", "||"):
            left = truth(self.evaluate(node.left))
            decided = left == (op == "||")
            return Value("xp", int(left if decided else truth(self.evaluate(node.right))))
        if op in ("<", ">", "<=", ">=", "==", "!="):
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            return Value("xp", int(compare(op, left, right)))
        if op in "+-" and (fused := self._fused(node)) is not None:
            return fused
        constant = op == "/" and self._constant(node.right)
        if constant and self._constant(node.left):
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            type_, a, b = join(left, right)
            if type_ in FLOATS:
                return Value(type_, n.divide(a.data, b.data, FLOATS[type_]))
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return arithmetic(op, left, right, constant_divisor=constant)

    def _fused(self, node: ast.Binary) -> Value | None:
        """Rule 1 of section 8: a + b*c, b*c + a, a - b*c, all three plain."""
        for product, addend in ((node.right, node.left), (node.left, node.right)):
            if not (isinstance(product, ast.Binary) and product.operator == "*"):
                continue
            if product is node.left and node.operator == "-":
                continue
            if not all(self._plain(side) for side in (product.left, product.right, addend)):
                continue
            left, right = self.evaluate(product.left), self.evaluate(product.right)
            inner, a, b = join(left, right)
            type_, c, _ = join(self.evaluate(addend), Value(inner, a.data))
            if type_ in FLOATS and type_ == inner:
                negate = node.operator == "-"
                bits = n.fma(a.data, b.data, c.data, FLOATS[type_], negate=negate)
                return Value(type_, bits)
        return None

    def _plain(self, node: Any) -> bool:
        if isinstance(node, ast.Name):
            return isinstance(self.lookup(node.name), Scalar)
        if isinstance(node, ast.Unary) and node.operator in "+-":
            node = node.operand  # `-0.5` is a number
        return isinstance(node, ast.Number)

    def _constant(self, node: Any) -> bool:
        """Literals, consts, params, and operations on them; not loop variables."""
        match node:
            case ast.Number():
                return True
            case ast.Name(name):
                thing = self.lookup(name)
                return isinstance(thing, Scalar) and thing.constant
            case ast.Unary(_, operand) | ast.Cast(_, operand):
                return self._constant(operand)
            case ast.Binary(_, left, right):
                return self._constant(left) and self._constant(right)
        return False

    def _of_conditional(self, node: ast.Conditional) -> Value:
        yes, no = self.evaluate(node.yes), self.evaluate(node.no)
        _, yes, no = join(yes, no)
        return yes if truth(self.evaluate(node.condition)) else no

    def _of_cast(self, node: ast.Cast) -> Value:
        if isinstance(node.operand, ast.Next):
            return self._received(node.operand, node.type)
        return convert(self.evaluate(node.operand), node.type)

    def _of_call(self, node: ast.Call) -> Value:
        if node.name in ("min", "max") and node.name not in self.functions:
            left, right = (self.evaluate(argument) for argument in node.arguments)
            return arithmetic(node.name, left, right)
        if node.name == "abs" and node.name not in self.functions:
            type_, data = self.evaluate(node.arguments[0])
            if type_ in FLOATS:
                return Value(type_, data & ~n.SIGN[FLOATS[type_]])
            return Value(type_, abs(data) if type_ is None else wrap(abs(data), type_))
        return self._called(self.functions[node.name], node.arguments)

    def _called(self, function: ast.Function, arguments: tuple) -> Value:
        names: dict[str, Any] = {}
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            type_ = self._type(parameter.type)
            if parameter.dimensions:
                names[parameter.name] = self._argument(type_, parameter, argument)
            else:
                names[parameter.name] = Scalar(convert(self.evaluate(argument), type_))
        scopes, self.scopes = self.scopes, [self.scopes[0], names]
        try:
            self.execute(function.body)
        except Returned as returned:
            return returned.value or Value(None, 0)
        finally:
            self.scopes = scopes
        return Value(None, 0)

    def _argument(self, type_: str, parameter: Any, argument: Any) -> Array:
        thing = self._view(argument)
        if not isinstance(thing, Array) or thing.type != type_:
            raise Unsupported("this argument")
        return thing

    # Places and sockets.

    def _view(self, node: Any) -> Any:
        """The scalar or array that a name or element stands for."""
        if isinstance(node, ast.Name):
            return self.lookup(node.name)
        assert isinstance(node, ast.Element)
        outer = self._view(node.array)
        if not isinstance(outer, Array) or not outer.extents:
            raise Unsupported("an index of this")
        size = 1
        for extent in outer.extents[1:]:
            size *= extent
        index = integer(self.evaluate(node.index))
        return Array(outer.type, outer.cells, outer.extents[1:], outer.offset + index * size)

    def _place(self, node: Any) -> tuple[Any, int, str]:
        """Where a value is kept: (Scalar or list of cells, offset, type)."""
        thing = self._view(node)
        if isinstance(thing, Scalar):
            assert thing.value.type is not None
            return thing, 0, thing.value.type
        if not isinstance(thing, Array) or thing.extents:
            raise Unsupported("this as a place")
        if not 0 <= thing.offset < len(thing.cells):
            raise Unsupported("an element outside its array")
        return thing.cells, thing.offset, thing.type

    def _of_next(self, node: ast.Next) -> Value:
        assert isinstance(node.source, ast.Name)
        type_ = self.socket_types[node.source.name]
        if type_ is None:
            raise Unsupported("a receive whose type the other side decides")
        return self._received(node, type_)

    def _received(self, node: ast.Next, type_: str) -> Value:
        assert isinstance(node.source, ast.Name)
        channel, _ = self.sockets[node.source.name]
        assert channel is not None
        return Value(type_, of_bits(channel.get(), type_))

    def _send(self, target: Any, value: Value) -> None:
        if isinstance(target, ast.View):
            raise Unsupported("a view of a socket")
        name = target.source.name
        type_ = self.socket_types[name] or value.type
        if type_ is None:
            raise Unsupported("a literal on an untyped socket")
        _, channel = self.sockets[name]
        assert channel is not None
        channel.put(bits_of(convert(value, type_)))

    @staticmethod
    def _type(node: Any) -> str:
        if not isinstance(node, ast.Basic) or node.name not in {*INTEGERS, *FLOATS}:
            raise Unsupported("this type")
        return node.name


def run_all(jobs: list[Callable[[], None]]) -> None:
    """Run jobs side by side to their ends; raises the first failure."""
    from threading import Thread

    failures: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def run_network(
    programs: dict[str, ast.Program],
    links: list[tuple[str, str, str, str]],
    parameters: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Interpreter]:
    """Run programs side by side; a link goes from (program, socket) to (program, socket).

    When a program ends, whoever waits for it for ever ends too.
    """
    incoming: dict[str, dict[str, Channel]] = {name: {} for name in programs}
    outgoing: dict[str, dict[str, Channel]] = {name: {} for name in programs}
    for sender, out, receiver, into in links:
        incoming[receiver][into] = outgoing[sender][out] = Channel()
    machines = {}
    for name, program in programs.items():
        names = {*incoming[name], *outgoing[name]}
        sockets = {s: (incoming[name].get(s), outgoing[name].get(s)) for s in names}
        machines[name] = Interpreter(program, (parameters or {}).get(name), sockets)

    def run(name: str) -> None:
        with suppress(Finished):
            machines[name].run()
        for channel in outgoing[name].values():
            channel.close()

    run_all([partial(run, name) for name in programs])
    return machines
