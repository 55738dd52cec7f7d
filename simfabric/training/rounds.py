"""In-network flows of a phase on the Fred switches of a tree: what routes at once, and the rest.

Each node of the tree is a Fred_3 switch: a port for each node below, and up-ports towards the next
level, one for each flow that leaves, at most as many as there are nodes below. Routing is that of
`simfabric.fred`. Groups that do not route together run in rounds, one after the other.
"""

from collections.abc import Sequence

from simfabric.fred.flows import Flow
from simfabric.fred.routing import Conflict, route
from simfabric.fred.switch import Stage
from simfabric.training.fabrics import Tree
from simfabric.training.placement import Groups

MIDDLES = 3


def switch_flows(fabric: Tree, groups: Groups) -> dict[tuple[int, int], list[Flow]]:
    """Flows at each switch (level, number) for all-reduces of `groups`.

    An up-port of level k is numbered after the ports below. A switch above the first level has a
    port for each up-port below it: up-port u of child c is c·width + u.
    """
    flows: dict[tuple[int, int], list[Flow]] = {}
    ups: dict[tuple[int, int], int] = {}
    for group in groups:
        entries = {npu: [npu % fabric.levels[0]] for npu in group}  # ports at the L1 switch
        nodes: dict[int, list[int]] = {}
        for npu, ports in entries.items():
            nodes.setdefault(npu // fabric.levels[0], []).extend(ports)
        for level in range(1, len(fabric.levels) + 1):
            width = below_ports(fabric, level)
            leaving = len(nodes) > 1
            upper: dict[int, list[int]] = {}
            for node, ports in sorted(nodes.items()):
                both = list(ports)
                if leaving:
                    up = ups.get((level, node), 0)
                    ups[level, node] = up + 1
                    both.append(width + up)
                    arity = fabric.levels[level]
                    upper.setdefault(node // arity, []).append(
                        node % arity * fabric.sizes[level] + up
                    )
                flows.setdefault((level, node), []).append(Flow.of(both, both))
            if not leaving:
                break
            nodes = upper
    return flows


def below_ports(fabric: Tree, level: int) -> int:
    """Ports of a switch of this level towards what is below it: a lane for each NPU."""
    return fabric.sizes[level]


def conflicting(fabric: Tree, groups: Groups) -> tuple[int, int] | None:
    """The first switch (level, number) that cannot route all groups at once, or None."""
    for (level, node), flows in sorted(switch_flows(fabric, groups).items()):
        lanes = below_ports(fabric, level)
        ports = lanes if level == len(fabric.levels) else 2 * lanes
        if max(p for flow in flows for p in flow.inputs) >= ports:
            return level, node
        if ports > 1 and isinstance(route(Stage(max(ports, 2), MIDDLES), flows), Conflict):
            return level, node
    return None


def switch_rounds(fabric: Tree, groups: Groups) -> Sequence[Groups]:
    """Groups in rounds that route, each group in the first round that still takes it."""
    groups = tuple(group for group in groups if len(group) > 1)
    if not groups or conflicting(fabric, groups) is None:
        return (groups,)
    rounds: list[Groups] = []
    for group in groups:
        for k, taken in enumerate(rounds):
            if conflicting(fabric, (*taken, group)) is None:
                rounds[k] = (*taken, group)
                break
        else:
            rounds.append((group,))
    return rounds
