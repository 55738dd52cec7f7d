"""Regions: sets of tiles with what they carry, as rectangles with shared contents.

A layer is one content on many rectangles: an int64 array of rows (x, y, width, height). Regions are
values, and no operation takes time per tile: a wafer of copies of one program is a few arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen

from mitools.console import Place
from paint.evaluate.values import Color
from paint.routes.rule import TileRule, mirrored

Rects = np.ndarray
NO_TILES: Rects = np.zeros((0, 4), np.int64)


@frozen
class ProgramUse:
    """`code('program [socket:color param:value])`: values are texts, or deferred."""

    program: str
    sockets: tuple[tuple[str, Color], ...]
    parameters: tuple[tuple[str, Any], ...]
    place: Place = field(eq=False)
    key_places: tuple[tuple[str, Place], ...] = field(eq=False)


@frozen
class RuleUse:
    color: Color
    rule: TileRule
    place: Place = field(eq=False)


@frozen
class NameUse:
    name: str
    place: Place = field(eq=False)


@frozen
class BankUse:
    bank: int
    place: Place = field(eq=False)


@frozen
class FlowUse:
    color: Color
    operation: str
    type: str
    place: Place = field(eq=False)


@frozen
class Pair:
    first: Color
    second: Color
    place: Place = field(eq=False)


Content = ProgramUse | RuleUse | NameUse | BankUse | FlowUse
Layer = tuple[Content, Rects]
Box = tuple[int, int, int, int]
"""x, y, and the exclusive ends in x and y."""


@frozen(eq=False, slots=False)
class Region:
    """`cells` are the tiles, which may be covered more than once."""

    cells: Rects = NO_TILES
    layers: tuple[Layer, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @cached_property
    def box(self) -> Box | None:
        """The smallest box of the tiles; None without tiles."""
        if not len(self.cells):
            return None
        low = self.cells[:, :2].min(axis=0)
        high = (self.cells[:, :2] + self.cells[:, 2:]).max(axis=0)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    @property
    def width(self) -> int:
        return self.box[2] - self.box[0] if self.box else 0

    @property
    def height(self) -> int:
        return self.box[3] - self.box[1] if self.box else 0

    def with_layer(self, content: Content, rects: Rects | None = None) -> Region:
        """The region with one more thing on all its tiles, or on some."""
        where = self.cells if rects is None else rects
        return Region(self.cells, (*self.layers, (content, where)), self.pairs)

    def with_pair(self, pair: Pair) -> Region:
        return Region(self.cells, self.layers, (*self.pairs, pair))

    def changed(
        self,
        rects: Callable[[Rects], Rects],
        content: Callable[[Content], Content] = lambda content: content,
    ) -> Region:
        """The region with its rectangles and contents mapped; shared arrays stay shared."""
        done: dict[int, Rects] = {}

        def once(array: Rects) -> Rects:
            if id(array) not in done:
                done[id(array)] = rects(array)
            return done[id(array)]

        layers = tuple((content(c), once(array)) for c, array in self.layers)
        return Region(once(self.cells), layers, self.pairs)


def rectangle(x: int, y: int, width: int, height: int) -> Region:
    """width times height tiles from (x, y) on."""
    if not width or not height:
        return Region()
    return Region(np.array([[x, y, width, height]], np.int64))


def moved(region: Region, dx: int, dy: int) -> Region:
    """The region somewhere else."""
    if not dx and not dy:
        return region
    step = np.array([dx, dy, 0, 0], np.int64)
    return region.changed(lambda rects: rects + step)


def united(regions: Iterable[Region]) -> Region:
    """All regions in one frame. Layers of one content become one."""
    members = list(regions)
    if len(members) < 2:
        return members[0] if members else Region()
    found: dict[Any, list[Rects]] = {}
    contents: list[Content] = []
    for region in members:
        for content, rects in region.layers:
            key = (content, content.place)
            if key not in found:
                contents.append(content)
            found.setdefault(key, []).append(rects)
    joined: dict[tuple[int, ...], Rects] = {}

    def join(arrays: list[Rects]) -> Rects:
        if len(arrays) == 1:
            return arrays[0]
        key = tuple(id(a) for a in arrays)
        if key not in joined:
            joined[key] = np.concatenate(arrays)
        return joined[key]

    cells = join([region.cells for region in members])
    layers = tuple((c, join(found[c, c.place])) for c in contents)
    pairs = tuple(dict.fromkeys(pair for region in members for pair in region.pairs))
    return Region(cells, layers, pairs)


def stacked(regions: Sequence[Region], axis: int) -> Region:
    """Each region just behind the one before along x (axis 0) or y (axis 1)."""
    placed: list[Region] = []
    end: int | None = None
    for region in regions:
        if region.box is not None:
            if end is not None:
                shift = end - region.box[axis]
                region = moved(region, *((shift, 0) if axis == 0 else (0, shift)))
            assert region.box is not None
            end = region.box[axis + 2]
        placed.append(region)
    return united(placed)


def repeated(region: Region, count: int, gap: int, axis: int) -> Region:
    """`count` copies along an axis with `gap` PEs between."""
    box = region.box
    if box is None or count == 1:
        return region
    if count == 0:
        return Region(pairs=region.pairs)
    extent = box[axis + 2] - box[axis]
    pitch = extent + gap

    def copies(rects: Rects) -> Rects:
        if not gap and (rects[:, axis] == box[axis]).all() and (rects[:, axis + 2] == extent).all():
            longer = rects.copy()
            longer[:, axis + 2] = extent * count
            return longer
        many = np.tile(rects, (count, 1))
        many[:, axis] += np.repeat(np.arange(count) * pitch, len(rects))
        return many

    return region.changed(copies)


def flipped(region: Region, axis: int) -> Region:
    """The region mirrored inside its own box, its routes too."""
    box = region.box
    if box is None:
        return region
    ends = box[axis] + box[axis + 2]
    name = "horizontal" if axis == 0 else "vertical"

    def mirror(rects: Rects) -> Rects:
        other = rects.copy()
        other[:, axis] = ends - rects[:, axis] - rects[:, axis + 2]
        return other

    def turn(content: Content) -> Content:
        if isinstance(content, RuleUse):
            return RuleUse(content.color, mirrored(content.rule, name), content.place)
        return content

    return region.changed(mirror, turn)


def at_edges(region: Region, sides: str) -> list[tuple[str, Rects]]:
    """The tiles parted by which of `sides` (letters of LRUD) of the region's box they lie at."""
    if region.box is None:
        return []
    parts = [("", region.cells)]
    for side in sides:
        axis = 0 if side in "LR" else 1
        line = region.box[axis + 2] - 1 if side in "RU" else region.box[axis]
        next_parts = []
        for edges, rects in parts:
            first, last = rects[:, axis], rects[:, axis] + rects[:, axis + 2] - 1
            touching = (first <= line) & (line <= last)
            edge = rects[touching].copy()
            rest = edge.copy()
            edge[:, axis] = line
            edge[:, axis + 2] = 1
            rest[:, axis + 2] -= 1
            if side in "LD":
                rest[:, axis] += 1
            rest = np.concatenate([rects[~touching], rest[rest[:, axis + 2] > 0]])
            next_parts += [(edges, rest), (edges + side, edge)]
        parts = [(edges, rects) for edges, rects in next_parts if len(rects)]
    return parts
