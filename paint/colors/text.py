"""The numbers of colors as text."""

from __future__ import annotations

from collections.abc import Mapping

from paint.evaluate.layout import Layout
from paint.evaluate.values import Color


def colors_text(layout: Layout, numbers: Mapping[Color, int]) -> str:
    """One line a color, in order of declaration: name, number, partners, where it is declared."""
    pairs: dict[Color, list[str]] = {}
    for pair in layout.pairs:
        pairs.setdefault(pair.first, []).append(pair.second.label)
        pairs.setdefault(pair.second, []).append(pair.first.label)
    lines = []
    for color in layout.colors:
        partner = "".join(f", pair of {other}" for other in dict.fromkeys(pairs.get(color, ())))
        fixed = ", fixed" if color.number is not None else ""
        lines.append(f"color {color.label} = {numbers[color]}{fixed}{partner} ({color.place})\n")
    return "".join(lines)
