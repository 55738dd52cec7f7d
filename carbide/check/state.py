"""What the parts of the check share: scopes, diagnostics, and the function being checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field

from carbide.check import typed
from carbide.check.constants import Number
from carbide.check.scopes import (
    AlreadyReported,
    BrokenSymbol,
    RangeSymbol,
    Scope,
    unknown_name,
)
from mitools.console import Diagnostics, Place, UserError


@define
class Dot:
    """The accumulator attributes in force: `dot.state(on)`, `dot.load(off)`."""

    keep: bool = False
    deliver: bool = True


@define(eq=False)
class Body:
    """A function (or main, or teardown) whose statements are being checked."""

    name: str
    is_function: bool
    returns: list[typed.Return] = field(factory=list)


class State:
    """Base of the mixins that make up the checker."""

    def __init__(self, parameters: dict[str, str], diagnostics: Diagnostics):
        self.given = parameters
        self.diagnostics = diagnostics
        self.globals = Scope()
        self.scope = self.globals
        self.walking: dict[RangeSymbol, typed.Variable] = {}
        self.body = Body("main", False)
        self.dot = Dot()
        self.context = "main"
        self.rebased: frozenset[str] = frozenset()
        self.top_level = True

        self.parameters: dict[str, Number] = {}
        self.variables: list[typed.Variable] = []
        self.sockets: list[typed.Socket] = []
        self.fifos: list[typed.Fifo] = []
        self.iterators: list[typed.Iterator] = []
        self.filters: list[typed.Filter] = []
        self.instances: dict[Any, typed.Instance] = {}
        self.active: list[str] = []
        self.pending: list[Any] = []
        self.noted: set[str] = set()
        self.spans: dict[typed.Variable, tuple[int, int]] = {}
        self.guarded = 0
        self.unwritten: list[typed.Variable] = []

    # Names.

    def find(self, name: str, place: Place) -> Any:
        """The symbol of a name. Raises UserError when there is none."""
        symbol = self.scope.find(name)
        if symbol is None:
            raise unknown_name(name, place, self.scope)
        if isinstance(symbol, BrokenSymbol):
            raise AlreadyReported
        return symbol

    def define(self, name: str, symbol: Any, place: Place) -> None:
        self.scope.define(name, symbol, place)

    @contextmanager
    def inner_scope(self, outer: Scope | None = None) -> Iterator[Scope]:
        """A scope inside the present one (or inside `outer`) for the time of the block."""
        before, top = self.scope, self.top_level
        self.scope = Scope(outer or before)
        self.top_level = False
        try:
            yield self.scope
        finally:
            self.scope, self.top_level = before, top

    @contextmanager
    def in_scope(self, scope: Scope) -> Iterator[None]:
        """Names mean what they mean in `scope`."""
        before = self.scope
        self.scope = scope
        try:
            yield
        finally:
            self.scope = before

    @contextmanager
    def under_condition(self) -> Iterator[None]:
        """What is checked inside may not be executed for all values of the walks around it."""
        self.guarded += 1
        try:
            yield
        finally:
            self.guarded -= 1

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Keeps a user's mistake for the report and goes on after the block."""
        try:
            yield
        except AlreadyReported:
            pass
        except UserError as error:
            for single in getattr(error, "errors", [error]):
                self.diagnostics.error(single.message, single.place, single.remedy, single.notes)

    def warn(self, message: str, place: Place, remedy: str | None = None) -> None:
        self.diagnostics.warning(message, place, remedy)

    def not_yet(self, what: str, place: Place, remedy: str | None = None) -> UserError:
        """The error for what the language has and this compiler does not."""
        return UserError(f"not supported yet: {what}", place, remedy)
