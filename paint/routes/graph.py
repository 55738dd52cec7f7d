"""Where wavelets go: which rule takes them on the next tile, seen by kinds of tiles.

A flow is a kind of tile with a color and a switch position of its rule there. By kinds, a wavelet
may go from one to another if some tiles of these kinds are neighbours: what is found to go nowhere,
or to come from nowhere, surely does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from attrs import define, frozen

from carbide.object import Object
from paint.colors.problem import CORE, partners
from paint.evaluate.layout import NOTHING, Kind, Layout
from paint.evaluate.values import Color
from paint.routes.neighbours import OUTSIDE, Meeting, meetings, opposite
from paint.routes.rule import TileRule

Flow = tuple[int, Color, int]
"""Number of the kind, color, position."""


@frozen
class Landing:
    """What becomes of a wavelet on a tile: `takes` are colors and positions that take it from its
    side, `stuck` are colors that read it without taking it from there. `misread` says that its own
    color has a rule for that side, which by its swap reads the partner."""

    takes: tuple[tuple[Color, int], ...]
    stuck: tuple[Color, ...]
    misread: bool


@define(eq=False, slots=False)
class Graph:
    """Flows of a layout. `objects[k]` is that of the layout's program k."""

    layout: Layout
    objects: Sequence[Object]

    def __attrs_post_init__(self) -> None:
        self.kinds = self.layout.kinds[0]
        self.partners = partners(self.layout)
        self.meetings: list[Meeting] = meetings(self.layout)
        self.around: dict[tuple[int, str], list[int]] = {}
        for meeting in self.meetings:
            self.around.setdefault((meeting.kind, meeting.side), []).append(meeting.other)

    def configures(self, kind: Kind) -> bool:
        """Whether the program sets routes itself, so that colors without rules may have some."""
        return kind.program != NOTHING and self.objects[kind.program].configures_router

    def sends(self, kind: Kind) -> list[tuple[str, Color]]:
        """Sockets that the program sends on, with their colors."""
        return self._sockets(kind, True)

    def receives(self, kind: Kind) -> list[tuple[str, Color]]:
        """Sockets that the program receives on, with their colors."""
        return self._sockets(kind, False)

    def _sockets(self, kind: Kind, sending: bool) -> list[tuple[str, Color]]:
        if kind.program == NOTHING:
            return []
        bound = dict(self.layout.programs[kind.program].sockets)
        return [
            (socket.name, bound[socket.name])
            for socket in self.objects[kind.program].sockets
            if socket.name in bound
            and (socket.output_queue if sending else socket.input_queue) is not None
        ]

    def landing(self, kind: Kind, color: Color, side: str) -> Landing:
        """What a tile does with a color that comes from a side (Notes, Color Swapping)."""
        takes: list[tuple[Color, int]] = []
        stuck: list[Color] = []
        own = self.layout.rule(kind, color)
        misread = False
        if own is None:
            stuck.append(color)
        elif own.reads_partner(side):
            misread = side in own.inputs
        else:
            self._read(color, own, side, takes, stuck)
        for partner in self.partners.get(color, ()):
            rule = self.layout.rule(kind, partner)
            if rule is not None and rule.reads_partner(side):
                self._read(partner, rule, side, takes, stuck)
        return Landing(tuple(takes), tuple(stuck), misread)

    def _read(
        self,
        color: Color,
        rule: TileRule,
        side: str,
        takes: list[tuple[Color, int]],
        stuck: list[Color],
    ) -> None:
        positions = [(color, n) for n, (source, _) in enumerate(rule.positions) if source == side]
        takes += positions
        if not positions:
            stuck.append(color)

    def flows(self) -> Iterable[tuple[Flow, str, str]]:
        """All flows with their input and outputs."""
        for kind in self.kinds:
            for color in kind.rules:
                rule = self.layout.rule(kind, color)
                assert rule is not None
                for number, (source, outputs) in enumerate(rule.positions):
                    yield (kind.number, color, number), source, outputs

    @cached_property
    def next(self) -> dict[Flow, list[Flow]]:
        """The flows that may come directly after each flow."""
        found: dict[Flow, list[Flow]] = {}
        for flow, _, outputs in self.flows():
            after: dict[Flow, None] = {}
            for side in outputs.replace(CORE, ""):
                for other in self.around.get((flow[0], side), ()):
                    if other != OUTSIDE:
                        landing = self.landing(self.kinds[other], flow[1], opposite(side))
                        after.update(((other, c, n), None) for c, n in landing.takes)
            found[flow] = list(after)
        return found

    @cached_property
    def fed(self) -> set[Flow]:
        """Flows that may carry something, from a core or from outside."""
        waiting: list[Flow] = []
        for kind in self.kinds:
            for _, color in self.sends(kind):
                landing = self.landing(kind, color, CORE)
                waiting += [(kind.number, c, n) for c, n in landing.takes]
        for flow, source, _ in self.flows():
            if OUTSIDE in self.around.get((flow[0], source), ()):
                waiting.append(flow)
            if source and source != CORE and self._from_unknown(flow, source):
                waiting.append(flow)
        found = set(waiting)
        while waiting:
            for flow in self.next[waiting.pop()]:
                if flow not in found:
                    found.add(flow)
                    waiting.append(flow)
        return found

    def _from_unknown(self, flow: Flow, side: str) -> bool:
        """Whether the neighbour's program may send this by a route of its own."""
        rule = self.layout.rule(self.kinds[flow[0]], flow[1])
        assert rule is not None
        read = self.partners.get(flow[1], []) if rule.reads_partner(side) else [flow[1]]
        return any(
            other != OUTSIDE
            and self.configures(self.kinds[other])
            and any(color not in self.kinds[other].rules for color in read)
            for other in self.around.get((flow[0], side), ())
        )

    @cached_property
    def arriving(self) -> set[Flow]:
        """Flows that may end well: at a core that receives, outside, or where they were cut."""
        before: dict[Flow, list[Flow]] = {}
        for flow, after in self.next.items():
            for one in after:
                before.setdefault(one, []).append(flow)
        waiting = [flow for flow, _, outputs in self.flows() if self._ends_well(flow, outputs)]
        found = set(waiting)
        while waiting:
            for flow in before.get(waiting.pop(), ()):
                if flow not in found:
                    found.add(flow)
                    waiting.append(flow)
        return found

    def _ends_well(self, flow: Flow, outputs: str) -> bool:
        kind, color = self.kinds[flow[0]], flow[1]
        rule = self.layout.rule(kind, color)
        assert rule is not None
        if not outputs or any(side.isupper() for side in rule.cut):
            return True
        if CORE in outputs and (
            self.configures(kind) or any(c is color for _, c in self.receives(kind))
        ):
            return True
        for side in outputs.replace(CORE, ""):
            for other in self.around.get((flow[0], side), ()):
                if other == OUTSIDE:
                    return True
                if self.configures(self.kinds[other]) and color not in self.kinds[other].rules:
                    return True
        return False
