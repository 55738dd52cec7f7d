"""The whole picture as SVG: tiles, bands in place of repeated ones, axes, names, a legend.

y grows upwards, as in the layout language. A layout that is still large when repetitions are folded
is drawn as an overview by program, with one card for each look of a tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
from attrs import define, field

from paint.colors.problem import partners
from paint.evaluate.layout import NOTHING, Layout
from paint.evaluate.values import Color
from paint.picture.looks import Band, Line, Look, folded_columns, folded_rows, looks
from paint.picture.palette import EMPTY, program_color, route_color
from paint.picture.tile import Style, crossings, tile
from paint.routes.text import rectangles

BAND = 46
EDGE = 64
LEGEND = 300
ROW = 19
MOST_TILES = 900
"""Tiles that are drawn one by one."""
OVERVIEW = 1100
MOST_CARDS = 60
MOST_NAMES = 24
CSS = (
    "text{font-family:DejaVu Sans,Helvetica,Arial,sans-serif;font-size:11px;fill:#222}"
    ".mark{font-size:9px}.axis{font-size:10px;fill:#555}.head{font-weight:bold;font-size:12px}"
    ".title{font-weight:bold;font-size:15px}.name{font-size:10px;font-style:italic;fill:#333}"
)


@define(eq=False)
class _Page:
    parts: list[str] = field(factory=list)
    width: float = 0
    height: float = 0

    def add(self, text: str) -> None:
        self.parts.append(text)

    def text(self, x: float, y: float, text: str, css: str = "", more: str = "") -> None:
        kind = f' class="{css}"' if css else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}"{kind}{more}>{escape(text)}</text>')

    def reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)


def sheet(layout: Layout, numbers: Mapping[Color, int], source: str) -> str:
    """The picture of a layout."""
    found, grid = looks(layout)
    style = _style(layout)
    rows, columns = folded_rows(grid), folded_columns(grid)
    count = sum(isinstance(r, int) for r in rows) * sum(isinstance(c, int) for c in columns)
    page = _Page()
    page.text(EDGE, 26, f"{source}: {layout.width} x {layout.height} PEs", "title")
    page.reach(EDGE + 320, 0)
    if count <= MOST_TILES:
        _tiles(page, style, found, grid, rows, columns)
    else:
        _overview(page, style, found, grid)
    _legend(page, style, numbers, page.width + 30)
    width, height = page.width + 20, page.height + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}"><style>{CSS}</style>'
        f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(page.parts) + "\n</svg>\n"
    )


def _style(layout: Layout) -> Style:
    known = partners(layout)
    programs: dict[str, str] = {}
    for use in layout.programs:
        programs.setdefault(use.program, program_color(len(programs)))
    strokes = {color: route_color(k) for k, color in enumerate(layout.colors)}
    across, along = crossings(layout, known, "LR"), crossings(layout, known, "UD")
    return Style(layout, strokes, programs, known, across, along)


def _places(lines: list[Line], size: float) -> tuple[list[float], float]:
    """Where each line starts, and where the last one ends."""
    starts, place = [], 0.0
    for line in lines:
        starts.append(place)
        place += BAND if isinstance(line, Band) else size
    return starts, place


def _tiles(
    page: _Page,
    style: Style,
    found: list[Look],
    grid: np.ndarray,
    rows: list[Line],
    columns: list[Line],
) -> None:
    """Every tile of the rows and columns that are drawn."""
    lefts, width = _places(columns, style.size)
    # Rows are drawn from the top, so the last one comes first.
    turned = rows[::-1]
    tops, height = _places(turned, style.size)
    lefts = [EDGE + x for x in lefts]
    tops = [44 + y for y in tops]
    page.reach(EDGE + width, 44 + height + 26)
    page.add("<defs>")
    drawn: set[int] = set()
    for row in turned:
        for column in columns:
            if isinstance(row, int) and isinstance(column, int):
                number = int(grid[row, column])
                if number != NOTHING and number not in drawn:
                    drawn.add(number)
                    page.add(f'<g id="t{number}">{_tile(style, found[number])}</g>')
    page.add("</defs>")
    for row, top in zip(turned, tops, strict=True):
        for column, left in zip(columns, lefts, strict=True):
            if isinstance(row, Band) or isinstance(column, Band):
                _band(page, style, row, column, left, top)
            elif grid[row, column] != NOTHING:
                number = int(grid[row, column])
                page.add(f'<use href="#t{number}" x="{left:.0f}" y="{top:.0f}"/>')
    _axes(page, style, turned, columns, lefts, tops, 44 + height)
    _outlines(page, style, turned, columns, lefts, tops)


def _tile(style: Style, look: Look) -> str:
    kind = look.kind
    label = style.layout.programs[kind.program].program if kind.program != NOTHING else ""
    return tile(style, kind, label)


def _band(
    page: _Page, style: Style, row: Line, column: Line, left: float, top: float
) -> None:
    width = BAND if isinstance(column, Band) else style.size
    height = BAND if isinstance(row, Band) else style.size
    page.add(
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}"'
        ' fill="#ececea" stroke="none"/>'
    )
    middle = (left + width / 2, top + height / 2)
    page.add(
        f'<text x="{middle[0]:.0f}" y="{middle[1] + 4:.0f}" text-anchor="middle" fill="#777">'
        f"{'⋮' if isinstance(row, Band) and not isinstance(column, Band) else '⋯'}</text>"
    )


def _axes(
    page: _Page,
    style: Style,
    rows: list[Line],
    columns: list[Line],
    lefts: list[float],
    tops: list[float],
    bottom: float,
) -> None:
    for column, left in zip(columns, lefts, strict=True):
        if isinstance(column, Band):
            page.text(left + BAND / 2, bottom + 15, _more(column), "axis", ' text-anchor="middle"')
            name = "columns"
            page.text(left + BAND / 2, bottom + 26, name, "axis", ' text-anchor="middle"')
        else:
            middle = left + style.size / 2
            page.text(middle, bottom + 15, f"x={column}", "axis", ' text-anchor="middle"')
    for row, top in zip(rows, tops, strict=True):
        height = BAND if isinstance(row, Band) else style.size
        shown = f"{_more(row)} rows" if isinstance(row, Band) else f"y={row}"
        page.text(EDGE - 6, top + height / 2 + 4, shown, "axis", ' text-anchor="end"')


def _more(band: Band) -> str:
    return f"+{band.count}"


def _outlines(
    page: _Page,
    style: Style,
    rows: list[Line],
    columns: list[Line],
    lefts: list[float],
    tops: list[float],
) -> None:
    """A dashed line around the tiles of each name, and the name at its upper left tile."""
    taken: dict[tuple[int, int], int] = {}
    for number, (name, (ys, xs)) in enumerate(style.layout.names.items()):
        if number >= MOST_NAMES:
            break
        mask = np.zeros((style.layout.height, style.layout.width), bool)
        mask[ys, xs] = True
        inside = np.zeros((len(rows) + 2, len(columns) + 2), bool)
        for j, row in enumerate(rows):
            for k, column in enumerate(columns):
                y = row.first if isinstance(row, Band) else row
                x = column.first if isinstance(column, Band) else column
                inside[j + 1, k + 1] = mask[y, x]
        path = _border(style, rows, columns, lefts, tops, inside, 3 + number % 3)
        page.add(
            f'<path d="{path}" fill="none" stroke="#333" stroke-width="1"'
            ' stroke-dasharray="5 3" opacity=".8"/>'
        )
        tiles_in = np.argwhere(inside[1:-1, 1:-1])
        if len(tiles_in):
            j, k = (int(n) for n in tiles_in[0])
            line = taken.get((j, k), 0)
            taken[j, k] = line + 1
            page.text(lefts[k] + 6, tops[j] + 11 + 11 * line, f"'{name}", "name")


def _border(
    style: Style,
    rows: list[Line],
    columns: list[Line],
    lefts: list[float],
    tops: list[float],
    inside: np.ndarray,
    inset: float,
) -> str:
    parts = []
    for j, row in enumerate(rows):
        height = BAND if isinstance(row, Band) else style.size
        for k, column in enumerate(columns):
            if not inside[j + 1, k + 1]:
                continue
            width = BAND if isinstance(column, Band) else style.size
            left, top = lefts[k], tops[j]
            right, bottom = left + width, top + height
            west, east = inside[j + 1, k], inside[j + 1, k + 2]
            north, south = inside[j, k + 1], inside[j + 2, k + 1]
            x1, x2 = left + (0 if west else inset), right - (0 if east else inset)
            y1, y2 = top + (0 if north else inset), bottom - (0 if south else inset)
            if not north:
                parts.append(f"M{x1:.0f} {y1:.0f}H{x2:.0f}")
            if not south:
                parts.append(f"M{x1:.0f} {y2:.0f}H{x2:.0f}")
            if not west:
                parts.append(f"M{x1:.0f} {y1:.0f}V{y2:.0f}")
            if not east:
                parts.append(f"M{x2:.0f} {y1:.0f}V{y2:.0f}")
    return "".join(parts)


def _overview(page: _Page, style: Style, found: list[Look], grid: np.ndarray) -> None:
    """Programs as areas to scale, and a card for each look."""
    layout = style.layout
    scale = min(OVERVIEW / max(layout.width, layout.height), 24.0)
    width, height = layout.width * scale, layout.height * scale
    page.add(
        f'<rect x="{EDGE}" y="44" width="{width:.1f}" height="{height:.1f}" fill="none"'
        ' stroke="#999"/>'
    )
    names = [use.program for use in layout.programs]
    by_program = {name: k for k, name in enumerate(dict.fromkeys(names))}
    ids = np.array([by_program[n] for n in names] + [NOTHING], np.int32)[layout.program]
    ids[(ids == NOTHING) & layout.member] = len(by_program)
    fills = [style.fill[name] for name in by_program] + [EMPTY]
    paths: dict[int, list[str]] = {}
    for value, (x, y, w, h) in rectangles(ids):
        left, top = EDGE + x * scale, 44 + (layout.height - y - h) * scale
        paths.setdefault(value, []).append(
            f"M{left:.1f} {top:.1f}h{w * scale:.1f}v{h * scale:.1f}h{-w * scale:.1f}z"
        )
    for value, pieces in paths.items():
        page.add(
            f'<path d="{"".join(pieces)}" fill="{fills[value]}" stroke="#aaa" stroke-width=".3"/>'
        )
    page.text(EDGE, 44 + height + 16, "x=0, y=0", "axis")
    page.text(
        EDGE + width, 44 + height + 16, f"x={layout.width - 1}", "axis", ' text-anchor="end"'
    )
    page.text(EDGE - 6, 56, f"y={layout.height - 1}", "axis", ' text-anchor="end"')
    page.reach(EDGE + width, 44 + height + 30)
    counts = np.bincount(grid[grid != NOTHING], minlength=len(found))
    order = sorted(range(len(found)), key=lambda k: (-int(counts[k]), k))
    across = max(1, int(max(page.width, OVERVIEW) // (style.size + 24)))
    top = page.height + 34
    title = "Tiles by what they have, the most frequent first"
    if len(order) > MOST_CARDS:
        title += f" ({len(order) - MOST_CARDS} rarer ones left out)"
    page.text(EDGE, top - 12, title, "head")
    for place, number in enumerate(order[:MOST_CARDS]):
        line, column = divmod(place, across)
        left = EDGE + column * (style.size + 24)
        upper = top + line * (style.size + 44)
        lower = upper + style.size
        look = found[number]
        page.add(f'<g transform="translate({left:.0f} {upper:.0f})">{_tile(style, look)}</g>')
        names_ = ", ".join(f"'{n}" for n in look.names)
        kind = look.kind
        page.text(left, lower + 13, f"{counts[number]} tiles {names_}", "mark")
        page.text(left, lower + 24, f"first ({kind.x}, {kind.y})", "mark")
        page.reach(left + style.size, lower + 30)


def _legend(page: _Page, style: Style, numbers: Mapping[Color, int], left: float) -> None:
    layout = style.layout
    y = 58.0
    page.text(left, y, "Programs", "head")
    counts: dict[str, int] = {}
    tiles = np.bincount(layout.program[layout.program != NOTHING], minlength=len(layout.programs))
    for use, count in zip(layout.programs, tiles, strict=True):
        counts[use.program] = counts.get(use.program, 0) + int(count)
    empty = int(layout.member.sum() - tiles.sum())
    for name, count in [*counts.items(), *([("no program", empty)] if empty else [])]:
        y += ROW
        fill = style.fill.get(name, EMPTY) if name in counts else EMPTY
        page.add(
            f'<rect x="{left}" y="{y - 11:.0f}" width="22" height="14" fill="{fill}"'
            ' stroke="#777"/>'
        )
        page.text(left + 30, y, f"{name}  ({count} PE{'' if count == 1 else 's'})")
    y += 1.6 * ROW
    page.text(left, y, "Colors", "head")
    for color in layout.colors:
        y += ROW
        stroke = style.stroke[color]
        page.add(
            f'<path d="M{left} {y - 4:.0f}h22" stroke="{stroke}" stroke-width="3"'
            f' class="c{color.order}"/>'
        )
        partner = ", ".join(c.label for c in style.partners.get(color, ()))
        pair = f"  (pair of {partner})" if partner else ""
        page.text(left + 30, y, f"{color.label} = {numbers[color]}{pair}")
    y += 1.6 * ROW
    page.text(left, y, "Marks", "head")
    has_swaps = any(r.modifier != ">" for g in layout.grids.values() for r, _ in g.rules)
    has_cuts = any(r.cut for g in layout.grids.values() for r, _ in g.rules)
    switches = any(r.switches for g in layout.grids.values() for r, _ in g.rules)
    marks = [("→", "a route, from its input to each output")]
    marks += [("◉", "an input that reads the partner (swap)")] if has_swaps else []
    marks += [("❙", "an end at the region's edge (boundary)")] if has_cuts else []
    marks += [("0 1", "switch positions; dashed: not the initial one")] if switches else []
    marks += [("x", "a sink: what comes is discarded")] if _sinks(layout) else []
    marks += [("- -", "the tiles of a name")] if layout.names else []
    for mark, meaning in marks:
        y += ROW
        page.text(left, y, mark)
        page.text(left + 30, y, meaning)
    page.reach(left + LEGEND, y + 10)


def _sinks(layout: Layout) -> bool:
    return any(r.open_end == "outputs" for g in layout.grids.values() for r, _ in g.rules)
