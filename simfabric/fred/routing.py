"""Routing of flows through a Fred switch (Fred, section 5.2), exact.

Outermost level first: flows that share an input or an output micro-switch must take different
middle switches, so the conflict graph is coloured with m colors; then each middle switch is routed
in the same way. All colorings are tried, so a conflict means that there is no routing at all.
"""

from collections.abc import Iterator, Sequence

from attrs import frozen

from simfabric.fred.flows import Flow, check_disjoint
from simfabric.fred.switch import Stage


@frozen
class Routed:
    """A routing of one level: the middle switch of each flow, and the middle switches' own.

    `colors` is empty at the innermost level; `inner[k]` are the flows of middle switch k and how
    they are routed there.
    """

    stage: Stage
    flows: tuple[Flow, ...]
    colors: tuple[int, ...]
    inner: tuple["Routed", ...]


@frozen
class Conflict:
    """Flows (of the outermost level) that cannot run together, and where that shows.

    No proper part of `flows` conflicts. `edges` are the pairs that share a micro-switch at the
    outermost level.
    """

    flows: tuple[Flow, ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        names = ", ".join(flow.text for flow in self.flows)
        pairs = "; ".join(f"{self.flows[a].text} with {self.flows[b].text}" for a, b in self.edges)
        shared = f" (micro-switches are shared by {pairs})" if pairs else ""
        return f"routing conflict among the flows {names}{shared}"


def conflict_graph(stage: Stage, flows: Sequence[Flow]) -> list[set[int]]:
    """For each flow the flows that share an input or output micro-switch with it."""
    groups = [
        ({stage.group(p) for p in flow.inputs}, {stage.group(p) for p in flow.outputs})
        for flow in flows
    ]
    edges: list[set[int]] = [set() for _ in flows]
    for a in range(len(flows)):
        for b in range(a):
            if groups[a][0] & groups[b][0] or groups[a][1] & groups[b][1]:
                edges[a].add(b)
                edges[b].add(a)
    return edges


def colorings(edges: Sequence[set[int]], colors: int) -> Iterator[tuple[int, ...]]:
    """All colorings up to renaming of the colors, in a fixed order."""
    chosen: list[int] = []

    def extend(used: int) -> Iterator[tuple[int, ...]]:
        node = len(chosen)
        if node == len(edges):
            yield tuple(chosen)
            return
        taken = {chosen[other] for other in edges[node] if other < node}
        for color in range(min(used + 1, colors)):
            if color not in taken:
                chosen.append(color)
                yield from extend(max(used, color + 1))
                chosen.pop()

    yield from extend(0)


def route(stage: Stage, flows: Sequence[Flow]) -> Routed | Conflict:
    """A routing of all flows, or the smallest set of them that has none.

    Raises UserError where flows share a port.
    """
    check_disjoint(flows)
    found = _route(stage, tuple(flows))
    return found if found is not None else _smallest_conflict(stage, list(flows))


def _route(stage: Stage, flows: tuple[Flow, ...]) -> Routed | None:
    if stage.innermost or not flows:
        # Disjoint flows on one RD micro-switch never conflict: each output takes from its flow.
        return Routed(stage, flows, (), ())
    edges = conflict_graph(stage, flows)
    impossible: set[tuple[int, ...]] = set()
    for colors in colorings(edges, stage.middles):
        inner: list[Routed] = []
        for number in range(stage.middles):
            members = tuple(k for k, color in enumerate(colors) if color == number)
            if members in impossible:
                break
            below = _route(stage.middle(number), tuple(_inside(stage, flows[k]) for k in members))
            if below is None:
                impossible.add(members)
                break
            inner.append(below)
        else:
            return Routed(stage, flows, colors, tuple(inner))
    return None


def _inside(stage: Stage, flow: Flow) -> Flow:
    return Flow.of(
        {stage.group(p) for p in flow.inputs}, {stage.group(p) for p in flow.outputs}
    )


def _smallest_conflict(stage: Stage, flows: list[Flow]) -> Conflict:
    kept = list(flows)
    for flow in flows:
        rest = [other for other in kept if other is not flow]
        if _route(stage, tuple(rest)) is None:
            kept = rest
    graph = conflict_graph(stage, kept)
    edges = tuple((a, b) for b, near in enumerate(graph) for a in sorted(near) if a < b)
    return Conflict(tuple(kept), edges)
