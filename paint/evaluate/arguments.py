"""Arguments of an operation: their number and kinds, and the errors when they are others."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mitools.console import Place, UserError
from paint.evaluate.region import Region
from paint.evaluate.values import Color, Map, RouteValue, described

FARTHEST = 1 << 20
"""Coordinates and counts beyond this are mistakes."""


class Arguments:
    """Evaluated arguments of one call, with their places."""

    def __init__(
        self, call: Place, usage: str, values: Sequence[Any], places: Sequence[Place]
    ):
        self.call = call
        self.usage = usage
        self.values = values
        self.places = places

    def __len__(self) -> int:
        return len(self.values)

    def count(self, least: int, most: int | None) -> None:
        """Check the number of arguments."""
        given = len(self.values)
        if given >= least and (most is None or given <= most):
            return
        many = f"{given} argument" + ("" if given == 1 else "s")
        raise UserError(f"{many} where the operation is {self.usage}", self.call)

    def region(self, index: int) -> Region:
        return self._kind(index, Region, "a region")

    def color(self, index: int) -> Color:
        value = self.values[index]
        if isinstance(value, int):
            raise self.wrong(index, "a color", f"color({value}) is the color of that number")
        return self._kind(index, Color, "a color", "let c = color() makes one")

    def route(self, index: int) -> RouteValue:
        if isinstance(self.values[index], Map):
            raise self.wrong(index, "a route", "a route is written [L>C]")
        return self._kind(index, RouteValue, "a route", "a route is written [L>C]")

    def map(self, index: int) -> Map:
        if isinstance(self.values[index], RouteValue):
            raise self.wrong(index, "a map", "entries of a map are key:value")
        return self._kind(index, Map, "a map", "a map is written [key:value]")

    def list(self, index: int) -> tuple[Any, ...]:
        return self._kind(index, tuple, "a list", "range(a b) makes a list")

    def name(self, index: int) -> str:
        """A symbol or a string."""
        return self._kind(index, str, "a name", "names are written 'name")

    def whole(self, index: int, what: str, least: int | None = None) -> int:
        """A whole number, of which `what` tells what it is for."""
        value = self.values[index]
        if isinstance(value, Fraction) and value.denominator == 1:
            value = int(value)
        if isinstance(value, Fraction):
            raise self.wrong(index, f"a whole number as {what}", "`//` divides and rounds down")
        if not isinstance(value, int):
            raise self.wrong(index, f"a whole number as {what}")
        if least is not None and value < least:
            reason = f"{what} is {value}, and cannot be less than {least}"
            raise UserError(f"the {reason}", self.places[index])
        if abs(value) > FARTHEST:
            raise UserError(
                f"the {what} is {value}, which is far larger than any machine", self.places[index]
            )
        return value

    def number(self, index: int, what: str) -> int | Fraction:
        value = self.values[index]
        if not isinstance(value, int | Fraction):
            raise self.wrong(index, f"a number as {what}")
        return value

    def wrong(self, index: int, wanted: str, remedy: str | None = None) -> UserError:
        """The error for an argument of the wrong kind."""
        message = f"{self.usage} takes {wanted}, and this is {described(self.values[index])}"
        return UserError(message, self.places[index], remedy)

    def _kind(self, index: int, kind: type, wanted: str, remedy: str | None = None) -> Any:
        value = self.values[index]
        if not isinstance(value, kind):
            raise self.wrong(index, wanted, remedy)
        return value
