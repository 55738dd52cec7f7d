"""The IR of whole programs, before and after the passes, prints and reads back."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from carbide import passes
from carbide.check import check
from carbide.ir.text import parse, show
from carbide.lower import lower
from carbide.syntax import parse_text, resolve
from mitools.console import Diagnostics, UserError
from tests.carbide.random_programs import programs

ROOT = Path(__file__).parents[3]
LESSONS = {
    "tutorial/02-parameters/scale.w": {"ROWS": "3", "COLS": "4"},
    "tutorial/04-relay/send.w": {"N": "8"},
    "tutorial/06-heat/cell.w": {"NSTEP": "5"},
    "tutorial/06-heat/wall.w": {},
    "tests/programs/stencil27/cell.w": {"Z": "8", "NX": "4", "NY": "4"},
    "tests/programs/shallow-water/cell.w": {"NSTEP": "3"},
}


def same_again(text: str, file: str, parameters: dict[str, str]) -> None:
    said = Diagnostics(quiet=True)
    program = lower(check(resolve(parse_text(text, file), ()), parameters, said))
    assert parse(show(program)) == program
    after = passes.run(program)
    assert parse(show(after)) == after
    assert show(parse(show(after))) == show(after)
    assert passes.run(parse(show(program))) == after


@pytest.mark.parametrize("path", LESSONS)
def test_programs(path):
    same_again((ROOT / path).read_text(encoding="utf-8"), path, LESSONS[path])


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_random_programs(text):
    try:
        same_again(text, "random.w", {})
    except UserError as error:
        assert "by zero" in str(error)
