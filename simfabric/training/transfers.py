"""Flow-level simulation: transfers that share links fairly, event by event.

A transfer moves bytes over a set of links at one rate. Whenever one starts or ends, the rates of
all are computed anew: max–min fair, by progressive filling. An in-network collective is one
transfer that holds all links of its tree; an endpoint collective is many, joined by `after`.
"""

import heapq
from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

TOGETHER = 1e-9
"""Ends that lie closer than this part of the time are one event."""


@frozen
class Transfer:
    """`amount` bytes over `links`, once all transfers of `after` have ended.

    A link that stands twice in `links` carries the bytes twice. The data arrives `latency` seconds
    after the last byte was sent; what waits for it starts then, the links are free before.
    """

    amount: float
    links: tuple[int, ...]
    after: tuple[int, ...] = field(default=())
    latency: float = field(default=0.0)


@frozen
class Outcome:
    """`ends[k]`: when transfer k arrived, seconds. `carried`: bytes over each link."""

    ends: np.ndarray
    carried: np.ndarray

    @property
    def time(self) -> float:
        """Seconds until everything has arrived."""
        return float(self.ends.max(initial=0.0))


def fair_rates(weights: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """Max–min fair rates of flows, bytes a second.

    `weights[k, l]` is how many times flow k crosses link l, `capacities[l]` what l carries. Every
    flow crosses a link.
    """
    rates = np.zeros(len(weights))
    left = np.asarray(capacities, dtype=float).copy()
    open_ = np.ones(len(weights), dtype=bool)
    while open_.any():
        load = weights[open_].sum(axis=0)
        used = load > 0
        share = np.full(len(left), np.inf)
        share[used] = left[used] / load[used]
        least = share.min()
        tight = share <= least * (1 + 1e-12)
        frozen_now = open_ & (weights[:, tight].sum(axis=1) > 0)
        rates[frozen_now] = least
        left -= weights[frozen_now].sum(axis=0) * least
        np.maximum(left, 0.0, out=left)
        open_ &= ~frozen_now
    return rates


def simulate(capacities: Sequence[float], transfers: Sequence[Transfer]) -> Outcome:
    """Run all transfers; links are numbered as in `capacities` (bytes a second).

    Raises ValueError where transfers wait for one another in a circle.
    """
    capacity = np.asarray(capacities, dtype=float)
    number = len(transfers)
    weights = np.zeros((number, len(capacity)))
    followers: list[list[int]] = [[] for _ in transfers]
    waiting = np.zeros(number, dtype=int)
    for k, transfer in enumerate(transfers):
        for link in transfer.links:
            weights[k, link] += 1
        waiting[k] = len(transfer.after)
        for before in transfer.after:
            followers[before].append(k)
    ends = np.full(number, np.nan)
    remaining = np.array([t.amount for t in transfers], dtype=float)
    arrivals: list[tuple[float, int]] = []
    active: list[int] = []
    now = 0.0

    def start(k: int) -> None:
        if remaining[k] > 0 and transfers[k].links:
            active.append(k)
        else:
            heapq.heappush(arrivals, (now + transfers[k].latency, k))

    for k in range(number):
        if not waiting[k]:
            start(k)
    while active or arrivals:
        chosen = np.array(active, dtype=int)
        rates = fair_rates(weights[chosen], capacity) if active else np.zeros(0)
        spans = remaining[chosen] / rates if active else np.zeros(0)
        first_end = now + spans.min() if active else np.inf
        first_arrival = arrivals[0][0] if arrivals else np.inf
        event = min(first_end, first_arrival)
        slack = TOGETHER * max(event, 1e-30)
        if active:
            over = now + spans <= event + slack
            remaining[chosen] -= rates * (event - now)
            active = [int(k) for k in chosen[~over]]
            for k in chosen[over]:
                remaining[k] = 0.0
                heapq.heappush(arrivals, (event + transfers[k].latency, int(k)))
        now = event
        while arrivals and arrivals[0][0] <= now + slack:
            _, k = heapq.heappop(arrivals)
            ends[k] = now
            for follower in followers[k]:
                waiting[follower] -= 1
                if not waiting[follower]:
                    start(follower)
    if number and np.isnan(ends).any():
        raise ValueError("transfers wait for one another in a circle")
    amounts = np.array([t.amount for t in transfers], dtype=float)
    return Outcome(ends, amounts @ weights if number else np.zeros(len(capacity)))
