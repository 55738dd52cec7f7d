"""A layout's tiles and routes as text: `dump=tiles`, `dump=routes`.

Tiles that have the same stand together as rectangles, `(x, y) WxH`; a rectangle of one tile has no
size. Rectangles come by rows, then columns, each as wide as it can be, then as high.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from paint.evaluate.layout import NOTHING, Layout, program_text
from paint.evaluate.values import Color

Rectangle = tuple[int, int, int, int]
"""x, y, width, height."""


def rectangles(grid: np.ndarray) -> Iterator[tuple[int, Rectangle]]:
    """Parts a grid of numbers into rectangles of one number, NOTHING left out."""
    height, width = grid.shape
    breaks = np.ones((height, width), bool)
    breaks[:, 1:] = grid[:, 1:] != grid[:, :-1]
    open_runs: dict[tuple[int, int, int], int] = {}
    done: list[tuple[int, Rectangle]] = []
    for y in range(height + 1):
        runs: dict[tuple[int, int, int], int] = {}
        if y < height:
            starts = np.flatnonzero(breaks[y])
            ends = np.append(starts[1:], width)
            values = grid[y, starts]
            for x, end, value in zip(
                starts.tolist(), ends.tolist(), values.tolist(), strict=True
            ):
                if value != NOTHING:
                    runs[x, end, value] = open_runs.pop((x, end, value), y)
        for (x, end, value), top in open_runs.items():
            done.append((value, (x, top, end - x, y - top)))
        open_runs = runs
    done.sort(key=lambda one: (one[1][1], one[1][0]))
    yield from done


def rectangle_text(rectangle: Rectangle) -> str:
    x, y, width, height = rectangle
    size = "" if width == height == 1 else f" {width}x{height}"
    return f"({x}, {y}){size}"


def routes_text(layout: Layout, numbers: Mapping[Color, int]) -> str:
    """Each color's rules, with the tiles that have them."""
    lines = []
    for color in layout.colors:
        lines.append(f"color {color.label} = {numbers[color]}\n")
        grid = layout.grids.get(color)
        if grid is None:
            continue
        for value, (x, y, width, height) in rectangles(grid.ids):
            where = rectangle_text((x + grid.x, y + grid.y, width, height))
            lines.append(f"    {where} {grid.rules[value][0]}\n")
    return "".join(lines)


def tiles_text(layout: Layout, numbers: Mapping[Color, int]) -> str:
    """Each kind of tile: program, names, rules of its colors, and where it is."""
    kinds, grid = layout.kinds
    names = layout.names
    lines = [f"layout {layout.width}x{layout.height}\n"]
    blocks: dict[int, list[Rectangle]] = {}
    for value, rectangle in rectangles(grid):
        blocks.setdefault(value, []).append(rectangle)
    for name, (ys, xs) in names.items():
        marks = np.full((layout.height, layout.width), NOTHING, np.int32)
        marks[ys, xs] = 0
        where = ", ".join(rectangle_text(r) for _, r in rectangles(marks))
        lines.append(f"name '{name}: {where}\n")
    for kind in kinds:
        if not kind.member:
            continue
        count = sum(width * height for _, _, width, height in blocks[kind.number])
        many = "1 tile" if count == 1 else f"{count} tiles"
        lines.append(f"{many}: {', '.join(rectangle_text(r) for r in blocks[kind.number])}\n")
        if kind.program != NOTHING:
            lines.append(f"    {program_text(layout.programs[kind.program])}\n")
        for bank in range(2):
            if kind.banks >> bank & 1:
                lines.append(f"    message passing bank {bank}\n")
        for number in kind.flows:
            use = layout.flows[number][0]
            lines.append(f"    flow {use.color.label} '{use.operation} '{use.type}\n")
        for color in layout.colors:
            rule = layout.rule(kind, color)
            if rule is not None:
                lines.append(f"    {color.label} = {numbers[color]} {rule}\n")
    return "".join(lines)
