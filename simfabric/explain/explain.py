"""Puts an explanation together: causes with their stalls, handlers, orphans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import evolve

from simfabric.explain.causes import STALLED, Findings, Found, find
from simfabric.explain.model import Cause, Explanation, Handlers, Orphans, Stall
from simfabric.explain.names import pe_name
from simfabric.explain.snapshot import Coordinate, Snapshot
from simfabric.explain.waits import PASSING, REASONS, Node

if TYPE_CHECKING:
    from simfabric.explain.describe import Describer


def explain(snapshot: Snapshot, problem: str | None = None) -> Explanation:
    """The explanation of a stopped grid. `problem` is the machine's error, if it ended the run."""
    findings = find(snapshot)
    causes: list[Cause] = []
    if findings.causes:
        from simfabric.explain.describe import Describer

        describer = Describer(snapshot)
        causes = _merge([_cause(describer, findings, found) for found in findings.causes])
    orphans: list[Orphans] = []
    beyond = 0
    if snapshot.reason != "quiet":
        causes = [c for c in causes if c.kind not in PASSING]
    elif next(snapshot.holding(), None) is not None:
        from simfabric.explain.orphans import find_orphans

        orphans, beyond = find_orphans(snapshot)
    return Explanation(
        snapshot.cycle,
        snapshot.reason,
        findings.waiting,
        tuple(causes),
        tuple(orphans),
        tuple(_handlers(snapshot)),
        orphans_beyond=beyond,
        clean=snapshot.clean(),
        unexplored=findings.unexplored,
        problem=problem,
    )


def _cause(describer: Describer, findings: Findings, found: Found) -> Cause:
    nodes = [n for n in found.nodes if n.kind in STALLED]
    inside = set(nodes) if found.cycle else set()
    chain = tuple(_stall(describer, findings, n) for n in nodes) if found.cycle else ()
    stalls = _groups(describer, findings, [n for n in found.members if n not in inside])
    if found.cycle:
        places = tuple(n.place for n in nodes)
        return Cause("cycle", _cycle_text(places), places, chain, stalls)
    text, place = describer.reason(found.nodes[0])
    file, line, column = place or (None, None, None)
    kind, at = found.nodes[0].kind, (found.nodes[0].place,)
    return Cause(kind, text, at, (), stalls, file, line, column)


def _cycle_text(places: tuple[Coordinate, ...]) -> str:
    names = [pe_name(y, x) for y, x in places]
    if len(set(places)) == 1:
        return f"a cycle of waits inside {names[0]}"
    if len(names) > 8:
        names = [*names[:4], f"({len(names) - 7} more)", *names[-3:]]
    return f"a cycle of waits: {' -> '.join([*names, names[0]])}, each waits for the next"


def _stall(
    describer: Describer, findings: Findings, node: Node, alike: tuple[Coordinate, ...] = ()
) -> Stall:
    path = []
    after = findings.onward.get(node)
    while after is not None and after.kind not in STALLED:
        path.append(after)
        if after.kind in REASONS:
            break
        after = findings.onward.get(after)
    return describer.stall(node, path, alike)


def _groups(
    describer: Describer, findings: Findings, nodes: Iterable[Node]
) -> tuple[Stall, ...]:
    """Stalls at one statement and of one kind stand together behind the nearest of them."""
    groups: dict[object, list[Node]] = defaultdict(list)
    for node in nodes:
        groups[_signature(describer, node)].append(node)
    return tuple(
        _stall(
            describer,
            findings,
            group[0],
            tuple(dict.fromkeys(n.place for n in group[1:] if n.place != group[0].place)),
        )
        for group in groups.values()
    )


def _signature(describer: Describer, node: Node) -> tuple[object, ...]:
    tile = describer.tile(node)
    program = tile.program.program if tile.program else None
    if node.kind == "blocked":
        return program, node.kind, node.a
    thread = next((t for t in tile.threads if t.slot == node.a), None)
    if thread is None:
        return program, node.kind, node.a, None
    return program, node.a, thread.pc, thread.waits, thread.queue


def _merge(causes: list[Cause]) -> list[Cause]:
    """Causes of the same kind at the same statements become one that counts the others."""
    merged: dict[object, Cause] = {}
    for cause in causes:
        parts = [
            (s.slot, s.task, s.waits, s.queue, s.file, s.line, s.column)
            for s in (*cause.chain, *cause.stalls)
        ]
        key = cause.kind, cause.file, cause.line, cause.column, tuple(parts)
        if key not in merged:
            merged[key] = cause
        else:
            known = merged[key]
            merged[key] = evolve(known, alike=(*known.alike, cause.places[0]))
    return list(merged.values())


def _handlers(snapshot: Snapshot) -> list[Handlers]:
    found: dict[str, list[Coordinate]] = defaultdict(list)
    for y, x in snapshot.handling():
        program = snapshot.tile(y, x).program
        found[program.source or program.program if program else "?"].append((y, x))
    return [Handlers(name, len(places), places[0]) for name, places in sorted(found.items())]
