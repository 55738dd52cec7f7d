"""What blanks mean, decided between the lexer and the parser (paint page, section 1).

Arguments have no separators, so the blanks around a token tell what it is:

    f(a (b))       a name and a parenthesis: two arguments; `f(a(b))` is a call
    f(a -1)        two arguments, because a blank stands before the minus and none after it
    f(a-1) f(a - 1)   one argument

Outside of arguments a minus after an operand is always a subtraction, and a name may be parted
from the `(` of its call on the same line.
"""

from collections.abc import Iterator
from typing import Any

OPERAND_ENDS = {
    "NAME", "INTEGER", "DECIMAL", "SYMBOL", "STRING", "ELEMENT", "ROUTE", "RPAR", "RSQB",
}  # fmt: skip
"""Terminals after which a minus can be a subtraction."""
CLOSING = {"RPAR": "LPAR", "RSQB": "MAP_OPEN", "RBRACE": "LBRACE"}


class Glued(Exception):
    """Two tokens that need a blank between them."""

    def __init__(self, token: Any):
        super().__init__(token)
        self.token = token


class Tokens:
    """Lark's hook between lexer and parser. Keeps what it saw, for error messages."""

    always_accept = ()

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        self.seen: list[Any] = []
        self.open: list[tuple[Any, bool]] = []
        """Brackets that are open, and whether each encloses arguments."""
        return self._classified(list(stream))

    def _classified(self, tokens: list[Any]) -> Iterator[Any]:
        previous: Any = None
        for index, token in enumerate(tokens):
            following = tokens[index + 1] if index + 1 < len(tokens) else None
            self._check_glued(previous, token)
            if token.type == "NAME" and following is not None and following.type == "LPAR":
                if self._is_call(previous, token, following):
                    token = token.update(type="CALL")
            elif token.type == "MINUS" and self._is_sign(previous, token, following):
                token = token.update(type="NEGATE")
            self._track(previous, token)
            self.seen.append(token)
            yield token
            previous = token

    @property
    def in_arguments(self) -> bool:
        return bool(self.open) and self.open[-1][1]

    def _is_call(self, previous: Any, token: Any, following: Any) -> bool:
        if token.end_pos == following.start_pos:
            return True
        if self.in_arguments:
            return False
        return token.line == following.line or (previous is not None and previous.type == "COLON")

    def _is_sign(self, previous: Any, token: Any, following: Any) -> bool:
        if previous is None or previous.type not in OPERAND_ENDS:
            return True
        return (
            self.in_arguments
            and previous.end_pos < token.start_pos
            and following is not None
            and token.end_pos == following.start_pos
        )

    def _check_glued(self, previous: Any, token: Any) -> None:
        if (
            previous is not None
            and previous.type in ("INTEGER", "DECIMAL")
            and token.type in ("NAME", "INTEGER", "DECIMAL")
            and previous.end_pos == token.start_pos
        ):
            raise Glued(previous.update(value=previous + token))

    def _track(self, previous: Any, token: Any) -> None:
        if token.type in CLOSING:
            if self.open and self.open[-1][0].type == CLOSING[token.type]:
                self.open.pop()
        elif token.type == "LPAR":
            self.open.append((token, previous is not None and previous.type == "CALL"))
        elif token.type in ("MAP_OPEN", "LBRACE"):
            self.open.append((token, False))
