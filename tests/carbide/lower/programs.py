"""Short ways from text to IR for the tests of the lowering."""

from carbide.check import check
from carbide.ir import nodes as ir
from carbide.ir.text import show_expression
from carbide.ir.verify import verify
from carbide.lower import lower
from carbide.syntax import parse_text
from mitools.console import Diagnostics


def lowered(text: str, **parameters: str) -> ir.Program:
    """The verified IR of a program."""
    tree = parse_text(text, "t.w")
    return verify(lower(check(tree, parameters, Diagnostics(quiet=True))))


def statements(text: str, **parameters: str) -> list:
    """The statements of a program's main, blocks opened."""

    def opened(body):
        for statement in body:
            if isinstance(statement, ir.Block):
                yield from opened(statement.body)
            else:
                yield statement

    return list(opened(lowered(text, **parameters).main.body))


def value(declarations: str, expression: str, type_: str = "sp") -> str:
    """The IR of an expression assigned to a variable of the type."""
    (statement,) = statements(f"{declarations} {type_} result; {{ result <- {expression}; }}")
    return show_expression(statement.value)
