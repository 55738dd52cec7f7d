"""What stands behind something endless is warned about, once."""

import pytest

from carbide.compiler import compile_text
from mitools.console import Diagnostics

ENDLESS = [
    "forever { x += 1; }",
    "while (1) { x += 1; }",
    "parallel { forever dispatch(a) { wavelet() { x += 1; } } y <- 3; }",
    "forever dispatch(a) { wavelet() { x += 1; } }",
    "if (x) { forever { x += 1; } } else { while (1) { y += 1; } }",
]
ENDING = [
    "while (x) { x += 1; }",
    "dispatch(a) { wavelet() { x += 1; } }",
    "if (x) { forever { x += 1; } }",
    "parallel { x <- a[]; y <- 3; }",
]


def warnings(statement: str) -> list[str]:
    said = Diagnostics(quiet=True)
    text = f"socket a; xp x; xp y; {{ {statement} y <- 2; x <- 3; }}"
    compile_text(text, "endless.w", diagnostics=said)
    return [p.message for p in said.shown if p.kind == "warning"]


@pytest.mark.parametrize("statement", ENDLESS)
def test_warned(statement):
    (message,) = warnings(statement)
    assert "never reached" in message


@pytest.mark.parametrize("statement", ENDING)
def test_not_warned(statement):
    assert warnings(statement) == []
