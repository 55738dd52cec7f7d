"""Numbers of the machine, computed exactly: the tests' own, independent of compiler and simulator.

Floats are bit patterns of a format, 16 or 32 bits wide; integers are Python ints. Every result is
the exact value rounded once (to nearest even), with exact rational arithmetic.
"""

import math
import struct
from fractions import Fraction

FORMS = {16: ("<e", "<H"), 32: ("<f", "<I")}
FRACTION_BITS = {16: 10, 32: 23}
EXPONENT_LEAST = {16: -14, 32: -126}
EXPONENT_MOST = {16: 15, 32: 127}
NAN = {16: 0x7E00, 32: 0x7FC00000}
INFINITY = {16: 0x7C00, 32: 0x7F800000}
SIGN = {16: 0x8000, 32: 0x80000000}


def value(bits: int, width: int) -> float:
    """Every binary16 and binary32 number is a Python float."""
    form, word = FORMS[width]
    return struct.unpack(form, struct.pack(word, bits))[0]


def rounded(exact: Fraction, width: int, zero_sign: bool = False) -> int:
    """The bits nearest to an exact value; ties to even."""
    if exact == 0:
        return SIGN[width] if zero_sign else 0
    sign = SIGN[width] if exact < 0 else 0
    exact = abs(exact)
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if Fraction(2) ** exponent > exact:
        exponent -= 1
    exponent = max(exponent, EXPONENT_LEAST[width])
    fraction_bits = FRACTION_BITS[width]
    unit = Fraction(2) ** (exponent - fraction_bits)
    units = round(exact / unit)  # Python rounds halves to even
    # A carry into the next exponent comes out right by the layout of the bits.
    bits = (exponent - EXPONENT_LEAST[width] << fraction_bits) + units
    return sign | min(bits, INFINITY[width])


def from_float(number: float, width: int) -> int:
    """Bits of a Python float, rounded."""
    if math.isnan(number):
        return NAN[width]
    if math.isinf(number):
        return INFINITY[width] | (SIGN[width] if number < 0 else 0)
    return rounded(Fraction(number), width, math.copysign(1.0, number) < 0)


def fma(a: int, b: int, c: int, width: int, *, negate: bool = False) -> int:
    """a * b + c with one rounding; c - a * b with `negate`."""
    x, y, z = (value(bits, width) for bits in (a, b, c))
    if negate:
        x = -x
    if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact:
            return rounded(exact, width)
        return from_float(x * y + z if 0.0 in (x, y) else 0.0, width)
    return from_float(x * y + z, width)


def add(a: int, b: int, width: int) -> int:
    x, y = value(a, width), value(b, width)
    if math.isfinite(x) and math.isfinite(y) and (exact := Fraction(x) + Fraction(y)):
        return rounded(exact, width)
    return from_float(x + y, width)


def subtract(a: int, b: int, width: int) -> int:
    return add(a, b ^ SIGN[width], width)


def multiply(a: int, b: int, width: int) -> int:
    x, y = value(a, width), value(b, width)
    if math.isfinite(x) and math.isfinite(y) and x and y:
        return rounded(Fraction(x) * Fraction(y), width)
    return from_float(x * y, width)


def divide(a: int, b: int, width: int) -> int:
    """The correctly rounded quotient, as IEEE."""
    x, y = value(a, width), value(b, width)
    negative = (a ^ b) & SIGN[width]
    if math.isnan(x) or math.isnan(y) or (x == y == 0) or (math.isinf(x) and math.isinf(y)):
        return NAN[width]
    if y == 0 or math.isinf(x):
        return INFINITY[width] | negative
    if x == 0 or math.isinf(y):
        return negative
    return rounded(Fraction(x) / Fraction(y), width)


def reciprocal(b: int) -> int:
    """1 / b of binary32 as the arithmetic runtime defines it (docs/isa.md).

    The reciprocal of the significand is correctly rounded, except that the one of the significand
    with all bits set comes out as 1/2; then it is scaled, and a denormal result rounds again.
    """
    y = value(b, 32)
    if not math.isfinite(y) or y == 0:
        return divide(from_float(1.0, 32), b, 32)
    significand, exponent = math.frexp(abs(y))
    if significand == 1 - 2.0**-24:
        first = Fraction(1)
    else:
        first = Fraction(value(rounded(1 / Fraction(significand), 32), 32))
    return rounded(first / Fraction(2) ** exponent, 32) | b & SIGN[32]


def minimum(a: int, b: int, width: int, *, largest: bool = False) -> int:
    """minNum and maxNum: the other operand when one is NaN; -0.0 below +0.0."""
    x, y = value(a, width), value(b, width)
    if math.isnan(x) and math.isnan(y):
        return NAN[width]
    if math.isnan(x) or math.isnan(y):
        return b if math.isnan(x) else a
    key = (x, math.copysign(1.0, x)) < (y, math.copysign(1.0, y))
    return (b if key else a) if largest else (a if key else b)


def to_integer(bits: int, width: int, target: int, signed: bool, mode: int) -> int:
    """Float to integer: FP control's rounding, saturating, NaN to 0. Unsigned result bits."""
    number = value(bits, width)
    low, high = (-(1 << target - 1), (1 << target - 1) - 1) if signed else (0, (1 << target) - 1)
    if math.isnan(number):
        return 0
    if math.isinf(number):
        integer = high if number > 0 else low
    else:
        exact = Fraction(number)
        integer = (round, math.trunc, math.floor, math.ceil)[mode](exact)
    return min(max(integer, low), high) & (1 << target) - 1


def from_integer(integer: int, width: int) -> int:
    return rounded(Fraction(integer), width)


def convert(bits: int, width: int, target: int) -> int:
    """Between the two float formats."""
    return from_float(value(bits, width), target)


def less(a: int, b: int, width: int) -> bool:
    return value(a, width) < value(b, width)


def less_equal(a: int, b: int, width: int) -> bool:
    return value(a, width) <= value(b, width)


def equal(a: int, b: int, width: int) -> bool:
    return value(a, width) == value(b, width)


def signed(bits: int, width: int) -> int:
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> width - 1 else bits
