"""What the numbers of colors must satisfy (paint page, section 5; docs/paint.md, "Numbers").

On every tile the colors that it carries differ: those with a rule there, those of its program's
sockets, those that a neighbour sends to it, and those that a swap reads. Where a swap reads from
some side the color one away, no other color may arrive from there with that number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from attrs import field, frozen

from mitools.arch.model import Arch
from mitools.console import Place, UserError
from paint.evaluate.layout import NOTHING, Kind, Layout
from paint.evaluate.values import Color
from paint.routes.neighbours import Meeting, meetings, neighbours, opposite
from paint.routes.rule import SWAPPED_INPUTS

CORE = "C"


@frozen
class Carried:
    """A color on a tile: `arrives` are the sides it comes from with its own number."""

    why: str
    place: Place = field(eq=False)
    arrives: str = ""


@frozen(eq=False)
class Meet:
    """All these colors differ: they are on one tile, (x, y) the first of its kind."""

    carried: Mapping[Color, Carried]
    x: int
    y: int

    @property
    def colors(self) -> frozenset[Color]:
        return frozenset(self.carried)


@frozen(eq=False)
class Same:
    """`first` is one away from `second`: they are a pair."""

    first: Color
    second: Color
    place: Place

    @property
    def colors(self) -> frozenset[Color]:
        return frozenset((self.first, self.second))


@frozen(eq=False)
class Apart:
    """`other` is not the color one away from `swapped`, whose swap would read it on tile (x, y)."""

    swapped: Color
    other: Color
    x: int
    y: int
    place: Place
    other_place: Place

    @property
    def colors(self) -> frozenset[Color]:
        return frozenset((self.swapped, self.other))


@frozen(eq=False)
class Within:
    """`color` is one of `numbers`: `reason` is "fixed", "switch", or "bank" with `why` it is."""

    color: Color
    numbers: frozenset[int]
    reason: str
    why: str
    place: Place

    @property
    def colors(self) -> frozenset[Color]:
        return frozenset((self.color,))


Constraint = Meet | Same | Apart | Within


@frozen(eq=False)
class Problem:
    """`colors` in order of declaration; `crowded` is the tile with the most colors."""

    colors: tuple[Color, ...]
    size: int
    constraints: tuple[Constraint, ...]
    crowded: Meet | None


def problem(layout: Layout, arch: Arch) -> Problem:
    """The constraints of a layout, each once.

    Raises UserError for a fixed number that one rule or pair alone does not allow.
    """
    builder = _Builder(layout, arch)
    builder.check_fixed()
    meets = builder.meets()
    constraints: list[Constraint] = []
    constraints += builder.fixed()
    constraints += [Same(pair.first, pair.second, pair.place) for pair in layout.pairs]
    constraints += builder.switching()
    for kind, meet in meets:
        constraints += builder.banks(kind, meet)
        constraints += builder.apart(kind, meet)
    constraints += _largest([meet for _, meet in meets])
    crowded = max((m for _, m in meets), key=lambda m: len(m.carried), default=None)
    return Problem(layout.colors, arch.router.colors, tuple(_once(constraints)), crowded)


class _Builder:
    def __init__(self, layout: Layout, arch: Arch):
        self.layout = layout
        self.arch = arch
        self.partners = partners(layout)

    def check_fixed(self) -> None:
        able = self.arch.router.switching
        for color, grid in self.layout.grids.items():
            for rule, places in grid.rules:
                if rule.switches and color.number is not None and color.number not in able:
                    raise UserError(
                        f"color {color.number} cannot switch, and this rule has"
                        f" {len(rule.positions)} positions",
                        places[0], f"colors that can are {ranges(able)}",
                        [(f"`{color.label}` gets its number here", color.place)],
                    )  # fmt: skip
        for pair in self.layout.pairs:
            one, two = pair.first.number, pair.second.number
            if one is not None and two is not None and one ^ two != 1:
                raise UserError(
                    f"`{pair.first.label}` is color {one} and `{pair.second.label}` color {two},"
                    " which are no pair",
                    pair.place, f"the partner of {one} is {one ^ 1}",
                    [(f"`{c.label}` gets its number here", c.place)
                     for c in (pair.first, pair.second)],
                )  # fmt: skip

    def fixed(self) -> list[Constraint]:
        return [
            Within(c, frozenset([c.number]), "fixed", f"`{c.label}` is color {c.number}", c.place)
            for c in self.layout.colors
            if c.number is not None
        ]

    def switching(self) -> list[Constraint]:
        able = frozenset(self.arch.router.switching)
        found: list[Constraint] = []
        for color, grid in self.layout.grids.items():
            places = [places[0] for rule, places in grid.rules if rule.switches]
            if places:
                why = f"`{color.label}` switches, so it is one of {ranges(able)}"
                found.append(Within(color, able, "switch", why, places[0]))
        return found

    def meets(self) -> list[tuple[Kind, Meet]]:
        """The colors of every kind of tile, apart where different ones arrive there."""
        kinds, grid = self.layout.kinds
        own = {k.number: self.carried(k) for k in kinds}
        extras: dict[tuple[int, str, int], dict[Color, Carried]] = {}
        for meeting in meetings(self.layout):
            if meeting.other >= 0 and kinds[meeting.kind].member:
                arriving = self._arriving(kinds[meeting.other], meeting, own[meeting.kind])
                if arriving:
                    extras[meeting.kind, meeting.side, meeting.other] = arriving
        found = []
        for kind in kinds:
            here = {key: value for key, value in extras.items() if key[0] == kind.number}
            if own[kind.number] and not self._everywhere(kind, here, grid):
                found.append((kind, Meet(own[kind.number], kind.x, kind.y)))
            if here:
                found += self._with_extras(kind, own[kind.number], here, grid)
        return found

    def carried(self, kind: Kind) -> dict[Color, Carried]:
        """The colors that a tile has by itself."""
        found: dict[Color, Carried] = {}
        for color in kind.rules:
            rule = self.layout.rule(kind, color)
            assert rule is not None
            place = self.layout.rule_places(kind, color)[0]
            reads = SWAPPED_INPUTS[rule.modifier]
            sides = "".join(s for s in rule.inputs if s not in reads)
            _add(found, color, Carried("has a rule", place, sides))
            for partner in self.partners.get(color, ()):
                sides = "".join(s for s in rule.inputs if s in reads)
                if sides:
                    _add(found, partner, Carried(f"is read by `{color.label}`", place, sides))
        if kind.program != NOTHING:
            use = self.layout.programs[kind.program]
            for socket, color in use.sockets:
                _add(found, color, Carried(f"is bound to socket `{socket}`", use.place, CORE))
        for number in kind.flows:
            use_ = self.layout.flows[number][0]
            _add(found, use_.color, Carried("has a flow", use_.place, CORE))
        return found

    def _arriving(
        self, other: Kind, meeting: Meeting, own: Mapping[Color, Carried]
    ) -> dict[Color, Carried]:
        """What a neighbour sends here that is not known to come from its side."""
        found = {}
        for color in other.rules:
            rule = self.layout.rule(other, color)
            if rule is None or opposite(meeting.side) not in rule.outputs:
                continue
            if color not in own or meeting.side not in own[color].arrives:
                place = self.layout.rule_places(other, color)[0]
                found[color] = Carried("is sent here", place, meeting.side)
        return found

    def _everywhere(
        self, kind: Kind, extras: Mapping[tuple[int, str, int], object], grid: np.ndarray
    ) -> bool:
        """Whether all tiles of the kind have some extras, so that its own meeting says less."""
        return bool(extras) and all(
            any((kind.number, side, int(other)) in extras for side, other in row)
            for row in self._surroundings(kind, grid)
        )

    def _surroundings(self, kind: Kind, grid: np.ndarray) -> list[tuple[tuple[str, int], ...]]:
        here = grid == kind.number
        rows = np.stack([neighbours(grid, side)[here] for side in "LRUD"], axis=1)
        return [
            tuple(zip("LRUD", (int(n) for n in row), strict=True))
            for row in np.unique(rows, axis=0)
        ]

    def _with_extras(
        self,
        kind: Kind,
        own: Mapping[Color, Carried],
        extras: Mapping[tuple[int, str, int], Mapping[Color, Carried]],
        grid: np.ndarray,
    ) -> list[tuple[Kind, Meet]]:
        found: dict[frozenset[tuple[Color, Carried]], Meet] = {}
        for row in self._surroundings(kind, grid):
            carried = dict(own)
            for side, other in row:
                for color, what in extras.get((kind.number, side, other), {}).items():
                    _add(carried, color, what)
            if len(row):
                y, x = self._first(kind, row, grid)
                found.setdefault(frozenset(carried.items()), Meet(carried, x, y))
        return [(kind, meet) for meet in found.values()]

    def _first(
        self, kind: Kind, row: Iterable[tuple[str, int]], grid: np.ndarray
    ) -> tuple[int, int]:
        here = grid == kind.number
        for side, other in row:
            here &= neighbours(grid, side) == other
        y, x = divmod(int(np.argmax(here)), self.layout.width)
        return y, x

    def banks(self, kind: Kind, meet: Meet) -> list[Constraint]:
        """Colors of an enabled bank are not given to others; a program may use them by number."""
        found: list[Constraint] = []
        for bank, numbers in enumerate(self.arch.router.message_banks):
            if not kind.banks >> bank & 1:
                continue
            others = frozenset(range(self.arch.router.colors)) - frozenset(numbers)
            where = f"on tile ({meet.x}, {meet.y})"
            taken = f"bank {bank} takes colors {numbers[0]}-{numbers[-1]} {where}"
            for color in meet.carried:
                message = color.number in numbers and color not in kind.rules
                if not message:
                    why = f"{taken}, so `{color.label}` is none of them"
                    place = self.layout.bank_places[bank]
                    found.append(Within(color, others, "bank", why, place))
        return found

    def apart(self, kind: Kind, meet: Meet) -> list[Constraint]:
        """What a swap must not read: other colors that arrive from a side that it swaps."""
        found: list[Constraint] = []
        for color in kind.rules:
            rule = self.layout.rule(kind, color)
            assert rule is not None
            swapped = SWAPPED_INPUTS[rule.modifier]
            place = self.layout.rule_places(kind, color)[0]
            for other, carried in meet.carried.items():
                if other is color or other in self.partners.get(color, ()):
                    continue
                if color.number is not None and other.number is not None:
                    continue
                if any(side in swapped for side in carried.arrives):
                    found.append(Apart(color, other, meet.x, meet.y, place, carried.place))
        return found


def partners(layout: Layout) -> dict[Color, list[Color]]:
    """The colors one away from each color: by pairs, or by their fixed numbers."""
    found: dict[Color, list[Color]] = {}

    def add(first: Color, second: Color) -> None:
        if second not in found.setdefault(first, []):
            found[first].append(second)

    for pair in layout.pairs:
        add(pair.first, pair.second)
        add(pair.second, pair.first)
    numbered = {c.number: c for c in layout.colors if c.number is not None}
    for number, color in numbered.items():
        other = numbered.get(number ^ 1)
        if other is not None:
            add(color, other)
    return found


def _add(found: dict[Color, Carried], color: Color, what: Carried) -> None:
    """Add a reason; the first one stays the one that is told."""
    before = found.get(color)
    if before is None:
        found[color] = what
    else:
        sides = before.arrives + "".join(s for s in what.arrives if s not in before.arrives)
        found[color] = Carried(before.why, before.place, sides)


def _largest(meets: list[Meet]) -> list[Meet]:
    """Meetings that are not part of another one."""
    ordered = sorted(meets, key=lambda m: (-len(m.carried), m.y, m.x))
    kept: list[Meet] = []
    for meet in ordered:
        if len(meet.carried) > 1 and not any(meet.colors <= other.colors for other in kept):
            kept.append(meet)
    return kept


def _once(constraints: list[Constraint]) -> list[Constraint]:
    """Each constraint once, whatever tile it was first seen on."""
    found: dict[object, Constraint] = {}
    for constraint in constraints:
        key: object = id(constraint)
        if isinstance(constraint, Within):
            key = (constraint.color, constraint.numbers)
        elif isinstance(constraint, Apart):
            key = (constraint.swapped, constraint.other, "apart")
        found.setdefault(key, constraint)
    return list(found.values())


def ranges(numbers: Iterable[int]) -> str:
    """Numbers as `0-9, 12`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
