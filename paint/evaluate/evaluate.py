"""Evaluates a layout: statements in order, to the region that gets built."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import frozen

from mitools.arch.model import Arch
from mitools.console import Diagnostics, Place, UserError, suggestion
from paint.evaluate.arguments import Arguments
from paint.evaluate.operations import ABSENT, OPERATIONS, computed
from paint.evaluate.region import Region
from paint.evaluate.values import (
    Color,
    Deferred,
    Map,
    RouteValue,
    Value,
    described,
    number_from,
)
from paint.syntax import ast

DEEPEST_CALLS = 200
"""Functions of a layout that may be inside each other."""
MOST_NOTES = 4
FRAMES = 12_000


@frozen
class Function:
    definition: ast.Define


class Scope:
    """Names with their values; a function's scope sees the file's."""

    def __init__(self, outer: Scope | None = None):
        self.names: dict[str, Value] = {}
        self.outer = outer

    def find(self, name: str) -> Value:
        """The value of a name. Raises KeyError."""
        if name in self.names:
            return self.names[name]
        if self.outer is None:
            raise KeyError(name)
        return self.outer.find(name)

    def known(self) -> list[str]:
        return [*self.names, *(self.outer.known() if self.outer else [])]


@frozen
class Evaluated:
    """A layout's region, where it stands, and the colors it declared, in order.

    `files` are all that were read.
    """

    region: Region
    place: Place
    colors: tuple[Color, ...]
    files: tuple[str, ...]


def evaluate(
    layout: ast.Layout,
    settings: Mapping[str, str],
    arch: Arch,
    libraries: Sequence[str] = (),
    diagnostics: Diagnostics | None = None,
) -> Evaluated:
    """The region that a layout means. `settings` are the `set=` terms.

    Raises UserError with the place of the first mistake.
    """
    machine = Evaluator(settings, arch, libraries)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        value = machine.file(layout)
    except RecursionError:
        raise UserError("this statement is nested too deeply", machine.place) from None
    finally:
        sys.setrecursionlimit(before)
    if value is None:
        last = layout.statements[-1].place if layout.statements else Place(layout.file, 1, 1)
        raise UserError(
            "this layout has no expression to build", last,
            "the last expression of the file is the layout: write a region's name there",
        )  # fmt: skip
    result, place = value
    if not isinstance(result, Region):
        raise UserError(
            f"the layout is {described(result)}, not a region", place,
            "the last expression of the file is what gets built",
        )  # fmt: skip
    return Evaluated(result, place, tuple(machine.colors), tuple(machine.files))


class Evaluator:
    """The state of one evaluation."""

    def __init__(self, settings: Mapping[str, str], arch: Arch, libraries: Sequence[str]):
        self.arch = arch
        self.libraries = libraries
        self.colors: list[Color] = []
        self.fixed: dict[int, Color] = {}
        self.functions: dict[str, Function] = {}
        self.globals = Scope()
        self.files: list[str] = []
        self.unset: set[str] = set()
        self.open_files: list[str] = []
        self.done_files: set[str] = set()
        self.depth = 0
        self.place = Place("")
        for name, text in settings.items():
            if text == "":
                self.unset.add(name)
            else:
                number = number_from(text)
                self.globals.names[name] = text if number is None else number

    def file(self, layout: ast.Layout) -> tuple[Value, Place] | None:
        """Run a file; its last expression with its place, or None."""
        real = os.path.realpath(layout.file)
        self.files.append(layout.file)
        self.open_files.append(real)
        self.done_files.add(real)
        last: tuple[Value, Place] | None = None
        for statement in layout.statements:
            self.place = statement.place
            value = self.statement(statement, self.globals)
            if isinstance(statement, ast.Include):
                last = value or last
            elif not isinstance(statement, ast.Let | ast.Define):
                last = (value, statement.place)
        self.open_files.pop()
        return last

    def statement(self, statement: ast.Statement, scope: Scope) -> Value:
        """Run a statement and give its value; that of an include is what `file` gives."""
        if isinstance(statement, ast.Let):
            value = self.expression(statement.value, scope)
            if isinstance(value, Color) and not value.name:
                value.name = statement.name
            scope.names[statement.name] = value
            return value
        if isinstance(statement, ast.Rebind):
            value = self.variable(ast.Name(statement.name, place=statement.place), scope)
            for call in statement.operations:
                value = self.call(call, scope, [(value, statement.place)])
            scope.names[statement.name] = value
            return value
        if isinstance(statement, ast.Define):
            if scope is not self.globals:
                remedy = "define it outside"
                raise UserError("a function inside a function", statement.place, remedy)
            self.functions[statement.name] = Function(statement)
            return None
        if isinstance(statement, ast.Include):
            if scope is not self.globals:
                remedy = "include it at the top of the file"
                raise UserError("an include inside a function", statement.place, remedy)
            return self.include(statement)
        return self.expression(statement, scope)

    def include(self, statement: ast.Include) -> tuple[Value, Place] | None:
        from paint.syntax.parse import parse_file

        path = self._find(statement)
        real = os.path.realpath(path)
        if real in self.open_files:
            raise UserError(f"`{statement.path}` includes itself", statement.place)
        if real in self.done_files:
            return None
        try:
            return self.file(parse_file(path))
        except UserError as error:
            if len(error.notes) < MOST_NOTES:
                error.notes = (*error.notes, ("included here", statement.place))
            raise

    def _find(self, statement: ast.Include) -> str:
        folders = [os.path.dirname(statement.place.file), *self.libraries]
        for folder in folders:
            path = os.path.join(folder, statement.path)
            if os.path.isfile(path):
                return path
        files = [f for folder in folders for f in _listed(folder) if f.endswith(".paint")]
        shown = ", ".join(dict.fromkeys(f"`{f or '.'}`" for f in folders))
        raise UserError(
            f"there is no layout `{statement.path}`", statement.place,
            suggestion(statement.path, files) or f"looked in {shown}; lib=FOLDER adds one",
        )  # fmt: skip

    def expression(self, node: ast.Expression, scope: Scope) -> Value:
        return self._evaluators[type(node)](self, node, scope)

    def variable(self, node: ast.Name, scope: Scope) -> Value:
        try:
            return scope.find(node.name)
        except KeyError:
            pass
        near = suggestion(node.name, scope.known())
        if node.name in OPERATIONS or node.name in self.functions:
            near = f"`{node.name}` is an operation: call it as {node.name}(…)"
        elif node.name in self.unset:
            near = f"set={node.name}= leaves it unset; give it a value"
        raise UserError(
            f"the name `{node.name}` is not known here", node.place,
            near or f"define it by let, or give it as set={node.name}=…",
        )  # fmt: skip

    def number(self, node: ast.Number, scope: Scope) -> Value:
        value = number_from(node.text)
        if value is None:
            raise UserError("this number is too long or too large", node.place)
        return value

    def map(self, node: ast.Map, scope: Scope) -> Map:
        return Map(
            tuple((e.key, self.expression(e.value, scope), e.place) for e in node.entries)
        )

    def unary(self, node: ast.Unary, scope: Scope) -> Value:
        return computed(node.operator, (self.expression(node.operand, scope),), node.place)

    def binary(self, node: ast.Binary, scope: Scope) -> Value:
        operands = (self.expression(node.left, scope), self.expression(node.right, scope))
        return computed(node.operator, operands, node.place)

    def call(
        self, node: ast.Call, scope: Scope, first: Sequence[tuple[Value, Place]] = ()
    ) -> Value:
        """Call an operation or a function; `first` are arguments before the written ones."""
        if node.name in self.functions:
            return self._function(self.functions[node.name].definition, node, scope, first)
        if node.name == "color":
            return self._color(node, scope, first)
        if node.name in ABSENT:
            raise UserError(
                f"`{node.name}` is a part of the language that this version does not build yet",
                node.place,
                "draw the route between the regions with paint(color [route])",
            )
        operation = OPERATIONS.get(node.name)
        if operation is None:
            known = [*OPERATIONS, "color", *self.functions, *ABSENT]
            near = suggestion(node.name, known)
            if near is None and node.name in scope.known():
                near = f"`{node.name}` is a value; a blank parts it from the next argument"
            raise UserError(
                f"there is no operation `{node.name}`", node.place,
                near or "operations are " + ", ".join([*OPERATIONS, "color"]),
            )  # fmt: skip
        if node.name == "setif" and len(first) + len(node.arguments) == 3:
            return self._setif(node, scope, first)
        values = [v for v, _ in first] + [self.expression(a, scope) for a in node.arguments]
        places = [p for _, p in first] + [a.place for a in node.arguments]
        arguments = Arguments(node.place, operation.usage, values, places)
        arguments.count(operation.least, operation.most)
        for index, value in enumerate(values):
            if isinstance(value, Deferred):
                raise UserError(
                    f"`@` stands in {node.name}, and is known in the map of a code alone",
                    places[index],
                )
        return operation.apply(arguments)

    def _setif(self, node: ast.Call, scope: Scope, first: Sequence[tuple[Value, Place]]) -> Value:
        """Only the side that is taken gets evaluated, so that functions can end."""
        sides: list[Callable[[], Value]] = [lambda v=v: v for v, _ in first]  # type: ignore[misc]
        sides += [lambda a=a: self.expression(a, scope) for a in node.arguments]  # type: ignore[misc]
        place = first[0][1] if first else node.arguments[0].place
        arguments = Arguments(node.place, OPERATIONS["setif"].usage, [sides[0]()], [place])
        return sides[1]() if arguments.number(0, "condition") != 0 else sides[2]()

    def _color(self, node: ast.Call, scope: Scope, first: Sequence[tuple[Value, Place]]) -> Color:
        values = [v for v, _ in first] + [self.expression(a, scope) for a in node.arguments]
        places = [p for _, p in first] + [a.place for a in node.arguments]
        arguments = Arguments(node.place, "color([number])", values, places)
        arguments.count(0, 1)
        if not values:
            self.colors.append(Color(len(self.colors), node.place))
            return self.colors[-1]
        number = arguments.whole(0, "number of a color")
        if not 0 <= number < self.arch.router.colors:
            raise UserError(
                f"there is no color {number}", places[0],
                f"a router has the colors 0 to {self.arch.router.colors - 1}",
            )  # fmt: skip
        if number not in self.fixed:
            self.colors.append(Color(len(self.colors), node.place, number))
            self.fixed[number] = self.colors[-1]
        return self.fixed[number]

    def _function(
        self,
        definition: ast.Define,
        node: ast.Call,
        scope: Scope,
        first: Sequence[tuple[Value, Place]],
    ) -> Value:
        values = [v for v, _ in first] + [self.expression(a, scope) for a in node.arguments]
        shape = f"{definition.name}({' '.join(definition.parameters)})"
        if len(values) != len(definition.parameters):
            many = f"{len(values)} argument" + ("" if len(values) == 1 else "s")
            raise UserError(
                f"{many} where the function is {shape}", node.place, None,
                [("it is defined here", definition.place)],
            )  # fmt: skip
        if self.depth >= DEEPEST_CALLS:
            raise UserError(
                f"`{definition.name}` goes deeper than {DEEPEST_CALLS} calls", node.place,
                "end it with setif, which evaluates only the side that it takes",
            )  # fmt: skip
        inner = Scope(self.globals)
        inner.names.update(zip(definition.parameters, values, strict=True))
        self.depth += 1
        try:
            value: Any = None
            for statement in definition.body:
                value = self.statement(statement, inner)
        except UserError as error:
            if len(error.notes) < MOST_NOTES:
                error.notes = (*error.notes, (f"in `{definition.name}`, called here", node.place))
            raise
        finally:
            self.depth -= 1
        if value is None:
            message = f"`{definition.name}` has no statement with a value"
            raise UserError(message, node.place, None, [("it is defined here", definition.place)])
        return value

    _evaluators: dict[type, Callable[..., Value]] = {  # noqa: RUF012
        ast.Name: variable,
        ast.Number: number,
        ast.Symbol: lambda self, node, scope: node.name,
        ast.Text: lambda self, node, scope: node.value,
        ast.Element: lambda self, node, scope: Deferred("@", (node.name,), node.place),
        ast.Map: map,
        ast.Route: lambda self, node, scope: RouteValue(node.rule, node.place),
        ast.Call: call,
        ast.Unary: unary,
        ast.Binary: binary,
    }


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder or ".")
    except OSError:
        return []
