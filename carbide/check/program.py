"""The whole program: top level, functions, teardown, params given from outside."""

import os
from collections.abc import Mapping
from typing import Any

from carbide.check import typed
from carbide.check.scopes import ConstantSymbol, FunctionSymbol
from carbide.check.state import Body
from carbide.check.statements import Statements, rebases
from carbide.syntax import ast
from carbide.syntax.build import canonical
from carbide.syntax.parse import deep
from mitools.console import Diagnostics, Place, UserError, suggestion


class Checker(Statements):
    """Checks one program. `run` gives the typed tree or raises what was found."""

    def run(self, program: ast.Program) -> typed.Program:
        self.rebased = frozenset(rebased_arrays(program))
        items = list(flattened(program))
        for item in items:
            if isinstance(item, ast.Function):
                with self.attempt():
                    symbol = FunctionSymbol(item, self.globals)
                    self.define(item.name, symbol, item.place)
        statements: list[typed.Statement] = []
        teardown: ast.Teardown | None = None
        plain: list[Any] = []
        for item in items:
            if isinstance(item, ast.Teardown):
                with self.attempt():
                    if teardown is not None:
                        raise UserError("there are two teardown tasks", item.place, None,
                                        [("the first is here", teardown.place)])  # fmt: skip
                teardown = item
            elif not isinstance(item, ast.Function):
                plain.append(item)
        statements += self.sequence(plain)
        main = typed.Block(tuple(statements), place=Place(program.file, 1, 1))
        torn = self._teardown(teardown) if teardown is not None else None
        for name in list(self.globals.names):
            symbol = self.globals.names[name]
            if isinstance(symbol, FunctionSymbol) and not symbol.used:
                self.check_unused(symbol)
        self._given_params(program)
        self._never_written()
        self.diagnostics.raise_errors()
        name = os.path.splitext(os.path.basename(program.file))[0]
        notes = tuple(p.message for p in self.diagnostics.shown)
        return typed.Program(
            program.file, name, tuple(self.variables), tuple(self.sockets), tuple(self.fifos),
            tuple(self.iterators), tuple(self.filters), tuple(self.instances.values()), main,
            torn, notes,
        )  # fmt: skip

    def _teardown(self, node: ast.Teardown) -> typed.Block:
        self.body = Body("teardown", False)
        self.context = "teardown"
        return self.block_statement(node.body)

    def _never_written(self) -> None:
        """Warn of locals that are read although nothing is ever assigned to them."""
        for variable in self.unwritten:
            if variable.read is not None and not variable.written:
                self.diagnostics.warning(
                    f"`{variable.name}` is read, but nothing is ever assigned to it",
                    variable.read, None, [("it is declared here", variable.at)],
                )  # fmt: skip

    def _given_params(self, program: ast.Program) -> None:
        """Values given for params that the program does not have."""
        for name in self.given:
            if name in self.parameters:
                continue
            symbol = self.globals.find(name)
            if symbol is not None and not isinstance(symbol, ConstantSymbol):
                continue
            known = list(self.parameters)
            listed = "it has " + ", ".join(f"`{p}`" for p in known) if known else "it has none"
            with self.attempt():
                raise UserError(
                    f"`{program.file}` has no param `{name}`", Place(program.file),
                    suggestion(name, known) or listed,
                )  # fmt: skip


def flattened(program: ast.Program) -> Any:
    """The items of a program and of its imports, where they are imported."""
    for item in program.items:
        if isinstance(item, ast.Import):
            for imported in item.programs:
                yield from flattened(imported)
        elif isinstance(item, ast.Attributed) and isinstance(
            item.statement, ast.Function | ast.Teardown
        ):
            yield item.statement
        else:
            yield item


def rebased_arrays(node: Any) -> set[str]:
    """Names of the arrays whose `.base` is assigned somewhere."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        name = rebases(item)
        if name is not None:
            found.add(name)
        if isinstance(item, tuple):
            stack += item
        elif hasattr(item, "__attrs_attrs__"):
            stack += [getattr(item, a.name) for a in item.__attrs_attrs__ if a.name != "place"]
    return found


def check(
    program: ast.Program,
    parameters: Mapping[str, str] | None = None,
    diagnostics: Diagnostics | None = None,
) -> typed.Program:
    """Find out what a program means. `parameters` are the texts of params given from outside.

    Warnings and notes go to `diagnostics` (shown on standard error without one). Raises UserError
    with everything that is wrong.
    """
    given = {canonical(name): str(text) for name, text in (parameters or {}).items()}
    checker = Checker(given, diagnostics or Diagnostics())
    with deep(program.file):
        return checker.run(program)
