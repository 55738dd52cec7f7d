"""Follows routes back, tile by tile, to what may feed them: a core that sends, or the outside."""

from __future__ import annotations

import numpy as np

from paint.colors.problem import CORE
from paint.evaluate.layout import Layout
from paint.evaluate.values import Color
from paint.routes.graph import Graph
from paint.routes.neighbours import neighbours, opposite, step

Front = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Origins (indices into the first tiles), ys, xs."""


def tiles_of(layout: Layout, kind: int, side: str, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Tiles of a kind with a neighbour of another kind (or OUTSIDE) on a side, by rows."""
    grid = layout.kinds[1]
    here = (grid == kind) & (neighbours(grid, side) == other)
    ys, xs = np.nonzero(here)
    return ys, xs


def first_fed(
    graph: Graph, color: Color, position: int, ys: np.ndarray, xs: np.ndarray
) -> tuple[int, int] | None:
    """(y, x) of a tile among these where the position of the color's rule may carry something.

    All tiles have the same rule. Returns the first that is found to be fed, or None.
    """
    layout, grid = graph.layout, graph.layout.kinds[1]
    visited: dict[tuple[Color, int], np.ndarray] = {}
    waiting: list[tuple[Color, int, Front]] = [(color, position, (np.arange(len(ys)), ys, xs))]
    fed: list[int] = []
    while waiting:
        color, position, front = waiting.pop()
        seen = visited.setdefault((color, position), np.zeros(grid.shape, bool))
        new = ~seen[front[1], front[2]]
        origins, front_ys, front_xs = (array[new] for array in front)
        seen[front_ys, front_xs] = True
        for kind in np.unique(grid[front_ys, front_xs]):
            here = grid[front_ys, front_xs] == kind
            rule = layout.rule(graph.kinds[kind], color)
            assert rule is not None
            side = rule.positions[position][0]
            if not side:
                continue
            read = graph.partners.get(color, []) if rule.reads_partner(side) else [color]
            one = (origins[here], front_ys[here], front_xs[here])
            if side == CORE:
                if any(c in read for _, c in graph.sends(graph.kinds[kind])):
                    fed += one[0].tolist()
                continue
            beyond, waits = _behind(graph, side, read, one)
            fed += beyond
            waiting += waits
    return (int(ys[min(fed)]), int(xs[min(fed)])) if fed else None


def _behind(
    graph: Graph, side: str, read: list[Color], front: Front
) -> tuple[list[int], list[tuple[Color, int, Front]]]:
    """Origins that are fed from outside, and what feeds the others from the next tiles."""
    layout, grid = graph.layout, graph.layout.kinds[1]
    dx, dy = step(side)
    origins, ys, xs = front[0], front[1] + dy, front[2] + dx
    inside = (ys >= 0) & (ys < layout.height) & (xs >= 0) & (xs < layout.width)
    fed = origins[~inside].tolist()
    origins, ys, xs = origins[inside], ys[inside], xs[inside]
    kinds = grid[ys, xs]
    waiting = []
    for kind in np.unique(kinds):
        here = kinds == kind
        for color in read:
            rule = layout.rule(graph.kinds[kind], color)
            if rule is None:
                continue
            for number, (_, outputs) in enumerate(rule.positions):
                if opposite(side) in outputs:
                    waiting.append((color, number, (origins[here], ys[here], xs[here])))
    return fed, waiting


