"""Checks of a layout's routes against each other and against its programs (paint page, section 4).

An error is a route that feeds a tile of the layout where no rule takes it; what surely goes wrong
otherwise is a warning. Routes that nothing can feed are not judged: a swap often needs a rule for
the partner that never carries anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from carbide.object import Object
from mitools.arch.model import Arch
from mitools.console import Diagnostics, Place
from paint.colors.problem import CORE
from paint.evaluate.layout import NOTHING, Kind, Layout
from paint.evaluate.values import Color
from paint.routes.graph import Graph, Landing
from paint.routes.neighbours import OUTSIDE, Meeting, opposite, step
from paint.routes.trace import first_fed, tiles_of

WHERE = {"L": "to the left", "R": "to the right", "U": "up", "D": "down"}
FROM = {"L": "the left", "R": "the right", "U": "above", "D": "below", CORE: "the core"}
PLACES = 3
"""Notes about rules that one message carries."""


def check(
    layout: Layout, objects: Sequence[Object], arch: Arch, diagnostics: Diagnostics
) -> None:
    """Report everything that is wrong with the routes; `objects[k]` is that of program k.

    Raises UserError(s) for errors; warnings go to `diagnostics`.
    """
    checker = _Checker(Graph(layout, objects), arch, diagnostics)
    checker.links()
    checker.sockets()
    diagnostics.raise_errors()
    checker.warn()


@define(eq=False)
class _Found:
    """One message and the tiles it is about: the first, and how many."""

    message: str
    place: Place
    remedy: str | None
    notes: list[tuple[str, Place | None]]
    count: int = 0
    tile: tuple[int, int] = (0, 0)


@define(eq=False)
class _Checker:
    graph: Graph
    arch: Arch
    diagnostics: Diagnostics
    found: dict[object, _Found] = field(factory=dict)

    @property
    def layout(self) -> Layout:
        return self.graph.layout

    def links(self) -> None:
        """Every output of every rule, and every input, by kinds of neighbours."""
        for meeting in self.graph.meetings:
            kind = self.graph.kinds[meeting.kind]
            for color in kind.rules:
                rule = self.layout.rule(kind, color)
                assert rule is not None
                for position, (source, outputs) in enumerate(rule.positions):
                    if meeting.side in outputs:
                        self._output(meeting, kind, color, position)
                    if source == meeting.side and meeting.other == OUTSIDE:
                        self._from_outside(meeting, kind, color)

    def _output(self, meeting: Meeting, kind: Kind, color: Color, position: int) -> None:
        if (kind.number, color, position) not in self.graph.fed:
            return
        if meeting.other == OUTSIDE:
            if self._fed_at(meeting, color, position) is not None:
                message = f"color `{color.label}` leaves the layout {WHERE[meeting.side]}"
                boundary = f"|{meeting.side} behind the rule ends it at the region's edge"
                self._add("leaves", meeting, kind, color, message, boundary)
            return
        other = self.graph.kinds[meeting.other]
        if self.graph.configures(other) and color not in other.rules:
            return
        landing = self.graph.landing(other, color, opposite(meeting.side))
        if landing.takes and not landing.stuck:
            return
        tile = self._fed_at(meeting, color, position)
        if tile is None:
            return
        dx, dy = step(meeting.side)
        there = (tile[0] + dy, tile[1] + dx)
        if landing.takes or landing.misread:
            self._stalls(meeting, kind, color, other, landing, there)
        else:
            self._not_taken(meeting, kind, color, other, tile, there)

    def _fed_at(self, meeting: Meeting, color: Color, position: int) -> tuple[int, int] | None:
        ys, xs = tiles_of(self.layout, meeting.kind, meeting.side, meeting.other)
        return first_fed(self.graph, color, position, ys, xs)

    def _from_outside(self, meeting: Meeting, kind: Kind, color: Color) -> None:
        message = f"color `{color.label}` comes from outside the layout, from {FROM[meeting.side]}"
        boundary = f"{meeting.side}| before the rule ends it at the region's edge"
        self._add("comes", meeting, kind, color, message, boundary)

    def _add(
        self, what: str, meeting: Meeting, kind: Kind, color: Color, message: str, remedy: str
    ) -> None:
        place = self.layout.rule_places(kind, color)[0]
        key = (what, place, color, meeting.side)
        one = self.found.setdefault(key, _Found(message, place, remedy, []))
        if not one.count or (meeting.y, meeting.x) < one.tile:
            one.tile = (meeting.y, meeting.x)
        one.count += meeting.count

    def _not_taken(
        self,
        meeting: Meeting,
        kind: Kind,
        color: Color,
        other: Kind,
        tile: tuple[int, int],
        there: tuple[int, int],
    ) -> None:
        side = opposite(meeting.side)
        message = (
            f"tile {_at(tile)} sends color `{color.label}` {WHERE[meeting.side]} to tile"
            f" {_at(there)}, where no rule takes it from {FROM[side]}"
        )
        notes: list[tuple[str, Place | None]] = []
        remedy = f"give that tile a rule for `{color.label}` with the input {side}"
        if not other.member:
            remedy = "that tile is a gap of the layout: end the route before it"
        for reader in [color, *self.graph.partners.get(color, ())]:
            rule = self.layout.rule(other, reader)
            if rule is not None:
                place = self.layout.rule_places(other, reader)[0]
                notes.append((f"the rule of `{reader.label}` there is {rule}", place))
        place = self.layout.rule_places(kind, color)[0]
        if not any(e.place == place for e in self.diagnostics.errors):
            self.diagnostics.error(message, place, remedy, notes[:PLACES])

    def _stalls(
        self,
        meeting: Meeting,
        kind: Kind,
        color: Color,
        other: Kind,
        landing: Landing,
        there: tuple[int, int],
    ) -> None:
        side = opposite(meeting.side)
        name = color.label
        if landing.misread and not landing.takes and not landing.stuck:
            message = f"no color reads `{name}` as it comes from {FROM[side]}: it cannot land"
            remedy = f"the rule of `{name}` there reads its partner: let the partner swap as well"
        else:
            stuck = landing.stuck[0]
            who = f"`{stuck.label}` also reads what `{name}` brings from {FROM[side]}"
            if stuck is color:
                who = f"`{name}` reads its own wavelets too where they come from {FROM[side]}"
            message = f"{who}, and has no input there: the fabric stalls"
            remedy = f"let `{stuck.label}` swap that input as well"
        place = self.layout.rule_places(kind, color)[0]
        notes: list[tuple[str, Place | None]] = [
            (f"`{c.label}` has {self.layout.rule(other, c)} there", p)
            for c in [color, *self.graph.partners.get(color, ())]
            for p in self.layout.rule_places(other, c)[:1]
        ]
        one = self.found.setdefault((message, place), _Found(message, place, remedy, notes))
        if not one.count or there < one.tile:
            one.tile = there
        one.count += meeting.count

    def sockets(self) -> None:
        """Sockets that send to nobody or receive from nobody."""
        for kind in self.graph.kinds:
            if kind.program == NOTHING:
                continue
            for socket, color in self.graph.sends(kind):
                if not self._elsewhere(kind, color):
                    self._sends(kind, socket, color)
            for socket, color in self.graph.receives(kind):
                if not self._elsewhere(kind, color):
                    self._receives(kind, socket, color)

    def _elsewhere(self, kind: Kind, color: Color) -> bool:
        """Whether something but the layout's rules moves this color: messages, flows, programs."""
        if color not in kind.rules and self.graph.configures(kind):
            return True
        if any(self.layout.flows[n][0].color is color for n in kind.flows):
            return True
        banks = self.arch.router.message_banks
        return any(kind.banks >> b & 1 and color.number in banks[b] for b in range(len(banks)))

    def _sends(self, kind: Kind, socket: str, color: Color) -> None:
        landing = self.graph.landing(kind, color, CORE)
        if not landing.takes:
            why = f"no rule takes `{color.label}` from the core"
            self._socket(kind, color, f"what socket `{socket}` sends reaches nobody: {why}")
        elif landing.stuck:
            stuck = landing.stuck[0].label
            why = f"`{stuck}` reads it too, and has no input there: the fabric stalls"
            self._socket(kind, color, f"what socket `{socket}` sends goes nowhere: {why}")
        elif not any((kind.number, c, n) in self.graph.arriving for c, n in landing.takes):
            why = f"`{color.label}` comes to no core that receives it"
            self._socket(kind, color, f"what socket `{socket}` sends reaches nobody: {why}")

    def _receives(self, kind: Kind, socket: str, color: Color) -> None:
        rule = self.layout.rule(kind, color)
        positions = enumerate(rule.positions if rule else ())
        ends = [(n, source) for n, (source, outputs) in positions if CORE in outputs]
        says = f"socket `{socket}` receives from nobody: "
        if not ends:
            says += f"no rule brings `{color.label}` to the core"
        elif rule is not None and any(not source and rule.cut for _, source in ends):
            return  # an edge, where the layout itself took the input away
        elif any((kind.number, color, n) in self.graph.fed for n, _ in ends):
            return
        else:
            says += f"nothing feeds `{color.label}` there"
        self._socket(kind, color, says)

    def _socket(self, kind: Kind, color: Color, message: str) -> None:
        use = self.layout.programs[kind.program]
        notes: list[tuple[str, Place | None]] = []
        rule = self.layout.rule(kind, color)
        if rule is not None:
            notes.append((f"the rule is {rule}", self.layout.rule_places(kind, color)[0]))
        key = (message, use.place)
        one = self.found.setdefault(key, _Found(message, use.place, None, notes))
        if not one.count:
            one.tile = (kind.y, kind.x)
        one.count += int((self.layout.kinds[1] == kind.number).sum())

    def warn(self) -> None:
        """Tell what was found, in the order of the source."""
        for one in sorted(self.found.values(), key=lambda f: (f.place, f.message)):
            where = f"on tile {_at(one.tile)}"
            if one.count > 1:
                where = f"on {one.count} tiles, the first {_at(one.tile)}"
            self.diagnostics.warning(f"{one.message} ({where})", one.place, one.remedy, one.notes)


def _at(tile: tuple[int, int]) -> str:
    """(y, x) as people write it."""
    return f"({tile[1]}, {tile[0]})"
