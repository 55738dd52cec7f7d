"""Syntax errors in human words: what stands there, what could stand there, what was meant."""

import unicodedata
from typing import Any

from mitools.console import Place, UserError, suggestion
from paint.syntax.comments import place_at
from paint.syntax.tokens import CLOSING, Tokens

LOOKALIKES = {
    "×": "*", "·": "*", "−": "-", "–": "-", "—": "-", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=",
    "←": "=", "→": ">", "’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "（": "(",
    "）": ")", "：": ":", "；": ";",
}  # fmt: skip
CLOSERS = {"LPAR": ")", "MAP_OPEN": "]", "LBRACE": "}"}
FOREIGN = {
    "var": "write `let name = …`",
    "const": "write `let name = …`",
    "def": "write `define name(…) { … }`",
    "function": "write `define name(…) { … }`",
    "import": 'write `include "file.paint"`',
    "if": "write `setif(condition a b)`, which is a if the condition is not 0",
    "for": "write `hstackrep`, `vstackrep` or `arrayplace`",
    "return": "the value of a function is that of its last statement",
}


def explain(error: Any, file: str, text: str, tokens: Tokens) -> UserError:
    """The user's error for an exception of the parser."""
    from lark.exceptions import UnexpectedCharacters

    if isinstance(error, UnexpectedCharacters):
        return _character(file, text, error.pos_in_stream or 0)
    return _token(error, file, text, tokens)


def _character(file: str, text: str, at: int) -> UserError:
    place = place_at(text, file, at, at + 1)
    letter = text[at]
    if letter == "[":
        return UserError("this `[` has no `]` after it", place, "a route or a map ends with `]`")
    if letter == '"':
        return UserError("this string has no end on its line", place, 'strings end with `"`')
    if letter == "'":
        return UserError("a symbol needs a name", place, "write 'name, without a closing mark")
    remedy = None
    if letter in ",;":
        remedy = "paint has no separators: blanks part arguments, statements follow each other"
    elif letter in LOOKALIKES:
        remedy = f"write `{LOOKALIKES[letter]}`"
    elif letter == "/" or text.startswith("#", at):
        remedy = "comments are written (* … *)"
    elif letter in "&|!":
        remedy = "conditions are comparisons; setif(a setif(b x y) y) takes two"
    name = unicodedata.name(letter, "") if not letter.isascii() else ""
    code = f" (U+{ord(letter):04X} {name})" if not letter.isascii() else ""
    shown = f"`{letter}`" if letter.isprintable() else "a character that cannot be printed"
    return UserError(f"{shown}{code} has no meaning in a layout", place, remedy)


def _token(error: Any, file: str, text: str, tokens: Tokens) -> UserError:
    token = error.token
    previous = tokens.seen[-2] if len(tokens.seen) > 1 and tokens.seen[-1] is token else None
    if token.type == "$END":
        previous = tokens.seen[-1] if tokens.seen else None
        return _at_end(file, text, tokens, previous)
    place = place_at(text, file, token.start_pos, token.start_pos + len(token))
    expected = set(error.accepts or error.expected or ())
    if expected == {"COLON"}:
        return UserError(
            f"`{previous}` has no value in this map", place, "entries of a map are key:value"
        )
    if token.type in CLOSING and not any(
        bracket.type == CLOSING[token.type] for bracket, _ in tokens.open
    ):
        inside = tokens.open[-1][0] if tokens.open else None
        if inside is None and (previous is None or previous.type not in OPERATORS):
            return UserError(f"this `{token}` closes nothing", place)
        if inside is not None and (previous is None or previous.type not in OPERATORS):
            return UserError(
                f"`{token}` where `{CLOSERS[inside.type]}` should close", place, None,
                [(f"`{inside}` was opened here", _place(file, text, inside))],
            )  # fmt: skip
    if previous is not None and previous.type in OPERATORS:
        return UserError(f"`{previous}` needs a value after it, and here stands `{token}`", place)
    return UserError(f"`{token}` cannot stand here", place, _remedy(token, previous, expected))


OPERATORS = {"PLUS", "MINUS", "TIMES", "COMPARE", "NEGATE", "EQUAL"}


def _remedy(token: Any, previous: Any, expected: set[str]) -> str | None:
    word = str(previous) if previous is not None else ""
    if word in FOREIGN:
        return FOREIGN[word]
    if str(token) in FOREIGN:
        return FOREIGN[str(token)]
    if previous is not None and previous.type == "LET":
        return "write `let name = value`"
    if previous is not None and previous.type == "INCLUDE":
        return 'write `include "file.paint"`'
    if previous is not None and previous.type == "COLON" and token.type == "NAME":
        return f"an operation takes parentheses: {token}(…)"
    if token.type == "COLON":
        return "`name : operation(…)` changes what a name means; in maps, key:value"
    if token.type == "EQUAL":
        near = suggestion(word, ("let",)) if previous is not None else None
        return near or "a name gets its value by `let name = value`; `==` compares"
    if token.type == "PLUS":
        return "a sum needs a value on both sides"
    if expected == {"EQUAL"}:
        return "write `let name = value`"
    if "RSQB" in expected:
        return "entries of a map are key:value"
    if "LBRACE" in expected:
        return "the body of a function stands in { … }"
    return None


def _at_end(file: str, text: str, tokens: Tokens, previous: Any) -> UserError:
    lines = text.rstrip().split("\n")
    place = Place(file, len(lines), len(lines[-1]) + 1)
    if tokens.open:
        bracket = tokens.open[-1][0]
        closer = CLOSERS[bracket.type]
        return UserError(
            f"this `{str(bracket)[0]}` is never closed", _place(file, text, bracket),
            f"close it with `{closer}`",
        )  # fmt: skip
    what = f" after `{previous}`" if previous is not None else ""
    return UserError(f"the layout ends{what}, where something is missing", place)


def _place(file: str, text: str, token: Any) -> Place:
    return place_at(text, file, token.start_pos, token.start_pos + 1)
