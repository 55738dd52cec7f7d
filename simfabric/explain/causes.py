"""From the graph of waits to causes: cycles and reasons, with the stalls that lead to each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import define, field

from simfabric.explain.snapshot import Coordinate, Snapshot
from simfabric.explain.waits import REASONS, Node, Waits, threads_of

if TYPE_CHECKING:
    from networkx import DiGraph

MOST_ROOTS = 2000
"""PEs that the graph starts from, all of them; of more, FEW_ROOTS, evenly from each group."""
FEW_ROOTS = 200
MOST_TILES = 3000
"""Tiles that are looked into; where the graph would go on beyond them it ends."""

STALLED = ("thread", "blocked")


@define
class Found:
    """One cause as nodes: `nodes` are a cycle in order, or one reason.

    `members` are the stalled nodes whose nearest cause this is, nearest first.
    """

    nodes: tuple[Node, ...]
    cycle: bool
    members: list[Node] = field(factory=list)


@define
class Findings:
    """`onward` leads from each node to the next on the way to its cause."""

    causes: list[Found]
    onward: dict[Node, Node]
    waiting: int
    unexplored: int


def roots(snapshot: Snapshot) -> tuple[list[Coordinate], int]:
    """The waiting PEs to start from, and how many wait in all."""
    groups = list(snapshot.waiting())
    total = sum(len(group) for group in groups)
    if total <= MOST_ROOTS:
        return sorted(place for group in groups for place in group), total
    share = max(1, FEW_ROOTS // len(groups))
    chosen = []
    for group in groups:
        step = max(1, len(group) // share)
        chosen += group[::step][:share]
    return sorted(chosen), total


def graph_of(snapshot: Snapshot, start: Iterable[Coordinate]) -> DiGraph[Node]:
    """The waits of these PEs and of everything that they lead to."""
    import networkx

    waits = Waits(snapshot)
    graph: DiGraph[Node] = networkx.DiGraph()
    seen: set[Node] = set()
    tiles: set[Coordinate] = set()
    for y, x in start:
        # Depth first, so that chains reach their ends before the tiles run out.
        stack = [n for n in threads_of(snapshot.tile(y, x)) if n not in seen]
        seen.update(stack)
        graph.add_nodes_from(stack)
        while stack and len(tiles) < MOST_TILES:
            node = stack.pop()
            tiles.add(node.place)
            for after in waits.after(node):
                graph.add_edge(node, after)
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
    return graph


def find(snapshot: Snapshot) -> Findings:
    """The causes of all waits, most stalls first; a cycle before a reason of as many."""
    start, waiting = roots(snapshot)
    if not start:
        return Findings([], {}, 0, 0)
    graph = graph_of(snapshot, start)
    causes = [Found((node,), False) for node in graph if node.kind in REASONS]
    causes += _cycles(graph, {found.nodes[0] for found in causes})
    onward, cause_of, distance = _towards(graph, causes)
    for node in graph:
        if node.kind in STALLED and node in cause_of:
            cause_of[node].members.append(node)
    for found in causes:
        found.members.sort(key=lambda n: (distance[n], n.y, n.x, n.a))
    explored = {n.place for n in graph if n.kind in STALLED}
    causes = [found for found in causes if found.members]
    causes.sort(key=lambda f: (_passes(f), -len(f.members), not f.cycle, f.nodes))
    return Findings(causes, onward, waiting, max(0, waiting - len(explored)))


def _passes(found: Found) -> bool:
    return found.nodes[0].kind in ("busy", "works", "moves")


def _before(graph: DiGraph[Node], nodes: set[Node]) -> set[Node]:
    """The nodes from which one of `nodes` can be reached."""
    reached = set(nodes)
    queue = deque(nodes)
    while queue:
        for before in graph.predecessors(queue.popleft()):
            if before not in reached:
                reached.add(before)
                queue.append(before)
    return reached


def _cycles(graph: DiGraph[Node], reasons: set[Node]) -> list[Found]:
    """A shortest cycle of each knot that holds threads.

    A knot from which a reason can be reached and in which no buffer is full is left out: its PEs
    could go on if the reason were mended.
    """
    import networkx

    escapes = _before(graph, reasons)
    found = []
    for knot in networkx.strongly_connected_components(graph):
        if len(knot) < 2:
            continue
        stalled = sorted(n for n in knot if n.kind in STALLED)
        if not stalled:
            continue
        full = any(n.kind in ("head", "drain") for n in knot)
        if not full and stalled[0] in escapes:
            continue
        cycles = [c for n in stalled[:64] if (c := _shortest_cycle(graph, n, knot))]
        if cycles:
            found.append(Found(min(cycles, key=lambda c: (len(c), c)), True))
    return found


def _shortest_cycle(
    graph: DiGraph[Node], start: Node, inside: set[Node]
) -> tuple[Node, ...]:
    before: dict[Node, Node] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for after in graph.successors(node):
            if after == start:
                path = [node]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
            if after in inside and after not in before:
                before[after] = node
                queue.append(after)
    return ()


def _towards(
    graph: DiGraph[Node], causes: list[Found]
) -> tuple[dict[Node, Node], dict[Node, Found], dict[Node, int]]:
    """For each node the next one on a shortest way to a cause, that cause, and the distance.

    What still goes on is no cause while there is another.
    """
    onward: dict[Node, Node] = {}
    cause_of: dict[Node, Found] = {}
    distance: dict[Node, int] = {}
    queue: deque[Node] = deque()
    ordered = sorted(causes, key=lambda f: (not f.cycle, f.nodes))
    for wave in (
        [f for f in ordered if not _passes(f)],
        [f for f in ordered if _passes(f)],
    ):
        for found in wave:
            for place, node in enumerate(found.nodes):
                if node in cause_of:
                    continue
                cause_of[node] = found
                distance[node] = 0
                if found.cycle:
                    onward[node] = found.nodes[(place + 1) % len(found.nodes)]
                queue.append(node)
        while queue:
            node = queue.popleft()
            for before in sorted(graph.predecessors(node)):
                if before not in cause_of:
                    cause_of[before] = cause_of[node]
                    distance[before] = distance[node] + 1
                    onward[before] = node
                    queue.append(before)
    return onward, cause_of, distance
