"""Collectives as lists of transfers: rings, hierarchies of rings, flows in the network.

(Fred, sections 2.2, 6.1 and 7.2.) Nothing here knows a time: a plan is simulated by `transfers`.
"""

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from simfabric.training.fabrics import Mesh, Tree
from simfabric.training.transfers import Transfer

PIECES = 16
"""Pieces that a hierarchical collective is cut into, so that its phases overlap (chosen)."""


@frozen(eq=False)
class Plan:
    """Transfers being collected for one simulation on `fabric`."""

    fabric: Mesh | Tree
    transfers: list[Transfer] = field(factory=list)

    def send(self, source: int, target: int, amount: float, after: Sequence[int] = ()) -> int:
        """A message between two NPUs; its number."""
        return self.put(amount, self.fabric.path(source, target), after)

    def put(self, amount: float, links: tuple[int, ...], after: Sequence[int] = ()) -> int:
        """`amount` bytes over all of `links` at one rate; the transfer's number."""
        # A tree is as deep as its longest path: in levels, up and down.
        deep = min(len(links), self._depth())
        latency = deep * self.fabric.latency
        self.transfers.append(Transfer(amount, links, tuple(sorted(set(after))), latency))
        return len(self.transfers) - 1

    def _depth(self) -> int:
        fabric = self.fabric
        if isinstance(fabric, Mesh):
            return fabric.rows + fabric.columns
        return 2 * len(fabric.levels)


Marks = dict[int, list[int]]
"""For each member the transfers after which it may go on."""


def ring_pass(plan: Plan, members: Sequence[int], amount: float, after: Marks) -> Marks:
    """A reduce-scatter or an all-gather over a ring: n-1 steps, each a message of amount/n.

    A member sends its next message when it has sent the last one and received one.
    """
    n = len(members)
    if n < 2:
        return {m: list(after.get(m, [])) for m in members}
    sent: list[int] = []
    for step in range(n - 1):
        now = []
        for k, member in enumerate(members):
            waits = [sent[k], sent[k - 1]] if step else after.get(member, [])
            now.append(plan.send(member, members[(k + 1) % n], amount / n, waits))
        sent = now
    return {member: [sent[k], sent[k - 1]] for k, member in enumerate(members)}


def ring_all_reduce(plan: Plan, members: Sequence[int], amount: float) -> None:
    """Reduce-scatter, then all-gather, of `amount` bytes on each member."""
    ring_pass(plan, members, amount, ring_pass(plan, members, amount, {}))


def grid_all_reduce(
    plan: Plan, grid: np.ndarray, order: Sequence[int], amount: float, pieces: int = PIECES
) -> None:
    """Rings along each axis of `grid` (NPU numbers): reduce-scatter in `order`, gather back.

    Phases of following pieces overlap; within a phase pieces keep their order.
    """
    phases = [(axis, False) for axis in order] + [(axis, True) for axis in reversed(order)]
    before: dict[int, Marks] = {}
    for _ in range(pieces):
        after: Marks = {}
        size = amount / pieces
        for number, (axis, gathering) in enumerate(phases):
            n = grid.shape[axis]
            if gathering:
                size *= n
            earlier = before.get(number, {})
            marks: Marks = {}
            for ring in np.moveaxis(grid, axis, -1).reshape(-1, n):
                members = [int(npu) for npu in ring]
                waits = {m: after.get(m, []) + earlier.get(m, []) for m in members}
                marks |= ring_pass(plan, members, size, waits)
            before[number] = after = marks
            if not gathering:
                size /= n


def all_reduce(plan: Plan, members: Sequence[int], amount: float) -> None:
    """The all-reduce that the fabric has for these NPUs.

    In-network trees: one flow. Other trees: rings in each level where every switch has as many of
    the members, else one logical ring. Mesh: wafer-wide two chunks in reverse order of the
    dimensions, else a logical ring in the order of `members`.
    """
    fabric = plan.fabric
    if len(members) < 2:
        return
    if isinstance(fabric, Tree):
        members = sorted(members)
        if fabric.in_network:
            plan.put(amount, fabric.flow(members, members))
            return
        grid = _grid(fabric, members)
        if grid is None:
            ring_all_reduce(plan, members, amount)
        elif grid.ndim == 1:
            ring_all_reduce(plan, grid.tolist(), amount)
        else:
            grid_all_reduce(plan, grid, list(range(grid.ndim - 1, -1, -1)), amount)
        return
    if len(members) == fabric.npus and fabric.rows > 1 and fabric.columns > 1:
        wafer = np.arange(fabric.npus).reshape(fabric.rows, fabric.columns)
        part = _share(fabric.rows, fabric.columns)
        grid_all_reduce(plan, wafer, (1, 0), amount * part)
        grid_all_reduce(plan, wafer, (0, 1), amount * (1 - part))
        return
    ring_all_reduce(plan, members, amount)


def _share(rows: int, columns: int) -> float:
    """The part of the chunk that starts along rows at which both dimensions are loaded alike.

    A ring over n of D bytes takes (n-1)/n·D of each link; the second dimension has 1/n of the data.
    """
    x, y = (columns - 1) / columns, (rows - 1) / rows
    return (y - x / rows) / (x + y - x / rows - y / columns)


def _grid(fabric: Tree, members: Sequence[int]) -> np.ndarray | None:
    """Members by level, highest level first, or None when switches have unequal numbers."""
    grid = np.array(members)
    shape: list[int] = []
    part = len(members)
    for size in reversed(fabric.sizes[1:-1]):
        nodes = [npu // size for npu in members]
        counts = {node: nodes.count(node) for node in nodes}
        if len(set(counts.values())) > 1 or part % next(iter(counts.values())):
            return None
        inside = next(iter(counts.values()))
        shape.append(part // inside)
        part = inside
    shape.append(part)
    return grid.reshape([n for n in shape if n > 1])


def pipeline(plan: Plan, senders: Sequence[int], receivers: Sequence[int], amount: float) -> None:
    """Activations of one stage to the next: all senders have the same `amount` bytes.

    On a mesh and in the network one sender multicasts to all; on a tree without, each sender has
    a receiver of its own.
    """
    fabric = plan.fabric
    if isinstance(fabric, Tree) and not fabric.in_network:
        for k, receiver in enumerate(receivers):
            plan.send(senders[k % len(senders)], receiver, amount)
        return
    plan.put(amount, fabric.spread(senders[0], receivers))
