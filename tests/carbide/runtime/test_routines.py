"""The arithmetic runtime, executed instruction by instruction against exact arithmetic."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carbide.isa.assembly import Assembly, Label, link
from carbide.isa.encode import length
from carbide.isa.operands import (
    Immediate,
    Indexed,
    Indirect,
    Memory,
    Operation,
    Reference,
    Register,
    operation,
)
from carbide.runtime import CLOBBERED, RETURN_REGISTER, ROUTINES, routine_items
from tests.carbide import numerics
from tests.carbide.isa.executor import Executor

EDGES = {
    16: [0, 1, 2, 3, 10, 255, 256, 1000, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF],
    32: [0, 1, 3, 10, 0xFFFF, 0x10000, 0xFFFFFF, 0x1000001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF],
}
FLOAT_EDGES = {
    16: [0, 1, 0x3FF, 0x400, 0x3C00, 0x4200, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x8000, 0xC000],
    32: [
        *(0, 1, 0x200000, 0x7FFFFF, 0x800000, 0x3F800000, 0x3FFFFFFF, 0x40400000, 0x7E800000),
        *(0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x80000000, 0x80000003),
    ],
}


def _program(name: str) -> tuple[tuple[int, ...], int]:
    call = operation("call", Register(RETURN_REGISTER), Immediate(Reference(name)))
    code = [call, Label("end"), operation("nop"), *routine_items(name)]
    return link(Assembly("t", "t.s", code=code)).code.words, length(call)


PROGRAMS = {name: _program(name) for name in ROUTINES}


def run(name: str, a: int, b: int, control: int = 1) -> tuple[int, int]:
    """R0 and R2 (or the pairs) after the routine."""
    words, end = PROGRAMS[name]
    executor = Executor(words, control=control)
    if ROUTINES[name].wide:
        executor.set_pair(0, a)
        executor.set_pair(2, b)
    else:
        executor.registers[0], executor.registers[2] = a, b
    kept = executor.registers[RETURN_REGISTER + 1 :]
    executor.run(end)
    assert executor.registers[RETURN_REGISTER + 1 :] == kept
    if ROUTINES[name].wide:
        return executor.pair(0), executor.pair(2)
    return executor.registers[0], executor.registers[2]


def divided(a: int, b: int, width: int, signed: bool) -> tuple[int, int]:
    mask = (1 << width) - 1
    if b == 0:
        return mask, a
    if not signed:
        return divmod(a, b)
    x, y = numerics.signed(a, width), numerics.signed(b, width)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient & mask, x - quotient * y & mask


@pytest.mark.parametrize("name", ["divu16", "divs16", "divu32", "divs32"])
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_integer_division(name, data):
    width = int(name[-2:])
    some = st.sampled_from(EDGES[width]) | st.integers(0, (1 << width) - 1)
    small = st.integers(0, width).flatmap(lambda bits: st.integers(0, (1 << bits) - 1))
    a, b = data.draw(some | small), data.draw(some | small)
    control = data.draw(st.integers(0, 3))
    assert run(name, a, b, control) == divided(a, b, width, name[3] == "s")


@pytest.mark.parametrize("name", ["divu16", "divs16", "divu32", "divs32"])
def test_integer_division_around_multiples(name):
    width, signed = int(name[-2:]), name[3] == "s"
    choose = random.Random(width + signed)
    mask = (1 << width) - 1
    pairs = [(a, b) for a in EDGES[width] for b in EDGES[width]]
    for _ in range(150):
        b = choose.getrandbits(choose.randint(1, width)) or 1
        a = choose.randint(0, mask // b) * b + choose.choice((-1, 0, 1)) & mask
        pairs.append((a, b))
    for place, (a, b) in enumerate(pairs):
        assert run(name, a, b, place % 4) == divided(a, b, width, signed), (a, b)


def ulp_error(got: int, b: int) -> float:
    """The error of a finite reciprocal in units of its last place."""
    from fractions import Fraction

    exact = 1 / Fraction(numerics.value(b, 32))
    result = Fraction(numerics.value(got, 32))
    exponent = max((got >> 23 & 0xFF) - 127, -126)
    return float(abs(result - exact) / Fraction(2) ** (exponent - 23))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 0xFFFFFFFF))
@example(0x3FFFFFFF)
@example(0x7E800001)
@example(0x7F7FFFFF)
@example(0x00400001)
def test_reciprocal(b):
    got, _ = run("recips", b, 0)
    assert got == numerics.reciprocal(b)
    if numerics.value(got, 32) not in (float("inf"), float("-inf")) and b << 1 & 0xFFFFFFFF:
        y = numerics.value(b, 32)
        if y == y and abs(y) != float("inf"):
            assert ulp_error(got, b) < 1


@pytest.mark.parametrize("b", FLOAT_EDGES[32])
def test_reciprocal_of_special_values(b):
    for sign in (0, 0x80000000):
        assert run("recips", b ^ sign, 0x12345678)[0] == numerics.reciprocal(b ^ sign)
    assert run("recips", 0x80000000, 0)[0] == 0xFF800000
    assert run("recips", 0xFF800000, 0)[0] == 0x80000000


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_half_division(a, b):
    assert run("divh", a, b)[0] == numerics.divide(a, b, 16)


def test_half_division_of_special_values():
    for a in FLOAT_EDGES[16]:
        for b in FLOAT_EDGES[16]:
            assert run("divh", a, b)[0] == numerics.divide(a, b, 16), (hex(a), hex(b))


@pytest.mark.parametrize("name", ROUTINES)
def test_routines_keep_the_convention(name):
    """Only R0-R19 are written, nothing is in memory, and the way back is R20."""
    items = [item for item in routine_items(name) if isinstance(item, Operation)]
    for op in items:
        assert not any(isinstance(o, Memory | Indirect | Indexed) for o in op.operands)
        if op.row.roles[0] in ("dh", "dw"):
            target = op.operands[0]
            assert isinstance(target, Register)
            assert target.number in CLOBBERED
            assert op.row.roles[0] == "dh" or target.number + 1 in CLOBBERED
    assert Label(name) in routine_items(name)
    assert all(op.operands == (Register(RETURN_REGISTER),) for op in items if op.mnemonic == "ret")
