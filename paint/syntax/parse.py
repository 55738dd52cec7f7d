"""Layout text to syntax tree."""

import os
import sys
from pathlib import Path
from typing import Any

from mitools.console import UserError, read_text, remember_source
from paint.syntax import ast
from paint.syntax.comments import place_at, without_comments
from paint.syntax.tokens import Glued, Tokens

GRAMMAR = Path(__file__).with_name("paint.lark")
DEEPEST = 20_000
"""Python frames allowed while a tree is built: expressions may be long chains."""
_parsers: dict[str, Any] = {}


def parse_file(path: str) -> ast.Layout:
    """The syntax tree of a layout file. Raises UserError."""
    return parse_text(read_text(path), path)


def parse_text(text: str, file: str) -> ast.Layout:
    """The syntax tree of one layout text, its includes not followed.

    Raises UserError with the place of the first mistake.
    """
    from lark.exceptions import UnexpectedInput

    from paint.syntax.build import Builder
    from paint.syntax.mistakes import explain

    remember_source(file, text)
    plain = without_comments(text, file)
    parser = _parser()
    try:
        tree = parser.parse(plain)
    except Glued as glued:
        token = glued.token
        place = place_at(plain, file, token.start_pos, token.start_pos + len(token))
        remedy = "parts of a list need a blank between them, and names start with a letter"
        raise UserError(f"`{token}` is neither a number nor a name", place, remedy) from None
    except UnexpectedInput as error:
        raise explain(error, file, plain, parser.options.postlex) from None
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        return Builder(file, plain).layout(tree)
    finally:
        sys.setrecursionlimit(before)


def _parser() -> Any:
    if "paint" not in _parsers:
        from lark import Lark

        options = {
            "parser": "lalr",
            "lexer": "basic",
            "propagate_positions": True,
            "postlex": Tokens(),
        }
        _parsers["paint"] = _cached(Lark, GRAMMAR.read_text(encoding="utf-8"), options)
    return _parsers["paint"]


def _cached(lark: Any, grammar: str, options: dict[str, Any]) -> Any:
    """The parser, with its tables kept in the user's cache folder if there is one."""
    import hashlib

    import lark as package

    key = hashlib.sha256(f"{package.__version__} {sys.version_info[:2]} {grammar}".encode())
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(home, "wolframite")
    path = os.path.join(folder, f"paint-{key.hexdigest()[:16]}.tables")
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
