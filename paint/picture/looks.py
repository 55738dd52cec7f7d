"""What tiles look like, and which rows and columns of a large layout are drawn.

Tiles of one look have the same program, rules, banks and names; params do not matter. Rows or
columns that repeat, alone or as a pattern, are drawn twice, first and last, with a band between
that tells how many more there are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from attrs import frozen

from paint.evaluate.layout import NOTHING, Kind, Layout

LONGEST_PATTERN = 8
"""Rows or columns of a pattern that is recognised."""
LEAST_REPEATS = 5


@frozen
class Band:
    """Rows or columns that are not drawn: `count` of them, from `first` on, as `repeats` of a
    pattern."""

    first: int
    count: int
    repeats: int


Line = int | Band
"""A row or column that is drawn, or a band in the place of several."""


@frozen
class Look:
    """`kind` is one of the kinds of tiles that look alike."""

    kind: Kind
    names: tuple[str, ...]


def looks(layout: Layout) -> tuple[list[Look], np.ndarray]:
    """All looks, and the grid (int32) of their numbers; NOTHING for gaps."""
    kinds, grid = layout.kinds
    alike: dict[Hashable, int] = {}
    first: list[Kind] = []
    look_of_kind = np.full(len(kinds), NOTHING, np.int64)
    for kind in kinds:
        if not kind.member:
            continue
        program = layout.programs[kind.program].program if kind.program != NOTHING else None
        rules = tuple((c.order, layout.rule(kind, c), _cut(layout, kind, c)) for c in kind.rules)
        key = (program, rules, kind.banks, kind.flows)
        if key not in alike:
            alike[key] = len(first)
            first.append(kind)
        look_of_kind[kind.number] = alike[key]
    keys = look_of_kind[grid]
    names = list(layout.names)
    for number, name in enumerate(names):
        ys, xs = layout.names[name]
        keys[ys, xs] += len(first) * (1 << min(number, 40))
    values, indices, inverse = np.unique(keys, return_index=True, return_inverse=True)
    numbers = np.full(len(values), NOTHING, np.int32)
    found: list[Look] = []
    for place, value in enumerate(values):
        if value == NOTHING:
            continue
        y, x = divmod(int(indices[place]), layout.width)
        marks = int(value) // len(first)
        here = tuple(n for k, n in enumerate(names) if marks >> min(k, 40) & 1)
        numbers[place] = len(found)
        found.append(Look(first[look_of_kind[grid[y, x]]], here))
    return found, numbers[inverse].reshape(grid.shape)


def _cut(layout: Layout, kind: Kind, color: object) -> str:
    rule = layout.rule(kind, color)  # type: ignore[arg-type]
    return rule.cut if rule else ""


def folded_rows(grid: np.ndarray) -> list[Line]:
    """The rows to draw, from y = 0 on."""
    return folded([row.tobytes() for row in grid])


def folded_columns(grid: np.ndarray) -> list[Line]:
    """The columns to draw, from x = 0 on."""
    return folded([column.tobytes() for column in np.ascontiguousarray(grid.T)])


def folded(lines: Sequence[Hashable]) -> list[Line]:
    """Places in a sequence, repetitions folded to their first and last with a band between."""
    known: dict[Hashable, int] = {}
    ids = [known.setdefault(line, len(known)) for line in lines]
    found: list[Line] = []
    place = 0
    while place < len(ids):
        pattern, repeats = _repetition(ids, place)
        if repeats >= LEAST_REPEATS:
            end = place + pattern * repeats
            found += range(place, place + pattern)
            found.append(Band(place + pattern, pattern * (repeats - 2), repeats - 2))
            found += range(end - pattern, end)
            place = end
        else:
            found.append(place)
            place += 1
    return found


def _repetition(ids: list[int], place: int) -> tuple[int, int]:
    """(length, repeats) of the pattern from a place on that covers the most."""
    best = (1, 1)
    for length in range(1, min(LONGEST_PATTERN, (len(ids) - place) // 2) + 1):
        pattern = ids[place : place + length]
        end = place + length
        while ids[end : end + length] == pattern:
            end += length
        repeats = (end - place) // length
        if repeats >= LEAST_REPEATS and repeats * length > best[0] * best[1]:
            best = (length, repeats)
    return best
