"""Params from outside, functions and their instances, what the typed program holds."""

import pytest

from carbide.check import check
from carbide.syntax import parse_text
from mitools.console import Diagnostics, UserError


def checked(text: str, **parameters: str):
    return check(parse_text(text, "t.w"), parameters, Diagnostics(quiet=True))


def message(text: str, **parameters: str) -> tuple[str, str | None]:
    with pytest.raises(UserError) as error:
        checked(text, **parameters)
    return error.value.message, error.value.remedy


@pytest.mark.parametrize(
    ("type_", "text", "words"),
    [
        ("xp", "4", (4,)),
        ("xp", "-3", (0xFFFD,)),
        ("xp", "0x10", (16,)),
        ("xp", "0xFFE0", (0xFFE0,)),
        ("xp", "4.0", (4,)),
        ("sp", "1.5", (0, 0x3FC0)),
        ("sp", "1e-3", (4719, 0x3A83)),
        ("sp", "2", (0, 0x4000)),
        ("u32", "70000", (4464, 1)),
        ("hp", "0.5", (0x3800,)),
    ],
)
def test_values_of_params(type_, text, words):
    program = checked(f"{type_} param P; {type_} a = P;", P=text)
    assert program.variables[0].initial == words


@pytest.mark.parametrize(
    ("type_", "text", "reason"),
    [
        ("xp", "four", "is an integer"),
        ("xp", "1.5", "is an integer"),
        ("xp", "70000", "does not fit"),
        ("sp", "x", "is a number"),
        ("sp", "", "is a number"),
        ("xp", "1e999", "is an integer"),
    ],
)
def test_bad_values_of_params(type_, text, reason):
    assert reason in message(f"{type_} param P;", P=text)[0]


def test_params_that_the_program_does_not_have():
    said, remedy = message("xp param COUNT = 1;", COUTN="3")
    assert "no param `COUTN`" in said and "COUNT" in remedy


def test_unicode_params_are_normalised():
    program = checked("sp param e\u0301 = 1.0; sp a = \u00e9;", **{"\u00e9": "2.0"})
    assert program.variables[0].initial == (0, 0x4000)


def test_unused_functions_leave_nothing_behind():
    text = "function g(xp k) { return k; } function f(sp a[][]) { sp t[20] = {1, 2}; g(3); } xp a;"
    program = checked(text)
    assert program.instances == ()
    assert [v.name for v in program.variables] == ["a"]


def test_instances_of_a_function():
    text = """
        function fill(xp a[], xp k) { i in [0,2) a[i] <- k; }
        xp x[2], y[2], m[8][2], z;
        { fill(x, 1); fill(x, 2); fill(y, 3); fill(m[z], 4); fill(m[z + 1], 4); }
    """
    program = checked(text)
    assert [len(i.parameters) for i in program.instances] == [1, 1, 2]


def test_many_bindings_share_one_instance():
    calls = "".join(f"fill(m[{k}]);" for k in range(8))
    program = checked(f"function fill(xp a[]) {{ a[0] <- 1; }} xp m[8][2]; {{ {calls} }}")
    assert [len(i.parameters) for i in program.instances] == [0, 0, 0, 0, 1]


def test_handlers_have_instances_of_functions_that_wait():
    text = """
        socket r, s; xp x;
        function take() { x <- r[]; } function plain() { x += 1; }
        { take(); plain(); dispatch(s) { wavelet(d) { take(); plain(); } } }
    """
    assert [i.name for i in checked(text).instances] == ["take", "plain", "take"]


def test_sockets_belong_to_the_program():
    assert "in a function" in message("function f() { socket s; s[] <- 1; } f();")[0]


def test_mistakes_are_reported_together():
    with pytest.raises(UserError) as error:
        checked("xp a; { b <- 1; c <- 2; a <- d; }")
    assert len(error.value.problems) == 3


def test_uses_of_a_broken_declaration_are_not_reported():
    assert "extent" in message("xp a[0]; { a[1] <- 2; a[0] += 1; }")[0]
