"""Passes over the IR: each takes a verified program and returns one.

`ORDER` names them in the order they run; each is the function `run` of a module of its name.
"""

from importlib import import_module

from carbide.ir.nodes import Program
from carbide.ir.verify import IrError, verify

ORDER: tuple[str, ...] = ("inline", "propagate", "vectorise", "flips", "selects")


def run(program: Program, names: tuple[str, ...] = ORDER) -> Program:
    """Run passes by name, verifying the program before and after each."""
    verify(program)
    for name in names:
        program = import_module(f"carbide.passes.{name}").run(program)
        try:
            verify(program)
        except IrError as error:
            raise IrError(f"after pass {name}: {error}") from error
    return program
