"""Syntax errors in human words: what stands there, what could stand there, what was meant."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from mitools.console import Place, UserError

OPERANDS = {"NAME", "INTEGER", "HEX", "FLOAT", "TYPED_NUMBER", "LPAR", "NOT", "_SUM"}
OPERATORS = {
    "OR", "AND", "BIT_OR", "BIT_XOR", "BIT_AND", "EQUALITY", "RELATION", "SHIFT", "ADDITIVE",
    "MULTIPLICATIVE", "QMARK",
}  # fmt: skip
TYPES = {"XP", "I16", "U16", "I32", "U32", "U64", "HP", "SP", "WV"}
WORDS = {
    "NAME": "a name", "_SET": "`=`", "ACCUMULATE": "`+=`", "RANGE_OPEN": "`[`", "RPAR": "`)`",
    "RANGE_CLOSE": "`)`", "RANGE_CLOSED": "`]`", "SEMICOLON": "`;`", "COMMA": "`,`", "COLON": "`:`",
    "LBRACE": "`{`", "RBRACE": "`}`", "LPAR": "`(`", "EQUAL": "`=`", "DOT": "`.`", "_IN": "`in`",
    "INFINITY": "`∞`", "PRAGMA": "a pragma", "$END": "the end of the file", "ELSE": "`else`",
    "INTEGER": "a number",
}  # fmt: skip
HIDDEN = {"PRAGMA", "TEARDOWN_PRAGMA", "SOCKET", "FIFO", "STREAM", "ITERATOR", "_PARAM", "_CONST"}
HIDDEN |= {"_FILTER"}
LOOKALIKES = {
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "−": "-", "–": "-", "—": "-", "÷": "/",
    "∕": "/", "⩽": "<=", "⩾": ">=", "≡": "==", "≔": "=", "→": "<- with the target on the left",
    "⟵": "<-", "⇐": "<-", "∑": "∑", "Σ": "∑", "ϵ": "∈", "∧": "&&", "∨": "||", "¬": "!", "；": ";",
    "，": ",", "（": "(", "）": ")", "\u037e": ";", "…": "a comma and the last value",
}  # fmt: skip
FOREIGN = {
    "for": "write `i in [0, N) { … }` or, with `let i in [0, N);`, `∀i …`",
    "do": "write `while (condition) { … }`",
    "switch": "write `if … else if …`",
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "void": "write `function f(…) { … }`, without a return type",
    "int": "the 16-bit integer is `xp`, the 32-bit one `i32`",
    "float": "the 32-bit float is `sp`, the 16-bit one `hp`",
    "double": "there is no 64-bit float; the 32-bit one is `sp`",
    "def": "write `function f(…) { … }`",
    "fn": "write `function f(…) { … }`",
    "func": "write `function f(…) { … }`",
    "char": "there are no characters; the 16-bit integer is `xp`",
    "enum": "write `xp const A = 0, B = 1;`",
}


def explain(error: Any, file: str, text: str, tokens: Any) -> UserError:
    """The user's error for an exception of the parser."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(error, UnexpectedCharacters):
        return _unknown_character(error, file, text)
    assert isinstance(error, UnexpectedToken)
    return _unexpected(error, file, text, tokens)


def _unknown_character(error: Any, file: str, text: str) -> UserError:
    place = Place(file, error.line, error.column)
    character = text[error.pos_in_stream]
    if text.startswith("/*", error.pos_in_stream):
        return UserError("this comment is never closed", place, "close it with `*/`")
    if character in "\"'":
        return UserError("Tungsten has no strings", place)
    name = unicodedata.name(character, "")
    code = f"U+{ord(character):04X}" + (f" {name}" if name else "")
    shown = f"`{character}` ({code})" if character.isprintable() else code
    remedy = None
    if character in LOOKALIKES:
        remedy = f"write `{LOOKALIKES[character]}`"
    elif unicodedata.normalize("NFKC", character).isascii() and not character.isascii():
        remedy = f"write `{unicodedata.normalize('NFKC', character)}`"
    return UserError(f"unknown character {shown}", place, remedy)


def _unexpected(error: Any, file: str, text: str, tokens: Any) -> UserError:
    token = error.token
    seen = [t for t in tokens.seen if t is not token]
    last = seen[-1] if seen else None
    expected = set(error.accepts or error.expected or ())
    at_end = token.type == "$END"
    if at_end:
        place = _after(last, file) if last is not None else Place(file, 1, 1)
    else:
        end = token.end_column if token.end_line == token.line else None
        place = Place(file, token.line, token.column, end)

    position = getattr(token, "start_pos", None)
    if not at_end and position is not None and text.startswith("/*", position):
        return UserError("this comment is never closed", place, "close it with `*/`")
    if at_end and tokens.open:
        opened = tokens.open[-1]
        note = (f"the `{opened}` is here", _of(opened, file))
        return UserError(f"the file ends, but a `{opened}` is not closed", place, None, [note])
    foreign = _foreign_word(seen, token)
    if foreign is not None:
        word, remedy = foreign
        return UserError(f"Tungsten has no `{word}`", _of(word, file), remedy)
    if "SEMICOLON" in expected and last is not None and _ends_statement(token, last):
        return UserError("a `;` is missing here", _after(last, file), "end the statement with `;`")
    if _placement_instead_of_statement(expected, seen):
        where = _after(seen[-2], file)
        return UserError("a `;` is missing here", where, "end the statement with `;`")
    found = "the end of the file" if at_end else f"`{token}`"
    message = f"{found} cannot stand here; expected {_list(expected)}"
    step = text[position : position + 2] if position is not None else ""
    if step in ("++", "--"):
        return UserError(f"there is no `{step}`", place, f"write `{last} {step[0]}= 1`")
    return UserError(message, place, _remedy(token, tokens, expected))


def _of(token: Any, file: str) -> Place:
    return Place(file, token.line, token.column, token.end_column)


def _after(token: Any, file: str) -> Place:
    return Place(file, token.end_line, token.end_column)


def _foreign_word(seen: Sequence[Any], token: Any) -> tuple[Any, str] | None:
    """A keyword of another language at the start of the statement that went wrong."""
    statement = [token]
    for earlier in reversed(seen):
        if earlier in (";", "{", "}"):
            break
        statement.insert(0, earlier)
    for word in statement[:2]:
        if word.type == "NAME" and str(word) in FOREIGN:
            return word, FOREIGN[str(word)]
    return None


def _ends_statement(token: Any, last: Any) -> bool:
    if token.type == "$END" or token == "}":
        return True
    return token.line > last.end_line and token.type not in ("_SET", "ACCUMULATE", "COMMA")


def _placement_instead_of_statement(expected: set[str], seen: Sequence[Any]) -> bool:
    """Whether the first word of a line was taken for a placement behind an initialiser."""
    if expected != {"LPAR"} or len(seen) < 2:
        return False
    return bool(seen[-1].type == "NAME" and seen[-1].line > seen[-2].end_line)


def _remedy(token: Any, tokens: Any, expected: set[str]) -> str | None:
    if token == "=" and tokens.parentheses > 0:
        return "compare with `==`"
    if token == "<-" and not {"_SET"} & expected:
        return "`<-` assigns; compare with a negative number as `a < -1`"
    if token.type == "NAME" and str(token) == "else":
        return "an `if` before it must end with one statement or one block"
    closing = token in (")", "]", "}") and not expected & {"RPAR", "RANGE_CLOSE", "RANGE_CLOSED"}
    if closing and tokens.open and token not in tokens.opening[tokens.open[-1]]:
        opened = tokens.open[-1]
        return f"the `{opened}` of line {opened.line} is still open"
    if expected == {"RANGE_CLOSE", "RANGE_CLOSED"}:
        return "a range is written `[first, end)`; the end does not belong to it"
    return None


def _list(expected: set[str]) -> str:
    names = set(expected)
    words: list[str] = []
    if {"IF", "WHILE"} <= names:
        words.append("a statement")
        names &= {"RBRACE", "$END", "ELSE"}
    elif names >= OPERANDS:
        words.append("an expression")
        names -= OPERANDS | TYPES | {"ADDITIVE", "BIT_AND"}
    elif names >= OPERATORS:
        words.append("an operator")
        names -= OPERATORS | {"RANGE_OPEN", "DOT"}
    if {"_SET", "ACCUMULATE"} <= names:
        words.append("an assignment (`<-`)")
        names &= {"SEMICOLON"}
    if names >= TYPES:
        words.append("a type")
        names -= TYPES | {"NAME", "STRUCT", "UNION"}
    names -= HIDDEN
    words += sorted({WORDS.get(name, f"`{name.strip('_').lower()}`") for name in names})
    if not words:
        return "something else"
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + " or " + words[-1]
