"""Runs the syntax tree of a Tungsten program as the language page says, statement by statement.

Independent of the compiler behind the parser: own types, own layout of memory, own conversions, own
arithmetic (`interpreter_values`, `_memory`, `_ports`, `numerics`). No timing.

A socket is two channels; `run_network` joins programs by them and runs each in a thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from functools import partial
from typing import Any

from carbide.syntax import ast
from tests.carbide import numerics as n
from tests.carbide.interpreter_memory import Struct, Types, View, new, words_of
from tests.carbide.interpreter_ports import (
    Channel,
    Fifo,
    Finished,
    Scalar,
    Socket,
    Walker,
    run_all,
)
from tests.carbide.interpreter_values import (
    FLOATS,
    INTEGERS,
    Unsupported,
    Value,
    arithmetic,
    bits_of,
    common,
    compare,
    convert,
    integer,
    join,
    truth,
    width_of,
    wrap,
)


class Returned(Exception):
    def __init__(self, value: Value | None) -> None:
        self.value = value


def names_in(node: Any) -> Iterator[str]:
    """The names that a place is written with."""
    if isinstance(node, ast.Name):
        yield node.name
    for part in ("array", "index", "left", "right", "operand", "aggregate"):
        if hasattr(node, part):
            yield from names_in(getattr(node, part))


class Interpreter:
    """Runs one program. After `run`, `globals` and `words` give its memory."""

    def __init__(
        self,
        program: ast.Program,
        parameters: dict[str, Any] | None = None,
        channels: dict[str, tuple[Channel | None, Channel | None]] | None = None,
    ) -> None:
        self.program = program
        self.parameters = parameters or {}
        self.channels = channels or {}
        self.functions = {i.name: i for i in program.items if isinstance(i, ast.Function)}
        self.types = Types(lambda node: integer(self.evaluate(node)))
        self.scopes: list[dict[str, Any]] = [{}]
        self.budget = 2_000_000
        self.accumulator = {16: 0, 32: 0}
        self.keep, self.deliver = False, True

    def run(self) -> None:
        for item in self.program.items:
            if not isinstance(item, ast.Function):
                self.execute(item)

    def words(self) -> dict[str, list[int]]:
        """The 16-bit words of every global variable."""
        views = {str(k): v for k, v in self.scopes[0].items() if isinstance(v, View)}
        return {
            name: view.words[view.offset : view.offset + words_of(view.type, view.extents)]
            for name, view in views.items()
        }

    def globals(self) -> dict[str, tuple[str, list[int]]]:
        """Type and bit patterns of every global variable whose elements are scalars."""
        found: dict[str, tuple[str, list[int]]] = {}
        for name, words in self.words().items():
            type_ = self.scopes[0][name].type
            if isinstance(type_, str):
                wide = width_of(type_) == 32
                pairs = zip(words[::2], words[1::2], strict=True) if wide else ()
                found[name] = type_, [a | b << 16 for a, b in pairs] if wide else words
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

    # Declarations.

    def execute(self, node: Any) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise Unsupported("a program that runs so long")
        method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(type(node).__name__)
        method(node)

    def _scalar_type(self, node: Any) -> str:
        type_, extents = self.types.find(node)
        if extents or isinstance(type_, Struct):
            raise Unsupported("a scalar of this type")
        return type_

    def _do_parameters(self, node: ast.Parameters) -> None:
        type_ = self._scalar_type(node.type)
        for declarator in node.declarators:
            value = self.parameters.get(declarator.name, declarator.value)
            if not isinstance(value, Value):
                value = self.evaluate(value) if hasattr(value, "place") else Value(None, value)
            self.scopes[-1][declarator.name] = Scalar(convert(value, type_), constant=True)

    def _do_constants(self, node: ast.Constants) -> None:
        type_ = self._scalar_type(node.type)
        for declarator in node.declarators:
            value = convert(self.evaluate(declarator.value), type_)
            self.scopes[-1][declarator.name] = Scalar(value, constant=True)

    def _do_typedef(self, node: ast.Typedef) -> None:
        self.types.define(node)

    def _do_aggregateonly(self, node: ast.AggregateOnly) -> None:
        self.types.find(node.type)

    def _do_variables(self, node: ast.Variables) -> None:
        type_, outer = self.types.find(node.type)
        for declarator in node.declarators:
            extents = self.types.extents(declarator.dimensions) + outer
            local = len(self.scopes) > 1 and not extents and isinstance(type_, str)
            if local:
                given = declarator.value
                value = Value(None, 0) if given is None else self.evaluate(given)
                self.scopes[-1][declarator.name] = Scalar(convert(value, str(type_)))
                continue
            view = new(type_, extents)
            for placement in declarator.placements:
                if placement.kind != "address" or not isinstance(placement.argument, ast.Unary):
                    raise Unsupported("this placement")
                target = self.view(placement.argument.operand)
                view = View(type_, extents, target.words, target.offset)
            if declarator.value is not None:
                view.fill(declarator.value, self.evaluate)
            self.scopes[-1][declarator.name] = view

    def _do_ranges(self, node: ast.Ranges) -> None:
        for binding in node.bindings:
            self.scopes[-1][binding.name] = binding.range

    def _do_sockets(self, node: ast.Sockets) -> None:
        for declarator in node.declarators:
            type_ = None if node.type is None else self._scalar_type(node.type)
            channels = self.channels.get(declarator.name, (None, None))
            self.scopes[-1][declarator.name] = Socket(type_, *channels)

    def _do_fifos(self, node: ast.Fifos) -> None:
        for declarator in node.declarators:
            assert isinstance(declarator.value, ast.ListValue)
            (memory,) = (self.view(entry.value) for entry in declarator.value.entries)
            self.scopes[-1][declarator.name] = Fifo(self._scalar_type(node.type), memory)

    def _do_streams(self, node: ast.Streams) -> None:
        for declarator in node.declarators:
            given = declarator.value
            self.scopes[-1][declarator.name] = None if given is None else self.port(given)

    def _do_iterators(self, node: ast.Iterators) -> None:
        for declarator in node.declarators:
            walks = []
            for walk in declarator.walks:
                if walk.variable == "inf":
                    continue
                range_ = walk.range or self.lookup(walk.variable)
                low, high = (integer(self.evaluate(b)) for b in (range_.low, range_.high))
                walks.append((walk.variable, low, high))
            place = partial(self._at, list(self.scopes), declarator.target)
            self.scopes[-1][declarator.name] = Walker(place, walks)

    def _at(self, scopes: list[dict], target: Any, names: dict) -> View:
        """A place as seen from where an iterator was declared."""
        kept, self.scopes = self.scopes, [*scopes, names]
        try:
            return self.view(target)
        finally:
            self.scopes = kept

    # Statements.

    def _do_block(self, node: ast.Block) -> None:
        with self.scope():
            for statement in node.statements:
                self.execute(statement)

    def _do_main(self, node: ast.Main) -> None:
        self.execute(node.body)

    def _do_empty(self, node: ast.Empty) -> None:
        pass

    def _do_attributed(self, node: ast.Attributed) -> None:
        kept = self.keep, self.deliver
        for attribute in node.attributes:
            if attribute.name in ("dot.state", "dot.load"):
                on = attribute.arguments == (ast.Name("on"),)
                if attribute.name == "dot.state":
                    self.keep = on
                else:
                    self.deliver = on
        self.execute(node.statement)
        self.keep, self.deliver = kept

    def _do_reset(self, node: ast.Reset) -> None:
        for name in node.iterators:
            self.lookup(name.name).reset()

    def _do_assignment(self, node: ast.Assignment) -> None:
        if isinstance(node.target, ast.Next | ast.View):
            self._send(node.target, node.value)
            return
        if isinstance(node.target, ast.Name) and self._is_stream(node.target.name):
            self._set_stream(node.target.name, self.port(node.value))
            return
        sign = node.operator.removesuffix("=")
        if sign in ("/", "%", "&", "|", "^", "<<", ">>"):
            value = ast.Binary(sign, node.target, node.value)
            self._do_assignment(ast.Assignment(node.target, "<-", value))
            return
        target = self.view(node.target)
        if target.extents or isinstance(target.type, Struct):
            target.copy_from(self.view(node.value))
        elif node.operator == "<-":
            target.write(self._wanted(node.value, target.type))
        else:
            op = node.operator[:1].replace("<", "+")
            target.write(self._updated(op, target.read(), node.value))

    def _wanted(self, node: Any, type_: str) -> Value:
        """A value; an untyped port gives what the other side wants."""
        if isinstance(node, ast.Next):
            port = self.port(node.source)
            return port.get(port.type or type_)
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
        """`∑` over the walks, element by element; products of floats fuse.

        From +0, or with dot.state(on) from what the accumulator holds.
        """
        assert isinstance(node.value, ast.Sum)
        operand = node.value.operand
        target = self.view(node.target)
        own = target.type
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
            so_far = total or self._start(type_)
            product = isinstance(operand, ast.Binary) and operand.operator == "*"
            if product and type_ in FLOATS and value.type == type_:
                total = self._updated("+", so_far, operand)
                return
            total = convert(arithmetic("+", so_far, convert(value, type_)), type_)

        add(0)
        if total is None:  # an empty sum is 0 of the type that it would have
            type_ = self._type_of(operand) or own
            total = self._start(type_ if type_ in FLOATS else common(type_, own))
        result = total
        if result.type in FLOATS:
            self.accumulator[FLOATS[result.type]] = result.data
        if not self.deliver:
            return
        if node.operator != "<-":
            result = arithmetic(node.operator[:1].replace("<", "+"), target.read(), result)
        target.write(result)

    def _type_of(self, node: Any) -> str | None:
        """The type of a place or of a product of places, whatever the indices are."""
        match node:
            case ast.Element(array, _):
                return self._type_of(array)
            case ast.Member(aggregate, name):
                return self.view(aggregate).member(name).type
            case ast.Name(name):
                return self.lookup(name).type
            case ast.Number():
                return node.type
            case ast.Binary("*", left, right):
                sides = [type_ for side in (left, right) if (type_ := self._type_of(side))]
                return common(*sides) if len(sides) == 2 else (sides or [None])[0]
        raise Unsupported("an empty sum of this")

    def _start(self, type_: str) -> Value:
        if self.keep and type_ in FLOATS:
            return Value(type_, self.accumulator[FLOATS[type_]])
        return convert(Value(None, 0), type_)

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
        socket = self.port(node.socket)
        if handler.kind != "wavelet" or socket.type is None or len(handler.parameters) > 1:
            raise Unsupported("this dispatch")
        socket.into.peek()
        names = {}
        if handler.parameters:
            names[handler.parameters[0].name] = Scalar(socket.get(socket.type))
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
        return self.view(node).read()

    def _of_element(self, node: ast.Element) -> Value:
        return self.view(node).read()

    def _of_member(self, node: ast.Member) -> Value:
        return self.view(node).read()

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
            thing = self.lookup(node.name)
            return isinstance(thing, Scalar) or (isinstance(thing, View) and not thing.extents)
        if isinstance(node, ast.Unary) and node.operator in "+-":
            return isinstance(node.operand, ast.Number)
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
            port = self.port(node.operand.source)
            return convert(port.get(port.type or node.type), node.type)
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
            type_, outer = self.types.find(parameter.type)
            if parameter.dimensions or outer or isinstance(type_, Struct):
                names[parameter.name] = self._argument(type_, parameter, outer, argument)
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

    def _argument(self, type_: Any, parameter: Any, outer: tuple, argument: Any) -> View:
        """An array or struct by reference, with the extents that the parameter says."""
        given = self.view(argument)
        if not isinstance(given, View) or given.type != type_:
            raise Unsupported("this argument")
        extents = []
        for place, dimension in enumerate(parameter.dimensions):
            own = given.extents[place] if place < len(given.extents) else 1
            size = dimension.size
            extents.append(own if size is None else integer(self.evaluate(size)))
        return View(type_, tuple(extents) + outer, given.words, given.offset)

    # Places and ports.

    def view(self, node: Any) -> Any:
        """The Scalar or View that a place stands for."""
        match node:
            case ast.Name(name):
                thing = self.lookup(name)
                if not isinstance(thing, Scalar | View):
                    raise Unsupported(f"{name} as a place")
                return thing
            case ast.Element(array, index):
                return self.view(array).element(integer(self.evaluate(index)))
            case ast.Member(aggregate, name):
                return self.view(aggregate).member(name)
        raise Unsupported("this as a place")

    def port(self, node: Any) -> Any:
        """The socket, FIFO or iterator that a name stands for; a stream's is what it holds."""
        if not isinstance(node, ast.Name):
            raise Unsupported("this as a port")
        thing = self.lookup(node.name)
        if not isinstance(thing, Socket | Fifo | Walker):
            raise Unsupported(f"{node.name} as a port")
        return thing

    def _is_stream(self, name: str) -> bool:
        return isinstance(self.lookup(name), Socket | Fifo | Walker | None)

    def _set_stream(self, name: str, port: Any) -> None:
        for scope in reversed(self.scopes):
            if name in scope:
                scope[name] = port
                return

    def _of_next(self, node: ast.Next) -> Value:
        port = self.port(node.source)
        if port.type is None:
            raise Unsupported("a receive whose type the other side decides")
        return port.get(port.type)

    def _send(self, target: Any, node: Any) -> None:
        if isinstance(target, ast.View):
            raw = convert(self.evaluate(node), target.type)
            self.port(target.operand.source).out.put(bits_of(raw))
            return
        port = self.port(target.source)
        port.put(self._wanted(node, port.type or ""))


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
        channels = {s: (incoming[name].get(s), outgoing[name].get(s)) for s in names}
        machines[name] = Interpreter(program, (parameters or {}).get(name), channels)

    def run(name: str) -> None:
        with suppress(Finished):
            machines[name].run()
        for channel in outgoing[name].values():
            channel.close()

    run_all([partial(run, name) for name in programs])
    return machines
