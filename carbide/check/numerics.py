"""Typed operations: conversions, folding, and exactly where products fuse (tungsten, section 8)."""

from collections.abc import Callable
from typing import Any

from attrs import define

from carbide.check import constants, typed
from carbide.check.types import HP, I32, SCALARS, SP, U16, U32, U64, WV, XP, Scalar, common
from mitools.console import Place, UserError

ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
BITWISE = {"&": "and", "|": "or", "^": "xor", "%": "mod"}
SHIFTS = {"<<": "shl", ">>": "shr"}
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


@define(eq=False)
class Flexible:
    """An expression whose type the context decides: literals, and receives of untyped sockets.

    `kind` is `integer`, `float` or `received`; `settle` gives the typed expression.
    """

    kind: str
    place: Place
    default: Scalar
    settle: Callable[[Scalar], typed.Expression]


Value = typed.Expression | Flexible


def settled(value: Value, type_: Scalar | None = None) -> typed.Expression:
    """The typed expression; a flexible one takes `type_`, or its own default."""
    if isinstance(value, Flexible):
        return value.settle(type_ or value.default)
    return value


def constant(type_: Scalar, value: constants.Number, place: Place) -> typed.Constant:
    return typed.Constant(type_, value, place=place)


def convert(value: Value, target: Scalar, place: Place | None = None) -> typed.Expression:
    """`value` as `target`: the language's implicit conversion, and that of `(type)(value)`.

    Raises UserError where there is none (descriptors).
    """
    if isinstance(value, Flexible):
        return value.settle(target)
    source, at = value.type, place or value.place
    if source.ir == target.ir and (source.name == "wv") == (target.name == "wv"):
        return value
    if U64.name in (source.name, target.name):
        wide, other = ("a stream descriptor", target) if source is U64 else (f"`{source}`", target)
        raise UserError(f"{wide} cannot become `{other}`", at)
    if isinstance(value, typed.Constant):
        return constant(target, constants.convert(value.value, source, target), at)
    if source.name == "wv" and target.ir != "u32":
        return _from_payload(value, target, at)
    if target.name == "wv" and source.ir != "u32":
        return _to_payload(value, at)
    if source.ir == target.ir:
        return value
    return typed.Convert(target, value, place=at)


def _from_payload(value: typed.Expression, target: Scalar, at: Place) -> typed.Expression:
    """The bits of a `wv` as another type; of a 16-bit one, the low half."""
    if target.words == 2:
        return typed.Bits(target, value, place=at)
    low = typed.Convert(U16, value, place=at)
    return low if target.ir == "u16" else typed.Bits(target, low, place=at)


def _to_payload(value: typed.Expression, at: Place) -> typed.Expression:
    """The bits of a value as `wv`; a 16-bit one in the low half, zeros above."""
    if value.type.words == 2:
        return typed.Bits(WV, value, place=at)
    low = value if value.type.ir == "u16" else typed.Bits(U16, value, place=at)
    return typed.Convert(WV, low, place=at)


def condition(value: Value) -> typed.Expression:
    """A value as a 16-bit truth: itself when it has 16 bits, else compared with zero."""
    expression = settled(value)
    if expression.type.ir in ("i16", "u16"):
        return expression
    if expression.type is U64:
        raise UserError("a stream descriptor is no condition", expression.place)
    zero = constant(expression.type, 0.0 if expression.type.is_float else 0, expression.place)
    return compare("ne", expression, zero, expression.place)


def unify(left: Value, right: Value) -> tuple[Any, Any]:
    """Both sides in one type, as mixed operations do it; both stay flexible when both are."""
    if isinstance(left, Flexible) and isinstance(right, Flexible):
        return left, right
    if isinstance(left, Flexible):
        right_, left_ = _beside(right, left)
        return left_, right_
    if isinstance(right, Flexible):
        return _beside(left, right)
    type_ = common(left.type, right.type)
    return convert(left, type_), convert(right, type_)


def _beside(known: Any, flexible: Flexible) -> tuple[typed.Expression, typed.Expression]:
    type_ = known.type
    if type_ is U64:
        raise UserError("a stream descriptor cannot be calculated with", known.place)
    if flexible.kind == "float" and not type_.is_float:
        type_ = SP
    elif type_.name == "wv":
        type_ = U32
    return convert(known, type_), flexible.settle(type_)


def pair_default(left: Flexible, right: Flexible) -> Scalar:
    """The type of two flexible sides that nothing else decides; beside a literal, a received
    element takes the literal's."""
    if (left.kind == "received") != (right.kind == "received"):
        return right.default if left.kind == "received" else left.default
    return common(left.default, right.default)


def flexible_pair(
    left: Flexible,
    right: Flexible,
    place: Place,
    make: Callable[[typed.Expression, typed.Expression], typed.Expression],
    whole: bool = False,
) -> Flexible:
    """An operation of two flexible sides. `whole`: it exists for integers only."""
    kinds = (left.kind, right.kind)
    kind = "float" if "float" in kinds else "received" if "received" in kinds else "integer"
    default = pair_default(left, right)

    def settle(type_: Scalar) -> typed.Expression:
        integral = kind == "float" and not type_.is_float
        if integral or (whole and type_.is_float):
            return convert(settle(default), type_, place)
        if type_.name == "wv":
            return convert(settle(U32), type_, place)
        return make(left.settle(type_), right.settle(type_))

    return Flexible(kind, place, default, settle)


def binary(op: str, left: Value, right: Value, place: Place) -> Value:
    """`+ - * / % & | ^ min max`, folded where both sides are constants."""
    whole = op in BITWISE.values()

    def make(a: typed.Expression, b: typed.Expression) -> typed.Expression:
        return operation(op, a, b, place)

    a, b = unify(left, right)
    if isinstance(a, Flexible):
        return flexible_pair(a, b, place, make, whole)
    return make(a, b)


def operation(
    op: str, left: typed.Expression, right: typed.Expression, place: Place
) -> typed.Expression:
    """One operation on two sides of one type."""
    type_ = left.type if left.type.name != "wv" else U32
    if type_ is U64:
        raise UserError("a stream descriptor cannot be calculated with", place)
    if type_.is_float and op in BITWISE.values():
        sign = next(s for s, name in BITWISE.items() if name == op)
        raise UserError(f"`{sign}` needs integers; this is `{type_}`", place)
    both = isinstance(left, typed.Constant) and isinstance(right, typed.Constant)
    if both:
        assert isinstance(left, typed.Constant) and isinstance(right, typed.Constant)
        try:
            folded = constants.binary(op, type_, left.value, right.value)
        except constants.DivisionByZero:
            raise UserError("a constant is divided by zero", place) from None
        return constant(type_, folded, place)
    if op == "div" and type_.is_float and isinstance(right, typed.Constant):
        inverse = constants.reciprocal(float(right.value), type_)
        factor = constant(type_, inverse, right.place)
        return typed.Binary(type_, "mul", left, factor, place=place)
    return typed.Binary(type_, op, left, right, place=place)


def shift(op: str, left: Value, right: Value, place: Place) -> Value:
    """`<<`, `>>`: the type is the left side's; the count is 16-bit."""
    count = settled(right, XP)
    if not count.type.is_integer:
        raise UserError(f"a shift's count is an integer, not `{count.type}`", count.place)
    if count.type.ir != "u16":
        count = convert(count, XP)

    def make(value: typed.Expression) -> typed.Expression:
        type_ = value.type if value.type.name != "wv" else U32
        if not type_.is_integer:
            raise UserError(f"a shift needs an integer; this is `{type_}`", place)
        if isinstance(value, typed.Constant) and isinstance(count, typed.Constant):
            return constant(type_, constants.binary(op, type_, value.value, count.value), place)
        return typed.Binary(type_, op, value, count, place=place)

    if not isinstance(left, Flexible):
        return make(left)

    def settle(type_: Scalar) -> typed.Expression:
        assert isinstance(left, Flexible)
        if type_.is_float:
            return convert(make(left.settle(left.default)), type_, place)
        return make(left.settle(type_))

    return Flexible(left.kind, place, left.default, settle)


def compare(op: str, left: Value, right: Value, place: Place) -> typed.Expression:
    """A comparison: `xp`, 0 or 1."""
    a, b = unify(left, right)
    if isinstance(a, Flexible):
        type_ = pair_default(a, b)
        a, b = a.settle(type_), b.settle(type_)
    if a.type is U64 or b.type is U64:
        raise UserError("stream descriptors cannot be compared", place)
    if isinstance(a, typed.Constant) and isinstance(b, typed.Constant):
        return constant(XP, constants.compare(op, a.value, b.value), place)
    return typed.Compare(XP, op, a, b, place=place)


def logical(op: str, left: Value, right: Value, place: Place) -> typed.Expression:
    """`land`, `lor` of two conditions: `xp`, 0 or 1."""
    a, b = condition(left), condition(right)
    if isinstance(a, typed.Constant):
        decided = bool(a.value) == (op == "lor")
        if decided:
            return constant(XP, int(bool(a.value)), place)
        if isinstance(b, typed.Constant):
            return constant(XP, int(bool(b.value)), place)
    return typed.Logical(XP, op, a, b, place=place)


def unary(op: str, value: Value, place: Place) -> Value:
    """`neg`, `not`, `abs`, `lnot`."""
    if op == "lnot":
        truth = condition(value)
        if isinstance(truth, typed.Constant):
            return constant(XP, int(not truth.value), place)
        return typed.Unary(XP, "lnot", truth, place=place)

    def make(operand: typed.Expression) -> typed.Expression:
        type_ = operand.type if operand.type.name != "wv" else U32
        if type_ is U64:
            raise UserError("a stream descriptor cannot be calculated with", place)
        if op == "not" and type_.is_float:
            raise UserError(f"`~` needs an integer; this is `{type_}`", place)
        if isinstance(operand, typed.Constant):
            return constant(type_, constants.unary(op, type_, operand.value), place)
        return typed.Unary(type_, op, operand, place=place)

    if not isinstance(value, Flexible):
        return make(value)
    if op == "not":
        return flexible_pair(value, value, place, lambda a, _: make(a), whole=True)
    return flexible_pair(value, value, place, lambda a, _: make(a))


def choice(truth: Value, yes: Value, no: Value, place: Place) -> Value:
    """`truth ? yes : no`, its sides in one type."""
    test = condition(truth)

    def make(a: typed.Expression, b: typed.Expression) -> typed.Expression:
        if a.type is U64:
            raise UserError("a stream descriptor cannot be chosen; use `if`", place)
        if isinstance(test, typed.Constant):
            return a if test.value else b
        return typed.Choice(a.type, test, a, b, place=place)

    a, b = unify(yes, no)
    if isinstance(a, Flexible):
        return flexible_pair(a, b, place, make)
    return make(a, b)


def fuse(
    op: str, left: Value, right: Value, addend: typed.Expression, place: Place
) -> typed.Expression | None:
    """`addend + left * right` (`fma`) or `addend - left * right` (`fms`) with one rounding; None
    where it does not fuse: the product's type is another one, or no float, or all is constant."""
    a, b = unify(left, right)
    if isinstance(a, Flexible):
        a, b = a.settle(addend.type), b.settle(addend.type)
    if not addend.type.is_float or a.type.ir != addend.type.ir:
        return None
    if all(isinstance(part, typed.Constant) for part in (a, b, addend)):
        return None
    return typed.Fused(addend.type, op, a, b, addend, place=place)


def literal(
    number: constants.Number, place: Place, warn: Callable[[str, Place], None]
) -> Flexible:
    """An untyped literal."""
    whole = isinstance(number, int)
    default = SP if not whole else XP if -(1 << 15) <= number < 1 << 16 else I32

    def settle(type_: Scalar) -> typed.Expression:
        if type_ is U64:
            raise UserError("a number is no stream descriptor", place)
        if type_ is WV and not whole:
            return convert(constant(SP, constants.literal(number, SP), place), WV, place)
        value = constants.literal(number, type_)
        if not type_.is_float:
            width = 16 * type_.words
            if whole and not -(1 << (width - 1)) <= number < 1 << width:
                warn(f"{number} does not fit into `{type_}`: it becomes {value}", place)
            elif not whole and number != value:
                warn(f"{number} becomes {value} in `{type_}`", place)
        return constant(type_, value, place)

    return Flexible("integer" if whole else "float", place, default, settle)


def typed_literal(number: constants.Number, type_: str, place: Place) -> typed.Constant:
    """`0.0:sp`."""
    scalar = SCALARS[type_]
    return constant(scalar, constants.literal(number, scalar), place)


__all__ = [name for name in dir() if not name.startswith("_")]
_ = HP
