"""Random programs: what the compiled program leaves in memory is what the interpreter says.

`WOLFRAMITE_RANDOM=2000` runs so many programs of each kind instead of a few.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from mitools.console import UserError
from tests.carbide.comparison import (
    compiled,
    difference,
    executed,
    interpreted,
    interpreted_pair,
    simulated,
    simulated_pair,
)
from tests.carbide.random_programs import Pair, pairs, programs, reactions

MANY = int(os.environ.get("WOLFRAMITE_RANDOM", "0"))


def examples(few: int):
    return settings(
        max_examples=MANY or few,
        deadline=None,
        database=None,
        derandomize=not MANY,
        phases=[Phase.generate],  # making a failing program smaller takes minutes
        suppress_health_check=list(HealthCheck),
    )


def accepted(text: str, **options):
    """The object; None for the one mistake that the writer of random programs makes."""
    try:
        return compiled(text, **options)
    except UserError as error:
        if all("by zero" in problem.message for problem in error.problems):
            return None
        raise AssertionError(f"{text}\n{error.render()}") from error


def check(found: dict[str, list[int]], expected: dict[str, list[int]], text: str) -> None:
    wrong = difference(expected, found)
    assert not wrong, f"{wrong}\n{text}"


@examples(40)
@given(programs())
def test_compiled_programs_mean_what_they_say(text):
    """Code alone, in the tests' own executor: a difference is the compiler's."""
    object_ = accepted(text)
    if object_ is not None:
        check(executed(object_), interpreted(text), text)


@examples(8)
@given(programs(large=True))
def test_large_programs_mean_what_they_say(text):
    object_ = accepted(text)
    if object_ is not None:
        check(executed(object_), interpreted(text), text)


@examples(50)
@given(programs())
def test_simulated_programs_mean_what_they_say(text):
    object_ = accepted(text)
    if object_ is not None:
        check(simulated(object_), interpreted(text), text)


def check_pair(pair: Pair) -> None:
    bindings = {"there": 0, "back": 1}
    objects = []
    for text in pair:
        used = {name: color for name, color in bindings.items() if f"socket {name};" in text}
        objects.append(accepted(text, bindings=used))
    if None not in objects:
        for right, found in zip(interpreted_pair(pair), simulated_pair(objects), strict=True):
            check(found, right, "\n".join(pair))


@examples(25)
@given(pairs())
def test_simulated_pairs_mean_what_they_say(pair):
    check_pair(pair)


@examples(15)
@given(reactions())
def test_simulated_reactions_mean_what_they_say(pair):
    check_pair(pair)


def test_the_comparison_sees_a_difference():
    """A comparison that cannot fail would be worth nothing."""
    text = "xp a[2] = {1, 2}; sp s = 1.0; a[0] <- a[1] + 3;"
    right = interpreted(text)
    assert right == {"a": [5, 2], "s": [0, 0x3F80]}
    assert executed(compiled(text)) == right
    assert "0006 0002 instead of 0005 0002" in difference(right, right | {"a": [6, 2]})
    assert "s: nothing instead of" in difference(right, {"a": [5, 2]})
    with pytest.raises(AssertionError):
        check({"a": [5, 3], "s": [0, 0x3F80]}, right, text)
