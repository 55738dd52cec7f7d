"""Which kinds of tiles are neighbours, found once for all tiles of a layout."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from mitools.arch.words import OPPOSITE, PORTS, STEP
from paint.evaluate.layout import Layout

OUTSIDE = -1
SIDES = "LRUD"


def opposite(side: str) -> str:
    """The neighbour's side at the other end of a link."""
    return PORTS[OPPOSITE[PORTS.index(side)]]


def step(side: str) -> tuple[int, int]:
    """(dx, dy) of the neighbour on a side."""
    return STEP[PORTS.index(side)]


@frozen
class Meeting:
    """Tiles of kind `kind` have a neighbour of kind `other` (or OUTSIDE) on `side`.

    `y`, `x` is the first such tile, `count` how many there are.
    """

    kind: int
    side: str
    other: int
    y: int
    x: int
    count: int


def neighbours(grid: np.ndarray, side: str) -> np.ndarray:
    """For each tile the kind of its neighbour on a side, OUTSIDE beyond the layout."""
    dx, dy = step(side)
    height, width = grid.shape
    shifted = np.full((height, width), OUTSIDE, grid.dtype)
    rows = slice(max(0, -dy), height - max(0, dy))
    columns = slice(max(0, -dx), width - max(0, dx))
    from_rows = slice(max(0, dy), height - max(0, -dy))
    from_columns = slice(max(0, dx), width - max(0, -dx))
    shifted[rows, columns] = grid[from_rows, from_columns]
    return shifted


def meetings(layout: Layout) -> list[Meeting]:
    """All different neighbourhoods of two tiles."""
    kinds, grid = layout.kinds
    found = []
    for side in SIDES:
        keys = grid.astype(np.int64) * (len(kinds) + 1) + neighbours(grid, side) + 1
        values, first, counts = np.unique(keys, return_index=True, return_counts=True)
        for value, flat, count in zip(values, first, counts, strict=True):
            kind, other = divmod(int(value), len(kinds) + 1)
            y, x = divmod(int(flat), layout.width)
            found.append(Meeting(kind, side, other - 1, y, x, int(count)))
    return found
