"""Folding against numpy and the tests' own exact arithmetic."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carbide.check import constants
from carbide.check.types import HP, I32, SCALARS, SP, U16, U32, WV, XP, Scalar
from tests.carbide import numerics

WIDTHS = {"sp": 32, "hp": 16}
KINDS = {"sp": np.float32, "hp": np.float16}
QUICK = settings(max_examples=300, deadline=None)


def floats(type_: Scalar):
    return st.floats(width=WIDTHS[type_.name])


@pytest.mark.parametrize("type_", [SP, HP], ids=str)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
@QUICK
@given(data=st.data())
def test_float_operations_are_numpys(type_, op, data):
    a, b = data.draw(floats(type_)), data.draw(floats(type_))
    kind = KINDS[type_.name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, y = kind(a), kind(b)
        expected = {"add": x + y, "sub": x - y, "mul": x * y, "div": x / y}[op]
    found = constants.binary(op, type_, a, b)
    if np.isnan(expected):
        assert found != found
    else:
        same = int.from_bytes(expected.tobytes(), "little")
        assert constants.bits(found, type_) == same


@pytest.mark.parametrize("type_", [SP, HP], ids=str)
@QUICK
@given(data=st.data())
def test_extremes(type_, data):
    a, b = data.draw(floats(type_)), data.draw(floats(type_))
    if a != a or b != b:
        return
    for op in ("min", "max"):
        bits = [constants.bits(v, type_) for v in (a, b)]
        expected = numerics.minimum(*bits, WIDTHS[type_.name], largest=op == "max")
        assert constants.bits(constants.binary(op, type_, a, b), type_) == expected


@pytest.mark.parametrize("type_", [XP, U16, I32, U32], ids=str)
@QUICK
@given(data=st.data())
def test_integers_wrap(type_, data):
    low = -(1 << (16 * type_.words - 1)) if type_.is_signed else 0
    numbers = st.integers(low, low + (1 << 16 * type_.words) - 1)
    a, b = data.draw(numbers), data.draw(numbers)
    for op, exact in {"add": a + b, "sub": a - b, "mul": a * b, "xor": a ^ b}.items():
        assert (constants.binary(op, type_, a, b) - exact) % (1 << 16 * type_.words) == 0
        assert low <= constants.binary(op, type_, a, b) < -low + (0 if low else 1 << 32)
    if b:
        quotient = constants.binary("div", type_, a, b)
        assert constants.binary("mod", type_, a, b) == constants.wrap(a - quotient * b, type_)


@QUICK
@given(st.floats(width=32))
def test_floats_to_integers_saturate(value):
    for type_, width, is_signed in ((XP, 16, True), (U16, 16, False), (I32, 32, True)):
        bits = constants.bits(value, SP)
        expected = numerics.to_integer(bits, 32, width, is_signed, 1)
        assert constants.bits(constants.convert(value, SP, type_), type_) == expected


def test_payloads_keep_bits():
    assert constants.convert(1.5, SP, WV) == 0x3FC00000
    assert constants.convert(0x3FC00000, WV, SP) == 1.5
    assert constants.convert(-1, XP, WV) == 0xFFFF
    assert constants.convert(0x1234FFFE, WV, XP) == -2
    assert constants.convert(-1, XP, U32) == 0xFFFFFFFF


def test_shifts():
    assert constants.binary("shr", XP, -8, 1) == -4
    assert constants.binary("shr", U16, 0xFFFF, 15) == 1
    assert constants.binary("shl", XP, 1, 15) == -32768
    assert constants.binary("shl", XP, 1, 16) == 0
    assert constants.binary("shr", I32, -1, -1) == -1


def test_literals():
    assert constants.literal(0xFFE0, XP) == -32
    assert constants.literal(0.1, SP) == float(np.float32(0.1))
    assert constants.literal(10**400, SP) == float("inf")
    assert constants.literal(1e300, HP) == float("inf")
    assert constants.literal(-2.75, XP) == -2
    assert constants.literal(float("inf"), XP) == 32767


def test_reciprocals():
    assert constants.reciprocal(3.0, SP) == float(np.float32(1) / np.float32(3))
    assert constants.reciprocal(-0.0, SP) == float("-inf")


def test_division_by_zero():
    with pytest.raises(constants.DivisionByZero):
        constants.binary("div", XP, 1, 0)
    assert constants.binary("div", SP, 1.0, 0.0) == float("inf")


def test_every_type_is_known():
    assert set(SCALARS) == {"xp", "i16", "u16", "i32", "u32", "u64", "hp", "sp", "wv"}
