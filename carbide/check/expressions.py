"""Expressions: names resolved, types found, conversions written out."""

from typing import Any

from carbide.check import numerics, typed
from carbide.check.numerics import Flexible, Value, convert, settled
from carbide.check.places import Places
from carbide.check.scopes import (
    AlreadyReported,
    ConstantSymbol,
    PlaceSymbol,
    RangeSymbol,
)
from carbide.check.types import SCALARS, U16, U32, WV, XP, Scalar
from carbide.syntax import ast
from mitools.console import UserError

BUILT_IN = {"min", "max", "abs"}
ABSENT = {
    "sqrt": "write a Newton step on the bits of the value (a union of `sp` and `u32`)",
    "exp": None, "log": None, "sin": None, "cos": None, "pow": None, "printf": None,
    "fabs": "write `abs`", "fmin": "write `min`", "fmax": "write `max`",
}  # fmt: skip


class Expressions(Places):
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
