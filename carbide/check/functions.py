"""Functions: checked once for each kind of arguments that they are called with.

Scalars go by value. An array, struct or union that stands at a known place is bound to the
instance; others go by address. There is no recursion, so every instance is complete when its
caller is.
"""

from typing import Any

from carbide.check import typed
from carbide.check.expressions import Expressions
from carbide.check.numerics import Flexible, convert
from carbide.check.scopes import BrokenSymbol, FunctionSymbol, PlaceSymbol, Scope, describe
from carbide.check.state import Body, Dot
from carbide.check.types import U16, U64, XP, Array, Scalar, Struct, Type, common
from carbide.syntax import ast
from carbide.syntax.print import print_expression
from mitools.console import Place, UserError

MOST_BOUND = 4
"""Instances of one function with arguments bound; past that, arguments go by address."""


class Functions(Expressions):
    def function_call(self, node: ast.Call) -> typed.Called:
        symbol = self.find(node.name, node.place)
        if not isinstance(symbol, FunctionSymbol):
            raise UserError(f"`{node.name}` is {describe(symbol)}, not a function", node.place)
        function = symbol.function
        wanted, found = len(function.parameters), len(node.arguments)
        if wanted != found:
            raise UserError(
                f"`{node.name}` takes {wanted} argument{'s' * (wanted != 1)}, not {found}",
                node.place, None, [("it is declared here", symbol.at)],
            )  # fmt: skip
        if node.name in self.active:
            chain = " → ".join([*self.active[self.active.index(node.name) :], node.name])
            raise UserError(
                f"`{node.name}` calls itself ({chain}); Tungsten has no recursion", node.place,
                "write it as a loop", [("it is declared here", symbol.at)],
            )  # fmt: skip
        symbol.used = True
        bound = [
            self._argument(parameter, argument, symbol)
            for parameter, argument in zip(function.parameters, node.arguments, strict=True)
        ]
        instance = self._instance(symbol, bound)
        passed = [b.value for b in bound if b.value is not None]
        result = instance.result or XP
        return typed.Called(result, instance, tuple(passed), place=node.place)

    # Arguments.

    def _argument(
        self, parameter: ast.FunctionParameter, node: ast.Expression, symbol: FunctionSymbol
    ) -> "Bound":
        if parameter.kind in ("socket", "iterator", "stream"):
            return self._named_argument(parameter, node)
        with self.in_scope(symbol.scope):
            base = self.type_of(parameter.type, parameter.place)
            dims = [self._parameter_extent(d, symbol) for d in parameter.dimensions]
        if isinstance(base, Scalar) and base is not U64 and not dims:
            value = convert(self.expression(node), base, node.place)
            return Bound(("value", base.name), value, base, None)
        place = self.memory(node)
        type_ = self._fit(base, dims, parameter, place.type, node)
        seen = place if place.type is type_ else typed.Seen(place, type_, place=node.place)
        self.mark_written(place)
        fixed = fixed_offset(place)
        if fixed is not None and self._may_bind(symbol, parameter.name, fixed[0]):
            variable, offset = fixed
            return Bound(("at", id(variable), offset, str(type_)), None, type_, seen)
        address = typed.Base(seen, U16, place=node.place)
        return Bound(("address", str(type_)), address, type_, None)

    def _may_bind(self, symbol: FunctionSymbol, name: str, variable: typed.Variable) -> bool:
        if variable.storage != "global" or name in self.rebased:
            return False
        count = sum(1 for key in self.instances if key[0] is symbol)
        return count < MOST_BOUND

    def _named_argument(self, parameter: ast.FunctionParameter, node: ast.Expression) -> "Bound":
        if parameter.kind == "stream":
            place = self.memory(node)
            if place.type is not U64:
                raise UserError(f"`{print_expression(node)}` is no stream", node.place)
            fixed = fixed_offset(place)
            if fixed is None:
                address = typed.Base(place, U16, place=node.place)
                return Bound(("address", "u64"), address, U64, None)
            return Bound(("stream", id(fixed[0]), fixed[1]), None, U64, place)
        kinds: dict[str, Any] = {"socket": typed.Socket, "iterator": typed.Iterator}
        symbol = self.find(node.name, node.place) if isinstance(node, ast.Name) else None
        if not isinstance(symbol, kinds[parameter.kind]):
            raise UserError(f"this argument must be the name of a {parameter.kind}", node.place)
        return Bound((parameter.kind, id(symbol)), None, None, symbol)

    def _parameter_extent(
        self, dimension: ast.Dimension, symbol: FunctionSymbol
    ) -> tuple[str | None, int | None]:
        """A parameter's declared extent; None where the argument's counts (`[]`, `[n]` with a
        run-time n)."""
        if dimension.size is None:
            return dimension.name, None
        names = {p.name for p in symbol.function.parameters}
        if any(name in names for name in names_in(dimension.size)):
            return dimension.name, None
        return dimension.name, self.integer_constant(dimension.size, "an extent")

    def _fit(
        self, base: Type, dims: list[tuple[str | None, int | None]],
        parameter: ast.FunctionParameter, given: Type, node: ast.Expression,
    ) -> Type:  # fmt: skip
        """The type under which the function sees an argument. Raises UserError if none."""
        shown = print_expression(node)
        if isinstance(base, Array):
            dims = [*dims, *base.dims]
            base = base.element
        element = given.element if isinstance(given, Array) else given
        same = element is base or (
            isinstance(element, Scalar) and isinstance(base, Scalar) and element.ir == base.ir
        )
        if not same:
            raise UserError(
                f"`{shown}` is `{given}`; `{parameter.name}` needs `{base}`", node.place, None,
                [("the parameter is here", parameter.place)],
            )  # fmt: skip
        if not dims:
            if isinstance(given, Array):
                raise UserError(f"`{shown}` is an array; `{parameter.name}` takes one `{base}`",
                                node.place, f"name one element: `{shown}[i]`")  # fmt: skip
            return given
        shape = list(given.dims) if isinstance(given, Array) else [("n0", 1)]
        if len(shape) != len(dims):
            raise UserError(
                f"`{shown}` has {len(shape)} dimension{'s' * (len(shape) != 1)}; "
                f"`{parameter.name}` has {len(dims)}", node.place, None,
                [("the parameter is here", parameter.place)],
            )  # fmt: skip
        out = []
        for place, ((name, size), (own, extent)) in enumerate(zip(dims, shape, strict=True)):
            if place and size is not None and extent is not None and size != extent:
                raise UserError(
                    f"dimension {place} of `{shown}` is {extent}; `{parameter.name}` has {size}",
                    node.place, None, [("the parameter is here", parameter.place)],
                )  # fmt: skip
            out.append((name or own, size if size is not None else extent))
        assert isinstance(element, Scalar | Struct)
        return Array(element, tuple(out))

    # Instances.

    def _instance(self, symbol: FunctionSymbol, bound: list["Bound"]) -> typed.Instance:
        context = self.context if waits(symbol, set()) else ""
        key = (symbol, context, *(b.key for b in bound))
        found = self.instances.get(key)
        if found is not None:
            return found
        instance = typed.Instance(symbol.function.name, at=symbol.at)
        self.check_body(symbol, bound, instance)
        self.instances[key] = instance
        return instance

    def check_body(
        self, symbol: FunctionSymbol, bound: list["Bound"], instance: typed.Instance
    ) -> None:
        """Check a function's statements with its parameters bound."""
        function = symbol.function
        before = (self.body, self.walking, self.dot)
        self.body, self.walking, self.dot = Body(function.name, True), {}, Dot()
        mistakes = len(self.diagnostics.errors)
        self.active.append(function.name)
        parameters: list[typed.Variable] = []
        try:
            with self.inner_scope(symbol.scope) as scope:
                for parameter, argument in zip(function.parameters, bound, strict=True):
                    with self.attempt():
                        self._bind(parameter, argument, scope, parameters)
                body = self.block_statement(function.body)
            instance.parameters = tuple(parameters)
            instance.result = self._result(self.body.returns)
            instance.body = body
            instance.broken = len(self.diagnostics.errors) > mistakes
        finally:
            self.active.pop()
            self.body, self.walking, self.dot = before

    def _bind(
        self, parameter: ast.FunctionParameter, argument: "Bound", scope: Scope,
        parameters: list[typed.Variable],
    ) -> None:  # fmt: skip
        name, at = parameter.name, parameter.place
        kind = argument.key[0]
        if kind == "value":
            assert isinstance(argument.type, Scalar)
            variable = typed.Variable(name, argument.type, "local", at)
            parameters.append(variable)
            scope.define(name, variable, at)
        elif kind == "address":
            assert argument.type is not None
            pointer = typed.Variable(f"{name}.base", U16, "local", at)
            parameters.append(pointer)
            scope.define(
                name, typed.Variable(name, argument.type, "window", at, pointer=pointer), at
            )
        elif kind in ("at", "stream"):
            scope.define(name, PlaceSymbol(argument.bound, at), at)
        else:
            scope.define(name, argument.bound, at)

    def _result(self, returns: list[typed.Return]) -> Scalar | None:
        """The type of a function's result: what its `return` statements have in common."""
        valued = [r for r in returns if r.value is not None]
        if not valued:
            return None
        for bare in returns:
            if bare.value is None:
                with self.attempt():
                    raise UserError("this `return` gives no value, another one does", bare.place,
                                    None, [("it is here", valued[0].place)])  # fmt: skip
        types = [r.value.type for r in valued if not isinstance(r.value, Flexible)]
        type_ = types[0] if types else valued[0].value.default
        for other in types[1:] or [r.value.default for r in valued if not types]:
            type_ = common(type_, other)
        for one in valued:
            with self.attempt():
                one.value = convert(one.value, type_, one.place)
        return type_

    def check_unused(self, symbol: FunctionSymbol) -> None:
        """Check a function that nobody calls, for its mistakes only."""
        bound = []
        for parameter in symbol.function.parameters:
            argument = None
            with self.attempt():
                argument = self._unknown_argument(parameter, symbol)
            bound.append(argument or Bound(("broken",), None, None, BrokenSymbol(symbol.at)))
        kept = ("variables", "sockets", "fifos", "iterators", "filters", "instances")
        before = {name: getattr(self, name).copy() for name in kept}
        self.check_body(symbol, bound, typed.Instance(symbol.function.name))
        for name, things in before.items():
            setattr(self, name, things)

    def _unknown_argument(
        self, parameter: ast.FunctionParameter, symbol: FunctionSymbol
    ) -> "Bound | None":
        if parameter.kind != "value":
            return None
        with self.in_scope(symbol.scope):
            base = self.type_of(parameter.type, parameter.place)
            dims = [self._parameter_extent(d, symbol) for d in parameter.dimensions]
        if isinstance(base, Scalar) and not dims:
            return Bound(("value",), None, base, None)
        if isinstance(base, Array):
            dims, base = [*dims, *base.dims], base.element
        named = tuple((name or f"n{place}", size) for place, (name, size) in enumerate(dims))
        return Bound(("address",), None, Array(base, named) if named else base, None)

    # Provided by the other parts of the checker.

    def type_of(self, node: ast.Type | None, place: Place) -> Type:
        raise NotImplementedError

    def block_statement(self, node: ast.Statement) -> typed.Block:
        raise NotImplementedError


class Bound:
    """An argument: what tells instances apart, the value passed, and what the name means."""

    def __init__(self, key: tuple, value: typed.Expression | None, type_: Type | None, bound: Any):
        self.key = key
        self.value = value
        self.type = type_
        self.bound = bound


def fixed_offset(place: typed.Place_) -> tuple[typed.Variable, int] | None:
    """(variable, offset in words) of a place that is known at compile time, else None."""
    match place:
        case typed.Whole():
            return (place.variable, 0) if place.variable.storage != "window" else None
        case typed.Seen():
            return fixed_offset(place.inner)
        case typed.Part():
            inner = fixed_offset(place.struct)
            return inner and (inner[0], inner[1] + place.offset)
        case typed.Item():
            inner = fixed_offset(place.array)
            if inner is None or not isinstance(place.index, typed.Constant):
                return None
            return inner[0], inner[1] + int(place.index.value) * place.type.words
    return None


def names_in(node: Any) -> set[str]:
    """Every name that stands in an expression or statement of the syntax tree."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Name | ast.Call):
            found.add(item.name)
        if isinstance(item, tuple):
            stack += item
        elif hasattr(item, "__attrs_attrs__"):
            stack += [getattr(item, a.name) for a in item.__attrs_attrs__ if a.name != "place"]
    return found


def nodes_in(node: Any, kinds: tuple[type, ...]) -> bool:
    """Whether a node of one of the kinds stands in a part of the syntax tree."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, kinds):
            return True
        if isinstance(item, tuple):
            stack += item
        elif hasattr(item, "__attrs_attrs__"):
            stack += [getattr(item, a.name) for a in item.__attrs_attrs__ if a.name != "place"]
    return False


def waits(symbol: FunctionSymbol, seen: set[int]) -> bool:
    """Whether a function may give other tasks a turn: it must not share a frame with them."""
    if id(symbol) in seen:
        return False
    seen.add(id(symbol))
    body = symbol.function.body
    if nodes_in(body, (ast.Next, ast.Parallel, ast.Dispatch)):
        return True
    called = (symbol.scope.find(name) for name in names_in(body))
    return any(isinstance(s, FunctionSymbol) and waits(s, seen) for s in called)


