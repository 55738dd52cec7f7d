"""Ways out of a routing conflict and what each costs (Fred, section 5.3).

- block: run the flows in several rounds, as few as possible;
- middles: more middle switches, as few more as possible;
- unicast: the flows that conflict become unicasts between ports, in rounds of their own;
- placement: put the workers on other ports, so that the flows route as they are.
"""

from collections.abc import Sequence

from attrs import frozen

from simfabric.fred.flows import Flow, Step
from simfabric.fred.routing import Conflict, Routed, route
from simfabric.fred.switch import Stage, count

WAYS = ("block", "middles", "unicast", "placement")
TRIES = 20_000
"""Placements that the search looks at before it gives up."""


@frozen
class WayOut:
    """`rounds` are steps that each route on `stage`; `cost` says in words what it takes.

    `ports[p]` is the port that the worker of port p was moved to (placement only).
    """

    way: str
    stage: Stage
    rounds: tuple[Step, ...]
    cost: str
    ports: tuple[int, ...] | None = None


def way_out(stage: Stage, flows: Sequence[Flow], way: str) -> WayOut | None:
    """Resolve a conflict in one of `WAYS`; None when that way does not lead out."""
    return {"block": block, "middles": middles, "unicast": unicast, "placement": placement}[way](
        stage, flows
    )


def block(stage: Stage, flows: Sequence[Flow]) -> WayOut:
    """Rounds of flows that route together: the fewest, found by trying partitions in order."""
    for rounds in range(1, len(flows) + 1):
        found = _partition(stage, list(flows), rounds)
        if found is not None:
            parts = tuple(tuple(part) for part in found)
            return WayOut("block", stage, parts, f"{rounds} rounds instead of 1")
    raise AssertionError("a flow alone always routes")


def middles(stage: Stage, flows: Sequence[Flow]) -> WayOut:
    """The least m at which all flows route at once."""
    number = stage.middles
    while True:
        number += 1
        wider = Stage(stage.ports, number)
        if isinstance(route(wider, flows), Routed):
            before, after = count(stage.ports, stage.middles), count(stage.ports, number)
            cost = f"m={number}: {after} micro-switches instead of {before}"
            return WayOut("middles", wider, (tuple(flows),), cost)


def unicast(stage: Stage, flows: Sequence[Flow]) -> WayOut:
    """Every flow of the smallest conflict as a ring of unicasts between its ports.

    Endpoints reduce: n inputs to n outputs take 2(n - 1) ring steps with 1/n of the data; other
    flows take a unicast from each input to each output. Each step goes in as many rounds as it
    needs beside the flows that stay.
    """
    found = route(stage, flows)
    if isinstance(found, Routed):
        return WayOut("unicast", stage, (tuple(flows),), "nothing: the flows route")
    split = [flow for flow in found.flows if len(flow.inputs) > 1 or len(flow.outputs) > 1]
    stays = tuple(flow for flow in flows if flow not in split)
    steps: list[Step] = [stays] if stays else []
    lists = [_unicasts(flow) for flow in split]
    for place in range(max(len(each) for each in lists)):
        steps.append(tuple(f for each in lists if place < len(each) for f in each[place]))
    rounds = tuple(part for step in steps for part in block(stage, step).rounds)
    cost = f"{len(rounds)} rounds, endpoints reduce {len(split)} of {len(flows)} flows"
    return WayOut("unicast", stage, rounds, cost)


def placement(stage: Stage, flows: Sequence[Flow]) -> WayOut | None:
    """Exchange two workers at a time, in a fixed order, until all flows route.

    Breadth first, so as few exchanges as possible; None after `TRIES` placements.
    """
    start = tuple(range(stage.ports))
    seen = {start}
    frontier = [start]
    while frontier and len(seen) < TRIES:
        following = []
        for ports in frontier:
            moved = tuple(_moved(flow, ports) for flow in flows)
            if isinstance(route(stage, moved), Routed):
                changed = sum(port != place for place, port in enumerate(ports))
                return WayOut(
                    "placement", stage, (moved,), f"{changed} workers on other ports", ports
                )
            for a in range(stage.ports):
                for b in range(a):
                    swapped = list(ports)
                    swapped[a], swapped[b] = swapped[b], swapped[a]
                    key = tuple(swapped)
                    if key not in seen:
                        seen.add(key)
                        following.append(key)
        frontier = following
    return None


def _moved(flow: Flow, ports: Sequence[int]) -> Flow:
    return Flow.of((ports[p] for p in flow.inputs), (ports[p] for p in flow.outputs))


def _partition(stage: Stage, flows: list[Flow], rounds: int) -> list[list[Flow]] | None:
    parts: list[list[Flow]] = []

    def place(index: int) -> bool:
        if index == len(flows):
            return True
        flow = flows[index]
        for part in parts:
            part.append(flow)
            if isinstance(route(stage, part), Routed) and place(index + 1):
                return True
            part.pop()
        if len(parts) < rounds:
            parts.append([flow])
            if place(index + 1):
                return True
            parts.pop()
        return False

    return parts if place(0) else None


def _unicasts(flow: Flow) -> list[Step]:
    ports = flow.inputs
    if ports == flow.outputs:
        n = len(ports)
        ring = tuple(Flow.of([ports[k]], [ports[(k + 1) % n]]) for k in range(n))
        return [ring] * (2 * (n - 1))
    return [(Flow.of([a], [b]),) for a in flow.inputs for b in flow.outputs if a != b]


__all__ = ["TRIES", "WAYS", "Conflict", "WayOut", "way_out"]
