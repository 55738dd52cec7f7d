"""The small programs of the lowering's tests, compiled and run on the machine."""

import pytest

from carbide.compiler import compile_text
from carbide.object import Object
from mitools.console import Diagnostics
from mitools.image.values import get_words, locate
from simfabric.runner import run
from tests.carbide.lower.test_programs import PROGRAMS
from tests.simfabric.machine import Pe, grid


def final_words(program: Object, variable: str) -> list[int]:
    result = run(grid({(0, 0): Pe(program)}), cycles=200_000)
    assert result.error is None, result.error
    return get_words(result.core, locate(result.core, variable)).ravel().tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_final_words(name):
    text, variable, words = PROGRAMS[name]
    program = compile_text(text, "t.w", diagnostics=Diagnostics(quiet=True))
    assert isinstance(program, Object)
    assert final_words(program, variable) == words
