"""The tests' interpreter against results worked out by hand from the language page."""

import pytest
from hypothesis import HealthCheck, given, settings

from carbide.syntax import parse_text
from tests.carbide.interpreter import Interpreter, Unsupported, run_network
from tests.carbide.numerics import from_float
from tests.carbide.random_programs import programs


def run(text: str, **parameters):
    interpreter = Interpreter(parse_text(text, "t.w"), parameters)
    interpreter.run()
    return {name: cells for name, (_, cells) in interpreter.globals().items()}


def sp(*numbers: float) -> list[int]:
    return [from_float(number, 32) for number in numbers]


@pytest.mark.parametrize(
    ("text", "name", "cells"),
    [
        ("xp a = 32767; a += 1;", "a", [0x8000]),
        ("xp a = -1; u32 b; b <- a;", "b", [0xFFFFFFFF]),
        ("xp a = -1; u32 b; b <- (u32)(u16)a;", "b", [0xFFFF]),
        ("xp a = 0xFFE0;", "a", [0xFFE0]),
        ("i32 a = -7; a = a / 2;", "a", [0xFFFFFFFD]),
        ("i32 a = -7; a = a % 2;", "a", [0xFFFFFFFF]),
        ("xp a = 5; xp b = 0; a = a / b;", "a", [0xFFFF]),
        ("xp a = -8; a = a >> 1;", "a", [0xFFFC]),
        ("u16 a = 0x8000; a = a >> 15;", "a", [1]),
        ("xp a; sp f = 1e9; a <- f;", "a", [0x7FFF]),
        ("xp a; sp f = -2.75; a <- f;", "a", [0xFFFE]),
        ("sp a; xp b = 3; a <- b * 0.5;", "a", sp(1.5)),
        ("sp a = 0.1; sp b = 10.0; sp c = 1.0; sp d; d <- c - a*b;", "d", [0xB2800000]),
        ("sp a[1] = {0.1}; sp b = 10.0; sp c = 1.0; sp d; d <- c - a[0]*b;", "d", sp(0.0)),
        ("sp a = -0.0; a = a + 0.0;", "a", sp(0.0)),
        ("xp a[3]; i in [0,3) a[2-i] <- i;", "a", [2, 1, 0]),
        ("xp a[4] = {1, 2, 3, 4}; i in [0,3) a[i+1] <- a[i];", "a", [1, 1, 1, 1]),
        ("xp a[2][2] = {{1, 2}, {3, 4}}; i in [0,2) j in [0,2) a[i][j] *= 2;", "a", [2, 4, 6, 8]),
        ("xp a = 12; a /= 5; a <<= 4; a |= 3; a ^= 1; a &= 0xFE;", "a", [34]),
        ("xp a = 35; a %= 8; a += 8; a >>= 1;", "a", [5]),
        ("xp param N = 2; xp a; a = N;", "a", [2]),
        ("xp a = 3; xp b; b = a > 2 ? 7 : 9;", "b", [7]),
        ("sp a[2] = {3.0, 4.0}; sp s; ∀i in [0,2) s = ∑ a[i]*a[i];", "s", sp(25.0)),
        ("function f(xp k, xp a[]) { a[0] <- k; } xp b[2]; f(5, b);", "b", [5, 0]),
        ("function f(xp k) { if (k > 2) return 1; return k; } xp b = 1; b = f(b)+f(3);", "b", [2]),
        ("xp a = 0; while (a < 10) { a += 3; }", "a", [12]),
        ("sp a = 1.0; sp b = 3.0; a = a / b;", "a", [0x3EAAAAAB]),
        ("hp a = 1.0; hp b = 3.0; a = a / b;", "a", [0x3555]),
    ],
)
def test_by_hand(text, name, cells):
    assert run(text)[name] == cells


def test_parameters_are_given():
    assert run("xp param N; xp a[1]; a[0] <- N;", N=9)["a"] == [9]


def test_a_network():
    programs_ = {
        "left": parse_text("xp socket tx; i in [0,3) tx[] <- i * 2;", "left.w"),
        "right": parse_text("xp socket rx; xp a[3]; i in [0,3) a[i] <- rx[];", "right.w"),
    }
    machines = run_network(programs_, [("left", "tx", "right", "rx")])
    assert machines["right"].globals()["a"] == ("xp", [0, 2, 4])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_programs_are_well_formed(text):
    """Each parses, ends, and stays inside what the interpreter knows."""
    try:
        run(text)
    except Unsupported as reason:
        pytest.fail(f"{reason}\n{text}")
