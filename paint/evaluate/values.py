"""What expressions of a layout are: numbers, names, colors, lists, maps, regions.

Whole numbers are `int`, decimals `Fraction`, symbols and strings `str`, lists `tuple`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from mitools.console import Place
from paint.syntax import ast

if TYPE_CHECKING:
    from paint.evaluate.region import Region


@define(eq=False)
class Color:
    """One `color()`, or the one color of a number. `order` counts declarations."""

    order: int
    place: Place
    number: int | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """How messages call it."""
        if self.name:
            return self.name
        return f"color({self.number})" if self.number is not None else f"color() of {self.place}"


@frozen
class Map:
    """Entries of `[key:value …]` in order, with the places of their keys."""

    entries: tuple[tuple[str, Any, Place], ...]


@frozen
class RouteValue:
    rule: ast.Rule
    place: Place


@frozen
class Deferred:
    """A value with `@k` in it: known for each copy that `arrayplace` makes.

    `operator` is "@" with the name as its operand, or an operator of the language.
    """

    operator: str
    operands: tuple[Any, ...]
    place: Place = field(eq=False)

    def names(self) -> set[str]:
        if self.operator == "@":
            return {self.operands[0]}
        return {n for o in self.operands if isinstance(o, Deferred) for n in o.names()}


Value = Any
"""int, Fraction, str, tuple, Color, Map, RouteValue, Deferred or Region."""


def described(value: Value) -> str:
    """What a value is, for messages: "a color", "the number 3"."""
    from paint.evaluate.region import Region

    if isinstance(value, int):
        return f"the number {value}"
    if isinstance(value, Fraction):
        return f"the number {decimal_text(value)}"
    if isinstance(value, str):
        return f"the name '{value}"
    kinds: dict[type, str] = {
        Color: "a color", Map: "a map", RouteValue: "a route", tuple: "a list",
        Deferred: "an element of a list (@)", Region: "a region",
    }  # fmt: skip
    return kinds.get(type(value), "nothing")


def number_from(text: str) -> int | Fraction | None:
    """The number that a literal or a `set=` value writes, or None."""
    text = text.strip()
    digits = text.lstrip("+-").lower()
    if len(text) - len(digits) > 1 or "_" in text or not digits.isascii() or len(digits) > 60:
        return None
    try:
        return int(text, 16 if digits.startswith("0x") else 10)
    except ValueError:
        pass
    if not digits or digits.strip("0123456789.e+-"):
        return None
    try:
        exponent = digits.partition("e")[2]
        return Fraction(text) if not exponent or abs(int(exponent)) < 400 else None
    except (ValueError, ZeroDivisionError):
        return None


def decimal_text(value: Fraction) -> str:
    """A decimal as a program's param takes it: exact if its digits end, else 36 of them."""
    from decimal import Context, Decimal

    context = Context(prec=36)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if quotient == quotient.to_integral_value() and abs(quotient) < 10**15:
        return f"{int(quotient)}.0"
    text = f"{quotient.normalize(context)}".replace("E", "e")
    return text


def parameter_text(value: int | Fraction | str) -> str:
    """A param's value as the compiler reads it."""
    return decimal_text(value) if isinstance(value, Fraction) else str(value)


def is_region(value: Value) -> Region | None:
    """The value itself if it is a region."""
    from paint.evaluate.region import Region

    return value if isinstance(value, Region) else None
