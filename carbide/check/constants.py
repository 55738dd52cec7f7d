"""Arithmetic on constants, each operation rounded to its type (tungsten page, section 8).

Integer values are Python ints inside their type's range, float values Python floats that the type
can hold. Rounding a binary64 result of +, -, * or / of two binary32 (binary16) values once more to
binary32 (binary16) is the correctly rounded result: 53 >= 2*24 + 2.
"""

import math
import struct

from carbide.check.types import Scalar

Number = int | float
_CODES = {"h": "<e", "s": "<f"}


class DivisionByZero(ArithmeticError):
    """An integer constant is divided by zero."""


def wrap(value: int, type_: Scalar) -> int:
    """An integer modulo the type's width, in its range."""
    width = 16 * type_.words
    value &= (1 << width) - 1
    if type_.is_signed and value >> (width - 1):
        value -= 1 << width
    return value


def round_to(value: float, type_: Scalar) -> float:
    """A binary64 value rounded to nearest even in the type."""
    code = _CODES[type_.ir]
    if not math.isfinite(value):
        return value
    try:
        packed = struct.pack(code, value)
    except OverflowError:
        return math.copysign(math.inf, value)
    return struct.unpack(code, packed)[0]


def bits(value: Number, type_: Scalar) -> int:
    """The unsigned bit pattern of a value of the type."""
    if type_.is_float:
        if math.isnan(value):
            return 0x7FC00000 if type_.ir == "s" else 0x7E00
        return int.from_bytes(struct.pack(_CODES[type_.ir], value), "little")
    return int(value) & ((1 << 16 * type_.words) - 1)


def from_bits(pattern: int, type_: Scalar) -> Number:
    """The value that a bit pattern means in the type."""
    if type_.is_float:
        return struct.unpack(_CODES[type_.ir], pattern.to_bytes(2 * type_.words, "little"))[0]
    return wrap(pattern, type_)


def convert(value: Number, source: Scalar, target: Scalar) -> Number:
    """A value of one type as the language converts it to another.

    Floats go to integers as the machine starts out: toward zero, saturating, NaN to 0. `wv` takes
    and gives bits.
    """
    if "wv" in (source.name, target.name) and source.name != target.name:
        pattern = bits(value, source) & ((1 << 16 * target.words) - 1)
        return from_bits(pattern, target)
    if target.is_float:
        return round_to(float(value), target)
    if source.is_float:
        return saturate(float(value), target)
    return wrap(int(value), target)


def saturate(value: float, target: Scalar) -> int:
    """A float truncated into an integer type."""
    width = 16 * target.words
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    if not target.is_signed:
        low, high = 0, (1 << width) - 1
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(int(value), low), high)


def literal(value: Number, target: Scalar) -> Number:
    """An untyped literal as the type its context needs: rounded, or wrapped."""
    if target.is_float:
        try:
            return round_to(float(value), target)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, float):
        return saturate(value, target)
    return wrap(value, target)


def unary(op: str, type_: Scalar, value: Number) -> Number:
    """`neg`, `not`, `abs`."""
    if op == "not":
        return wrap(~int(value), type_)
    result = -value if op == "neg" else abs(value)
    return result if type_.is_float else wrap(int(result), type_)


def binary(op: str, type_: Scalar, left: Number, right: Number) -> Number:
    """One operation of the IR's names on two values of the type (a shift's right is 16-bit).

    Raises DivisionByZero for integers.
    """
    if type_.is_float:
        return _float_binary(op, type_, float(left), float(right))
    a, b = int(left), int(right)
    match op:
        case "add":
            result = a + b
        case "sub":
            result = a - b
        case "mul":
            result = a * b
        case "div" | "mod":
            if b == 0:
                raise DivisionByZero
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            result = quotient if op == "div" else a - b * quotient
        case "and":
            result = a & b
        case "or":
            result = a | b
        case "xor":
            result = a ^ b
        case "shl":
            count = b & 0xFFFF
            result = a << count if count < 32 else 0
        case "shr":
            count = min(b & 0xFFFF, 32)
            result = a >> count
        case "min":
            result = min(a, b)
        case "max":
            result = max(a, b)
        case _:
            raise ValueError(op)
    return wrap(result, type_)


def _float_binary(op: str, type_: Scalar, a: float, b: float) -> float:
    match op:
        case "add":
            result = a + b
        case "sub":
            result = a - b
        case "mul":
            result = a * b
        case "div":
            result = _divide(a, b)
        case "min" | "max":
            return _extreme(op, a, b)
        case _:
            raise ValueError(op)
    return round_to(result, type_)


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _extreme(op: str, a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    if a == b == 0.0:
        sign = (min if op == "min" else max)(math.copysign(1.0, a), math.copysign(1.0, b))
        return math.copysign(0.0, sign)
    return min(a, b) if op == "min" else max(a, b)


def compare(op: str, left: Number, right: Number) -> int:
    """`lt le gt ge eq ne`: 0 or 1, IEEE for floats."""
    result = {
        "lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right,
        "eq": left == right, "ne": left != right,
    }[op]  # fmt: skip
    return int(result)


def reciprocal(value: float, type_: Scalar) -> float:
    """1/value, correctly rounded."""
    return round_to(_divide(1.0, value), type_)
