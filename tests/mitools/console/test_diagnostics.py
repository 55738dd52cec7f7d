import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitools.console import Diagnostics, Place, UserError, UserErrors, remember_source
from mitools.console.diagnostics import SCREEN, WINDOW, excerpt, show


def write(tmp_path, text) -> str:
    path = tmp_path / "a.w"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_error_shows_place_line_span_remedy_and_notes(tmp_path):
    path = write(tmp_path, "let a = color()\nsender : paint(b [C>R])\n")
    error = UserError(
        "color `b` is not defined",
        Place(path, 2, 16, 17),
        "did you mean `a`?",
        [("the only color here", Place(path, 1, 5, 6))],
    )
    assert error.render() == (
        f"{path}:2:16: error: color `b` is not defined\n"
        "    2 | sender : paint(b [C>R])\n"
        "      |                ^\n"
        "help: did you mean `a`?\n"
        f"{path}:1:5: note: the only color here\n"
        "    1 | let a = color()\n"
        "      |     ^\n"
    )


@pytest.mark.parametrize(
    ("line", "column", "end", "shown", "marks"),
    [
        ("\tab cd", 2, 4, "    ab cd", "    ^^"),
        ("漢字 = b", 6, 7, "漢字 = b", "       ^"),
        ("漢字 = b", 1, 3, "漢字 = b", "^^^^"),
        ("re\u0301s = x", 7, 8, "re\u0301s = x", "     ^"),
        ("ab", 3, None, "ab", "  ^"),
        ("ab", 1, 99, "ab", "^^"),
        ("a\x1b[31mb", 7, 8, "a\ufffd[31mb", "      ^"),
        ("", 1, None, "", "^"),
    ],
)
def test_span_stands_under_its_text(tmp_path, line, column, end, shown, marks):
    path = write(tmp_path, line + "\r\nnext")
    assert excerpt(Place(path, 1, column, end)) == [f"    1 | {shown}".rstrip(), f"      | {marks}"]


def test_long_lines_are_cut_around_the_span(tmp_path):
    path = write(tmp_path, "x" * 1_000_000 + "SPAN" + "y" * 1_000_000)
    text, marks = excerpt(Place(path, 1, 1_000_001, 1_000_005))
    assert len(text) < WINDOW + 30
    assert text[marks.index("^") : marks.rindex("^") + 1] == "SPAN"


def test_bytes_that_are_no_text_are_shown_replaced(tmp_path):
    path = write(tmp_path, b"ab\xff\xfecd")
    assert excerpt(Place(path, 1, 5, 7)) == ["    1 | ab\ufffd\ufffdcd", "      |     ^^"]


def test_missing_file_and_line_beyond_the_end_have_no_excerpt(tmp_path):
    assert UserError("bad", Place("gone.w", 3, 4)).render() == "gone.w:3:4: error: bad\n"
    assert excerpt(Place(write(tmp_path, "a"), 7, 1)) == []
    assert excerpt(Place(str(tmp_path), 1, 1)) == []


def test_text_that_is_no_file_can_be_quoted():
    remember_source("<set>", "N=4")
    assert excerpt(Place("<set>", 1, 3, 4)) == ["    1 | N=4", "      |   ^"]


def test_several_errors_come_together_once_each():
    found = Diagnostics(quiet=True)
    for message in ("one", "two", "one"):
        found.error(message)
    with pytest.raises(UserErrors) as caught:
        found.raise_errors()
    assert caught.value.render() == "error: one\nerror: two\n"
    assert [e.message for e in UserErrors([caught.value, UserError("three")]).errors] == [
        "one",
        "two",
        "three",
    ]


def test_a_single_error_is_raised_as_itself_and_none_raises_nothing():
    found = Diagnostics(quiet=True)
    found.raise_errors()
    found.error("one")
    with pytest.raises(UserError) as caught:
        found.raise_errors()
    assert not isinstance(caught.value, UserErrors)


def test_a_flood_of_errors_is_cut():
    text = UserErrors([UserError(str(k)) for k in range(100)]).render()
    assert text.endswith(f"error: 22\n... and {100 - (SCREEN - 1)} more\n")
    notes = [(f"note {k}", None) for k in range(100)]
    text = UserError("one", notes=notes).render()
    assert text.endswith("note 20\n... and 79 more notes\n")
    assert len(text.splitlines()) < SCREEN


def test_warnings_are_printed_at_once_and_once():
    stream = io.StringIO()
    found = Diagnostics(stream)
    found.warning("hm", remedy="do")
    found.warning("hm")
    found.note("so")
    assert stream.getvalue() == "warning: hm\nhelp: do\nnote: so\n"
    assert [p.kind for p in found.shown] == ["warning", "note"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colors_only_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    problems = UserError("bad [red]thing[/red]").problems
    terminal, file = Terminal(), io.StringIO()
    show(problems, terminal)
    show(problems, file)
    assert "\x1b[" in terminal.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()) == file.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    show(problems, plain)
    assert plain.getvalue() == file.getvalue()


def test_streams_that_cannot_write_a_character_get_an_escape():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")
    show(UserError("φ′").problems, stream)
    assert raw.getvalue() == b"error: \\u03c6\\u2032\n"


@given(st.text(max_size=300), st.integers(-2, 320), st.integers(-2, 320))
def test_any_line_and_span_renders(line, column, end):
    remember_source("any", line)
    text = UserError("m", Place("any", 1, column, end)).render()
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in text)
