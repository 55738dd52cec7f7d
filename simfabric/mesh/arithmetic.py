"""What the arithmetic instructions compute, on bit patterns.

Sources and results are unsigned 32-bit numbers; 16-bit values stand in the low half. Floats: round
to nearest even, denormals kept, a NaN result is the canonical one (machine page 1; the project's
instruction set page, "Floats"). The same statements run compiled and uncompiled.

Sums and products of binary32 values are computed in binary64 and rounded once more, which gives
the correctly rounded binary32 result because 53 >= 2*24 + 2. A fused multiply-add is the exact
product, a TwoSum with the addend, and a round to odd of the sum before the last rounding.
"""

import cython

if not cython.compiled:
    import ctypes
    import struct

    from simfabric.mesh.layout import *

    def float_of(bits):
        return struct.unpack("<f", struct.pack("<I", bits))[0]

    def bits_of(value):
        return struct.unpack("<I", bytes(ctypes.c_float(value)))[0]

    def double_of(bits):
        return struct.unpack("<d", struct.pack("<Q", bits))[0]

    def double_bits(value):
        return struct.unpack("<Q", struct.pack("<d", value))[0]


NAN_SINGLE = cython.declare(cython.uint, 0x7FC00000)
NAN_HALF = cython.declare(cython.uint, 0x7E00)


def _signed16(value):
    return cython.cast(cython.int, value ^ B15) - B15


def _signed32(value):
    return cython.cast(cython.longlong, value ^ B31) - cython.cast(cython.longlong, B31)


def _single(value):
    """binary64 to binary32, as bits."""
    if value != value:
        return NAN_SINGLE
    return bits_of(value)


def _fused(a, b, c):
    """a * b + c for values whose product is exact, rounded to odd: one more rounding is exact."""
    product: cython.double = a * b
    total: cython.double = product + c
    if total != total or total - total != 0.0:  # NaN or infinity
        return total
    part: cython.double = total - product
    error: cython.double = (product - (total - part)) + (c - part)
    if error == 0.0:
        return total
    bits: cython.ulonglong = double_bits(total)
    if bits & 1:
        return total
    if (error > 0.0) == (total > 0.0):
        bits += 1
    else:
        bits -= 1
    return double_of(bits)


def _half_value(bits):
    """binary16 to binary64, exactly."""
    exponent: cython.int = (bits >> 10) & 31
    fraction: cython.int = bits & 0x3FF
    value: cython.double
    if exponent == 31:
        if fraction:
            return double_of(cython.cast(cython.ulonglong, 0x7FF8) << 48)
        value = double_of(cython.cast(cython.ulonglong, 0x7FF0) << 48)
    elif exponent == 0:
        value = fraction * double_of(cython.cast(cython.ulonglong, 1023 - 24) << 52)
    else:
        value = double_of(
            cython.cast(cython.ulonglong, exponent - 15 + 1023) << 52
            | cython.cast(cython.ulonglong, fraction) << 42
        )
    return -value if bits & B15 else value


def _half(value):
    """binary64 to binary16, as bits, by integers."""
    if value != value:
        return NAN_HALF
    bits: cython.ulonglong = double_bits(value)
    sign: cython.uint = cython.cast(cython.uint, bits >> 63) << 15
    exponent: cython.int = cython.cast(cython.int, (bits >> 52) & 0x7FF) - 1023
    one: cython.ulonglong = 1
    fraction: cython.ulonglong = bits & ((one << 52) - 1)
    if exponent > 15:
        return sign | 0x7C00
    if exponent < -25:
        return sign
    fraction |= one << 52
    # `drop` bits fall off; what stays is the significand with the exponent added below it
    drop: cython.int = 42 if exponent >= -14 else 42 + (-14 - exponent)
    kept: cython.ulonglong = fraction >> drop
    rest: cython.ulonglong = fraction & ((one << drop) - 1)
    middle: cython.ulonglong = one << (drop - 1)
    if rest > middle or (rest == middle and kept & 1):
        kept += 1
    if exponent >= -14:
        kept += cython.cast(cython.ulonglong, exponent + 14) << 10
    return sign | cython.cast(cython.uint, kept)


def _least(a, b):
    """IEEE minNum: the other operand for a NaN, -0 below +0."""
    if a != a:
        return b
    if b != b or a < b:
        return a
    if b < a:
        return b
    return a if double_bits(a) >> 63 else b


def _most(a, b):
    if a != a:
        return b
    if b != b or a > b:
        return a
    if b > a:
        return b
    return b if double_bits(a) >> 63 else a


def _integer(value, rounding, low, high):
    """To an integer from low to high: 0 nearest even, 1 toward zero, 2 down, 3 up; NaN gives 0."""
    if value != value:
        return 0
    if value >= 4294967296.0:
        return cython.cast(cython.uint, high & M32)
    if value <= -4294967296.0:
        return cython.cast(cython.uint, low & M32)
    whole: cython.longlong = cython.cast(cython.longlong, value)
    rest: cython.double = value - whole
    if rounding == 0:
        if rest > 0.5 or (rest == 0.5 and whole & 1):
            whole += 1
        elif rest < -0.5 or (rest == -0.5 and whole & 1):
            whole -= 1
    elif rounding == 2 and rest < 0.0:
        whole -= 1
    elif rounding == 3 and rest > 0.0:
        whole += 1
    if whole < low:
        whole = low
    elif whole > high:
        whole = high
    return cython.cast(cython.uint, whole & M32)


def _integers16(opcode, a, b, c):
    if opcode == OP_ADD16:
        return (a + b) & M16
    if opcode == OP_SUB16:
        return (a - b) & M16
    if opcode == OP_MUL16:
        return (a * b) & M16
    if opcode == OP_MAC16:
        return (a * b + c) & M16
    if opcode == OP_AND16:
        return a & b
    if opcode == OP_OR16:
        return a | b
    if opcode == OP_XOR16:
        return a ^ b
    if opcode == OP_SHL16:
        return (a << b) & M16 if b < 16 else 0
    if opcode == OP_SHR16:
        return a >> b if b < 16 else 0
    if opcode == OP_SAR16:
        return cython.cast(cython.uint, (_signed16(a) >> (b if b < 16 else 15)) & M16)
    if opcode == OP_MIN16:
        return a if _signed16(a) < _signed16(b) else b
    if opcode == OP_MAX16:
        return a if _signed16(a) > _signed16(b) else b
    if opcode == OP_MINU16:
        return a if a < b else b
    if opcode == OP_MAXU16:
        return a if a > b else b
    if opcode == OP_ABS16:
        return (0 - a) & M16 if a & B15 else a
    if opcode == OP_LT16:
        return 1 if _signed16(a) < _signed16(b) else 0
    if opcode == OP_LE16:
        return 1 if _signed16(a) <= _signed16(b) else 0
    if opcode == OP_LTU16:
        return 1 if a < b else 0
    if opcode == OP_LEU16:
        return 1 if a <= b else 0
    if opcode == OP_EQ16:
        return 1 if a == b else 0
    return 1 if a != b else 0  # ne16


def _integers32(opcode, a, b, c):
    if opcode == OP_ADD32:
        return (a + b) & M32
    if opcode == OP_SUB32:
        return (a - b) & M32
    if opcode == OP_MUL32:
        return (a * b) & M32
    if opcode == OP_MAC32:
        return (a * b + c) & M32
    if opcode == OP_AND32:
        return a & b
    if opcode == OP_OR32:
        return a | b
    if opcode == OP_XOR32:
        return a ^ b
    if opcode == OP_SHL32:
        return (a << b) & M32 if b < 32 else 0
    if opcode == OP_SHR32:
        return a >> b if b < 32 else 0
    if opcode == OP_SAR32:
        return cython.cast(cython.uint, (_signed32(a) >> (b if b < 32 else 31)) & M32)
    if opcode == OP_MIN32:
        return a if _signed32(a) < _signed32(b) else b
    if opcode == OP_MAX32:
        return a if _signed32(a) > _signed32(b) else b
    if opcode == OP_MINU32:
        return a if a < b else b
    if opcode == OP_MAXU32:
        return a if a > b else b
    if opcode == OP_ABS32:
        return (0 - a) & M32 if a & B31 else a
    if opcode == OP_LT32:
        return 1 if _signed32(a) < _signed32(b) else 0
    if opcode == OP_LE32:
        return 1 if _signed32(a) <= _signed32(b) else 0
    if opcode == OP_LTU32:
        return 1 if a < b else 0
    if opcode == OP_LEU32:
        return 1 if a <= b else 0
    if opcode == OP_EQ32:
        return 1 if a == b else 0
    return 1 if a != b else 0  # ne32


def _singles(opcode, a, b, c):
    if opcode == OP_FABSS:
        return a & ~B31 & M32
    if opcode == OP_FNEGS:
        return a ^ B31
    x: cython.double = float_of(a)
    y: cython.double = float_of(b)
    if opcode == OP_FADDS:
        return _single(x + y)
    if opcode == OP_FSUBS:
        return _single(x - y)
    if opcode == OP_FMULS:
        return _single(x * y)
    if opcode == OP_FMACS:
        return _single(_fused(x, y, float_of(c)))
    if opcode == OP_FMSS:
        return _single(_fused(-x, y, float_of(c)))
    if opcode == OP_FMINS:
        return _single(_least(x, y))
    if opcode == OP_FMAXS:
        return _single(_most(x, y))
    if opcode == OP_LTS:
        return 1 if x < y else 0
    if opcode == OP_LES:
        return 1 if x <= y else 0
    if opcode == OP_EQS:
        return 1 if x == y else 0
    return 1 if x != y else 0  # nes


def _halves(opcode, a, b, c):
    if opcode == OP_FABSH:
        return a & 0x7FFF
    if opcode == OP_FNEGH:
        return a ^ B15
    x: cython.double = _half_value(a)
    y: cython.double = _half_value(b)
    if opcode == OP_FADDH:
        return _half(x + y)
    if opcode == OP_FSUBH:
        return _half(x - y)
    if opcode == OP_FMULH:
        return _half(x * y)
    if opcode == OP_FMACH:
        return _half(_fused(x, y, _half_value(c)))
    if opcode == OP_FMSH:
        return _half(_fused(-x, y, _half_value(c)))
    if opcode == OP_FMINH:
        return _half(_least(x, y))
    if opcode == OP_FMAXH:
        return _half(_most(x, y))
    if opcode == OP_LTH:
        return 1 if x < y else 0
    if opcode == OP_LEH:
        return 1 if x <= y else 0
    if opcode == OP_EQH:
        return 1 if x == y else 0
    return 1 if x != y else 0  # neh


def _conversions(opcode, a, rounding):
    whole: cython.longlong = cython.cast(cython.longlong, M32)
    most: cython.longlong = whole >> 1
    if opcode == OP_SXT32:
        return cython.cast(cython.uint, _signed16(a) & M32)
    if opcode == OP_ZXT32 or opcode == OP_LOW16:
        return a & M16
    if opcode == OP_I16TOS:
        return _single(_signed16(a))
    if opcode == OP_U16TOS or opcode == OP_U32TOS:
        return _single(a)
    if opcode == OP_I32TOS:
        return _single(_signed32(a))
    if opcode == OP_STOI16:
        return _integer(float_of(a), rounding, -0x8000, 0x7FFF) & M16
    if opcode == OP_STOU16:
        return _integer(float_of(a), rounding, 0, M16)
    if opcode == OP_STOI32:
        return _integer(float_of(a), rounding, -most - 1, most)
    if opcode == OP_STOU32:
        return _integer(float_of(a), rounding, 0, whole)
    if opcode == OP_HTOS:
        return _single(_half_value(a))
    if opcode == OP_STOH:
        return _half(float_of(a))
    if opcode == OP_I16TOH:
        return _half(_signed16(a))
    if opcode == OP_U16TOH or opcode == OP_U32TOH:
        return _half(a)
    if opcode == OP_I32TOH:
        return _half(_signed32(a))
    if opcode == OP_HTOI16:
        return _integer(_half_value(a), rounding, -0x8000, 0x7FFF) & M16
    if opcode == OP_HTOU16:
        return _integer(_half_value(a), rounding, 0, M16)
    if opcode == OP_HTOI32:
        return _integer(_half_value(a), rounding, -most - 1, most)
    return _integer(_half_value(a), rounding, 0, whole)  # htou32


def evaluate(opcode, a, b, c, rounding):
    """The result of an arithmetic or move instruction for sources a, b, c.

    `rounding` is the FP control register's, for conversions to integers.
    """
    if opcode == OP_FMULS:
        return _single(cython.cast(cython.double, float_of(a)) * float_of(b))
    if opcode == OP_FADDS:
        return _single(cython.cast(cython.double, float_of(a)) + float_of(b))
    if opcode <= OP_MOVC:
        if opcode == OP_PACK32:
            return (a & M16) | (b << 16) & M32
        if opcode == OP_SELECT16 or opcode == OP_SELECT32:
            return b if a != 0 else c
        return a
    if opcode <= OP_NE16:
        return _integers16(opcode, a, b, c)
    if opcode <= OP_NE32:
        return _integers32(opcode, a, b, c)
    if opcode <= OP_NES:
        return _singles(opcode, a, b, c)
    if opcode <= OP_NEH:
        return _halves(opcode, a, b, c)
    return _conversions(opcode, a, rounding)


def accumulate(opcode, total, a, b):
    """The accumulator after one more element."""
    if opcode == OP_DOTS:
        return _singles(OP_FMACS, a, b, total)
    if opcode == OP_SUMS:
        return _singles(OP_FADDS, total, a, 0)
    if opcode == OP_DOTH:
        return _halves(OP_FMACH, a, b, total)
    return _halves(OP_FADDH, total, a, 0)


def takes(opcode, a, b):
    """Whether a conditional branch is taken."""
    if opcode == OP_JZ16:
        return a == 0
    if opcode == OP_JNZ16:
        return a != 0
    if opcode == OP_JEQ16:
        return a == b
    if opcode == OP_JNE16:
        return a != b
    if opcode == OP_JLT16:
        return _signed16(a) < _signed16(b)
    if opcode == OP_JGE16:
        return _signed16(a) >= _signed16(b)
    if opcode == OP_JLTU16:
        return a < b
    return a >= b  # jgeu16


def calculate(
    opcode: cython.int, a: cython.uint, b: cython.uint, c: cython.uint, rounding: cython.int
):
    """`evaluate`, or `accumulate` onto c for the accumulator's instructions, for Python."""
    if OP_DOTS <= opcode <= OP_SUMH:
        return accumulate(opcode, c, a, b)
    return evaluate(opcode, a, b, c, rounding)
