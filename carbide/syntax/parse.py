"""Source text to syntax tree."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from carbide.syntax import ast
from mitools.console import Place, UserError, remember_source

GRAMMAR = Path(__file__).with_name("tungsten.lark")
DEEPEST = 20_000
"""Python frames allowed while a tree is built or walked: expressions may be long chains."""
_parsers: dict[str, Any] = {}


def parse_text(text: str, file: str) -> ast.Program:
    """The syntax tree of one source text, its imports not followed.

    Raises UserError with the place of the first mistake.
    """
    from lark.exceptions import UnexpectedInput

    from carbide.syntax.build import Builder
    from carbide.syntax.mistakes import explain

    remember_source(file, text)
    parser = _parser()
    try:
        tree = parser.parse(text)
    except UnexpectedInput as error:
        raise explain(error, file, text, parser.options.postlex) from None
    with deep(file):
        return Builder(file).program(tree)


@contextmanager
def deep(file: str) -> Iterator[None]:
    """Room for walking deep trees; a UserError where even that does not do."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    except RecursionError:
        raise UserError("this program is nested too deeply", Place(file)) from None
    finally:
        sys.setrecursionlimit(before)


class Tokens:
    """Watches the tokens on their way to the parser, for error messages.

    It also reads `<-` inside parentheses, where nothing can be assigned, as `<` and `-`.
    """

    always_accept = ()
    opening = {"(": ")", "[": "])", "{": "}"}  # noqa: RUF012

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        from lark import Token

        self.seen: list[Any] = []
        self.open: list[Any] = []
        self.parentheses = 0
        for token in stream:
            if token.type == "_SET" and token == "<-" and self.parentheses > 0:
                middle = token.column + 1
                parts = [
                    Token("RELATION", "<", token.start_pos, token.line, token.column,
                          token.line, middle, token.start_pos + 1),
                    Token("ADDITIVE", "-", token.start_pos + 1, token.line, middle,
                          token.line, token.end_column, token.end_pos),
                ]  # fmt: skip
            else:
                parts = [token]
            for part in parts:
                self._watch(part)
                yield part

    def _watch(self, token: Any) -> None:
        self.seen.append(token)
        if token in self.opening:
            self.open.append(token)
            self.parentheses += token == "("
        elif token in (")", "]", "}") and self.open and token in self.opening[self.open[-1]]:
            self.parentheses -= self.open.pop() == "("


def _parser() -> Any:
    """The parser, from the user's cache folder when its tables are there."""
    if "tungsten" not in _parsers:
        from lark import Lark

        options = {
            "parser": "lalr",
            "lexer": "contextual",
            "propagate_positions": True,
            "maybe_placeholders": True,
            "postlex": Tokens(),
        }
        grammar = GRAMMAR.read_text(encoding="utf-8")
        _parsers["tungsten"] = _cached(Lark, grammar, options)
    return _parsers["tungsten"]


def _cached(lark: Any, grammar: str, options: dict[str, Any]) -> Any:
    import hashlib

    import lark as package

    key = hashlib.sha256(f"{package.__version__} {sys.version_info[:2]} {grammar}".encode())
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(home, "wolframite")
    path = os.path.join(folder, f"tungsten-{key.hexdigest()[:16]}.tables")
    try:
        if os.path.exists(path):
            return lark(grammar, cache=path, **options)
        os.makedirs(folder, exist_ok=True)
        partial = f"{path}.{os.getpid()}"
        parser = lark(grammar, cache=partial, **options)
        os.replace(partial, path)
        return parser
    except OSError:  # no cache folder: build the tables anew
        return lark(grammar, **options)
