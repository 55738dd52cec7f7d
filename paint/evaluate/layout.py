"""The finished layout: what each tile of a grid carries, every conflict found.

Grids are [y, x] with the smallest x and y of the region at 0, y growing as row IDs do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import define, field, frozen

from mitools.console import Place, UserError
from paint.evaluate.region import (
    BankUse,
    FlowUse,
    NameUse,
    Pair,
    ProgramUse,
    Rects,
    Region,
    RuleUse,
)
from paint.evaluate.values import Color, Deferred
from paint.routes.rule import TileRule, merged

NOTHING = -1
Tiles = tuple[np.ndarray, np.ndarray]
"""ys and xs of tiles, by rows, then columns."""


@define(eq=False)
class ColorGrid:
    """Rules of one color in the box of its tiles: `ids` index `rules`, NOTHING where none is.

    `rules[k]` is a rule with every place in the source that painted it.
    """

    x: int
    y: int
    ids: np.ndarray
    rules: list[tuple[TileRule, tuple[Place, ...]]] = field(factory=list)

    @property
    def span(self) -> tuple[slice, slice]:
        """Where the box lies in the layout's grids."""
        height, width = self.ids.shape
        return slice(self.y, self.y + height), slice(self.x, self.x + width)


@frozen
class Kind:
    """What tiles of one kind have: a program (its index, or NOTHING), rules by color (index in the
    color's list), a mask of message passing banks, flows; `y`, `x` is the first such tile.

    Tiles of the kind that is no `member` of the layout are gaps.
    """

    number: int
    member: bool
    program: int
    rules: dict[Color, int]
    banks: int
    flows: tuple[int, ...]
    y: int
    x: int


@define(eq=False, slots=False)
class Layout:
    """`program` (int32) indexes `programs`; `names` and `flows` list their tiles in order."""

    width: int
    height: int
    member: np.ndarray
    program: np.ndarray
    programs: list[ProgramUse]
    grids: dict[Color, ColorGrid]
    banks: np.ndarray
    bank_places: dict[int, Place]
    names: dict[str, Tiles]
    flows: list[tuple[FlowUse, Tiles]]
    pairs: tuple[Pair, ...]
    colors: tuple[Color, ...]

    @cached_property
    def kinds(self) -> tuple[list[Kind], np.ndarray]:
        """Kinds of tiles, in order of their first tile, and the grid (int32) of their numbers."""
        return _kinds(self)

    def rule(self, kind: Kind, color: Color) -> TileRule | None:
        """The rule of a color on tiles of a kind."""
        index = kind.rules.get(color)
        return None if index is None else self.grids[color].rules[index][0]

    def rule_places(self, kind: Kind, color: Color) -> tuple[Place, ...]:
        index = kind.rules.get(color)
        return () if index is None else self.grids[color].rules[index][1]


def lay_out(region: Region, colors: Sequence[Color], place: Place | None = None) -> Layout:
    """The grid of a region. `colors` are all that were declared, in order; `place` is where the
    region stands.

    Raises UserError where two programs, or two rules of one color, meet on a tile.
    """
    box = region.box
    if box is None:
        raise UserError(
            "this layout has no tiles", place, "a width, height or count of 0 gives an empty region"
        )
    return _Painter(region, box).layout(colors)


class _Painter:
    def __init__(self, region: Region, box: tuple[int, int, int, int]):
        self.x, self.y = box[0], box[1]
        self.width, self.height = region.width, region.height
        self.region = region
        self._indices: dict[int, Tiles] = {}

    def layout(self, colors: Sequence[Color]) -> Layout:
        shape = (self.height, self.width)
        member = np.zeros(shape, bool)
        member[self.where(self.region.cells)] = True
        program = np.full(shape, NOTHING, np.int32)
        banks = np.zeros(shape, np.uint8)
        uses: list[ProgramUse] = []
        numbers: dict[ProgramUse, int] = {}
        grids: dict[Color, ColorGrid] = {}
        bank_places: dict[int, Place] = {}
        names: dict[str, list[Rects]] = {}
        flows: list[tuple[FlowUse, Tiles]] = []
        boxes = self._boxes()
        for content, rects in self.region.layers:
            if not len(rects):
                continue
            if isinstance(content, ProgramUse):
                self._check_known(content)
                number = numbers.setdefault(content, len(uses))
                if number == len(uses):
                    uses.append(content)
                self._programs(program, rects, number, content, uses)
            elif isinstance(content, RuleUse):
                if content.color not in grids:
                    grids[content.color] = _empty_grid(*boxes[content.color])
                self._rules(grids[content.color], rects, content)
            elif isinstance(content, NameUse):
                names.setdefault(content.name, []).append(rects)
            elif isinstance(content, BankUse):
                banks[self.where(rects)] |= 1 << content.bank
                bank_places.setdefault(content.bank, content.place)
            else:
                flows.append((content, self.tiles([rects])))
        pairs = self.region.pairs
        used = set(grids) | {c for use in uses for _, c in use.sockets}
        used |= {c for pair in pairs for c in (pair.first, pair.second)}
        used |= {use.color for use, _ in flows}
        return Layout(
            self.width, self.height, member, program, uses, grids, banks, bank_places,
            {name: self.tiles(arrays) for name, arrays in names.items()}, flows, pairs,
            tuple(c for c in colors if c in used),
        )  # fmt: skip

    def where(self, rects: Rects, x: int = 0, y: int = 0) -> Any:
        """An index of the rectangles' tiles into a grid that starts at (x, y) of the layout."""
        x, y = x + self.x, y + self.y
        if len(rects) == 1:
            left, top, width, height = (int(n) for n in rects[0])
            return slice(top - y, top - y + height), slice(left - x, left - x + width)
        ys, xs = self._tiles(rects)
        return ys - y, xs - x

    def _tiles(self, rects: Rects) -> Tiles:
        """The tiles of an array of the region, which stays alive, so its id is its own."""
        if id(rects) not in self._indices:
            self._indices[id(rects)] = _expanded(rects)
        return self._indices[id(rects)]

    def tiles(self, arrays: list[Rects]) -> Tiles:
        """The tiles of rectangles, each once, by rows, then columns."""
        if len(arrays) == 1 and len(arrays[0]) == 1:
            rows, columns = self.where(arrays[0])
            width, height = columns.stop - columns.start, rows.stop - rows.start
            ys = np.repeat(np.arange(rows.start, rows.stop, dtype=np.int32), width)
            return ys, np.tile(np.arange(columns.start, columns.stop, dtype=np.int32), height)
        ys, xs = _expanded(np.concatenate(arrays))
        flat = np.unique((ys - self.y) * self.width + xs - self.x)
        return (flat // self.width).astype(np.int32), (flat % self.width).astype(np.int32)

    def _boxes(self) -> dict[Color, tuple[int, int, int, int]]:
        """The box of each color's tiles, in the layout's own coordinates."""
        lows: dict[Color, list[Any]] = {}
        highs: dict[Color, list[Any]] = {}
        for content, rects in self.region.layers:
            if isinstance(content, RuleUse) and len(rects):
                lows.setdefault(content.color, []).append(rects[:, :2].min(axis=0))
                ends = rects[:, :2] + rects[:, 2:]
                highs.setdefault(content.color, []).append(ends.max(axis=0))
        boxes = {}
        for color, low in lows.items():
            x, y = (int(n) for n in np.min(low, axis=0))
            end_x, end_y = (int(n) for n in np.max(highs[color], axis=0))
            boxes[color] = (x - self.x, y - self.y, end_x - self.x, end_y - self.y)
        return boxes

    def _programs(
        self, grid: np.ndarray, rects: Rects, number: int, use: ProgramUse, uses: list[ProgramUse]
    ) -> None:
        index = self.where(rects)
        before = grid[index]
        clash = (before != NOTHING) & (before != number)
        if clash.any():
            y, x = self._first(rects, clash)
            other = uses[int(before[clash].flat[0])]
            raise UserError(
                f"two programs on tile ({x}, {y}): {program_text(other)} and {program_text(use)}",
                use.place, "give each tile one program", [("the other one", other.place)],
            )  # fmt: skip
        grid[index] = number

    def _rules(self, grid: ColorGrid, rects: Rects, use: RuleUse) -> None:
        index = self.where(rects, grid.x, grid.y)
        before = grid.ids[index]
        for old in np.unique(before):
            here = before == old
            if old == NOTHING:
                new = _number(grid, use.rule, (use.place,))
            else:
                rule, places = grid.rules[old]
                together = merged(rule, use.rule)
                if together is None:
                    y, x = self._first(rects, here)
                    raise UserError(
                        f"two rules for color `{use.color.label}` on tile ({x}, {y}):"
                        f" {rule} and {use.rule}",
                        use.place, "a color has one rule on a router",
                        [("the other one", place) for place in places],
                    )  # fmt: skip
                places = places if use.place in places else (*places, use.place)
                new = _number(grid, together, places)
            before[here] = new
        grid.ids[index] = before

    def _first(self, rects: Rects, marked: np.ndarray) -> tuple[int, int]:
        """(y, x) of a marked tile: the one in the lowest row, then column."""
        index = self.where(rects)
        if isinstance(index[0], slice):
            rows, columns = np.nonzero(marked)
            return int(rows[0]) + index[0].start, int(columns[0]) + index[1].start
        ys, xs = index[0][marked], index[1][marked]
        first = np.lexsort((xs, ys))[0]
        return int(ys[first]), int(xs[first])

    def _check_known(self, use: ProgramUse) -> None:
        places = dict(use.key_places)
        for key, value in use.parameters:
            if isinstance(value, Deferred):
                unknown = sorted(value.names())[0]
                raise UserError(
                    f"`@{unknown}` in `{key}`, and no arrayplace gives a list `{unknown}`",
                    places[key], f"arrayplace(region list [{unknown}:list])",
                )  # fmt: skip


def _expanded(rects: Rects) -> Tiles:
    """The tiles of rectangles, one rectangle after the other, in the region's coordinates."""
    area = rects[:, 2] * rects[:, 3]
    if (area == 1).all():
        return rects[:, 1], rects[:, 0]
    row = np.repeat(np.arange(len(rects)), area)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(area) - area, area)
    down, across = np.divmod(offset, rects[row, 2])
    return rects[row, 1] + down, rects[row, 0] + across


def _empty_grid(x: int, y: int, end_x: int, end_y: int) -> ColorGrid:
    return ColorGrid(x, y, np.full((end_y - y, end_x - x), NOTHING, np.int32))


def _number(grid: ColorGrid, rule: TileRule, places: tuple[Place, ...]) -> int:
    for number, known in enumerate(grid.rules):
        if known == (rule, places) and known[0].cut == rule.cut:
            return number
    grid.rules.append((rule, places))
    return len(grid.rules) - 1


def program_text(use: ProgramUse) -> str:
    """A program with its params, as dumps and messages show it."""
    parts = [f"{key}:{color.label}" for key, color in use.sockets]
    parts += [f"{key}:{value}" for key, value in use.parameters]
    return f"'{use.program} [{' '.join(parts)}]"


def _kinds(layout: Layout) -> tuple[list[Kind], np.ndarray]:
    colors = list(layout.grids)
    columns: list[tuple[int, Callable[..., np.ndarray]]] = [
        (2, lambda: layout.member.astype(np.int64)),
        (len(layout.programs) + 1, lambda: layout.program.astype(np.int64) + 1),
        (4, lambda: layout.banks.astype(np.int64)),
    ]
    flows = [_marked(layout, tiles) for _, tiles in layout.flows]
    columns += [(2, lambda marks=marks: marks) for marks in flows]  # type: ignore[misc]
    keys = np.zeros((layout.height, layout.width), np.int64)
    spread = 1
    for count, values in columns:
        if spread * count >= 1 << 62:
            keys, spread = _compressed(keys)
        keys = keys * count + values()
        spread *= count
    for color in colors:
        grid = layout.grids[color]
        count = len(grid.rules) + 1
        if spread * count >= 1 << 62:
            keys, spread = _compressed(keys)
        keys *= count
        keys[grid.span] += grid.ids + 1
        spread *= count
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    kinds = []
    for number, flat in enumerate(first[order]):
        y, x = divmod(int(flat), layout.width)
        rules = {}
        for color in colors:
            grid = layout.grids[color]
            row, column = y - grid.y, x - grid.x
            height, width = grid.ids.shape
            if 0 <= row < height and 0 <= column < width and grid.ids[row, column] != NOTHING:
                rules[color] = int(grid.ids[row, column])
        kinds.append(
            Kind(number, bool(layout.member[y, x]), int(layout.program[y, x]), rules,
                 int(layout.banks[y, x]), tuple(n for n, f in enumerate(flows) if f[y, x]), y, x)
        )  # fmt: skip
    return kinds, numbers[inverse].reshape(keys.shape)


def _marked(layout: Layout, tiles: Tiles) -> np.ndarray:
    marks = np.zeros((layout.height, layout.width), np.int64)
    marks[tiles] = 1
    return marks


def _compressed(keys: np.ndarray) -> tuple[np.ndarray, int]:
    values, inverse = np.unique(keys, return_inverse=True)
    return inverse.reshape(keys.shape).astype(np.int64), len(values)
