"""`fcmp`: compares two files of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mitools.console.command import run
from mitools.console.diagnostics import Place, UserError
from mitools.console.files import read_bytes
from mitools.console.terms import Terms, choice, key, source

if TYPE_CHECKING:
    import numpy as np

    from mitools.fcmp.compare import Comparison

FORMAT_NAMES = ("sp", "hp", "dp", "xp", "i16", "u16", "i32", "u32", "i64", "u64", "wv")


def _limit(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError("is not a number") from None
    if not value >= 0:
        raise ValueError("is not 0 or more")
    return value


FCMP = Terms(
    "fcmp",
    "compares two files of numbers, raw and little-endian",
    source("a", "FILE", "the one file", required=True),
    source("b", "FILE", "the other file", required=True),
    choice("aformat", FORMAT_NAMES, "numbers in a", default="sp"),
    choice("bformat", FORMAT_NAMES, "numbers in b; those of a when not given"),
    key("limit", "NUMBER", "largest difference, relative to the larger magnitude", convert=_limit),
    choice("report", ("0", "1"), "print the comparison"),
    more="Status 1 past the limit; without a limit it reports, and fails only if sizes differ.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `fcmp`."""
    return run(_fcmp, arguments)


def _fcmp(arguments: list[str]) -> int:
    given = FCMP.parse(arguments)
    from mitools.fcmp.compare import compare

    a = _read(given.a, given.aformat)
    b = _read(given.b, given.bformat or given.aformat)
    if len(a) != len(b):
        raise UserError(f"`{given.a}` has {len(a)} numbers, `{given.b}` has {len(b)}")
    result = compare(a, b)
    past = given.limit is not None and result.relative > given.limit
    if given.report == "1" or past or (given.limit is None and given.report is None):
        print("\n".join(_report(a, b, result)))
    if past:
        raise UserError(
            f"the largest relative difference, {result.relative:.6g}, is past"
            f" limit={given.limit:g}, at number {result.worst}"
        )
    return 0


def _read(path: str, format_: str) -> np.ndarray:
    import numpy as np

    from mitools.fcmp.compare import FORMATS

    data = read_bytes(path)
    type_ = np.dtype(FORMATS[format_])
    if len(data) % type_.itemsize:
        raise UserError(
            f"{len(data)} bytes are no whole count of {format_} numbers of {type_.itemsize} bytes",
            Place(path),
            f"choose the format; known: {', '.join(FORMAT_NAMES)}",
        )
    return np.frombuffer(data, type_)


def _report(a: np.ndarray, b: np.ndarray, result: Comparison) -> list[str]:
    from mitools.transfer.text import element_texts

    def pair(place: int) -> str:
        one = element_texts(a[place : place + 1])[0]
        return f"number {place}: {one} and {element_texts(b[place : place + 1])[0]}"

    lines = [f"{result.count} numbers, {result.unequal} differ"]
    if result.unequal:
        lines.append(f"largest relative difference {result.relative:.6g} at {pair(result.worst)}")
        lines.append(
            f"largest absolute difference {result.absolute:.6g} at {pair(result.farthest)}"
        )
        lines.append(f"first difference at {pair(result.first)}")
    return lines
