"""Times of communication phases: all groups of one kind at once, simulated on a fabric."""

from collections.abc import Sequence

from attrs import field, frozen

from simfabric.training.collectives import Plan, all_reduce, pipeline
from simfabric.training.fabrics import Mesh, Tree
from simfabric.training.placement import Groups, Strategy, check_size, walks
from simfabric.training.rounds import switch_rounds
from simfabric.training.transfers import Outcome, simulate

PROBE = 1e9
"""Bytes with which placements are compared."""


@frozen(eq=False)
class Phases:
    """Communication of one strategy on one fabric; `place[k]` is the NPU of worker k.

    Times are kept by kind and bytes, since a training run asks for the same ones many times.
    """

    fabric: Mesh | Tree
    strategy: Strategy
    place: tuple[int, ...]
    known: dict[tuple[str, float], float] = field(factory=dict)
    simulated: dict[tuple[object, ...], float] = field(factory=dict)

    def time(self, kind: str, amount: float) -> float:
        """Seconds that a phase `mp`, `dp` or `pp` of `amount` bytes on each worker takes."""
        at = (kind, amount)
        if at not in self.known:
            rounds = self._rounds(kind)
            self.known[at] = sum(self._simulated(kind, groups, amount) for groups in rounds)
        return self.known[at]

    def _simulated(self, kind: str, groups: Groups, amount: float) -> float:
        """The time of one simulation; a wafer-wide group is the same in every order."""
        wide = kind != "pp" and len(groups) == 1 and len(groups[0]) == self.fabric.npus
        at = (kind == "pp", "wafer" if wide else groups, amount)
        if at not in self.simulated:
            self.simulated[at] = self._run(kind, groups, amount).time
        return self.simulated[at]

    def _rounds(self, kind: str) -> Sequence[Groups]:
        """Groups that run together; more than one where a Fred switch cannot route all."""
        groups = self.groups(kind)
        if isinstance(self.fabric, Tree) and self.fabric.in_network and kind != "pp":
            return switch_rounds(self.fabric, groups)
        return (groups,)

    def groups(self, kind: str) -> Groups:
        """NPUs of each group; for `pp` the senders then the receivers of each boundary."""
        if kind != "pp":
            return tuple(
                tuple(self.place[w] for w in group) for group in self.strategy.groups(kind)
            )
        s = self.strategy
        return tuple(
            tuple(self.place[s.worker(m, d, p + way)] for way in (0, 1) for m in range(s.mp))
            for d in range(s.dp)
            for p in range(s.pp - 1)
        )

    def _run(self, kind: str, groups: Groups, amount: float) -> Outcome:
        plan = Plan(self.fabric)
        for group in groups:
            if kind == "pp":
                half = len(group) // 2
                pipeline(plan, group[:half], group[half:], amount)
            else:
                all_reduce(plan, group, amount)
        return simulate(self.fabric.capacities, plan.transfers)

    def outcome(self, kind: str, amount: float) -> Outcome:
        """The simulation of a phase as a whole, without rounds: bytes over each link."""
        return self._run(kind, self.groups(kind), amount)


def phases(fabric: Mesh | Tree, strategy: Strategy) -> Phases:
    """Place the workers and make their phases. Raises UserError for too many workers."""
    check_size(strategy, fabric.npus)
    if isinstance(fabric, Tree):
        return Phases(fabric, strategy, tuple(range(strategy.workers)))
    best: tuple[tuple[float, ...], Phases] | None = None
    seen = set()
    simulated: dict[tuple[object, ...], float] = {}
    for walk in walks(fabric.rows, fabric.columns):
        place = walk[: strategy.workers]
        if place in seen:
            continue
        seen.add(place)
        made = Phases(fabric, strategy, place, simulated=simulated)
        cost = tuple(round(made.time(kind, PROBE) * 1e9) for kind in ("mp", "pp", "dp"))
        if best is None or cost < best[0]:
            best = (cost, made)
    assert best is not None
    return best[1]


def stream_rates(fabric: Mesh | Tree) -> list[float]:
    """Bytes a second of each I/O controller while all of them broadcast their weights."""
    import numpy as np

    from simfabric.training.transfers import fair_rates

    weights = np.zeros((len(fabric.channels), len(fabric.capacities)))
    for channel in range(len(fabric.channels)):
        for link in fabric.stream(channel):
            weights[channel, link] += 1
    return [float(rate) for rate in fair_rates(weights, np.array(fabric.capacities))]


def stream_time(fabric: Mesh | Tree, amount: float) -> float:
    """Seconds to broadcast `amount` bytes, striped evenly over all controllers; also to reduce out.

    Gradients take the same links the other way round (Fred, figure 4).
    """
    plan = Plan(fabric)
    for channel in range(len(fabric.channels)):
        plan.put(amount / len(fabric.channels), fabric.stream(channel))
    return simulate(fabric.capacities, plan.transfers).time
