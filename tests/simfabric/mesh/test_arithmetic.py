"""Arithmetic against numpy and exact fractions, on all corners of the formats and at random."""

import itertools
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carbide.isa.table import BY_MNEMONIC
from simfabric.mesh.arithmetic import calculate

NAN = {16: 0x7E00, 32: 0x7FC00000}
CORNERS16 = [0, 1, 2, 0x3FF, 0x400, 0x401, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x3C00, 0x3C01, 0x3555]
CORNERS16 += [v | 0x8000 for v in CORNERS16] + [0x7FFF]
CORNERS32 = [0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000]
CORNERS32 += [0x3F800000, 0x3F800001, 0x3EAAAAAB, 0x4B000000, 0x4F000000, 0x33800000]
CORNERS32 += [v | 0x80000000 for v in CORNERS32] + [0x7FFFFFFF]

halves = st.one_of(st.sampled_from(CORNERS16), st.integers(0, 0xFFFF))
singles = st.one_of(st.sampled_from(CORNERS32), st.integers(0, 0xFFFFFFFF))


def calc(mnemonic, a, b=0, c=0, rounding=1):
    return calculate(BY_MNEMONIC[mnemonic].opcode, a, b, c, rounding)


def f16(bits):
    return np.array([bits], np.uint16).view(np.float16)[0]


def f32(bits):
    return np.array([bits], np.uint32).view(np.float32)[0]


def bits_of(value):
    """Bits of a numpy float, a NaN as the canonical one."""
    kind = {2: np.uint16, 4: np.uint32}[value.nbytes]
    if np.isnan(value):
        return NAN[8 * value.nbytes]
    return int(np.array([value]).view(kind)[0])


def fused(a, b, c, width):
    """a*b + c with one rounding, by exact fractions."""
    kind = {16: np.float16, 32: np.float32}[width]
    with np.errstate(all="ignore"):
        plain = kind(np.float64(a) * np.float64(b) + np.float64(c))
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        return bits_of(plain)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return bits_of(plain)
    return round_fraction(exact, width)


def round_fraction(exact, width):
    """Nearest even binary16 or binary32 of a fraction that is not 0."""
    digits, least, most = {16: (11, -24, 15), 32: (24, -149, 127)}[width]
    sign, exact = (1, -exact) if exact < 0 else (0, exact)
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if Fraction(2) ** exponent > exact:
        exponent -= 1
    unit = max(exponent - digits + 1, least)
    whole = round(exact / Fraction(2) ** unit)
    value = whole * Fraction(2) ** unit
    infinity = {16: 0x7C00, 32: 0x7F800000}[width]
    top = sign << width - 1
    if value >= Fraction(2) ** (most + 1):
        return top | infinity
    code = {16: "<e", 32: "<f"}[width]
    packed = struct.pack(code, float(value))
    return top | int.from_bytes(packed, "little")


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
}


@pytest.mark.parametrize("name", BINARY)
def test_singles_round_once(name):
    @settings(max_examples=200, deadline=None)
    @given(singles, singles)
    def law(a, b):
        with np.errstate(all="ignore"):
            assert calc(f"f{name}s", a, b) == bits_of(BINARY[name](f32(a), f32(b)))

    law()


@pytest.mark.parametrize("name", BINARY)
def test_halves_round_once(name):
    @settings(max_examples=200, deadline=None)
    @given(halves, halves)
    def law(a, b):
        with np.errstate(all="ignore"):
            exact = BINARY[name](np.float64(f16(a)), np.float64(f16(b)))
            assert calc(f"f{name}h", a, b) == bits_of(np.float16(exact))

    law()


@settings(max_examples=200, deadline=None)
@given(singles, singles, singles)
def test_fused_singles(a, b, c):
    x, y, z = f32(a), f32(b), f32(c)
    assert calc("fmacs", a, b, c) == fused(x, y, z, 32)
    assert calc("fmss", a, b, c) == fused(-x, y, z, 32)


@settings(max_examples=200, deadline=None)
@given(halves, halves, halves)
def test_fused_halves(a, b, c):
    x, y, z = f16(a), f16(b), f16(c)
    assert calc("fmach", a, b, c) == fused(x, y, z, 16)
    assert calc("fmsh", a, b, c) == fused(-x, y, z, 16)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 1 << 24), st.integers(-60, 60), st.integers(1, 1 << 24), st.data())
def test_fused_singles_near_halfway(m, shift, n, data):
    """Sums whose last bits decide: the case in which rounding twice goes wrong."""
    with np.errstate(all="ignore"):
        a, b = np.float32(m), np.float32(n * 2.0**-24)
        c = np.float32(data.draw(st.sampled_from([1.0, -1.0])) * 2.0 ** (shift % 30))
    bits = [int(np.array([v]).view(np.uint32)[0]) for v in (a, b, c)]
    assert calc("fmacs", *bits) == fused(a, b, c, 32)


@settings(max_examples=200, deadline=None)
@given(singles, singles)
def test_single_comparisons_and_extremes(a, b):
    x, y = f32(a), f32(b)
    assert calc("lts", a, b) == (x < y)
    assert calc("les", a, b) == (x <= y)
    assert calc("eqs", a, b) == (x == y)
    assert calc("nes", a, b) == (x != y)
    if np.isnan(x) or np.isnan(y):
        other = b if np.isnan(x) else a
        expect = NAN[32] if np.isnan(f32(other)) else other
        assert calc("fmins", a, b) == calc("fmaxs", a, b) == expect
    else:
        low, high = sorted((a, b), key=lambda v: (f32(v), v < 0x80000000))
        assert calc("fmins", a, b) == low and calc("fmaxs", a, b) == high


@settings(max_examples=200, deadline=None)
@given(halves, halves)
def test_half_comparisons_and_extremes(a, b):
    x, y = f16(a), f16(b)
    assert calc("lth", a, b) == (x < y)
    assert calc("leh", a, b) == (x <= y)
    assert calc("eqh", a, b) == (x == y)
    assert calc("neh", a, b) == (x != y)
    if not (np.isnan(x) or np.isnan(y)):
        low, high = sorted((a, b), key=lambda v: (f16(v), v < 0x8000))
        assert calc("fminh", a, b) == low and calc("fmaxh", a, b) == high


def test_signs_are_bits():
    assert calc("fabss", 0xFFC00001) == 0x7FC00001 and calc("fnegs", 0x7F800001) == 0xFF800001
    assert calc("fabsh", 0x8000) == 0 and calc("fnegh", 0) == 0x8000


ROUND = {0: np.rint, 1: np.trunc, 2: np.floor, 3: np.ceil}
RANGES = {"i16": (-(1 << 15), (1 << 15) - 1), "u16": (0, (1 << 16) - 1)}
RANGES |= {"i32": (-(1 << 31), (1 << 31) - 1), "u32": (0, (1 << 32) - 1)}


def integer(value, rounding, low, high):
    if np.isnan(value):
        return 0
    value = float(value)
    if np.isinf(value):
        return high if value > 0 else low
    return min(max(int(ROUND[rounding](value)), low), high)


@settings(max_examples=200, deadline=None)
@given(singles, halves, st.integers(0, 3), st.floats(-70000, 70000, width=32))
def test_to_integers(a, h, rounding, near):
    for bits in (a, int(np.array([near], np.float32).view(np.uint32)[0])):
        for name, (low, high) in RANGES.items():
            mask = (1 << int(name[1:])) - 1
            expect = integer(f32(bits), rounding, low, high) & mask
            assert calc(f"sto{name}", bits, rounding=rounding) == expect
    for name, (low, high) in RANGES.items():
        mask = (1 << int(name[1:])) - 1
        expect = integer(f16(h), rounding, low, high) & mask
        assert calc(f"hto{name}", h, rounding=rounding) == expect


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 0xFFFFFFFF))
def test_from_integers(a):
    low = a & 0xFFFF
    signed = {16: low - (low >> 15 << 16), 32: a - (a >> 31 << 32)}
    with np.errstate(all="ignore"):
        assert calc("i16tos", low) == bits_of(np.float32(signed[16]))
        assert calc("u16tos", low) == bits_of(np.float32(low))
        assert calc("i32tos", a) == bits_of(np.float32(np.float64(signed[32])))
        assert calc("u32tos", a) == bits_of(np.float32(np.float64(a)))
        assert calc("i16toh", low) == bits_of(np.float16(np.float64(signed[16])))
        assert calc("u16toh", low) == bits_of(np.float16(np.float64(low)))
        assert calc("i32toh", a) == bits_of(np.float16(np.float64(signed[32])))
        assert calc("u32toh", a) == bits_of(np.float16(np.float64(a)))


@settings(max_examples=200, deadline=None)
@given(singles)
def test_single_to_half(a):
    with np.errstate(all="ignore"):
        assert calc("stoh", a) == bits_of(np.float16(f32(a)))


def test_every_half_to_single():
    every = np.arange(1 << 16, dtype=np.uint16)
    values = every.view(np.float16).astype(np.float32)
    expect = np.where(np.isnan(values), np.uint32(NAN[32]), values.view(np.uint32))
    assert [calc("htos", int(a)) for a in every] == expect.tolist()


def wrap(value, width):
    return value & (1 << width) - 1


def signed(value, width):
    return value - (value >> width - 1 << width)


@pytest.mark.parametrize("width", [16, 32])
def test_integers(width):
    most = (1 << width) - 1
    corners = [0, 1, 2, most, most - 1, most >> 1, (most >> 1) + 1, 5, width - 1, width, width + 1]
    values = st.one_of(st.sampled_from(corners), st.integers(0, most))

    @settings(max_examples=200, deadline=None)
    @given(values, values, values)
    def law(a, b, c):
        s, t = signed(a, width), signed(b, width)
        shift = b & 0xFFFF
        expect = {
            "add": a + b,
            "sub": a - b,
            "mul": a * b,
            "and": a & b,
            "or": a | b,
            "xor": a ^ b,
            "min": min(s, t),
            "max": max(s, t),
            "minu": min(a, b),
            "maxu": max(a, b),
            "lt": s < t,
            "le": s <= t,
            "ltu": a < b,
            "leu": a <= b,
            "eq": a == b,
            "ne": a != b,
        }
        for name, value in expect.items():
            assert calc(f"{name}{width}", a, b) == wrap(int(value), width), name
        assert calc(f"mac{width}", a, b, c) == wrap(a * b + c, width)
        assert calc(f"abs{width}", a) == wrap(abs(s), width)
        shifts = {
            "shl": wrap(a << shift, width) if shift < width else 0,
            "shr": a >> shift if shift < width else 0,
            "sar": wrap(s >> min(shift, width - 1), width),
        }
        for name, value in shifts.items():
            assert calc(f"{name}{width}", a, shift) == value, name

    law()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.integers(0, 0xFFFFFFFF))
def test_moves(a, b, c):
    assert calc("mov16", a) == a and calc("mov32", c) == c
    assert calc("pack32", a, b) == b << 16 | a
    assert calc("select16", a, b, 7) == (b if a else 7)
    assert calc("select32", a, c, 7) == (c if a else 7)
    assert calc("sxt32", a) == wrap(signed(a, 16), 32) and calc("zxt32", a) == a
    assert calc("low16", c) == c & 0xFFFF


@settings(max_examples=200, deadline=None)
@given(singles, singles, singles, halves, halves, halves)
def test_accumulator(a, b, c, x, y, z):
    assert calc("dots", a, b, c) == calc("fmacs", a, b, c)
    assert calc("sums", a, 0, c) == calc("fadds", c, a)
    assert calc("doth", x, y, z) == calc("fmach", x, y, z)
    assert calc("sumh", x, 0, z) == calc("faddh", z, x)


def test_corners_against_each_other():
    """All pairs of binary16 corners, in every operation of two sources."""
    for a, b in itertools.product(CORNERS16, repeat=2):
        x, y = np.float64(f16(a)), np.float64(f16(b))
        with np.errstate(all="ignore"):
            assert calc("faddh", a, b) == bits_of(np.float16(x + y))
            assert calc("fmulh", a, b) == bits_of(np.float16(x * y))
