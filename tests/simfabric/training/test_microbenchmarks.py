"""Flow level: fair sharing, fabrics, collectives and figure 9 (Fred, sections 2, 3, 7 and 8.1)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitools.console import UserError
from simfabric.training.collectives import Plan, all_reduce
from simfabric.training.fabrics import Mesh, fabric
from simfabric.training.phases import phases, stream_rates, stream_time
from simfabric.training.placement import Strategy, parse_strategy, strategies
from simfabric.training.transfers import Transfer, fair_rates, simulate

DATA = 1e10


def test_two_transfers_share_a_link_and_the_longer_one_then_has_it_alone():
    out = simulate([10.0], [Transfer(10, (0,)), Transfer(30, (0,))])
    assert out.ends.tolist() == pytest.approx([2.0, 4.0])
    assert out.carried.tolist() == [40]


def test_a_transfer_waits_for_others_and_for_their_latency():
    out = simulate([10.0], [Transfer(10, (0,), latency=0.5), Transfer(20, (0,), (0,))])
    assert out.ends.tolist() == pytest.approx([1.5, 3.5])


def test_transfers_in_a_circle_are_refused():
    with pytest.raises(ValueError, match="circle"):
        simulate([1.0], [Transfer(1, (0,), (1,)), Transfer(1, (0,), (0,))])


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_fair_rates_fill_a_link_of_every_flow_and_no_link_beyond(flows, links, random):
    weights = np.array([[random.choice((0, 0, 1, 2)) for _ in range(links)] for _ in range(flows)])
    weights[:, 0] += weights.sum(axis=1) == 0
    capacity = np.array([random.uniform(1, 9) for _ in range(links)])
    rates = fair_rates(weights.astype(float), capacity)
    load = rates @ weights
    assert (load <= capacity * (1 + 1e-9)).all()
    for k in range(flows):  # max–min: a full link where nobody is faster
        full = [l for l in range(links) if weights[k, l] and load[l] >= capacity[l] * (1 - 1e-9)]  # noqa: E741
        assert any(all(rates[j] <= rates[k] * (1 + 1e-9) for j in range(flows) if weights[j, l])
                   for l in full)  # noqa: E741 # fmt: skip


FIGURE_9 = [  # Fred, figure 9 and section 8.1; least and most of A, then B, C, D
    ("mp", (20, 1, 1), (0.80, 0.84), 0.526, 0.500, 0.263),
    ("mp", (2, 5, 2), (0.25, 0.25), 0.25, 0.25, 0.25),
    ("dp", (2, 5, 2), (2.0, 2.0), 1.25, 0.25, 0.156),
    ("pp", (2, 5, 2), (0.25, 0.25), 0.25, 0.25, 0.25),
]


@pytest.mark.parametrize(("kind", "sizes", "a", "b", "c", "d"), FIGURE_9)
def test_microbenchmarks_of_figure_9(kind, sizes, a, b, c, d):
    base = phases(fabric("baseline"), Strategy(*sizes)).time(kind, DATA)
    for letter, least, most in (("a", *a), ("b", b, b), ("c", c, c), ("d", d, d)):
        ratio = phases(fabric(f"fred-{letter}"), Strategy(*sizes)).time(kind, DATA) / base
        assert 0.95 * least <= ratio <= 1.05 * most, letter


def test_the_baseline_utilizes_two_links_wafer_wide():
    """Section 8.1: 1500 GBps of each NPU, so 2(N-1)/N·D bytes take that long."""
    time = phases(fabric("baseline"), Strategy(20, 1, 1)).time("mp", DATA)
    assert time == pytest.approx(2 * 19 / 20 * DATA / 1500e9, rel=0.01)


def test_endpoint_and_in_network_traffic():
    """Section 2.2: an NPU sends 2(N-1)/N·D, or D in the network: 37.5 % less for N=5, exactly."""
    sent = {}
    for name in ("fred-c", "fred-d"):
        made = fabric(name)
        plan = Plan(made)
        all_reduce(plan, (0, 4, 8, 12, 16), 5e6)
        sent[name] = simulate(made.capacities, plan.transfers).carried[made.names.index("npu4^")]
    assert sent["fred-c"] == pytest.approx(2 * 4 / 5 * 5e6)
    assert 1 - sent["fred-d"] / sent["fred-c"] == pytest.approx(0.375)


@pytest.mark.parametrize(("rows", "columns", "load"), [(4, 4, 7), (5, 4, 9)])
def test_hot_spot_of_the_broadcast(rows, columns, load):
    """Section 3.2.1: (2N-1)P when every I/O controller broadcasts."""
    mesh = Mesh(rows, columns, 750e9, 128e9)
    used = np.zeros(len(mesh.names), dtype=int)
    for channel in range(len(mesh.channels)):
        links = mesh.stream(channel)
        assert len(links) == rows * columns  # its own, and a tree over the NPUs
        used[list(links)] += 1
    assert used.max() == load


def test_streaming_rates():
    """Section 8.2: 750/1152 of the line rate on the mesh, all of it on Fred C and D."""
    rates = {n: stream_rates(fabric(n)) for n in ("baseline", "fred-a", "fred-b", "fred-d")}
    assert len(rates["baseline"]) == 18
    assert min(rates["baseline"]) / 128e9 == pytest.approx(750 / 1152)
    assert stream_time(fabric("baseline"), 1e12) == pytest.approx(1e12 / 1500e9, rel=1e-3)
    for full in ("fred-c", "fred-d"):
        assert stream_time(fabric(full), 1e12) == pytest.approx(1e12 / 2304e9, rel=1e-3)
    # An L1 with three controllers takes the data of 15 others over 1.5 TBps.
    assert rates["fred-a"] == rates["fred-b"] == pytest.approx([1500e9 / 15] * 18)


def test_structure_of_the_fabrics():
    """Section 7.1 and table 5: bisections, 18 controllers, four or three on an L1."""
    mesh, tree = fabric("baseline"), fabric("fred-d")
    assert mesh.npus == tree.npus == 20
    crossing = [
        c
        for n, c in zip(mesh.names, mesh.capacities, strict=True)
        if ">" in n and [int(x) % 4 for x in n.split(">")] == [1, 2]
    ]
    assert sum(crossing) == 3.75e12
    assert sorted(tree.channels.count(k) for k in range(5)) == [3, 3, 4, 4, 4]
    up = sum(c for n, c in zip(tree.names, tree.capacities, strict=True) if n.endswith("^")
             and n.startswith("L1"))  # fmt: skip
    assert up / 2 == 30e12


def test_a_hypothetical_fabric_of_80_npus_and_three_levels():
    large = fabric("fred-d", levels=[4, 5, 4], bandwidths=[3000, 12000, 60000])
    assert large.npus == 80
    time = phases(large, Strategy(80, 1, 1)).time("mp", DATA)
    assert time == pytest.approx(DATA / 3e12, rel=1e-3)
    slow = fabric("fred-c", levels=[4, 5, 4], bandwidths=[3000, 12000, 60000])
    assert phases(slow, Strategy(1, 80, 1)).time("dp", DATA) > 1.9 * time


@pytest.mark.parametrize("text", ["mp2", "dp5-mp2", "mp2-dp5-pp2"])
def test_strategies_are_read(text):
    made = parse_strategy(text)
    assert made.workers == math.prod(int(part[2:]) for part in text.split("-"))


@pytest.mark.parametrize("text", ["", "mp0", "mp2-mp3", "tp4", "mp2_dp3", "mp-1"])
def test_bad_strategies_are_refused(text):
    with pytest.raises(ValueError):
        parse_strategy(text)


def test_all_strategies_of_20_workers():
    assert len(strategies(20)) == 18
    assert all(s.workers == 20 for s in strategies(20))


def test_unknown_fabrics_and_sizes_are_refused():
    with pytest.raises(UserError, match="no fabric"):
        fabric("fred-e")
    with pytest.raises(UserError, match="has no `rows`"):
        fabric("fred-a", rows=3)
    with pytest.raises(UserError, match="2 bandwidths"):
        fabric("fred-a", levels=[4])
    with pytest.raises(UserError, match="21 workers"):
        phases(fabric("baseline"), Strategy(21, 1, 1))
