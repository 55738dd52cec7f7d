"""Comments `(* … *)`, which nest, become blanks of the same length before the lexer reads."""

import re

from mitools.console import Place, UserError

_MARK = re.compile(r'"[^"\n]*"|\(\*|\*\)')
_INSIDE = re.compile(r"\(\*|\*\)")


def without_comments(text: str, file: str) -> str:
    """The text with every comment blanked; line ends stay, so places stay true.

    Raises UserError for a comment that is not closed and for an end that closes none.
    """
    if "(*" not in text and "*)" not in text:
        return text
    parts: list[str] = []
    done = 0
    while (mark := _MARK.search(text, done)) is not None:
        if mark[0] == "*)":
            raise UserError("this `*)` closes no comment", place_at(text, file, *mark.span()))
        parts.append(text[done : mark.start()])
        if mark[0] == "(*":
            done = _end(text, mark.start(), file)
            parts.append(re.sub(r"[^\n]", " ", text[mark.start() : done]))
        else:
            parts.append(mark[0])
            done = mark.end()
    parts.append(text[done:])
    return "".join(parts)


def _end(text: str, start: int, file: str) -> int:
    depth, place = 1, start + 2
    while depth:
        mark = _INSIDE.search(text, place)
        if mark is None:
            remedy = "close it with `*)`; comments nest, so count both marks"
            raise UserError(
                "this comment is never closed", place_at(text, file, start, start + 2), remedy
            )
        depth += 1 if mark[0] == "(*" else -1
        place = mark.end()
    return place


def place_at(text: str, file: str, start: int, end: int | None = None) -> Place:
    """The place of text[start:end], cut at the end of its first line."""
    line = text.count("\n", 0, start) + 1
    first = text.rfind("\n", 0, start) + 1
    if end is None:
        return Place(file, line, start - first + 1)
    stop = text.find("\n", start, end)
    end = end if stop < 0 else max(stop, start + 1)
    return Place(file, line, start - first + 1, end - first + 1)
