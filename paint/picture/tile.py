"""One tile with its routes, drawn in its own coordinates: x to the right, y down, size by size.

A color that crosses a side has the same slot on all tiles, so that arrows of neighbours meet. An
input that reads the partner starts in the partner's stroke, with a ring where the color changes.
Bars are ends that boundary operators cut off; a cross is a route without outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from attrs import define, field

from paint.colors.problem import CORE
from paint.evaluate.layout import NOTHING, Kind, Layout
from paint.evaluate.values import Color
from paint.picture.palette import EMPTY
from paint.routes.rule import TileRule

SPACING = 15
MARGIN = 12
CORE_SHARE = 0.3
LEAST_SIZE = 112
STUB = 16
ARROW = 7
Point = tuple[float, float]


@define(eq=False)
class Style:
    """What is the same on all tiles of a picture."""

    layout: Layout
    stroke: Mapping[Color, str]
    fill: Mapping[str, str]
    partners: Mapping[Color, Sequence[Color]]
    across: list[Color]
    """Colors that cross left or right sides, in the order of their slots."""
    along: list[Color]
    """Colors that cross upper or lower sides."""
    size: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        most = max(len(self.across), len(self.along), 1)
        half = -(-most // 2)
        self.size = max(LEAST_SIZE, 2 * (MARGIN + half * SPACING) / (1 - CORE_SHARE))

    @property
    def core(self) -> tuple[float, float]:
        """Low and high coordinate of the core's square."""
        return self.size * (0.5 - CORE_SHARE / 2), self.size * (0.5 + CORE_SHARE / 2)

    def slot(self, colors: Sequence[Color], color: Color) -> float:
        """Where a color crosses a side: in one of two bands beside the core."""
        place = colors.index(color)
        half = -(-len(colors) // 2)
        low, high = self.core
        room = low - MARGIN
        step = room / half
        if place < half:
            return MARGIN + step * (place + 0.5)
        return high + step * (place - half + 0.5)

    def port(self, side: str, color: Color) -> Point:
        """Where a color crosses a side of the tile."""
        if side in "LR":
            colors = self.across
            x = 0 if side == "L" else self.size
            return x, self.slot(colors, color) if color in colors else self.size / 2
        colors = self.along
        y = 0 if side == "U" else self.size
        return self.slot(colors, color) if color in colors else self.size / 2, y

    def core_port(self, side: str, color: Color) -> Point:
        """Where a color that comes from or goes to a side meets the core's square."""
        low, high = self.core
        x, y = self.port(side, color)
        inset = (high - low) * 0.1
        scaled = low + inset + ((y if side in "LR" else x) / self.size) * (high - low - 2 * inset)
        return {
            "L": (low, scaled), "R": (high, scaled), "U": (scaled, low), "D": (scaled, high)
        }[side]  # fmt: skip


def crossings(layout: Layout, partners: Mapping[Color, Sequence[Color]], sides: str) -> list[Color]:
    """The colors that cross some of these sides anywhere, in order of declaration."""
    found: set[Color] = set()
    for color, grid in layout.grids.items():
        for rule, _ in grid.rules:
            if any(side in rule.outputs + rule.cut.upper() for side in sides):
                found.add(color)
            for side in sides:
                if side in rule.inputs or side.lower() in rule.cut:
                    found.update(read_colors(rule, color, side, partners))
    return [color for color in layout.colors if color in found]


def read_colors(
    rule: TileRule, color: Color, side: str, partners: Mapping[Color, Sequence[Color]]
) -> list[Color]:
    """The colors whose wavelets a rule takes from a side."""
    if rule.reads_partner(side):
        return list(partners.get(color, ()))[:1] or [color]
    return [color]


def tile(style: Style, kind: Kind, label: str) -> str:
    """The drawing of a kind of tile, as SVG elements."""
    size = style.size
    low, high = style.core
    name = style.layout.programs[kind.program].program if kind.program != NOTHING else None
    fill = style.fill[name] if name is not None else EMPTY
    parts = [
        f'<rect width="{size:.0f}" height="{size:.0f}" fill="{fill}" fill-opacity=".45"'
        ' stroke="#9a9a96" stroke-width=".8"/>'
    ]
    routes = []
    for color in style.layout.colors:
        rule = style.layout.rule(kind, color)
        if rule is not None:
            routes.append(_Route(style, color, rule).drawn())
    if name is not None:
        parts.append(
            f'<rect x="{low:.1f}" y="{low:.1f}" width="{high - low:.1f}"'
            f' height="{high - low:.1f}" rx="4" fill="{fill}" stroke="#555" stroke-width="1"/>'
        )
        parts.append(_fitted(label, size / 2, size / 2 + 4, high - low - 4))
    elif any(CORE in style.layout.grids[c].rules[k][0].outputs for c, k in kind.rules.items()):
        parts.append(
            f'<rect x="{low:.1f}" y="{low:.1f}" width="{high - low:.1f}"'
            f' height="{high - low:.1f}" rx="4" fill="none" stroke="#bbb" stroke-dasharray="2 2"/>'
        )
    banks = [str(b) for b in range(2) if kind.banks >> b & 1]
    if banks:
        parts.append(
            f'<text x="{size - 6:.1f}" y="11" class="mark" text-anchor="end">'
            f"mp {' '.join(banks)}</text>"
        )
    return "".join(parts + routes)


def _fitted(text: str, x: float, y: float, width: float) -> str:
    """A centred text, made smaller or cut so that it fits."""
    letter = 6.2
    size = 11.0
    if len(text) * letter > width:
        size = max(7.5, 11.0 * width / (len(text) * letter))
    most = int(width / (letter * size / 11.0) + 0.01)
    shown = text if len(text) <= most else text[: max(1, most - 1)] + "…"
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size:.1f}">'
        f"{escape(shown)}<title>{escape(text)}</title></text>"
    )


class _Route:
    """The arrows of one color's rule on a tile."""

    def __init__(self, style: Style, color: Color, rule: TileRule):
        self.style = style
        self.color = color
        self.rule = rule
        self.stroke = style.stroke[color]
        self.parts: list[str] = []

    def drawn(self) -> str:
        for number, (source, outputs) in enumerate(self.rule.positions):
            self._position(number, source, outputs)
        self._cuts()
        tip = f"<title>{escape(f'{self.color.label} {self.rule}')}</title>"
        return f'<g class="c{self.color.order}">{tip}{"".join(self.parts)}</g>'

    def _position(self, number: int, source: str, outputs: str) -> None:
        if not source:
            return
        style = self.style
        dashed = self.rule.switches and number != self.rule.initial
        read = read_colors(self.rule, self.color, source, style.partners)[0]
        start: Point | None = None
        if source != CORE:
            edge = style.port(source, read)
            start = self._swapped(edge, self._inward(source, edge), source)
        first = start
        for side in outputs:
            if source == CORE:
                start = style.core_port("U" if side == CORE else side, self.color)
                start = self._swapped(start, start, CORE)
            assert start is not None
            if side != CORE:
                end = style.port(side, self.color)
            elif source == CORE:
                end = self._loop_end(start)
            else:
                end = style.core_port(source, read)
            self._curve(source, start, side, end, dashed)
            first = first or start
        if first is None:
            first = style.core_port(self._idle(), self.color)
            first = self._swapped(first, first, CORE)
        if not outputs and self.rule.open_end == "outputs":
            self._cross(first, source)
        elif not outputs and any(side.isupper() for side in self.rule.cut):
            self._curve(source, first, self._idle(), style.port(self._idle(), self.color), dashed)
        if self.rule.switches:
            self._number(first, source, number)

    def _idle(self) -> str:
        """The side to which a route from the core without outputs points."""
        return next((side for side in self.rule.cut if side.isupper()), "U")

    def _inward(self, side: str, edge: Point) -> Point:
        dx, dy = {"L": (1, 0), "R": (-1, 0), "U": (0, 1), "D": (0, -1)}[side]
        return edge[0] + dx * STUB, edge[1] + dy * STUB

    def _swapped(self, edge: Point, inner: Point, side: str) -> Point:
        """Draw the part of the input that is the partner's, if it is; where the rest starts."""
        if not self.rule.reads_partner(side):
            return edge
        partners = self.style.partners.get(self.color, ())
        stroke = self.style.stroke[partners[0]] if partners else "#888"
        if side != CORE:
            self.parts.append(_line(edge, inner, stroke, False))
        self.parts.append(
            f'<circle cx="{inner[0]:.1f}" cy="{inner[1]:.1f}" r="3.2" fill="{self.stroke}"'
            f' stroke="{stroke}" stroke-width="1.8"/>'
        )
        return inner

    def _curve(self, source: str, start: Point, side: str, end: Point, dashed: bool) -> None:
        out = self._leaving(source, start)
        into = self._arriving(side, start, end)
        reach = 0.45 * (abs(end[0] - start[0]) + abs(end[1] - start[1])) + 4
        one = (start[0] + out[0] * reach, start[1] + out[1] * reach)
        two = (end[0] - into[0] * reach, end[1] - into[1] * reach)
        tip = (end[0] - into[0] * 1.0, end[1] - into[1] * 1.0)
        base = (tip[0] - into[0] * ARROW, tip[1] - into[1] * ARROW)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<path d="M{start[0]:.1f} {start[1]:.1f}C{one[0]:.1f} {one[1]:.1f}'
            f' {two[0]:.1f} {two[1]:.1f} {base[0]:.1f} {base[1]:.1f}" fill="none"'
            f' stroke="{self.stroke}" stroke-width="1.8"{dash}/>'
        )
        wide = ARROW * 0.5
        points = [
            tip,
            (base[0] - into[1] * wide, base[1] + into[0] * wide),
            (base[0] + into[1] * wide, base[1] - into[0] * wide),
        ]
        shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{shown}" fill="{self.stroke}"/>')

    def _leaving(self, source: str, start: Point) -> Point:
        if source == CORE:
            return self._from_core(start)
        return {"L": (1, 0), "R": (-1, 0), "U": (0, 1), "D": (0, -1)}[source]

    def _from_core(self, point: Point) -> Point:
        low, high = self.style.core
        nearest = min(
            (abs(point[0] - low), (-1, 0)), (abs(point[0] - high), (1, 0)),
            (abs(point[1] - low), (0, -1)), (abs(point[1] - high), (0, 1)),
        )  # fmt: skip
        return nearest[1]

    def _arriving(self, side: str, start: Point, end: Point) -> Point:
        if side == CORE:
            out = self._from_core(end)
            return -out[0], -out[1]
        return {"L": (-1, 0), "R": (1, 0), "U": (0, -1), "D": (0, 1)}[side]

    def _loop_end(self, start: Point) -> Point:
        low, high = self.style.core
        x = start[0] + (14 if start[0] < (low + high) / 2 else -14)
        return min(max(x, low + 3), high - 3), start[1]

    def _cross(self, start: Point, source: str) -> None:
        out = self._leaving(source, start)
        x, y = start[0] + out[0] * 9, start[1] + out[1] * 9
        self.parts.append(_line(start, (x, y), self.stroke, False))
        for dy in (3, -3):
            self.parts.append(_line((x - 3, y - dy), (x + 3, y + dy), self.stroke, False))

    def _cuts(self) -> None:
        """Bars where boundary operators ended the route."""
        for side in dict.fromkeys(self.rule.cut):
            if side.isupper():
                color = self.color
            else:
                color = read_colors(self.rule, self.color, side.upper(), self.style.partners)[0]
            x, y = self.style.port(side.upper(), color)
            dx, dy = {"L": (1, 0), "R": (-1, 0), "U": (0, 1), "D": (0, -1)}[side.upper()]
            x, y = x + dx * 4, y + dy * 4
            one, two = (x - dy * 5, y - dx * 5), (x + dy * 5, y + dx * 5)
            self.parts.append(
                f'<path d="M{one[0]:.1f} {one[1]:.1f}L{two[0]:.1f} {two[1]:.1f}"'
                f' stroke="{self.style.stroke[color]}" stroke-width="2.6" opacity=".55"/>'
            )

    def _number(self, start: Point, source: str, number: int) -> None:
        out = self._leaving(source, start)
        x = start[0] + out[0] * 10 + out[1] * 6
        y = start[1] + out[1] * 10 - abs(out[0]) * 4 + 3 * abs(out[1])
        weight = "bold" if number == self.rule.initial else "normal"
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="mark" fill="{self.stroke}"'
            f' font-weight="{weight}">{number}</text>'
        )


def _line(one: Point, two: Point, stroke: str, dashed: bool) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<path d="M{one[0]:.1f} {one[1]:.1f}L{two[0]:.1f} {two[1]:.1f}" stroke="{stroke}"'
        f' stroke-width="1.8"{dash}/>'
    )
