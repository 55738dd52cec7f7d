"""Where products fuse, how constants fold, what divides (language page, "Arithmetic")."""

import re

import pytest

from carbide.ir import nodes as ir
from tests.carbide.lower.programs import statements, value

DECLARED = """
sp a, b, c, d, e, k; sp x[4], y[4]; hp h, g; xp n; struct { sp m; } s;
sp const A = 0.1, B = 0.7; sp param P = 3.0; xp const I = 7;
"""


def short(text: str) -> str:
    """An expression without the noise of loads and types."""
    text = re.sub(r"load\.\w+\((\w+)\[0:i16\]\)", r"\1", text)
    text = re.sub(r"load\.\w+\((\w+)\[(\d+):i16\]\)", r"\1@\2", text)
    return re.sub(r":\w+", "", text)


def shown(expression: str, type_: str = "sp") -> str:
    return short(value(DECLARED, expression, type_))


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("a - b*c", "fms(b, c, a)"),
        ("a + b*c", "fma(b, c, a)"),
        ("b*c + a", "fma(b, c, a)"),
        ("b*c - a", "sub(mul(b, c), a)"),
        ("a*b + c*d", "add(mul(a, b), mul(c, d))"),
        ("a - b*(c - d)", "sub(a, mul(b, sub(c, d)))"),
        ("(a - b*c + d*e)*k", "mul(add(fms(b, c, a), mul(d, e)), k)"),
        ("a - b*x[1]", "sub(a, mul(b, x@2))"),
        ("x[1] - b*c", "sub(x@2, mul(b, c))"),
        ("a - b*s.m", "sub(a, mul(b, s))"),
        ("a + b*c*d", "add(a, mul(mul(b, c), d))"),
        ("a - (b*c)", "fms(b, c, a)"),
        ("(a + d) - b*c", "sub(add(a, d), mul(b, c))"),
        ("-a - b*c", "sub(neg(a), mul(b, c))"),
        ("a + -b*c", "add(a, mul(neg(b), c))"),
        ("2.0 - b*c", "fms(b, c, 2.0)"),
        ("a + -0.5*c", "fma(-0.5, c, a)"),
        ("a + b*P", "fma(b, 3.0, a)"),
        ("a*(b + c*d)", "mul(a, fma(c, d, b))"),
        ("max(a - b*c, d)", "max(fms(b, c, a), d)"),
        ("x[n - 1] + d", "add(load.s(x[mul(sub(n, 1), 2)]), d)"),
        ("a + h*g", "add(a, convert.s(mul(h, g)))"),
        ("n + b*c", "fma(b, c, convert.s(n))"),
    ],
)
def test_fusing(expression, result):
    assert shown(expression) == result


def test_half_precision_fuses_too():
    assert shown("h - g*h", "hp") == "fms(g, h, h)"


def test_integers_stay_apart():
    assert shown("n + n*n", "xp") == "add(n, mul(n, n))"


def test_constants_fold_and_round_each_time():
    assert shown("A + B*A") == "0.17000000178813934"
    assert shown("1.0/3.0 + a") == "add(0.3333333432674408, a)"
    assert shown("A/B") == "0.1428571492433548"
    assert shown("I/2", "xp") == "3"


def test_a_constant_product_fuses_beside_a_variable():
    assert shown("a + A*B") == "fma(0.10000000149011612, 0.699999988079071, a)"


def test_division():
    assert shown("a/P") == "mul(a, 0.3333333432674408)"
    assert shown("a/b") == "div(a, b)"
    assert shown("a - b/P") == "sub(a, mul(b, 0.3333333432674408))"
    assert shown("n/2", "xp") == "div(n, 2)"


def test_numbers_take_the_type_of_what_they_meet():
    assert value("xp n;", "n + 0xFFE0", "xp").endswith("-32:i16)")
    assert value("xp n;", "n * 0.5") == "mul(convert.s(load.i16(n[0:i16])), 0.5:s)"
    assert value("i32 n;", "n + 1", "i32").endswith("1:i32)")
    assert value("hp h;", "h * 0.1", "hp").endswith("0.0999755859375:h)")
    assert value("", "1/2") == "0.5:s"
    assert value("", "7/2", "xp") == "3:i16"
    assert value("xp n;", "1 << n", "u32") == "shl(1:u32, load.i16(n[0:i16]))"


def test_conversions():
    assert value("xp n;", "n", "u32") == "convert.u32(load.i16(n[0:i16]))"
    assert value("xp n;", "(u32)(u16)n", "u32") == "convert.u32(convert.u16(load.i16(n[0:i16])))"
    assert value("wv w;", "w") == "bits.s(load.u32(w[0:i16]))"
    assert value("wv w;", "w", "xp") == "bits.i16(convert.u16(load.u32(w[0:i16])))"
    assert value("sp f;", "f", "wv") == "bits.u32(load.s(f[0:i16]))"
    assert value("xp n; u16 u;", "n + u", "u16").startswith("add(convert.u16(")


@pytest.mark.parametrize(
    ("statement", "result"),
    [
        ("a += b*x[1];", "fma(b, x@2, a)"),
        ("a <+- b;", "add(a, b)"),
        ("a -= x[0]*x[1];", "fms(x, x@2, a)"),
        ("a += b*c*d;", "fma(mul(b, c), d, a)"),
        ("a += b/P;", "add(a, mul(b, 0.3333333432674408))"),
        ("a += h*g;", "add(a, convert.s(mul(h, g)))"),
        ("a += n*n;", "add(a, convert.s(mul(n, n)))"),
        ("a += A*B;", "fma(0.10000000149011612, 0.699999988079071, a)"),
        ("a *= b;", "mul(a, b)"),
        ("a /= 3.0;", "mul(a, 0.3333333432674408)"),
        ("n <<= 2;", "shl(n, 2)"),
        ("n %= 2 + 1;", "mod(n, 3)"),
        ("n |= n & 1;", "or(n, and(n, 1))"),
        ("n += a;", "convert.i16(add(convert.s(n), a))"),
    ],
)
def test_accumulating(statement, result):
    from carbide.ir.text import show_expression

    (found,) = statements(f"{DECLARED} {{ {statement} }}")
    assert short(show_expression(found.value)) == result


def test_sums_of_products_fuse_in_the_accumulator():
    (found,) = statements(f"{DECLARED} {{ ∀i in [0,4) a = ∑ x[i]*y[i]; }}")
    assert isinstance(found, ir.Sum) and not found.keep
    assert found.target == ir.Element(ir.AddressOf("a"), ir.Const("i16", 0))
    (loop,) = found.body
    (step,) = loop.body
    assert isinstance(step, ir.Accumulate) and step.right is not None


def test_a_sum_runs_over_the_walks_its_target_is_free_of():
    (outer,) = statements("sp m[3][4], y[3], x[4]; ∀i in [0,3) ∀j in [0,4) y[i] = ∑ m[i][j]*x[j];")
    assert isinstance(outer, ir.Loop)
    (total,) = outer.body
    assert isinstance(total, ir.Sum)
    (inner,) = total.body
    assert inner.variable.name == "j"


def test_dot_attributes():
    found = statements(
        "sp a[4], acc; let i in [0,4);"
        "[[dot.load(off)]] ∀i acc = ∑ a[i];"
        "[[dot.state(on), dot.load(off)]] { ∀i acc = ∑ a[i]; }"
        "[[dot.state(on)]] ∀i acc = ∑ a[i];"
    )
    assert [(s.keep, s.target is not None) for s in found] == [
        (False, False), (True, False), (True, True)
    ]  # fmt: skip
