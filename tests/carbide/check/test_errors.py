"""Every mistake has its message: tests/programs/error-NAME.w beside error-NAME.error.

`UPDATE=1 pytest tests/carbide/check/test_errors.py` writes the messages anew; read them before
committing.
"""

import os
from pathlib import Path

import pytest

from carbide.check import check
from carbide.lower import lower
from carbide.syntax import parse_text
from mitools.console import Diagnostics, UserError, render

PROGRAMS = Path(__file__).parents[2] / "programs"
SOURCES = sorted(PROGRAMS.glob("error-*.w")) + sorted(PROGRAMS.glob("warning-*.w"))


def messages(source: Path) -> str:
    """What the compiler says about a program."""
    diagnostics = Diagnostics(quiet=True)
    problems = []
    try:
        lower(check(parse_text(source.read_text(encoding="utf-8"), source.name), {}, diagnostics))
    except UserError as error:
        problems = error.problems
    return "".join(render([problem]) for problem in [*diagnostics.shown, *problems])


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_message(source):
    found = messages(source)
    expected = source.with_suffix(".error")
    if os.environ.get("UPDATE") == "1":
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")
    assert ("error:" in found) == source.stem.startswith("error-")
