"""Errors, warnings and notes for users: what is wrong, where, and what to do about it.

Text of a problem, without colors:

    bench.paint:3:16: error: color `b` is not defined
      3 | sender : paint(b [C>R])
        |                ^
    help: did you mean `a`?
    bench.paint:1:5: note: the only color here
      1 | let a = color()
        |     ^
"""

import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TextIO

WINDOW = 100
"""Columns of a source line that are shown; longer lines are cut around the span."""
LARGEST_SOURCE = 1 << 26
"""Bytes of a file beyond which no line of it is quoted."""
SCREEN = 24
"""Lines shown of what is wrong with one command; the rest is counted."""

_sources: dict[str, list[str]] = {}


class Place(NamedTuple):
    """A span of one line. Lines and columns count characters from 1; `end_column` is exclusive.

    Line 0 means the file as a whole.
    """

    file: str
    line: int = 0
    column: int = 0
    end_column: int | None = None

    def __str__(self) -> str:
        parts = [self.file] + [str(n) for n in (self.line, self.column) if n > 0]
        return visible(":".join(parts))


Note = tuple[str, Place | None]


class Problem:
    """One message of a kind ("error", "warning", "note") with its place, remedy and notes."""

    def __init__(
        self,
        kind: str,
        message: str,
        place: Place | None = None,
        remedy: str | None = None,
        notes: Sequence[Note] = (),
    ):
        self.kind = kind
        self.message = message
        self.place = place
        self.remedy = remedy
        self.notes = tuple(notes)

    def same_as(self, other: "Problem") -> bool:
        """Whether both say the same about the same place."""
        return (self.kind, self.message, self.place) == (other.kind, other.message, other.place)


class UserError(Exception):
    """A mistake in what the user gave us. `run` prints it and ends with status 1."""

    def __init__(
        self,
        message: str,
        place: Place | None = None,
        remedy: str | None = None,
        notes: Sequence[Note] = (),
    ):
        super().__init__(message)
        self.message = message
        self.place = place
        self.remedy = remedy
        self.notes = tuple(notes)

    @property
    def problems(self) -> list[Problem]:
        return [Problem("error", self.message, self.place, self.remedy, self.notes)]

    def render(self) -> str:
        """The whole text, without colors, ending in a newline."""
        return render(self.problems)


class UserErrors(UserError):
    """Several mistakes found together."""

    def __init__(self, errors: Iterable[UserError]):
        self.errors = [single for e in errors for single in getattr(e, "errors", [e])]
        super().__init__("; ".join(e.message for e in self.errors))

    @property
    def problems(self) -> list[Problem]:
        return [p for e in self.errors for p in e.problems]


class Diagnostics:
    """Collects errors so that a stage can go on and report them together.

    Warnings and notes are printed at once on `stream` (standard error when None) and kept in
    `shown`, so that a caller can store them; each is printed once.
    """

    def __init__(self, stream: TextIO | None = None, quiet: bool = False):
        self.errors: list[UserError] = []
        self.shown: list[Problem] = []
        self._stream = stream
        self._quiet = quiet

    def error(
        self,
        message: str,
        place: Place | None = None,
        remedy: str | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        """Keep an error; `raise_errors` reports it."""
        if all((e.message, e.place) != (message, place) for e in self.errors):
            self.errors.append(UserError(message, place, remedy, notes))

    def warning(
        self,
        message: str,
        place: Place | None = None,
        remedy: str | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        """Print a warning: this compiles, and surely goes wrong."""
        self._show(Problem("warning", message, place, remedy, notes))

    def note(
        self,
        message: str,
        place: Place | None = None,
        remedy: str | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        """Print a note: nothing is wrong, but the user should know."""
        self._show(Problem("note", message, place, remedy, notes))

    def raise_errors(self) -> None:
        """Raise what was collected: `UserError` for one, `UserErrors` for several."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            raise UserErrors(self.errors)

    def _show(self, problem: Problem) -> None:
        if any(problem.same_as(p) for p in self.shown):
            return
        self.shown.append(problem)
        if not self._quiet:
            show([problem], self._stream)


def remember_source(file: str, text: str) -> None:
    """Quote `text` for places in `file`, which need not exist on disk."""
    _sources[file] = text.split("\n")


def render(problems: Sequence[Problem]) -> str:
    """Plain text of the problems, ending in a newline."""
    return "".join(f"{text}\n" for text, _ in _styled_lines(problems))


def show(problems: Sequence[Problem], stream: TextIO | None = None) -> None:
    """Print problems on `stream` (standard error), in colors when it is a terminal."""
    out = sys.stderr if stream is None else stream
    if out is None:
        return
    if out.isatty() and "NO_COLOR" not in os.environ:
        from rich.console import Console
        from rich.text import Text

        console = Console(file=out, soft_wrap=True, highlight=False)
        for text, style in _styled_lines(problems):
            console.print(Text(text, style))
    else:
        encoding = getattr(out, "encoding", None) or "utf-8"
        text = render(problems).encode(encoding, "backslashreplace").decode(encoding)
        out.write(text)
    out.flush()


_HARMLESS = ("Mn", "Me", "Zs")
_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def _styled_lines(problems: Sequence[Problem]) -> list[tuple[str, str]]:
    """What fits on one screen; the rest is counted."""
    lines: list[tuple[str, str]] = []
    for shown, problem in enumerate(problems):
        block = _block(problem)
        if lines and len(lines) + len(block) > SCREEN - 1:
            lines.append((f"... and {len(problems) - shown} more", "bold"))
            break
        lines += block
    return lines


def _block(problem: Problem) -> list[tuple[str, str]]:
    lines = _headed(problem.kind, problem.message, problem.place)
    if problem.remedy:
        lines += [(f"help: {visible(problem.remedy, keep_lines=True)}", "green")]
    for shown, (message, place) in enumerate(problem.notes):
        note = _headed("note", message, place)
        if len(lines) + len(note) > SCREEN - 2:
            lines.append((f"... and {len(problem.notes) - shown} more notes", "bold"))
            break
        lines += note
    return lines


def _headed(kind: str, message: str, place: Place | None) -> list[tuple[str, str]]:
    where = "" if place is None else f"{place}: "
    head = (f"{where}{kind}: {visible(message, keep_lines=True)}", _STYLES[kind])
    return [head] + [(line, "") for line in (excerpt(place) if place else [])]


def excerpt(place: Place) -> list[str]:
    """The source line of `place` and the line that marks its span; empty when it cannot be read."""
    line = _source_line(place.file, place.line)
    if line is None or place.column <= 0:
        return []
    start = min(place.column - 1, len(line))
    end = start + 1 if place.end_column is None else max(place.end_column - 1, start + 1)
    end = min(max(end, start + 1), max(len(line), start + 1))
    first = 0
    if len(line) > WINDOW and end > WINDOW:
        first = max(0, start - WINDOW // 4)
    last = min(len(line), first + WINDOW)
    end = min(end, max(last, start + 1))
    before = ("... " if first else "") + _printable(line, first, start)
    span = _printable(line, start, end, _width(before))
    rest = _printable(line, end, last, _width(before) + _width(span))
    tail = " ..." if last < len(line) else ""
    number = f"{place.line:>5} | "
    marks = " " * _width(before) + "^" * max(1, _width(span))
    return [(number + before + span + rest + tail).rstrip(), f"{'':>5} | {marks}"]


def _source_line(file: str, number: int) -> str | None:
    if number <= 0:
        return None
    if file not in _sources:
        try:
            if not os.path.isfile(file) or os.path.getsize(file) > LARGEST_SOURCE:
                return None
            with open(file, "rb") as source:
                text = source.read().decode("utf-8-sig", "replace")
        except (OSError, ValueError):
            return None
        _sources[file] = text.split("\n")
    lines = _sources[file]
    return lines[number - 1].rstrip("\r") if number <= len(lines) else None


def _printable(line: str, first: int, last: int, column: int = 0) -> str:
    """Part of a line with tabs as spaces and unprintable characters replaced."""
    out = []
    width = column
    for character in line[first:last]:
        shown = " " * (4 - width % 4) if character == "\t" else visible(character)
        out.append(shown)
        width += _width(shown)
    return "".join(out)


def _width(text: str) -> int:
    """Terminal columns of a text."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def visible(text: str, keep_lines: bool = False) -> str:
    """`text` with control characters replaced, so that input cannot drive the terminal."""
    if text.isprintable():
        return text
    return "".join(
        c
        if c.isprintable() or (keep_lines and c == "\n") or unicodedata.category(c) in _HARMLESS
        else "\ufffd"
        for c in text
    )
