"""Names and where they mean something: an inner scope hides an outer one's names.

Variables and functions share one name space; struct tags have their own (tungsten page, section 3).
"""

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from carbide.check import typed
from carbide.check.constants import Number
from carbide.check.types import Scalar, Struct, Type
from carbide.syntax import ast
from mitools.console import Place, UserError, suggestion


class AlreadyReported(Exception):
    """A mistake that follows from one that was reported before."""


@define(eq=False)
class ConstantSymbol:
    """A param or a const. `kind` is which."""

    kind: str
    type: Scalar
    value: Number
    at: Place


@define(eq=False)
class RangeSymbol:
    """`let i in [low, high)`: bounds are evaluated in `scope` when a walk over it starts."""

    name: str
    range: ast.Range | None
    scope: "Scope"
    at: Place


@define(eq=False)
class PlaceSymbol:
    """A name for a place: a by-reference parameter, or a member seen under another name."""

    place: typed.Place_
    at: Place


@define(eq=False)
class TypeSymbol:
    """A typedef."""

    type: Type
    at: Place


@define(eq=False)
class FunctionSymbol:
    function: ast.Function
    scope: "Scope"
    used: bool = False

    @property
    def at(self) -> Place:
        return self.function.place


@define(eq=False)
class BrokenSymbol:
    """What was declared with a mistake; its uses are not complained about."""

    at: Place


Symbol = (
    ConstantSymbol
    | RangeSymbol
    | PlaceSymbol
    | TypeSymbol
    | FunctionSymbol
    | BrokenSymbol
    | typed.Variable
    | typed.Socket
    | typed.Fifo
    | typed.Iterator
    | typed.Filter
)


def describe(symbol: Any) -> str:
    """What a symbol is, in words."""
    match symbol:
        case ConstantSymbol():
            return f"a {symbol.kind}"
        case typed.Variable():
            return "a variable"
        case PlaceSymbol():
            return "a parameter"
        case RangeSymbol():
            return "a range"
        case TypeSymbol():
            return "a type"
        case FunctionSymbol():
            return "a function"
        case typed.Socket():
            return "a socket"
        case typed.Fifo():
            return "a FIFO"
        case typed.Iterator():
            return "an iterator"
        case typed.Filter():
            return "a filter"
    return "something else"


@define(eq=False)
class Scope:
    outer: "Scope | None" = None
    names: dict[str, Any] = field(factory=dict)
    tags: dict[str, Struct] = field(factory=dict)
    tag_places: dict[str, Place] = field(factory=dict)

    def define(self, name: str, symbol: Any, place: Place) -> None:
        """Raises UserError when this scope has the name already."""
        if name in self.names:
            first = self.names[name]
            self.names[name] = BrokenSymbol(place) if isinstance(first, BrokenSymbol) else first
            raise UserError(
                f"`{name}` is declared twice", place, "give one of them another name",
                [("the first is here", first.at)],
            )  # fmt: skip
        self.names[name] = symbol

    def find(self, name: str) -> Any:
        """The innermost symbol of that name, or None."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def find_tag(self, tag: str) -> Struct | None:
        scope: Scope | None = self
        while scope is not None:
            if tag in scope.tags:
                return scope.tags[tag]
            scope = scope.outer
        return None

    def visible(self) -> Iterator[tuple[str, Any]]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names.items()
            scope = scope.outer

    def visible_tags(self) -> Iterator[str]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.tags
            scope = scope.outer


FOREIGN_NAMES = {
    "break": "there is no `break`; put the condition into the `while`",
    "continue": "there is no `continue`; put the rest under an `if`",
    "goto": "there is no `goto`",
    "true": "write `1`",
    "false": "write `0`",
    "NULL": "there are no null addresses",
    "M_PI": "declare `sp const PI = 3.14159265;`",
}


def unknown_name(name: str, place: Place, scope: Scope) -> UserError:
    """The error for a name that nothing declares."""
    if name in FOREIGN_NAMES:
        return UserError(f"`{name}` is not declared", place, FOREIGN_NAMES[name])
    near = suggestion(name, (known for known, _ in scope.visible()))
    return UserError(f"`{name}` is not declared", place, near)
