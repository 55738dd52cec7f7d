"""The Fred switch: structure, exact routing, settings and data (Fred, sections 4 and 5)."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitools.console import UserError
from simfabric.fred.command import body
from simfabric.fred.configuration import configure, expected, push
from simfabric.fred.flows import (
    Flow,
    all_gather,
    all_reduce,
    all_to_all,
    gather,
    parse,
    reduce_scatter,
    scatter,
)
from simfabric.fred.routing import Conflict, Routed, conflict_graph, route
from simfabric.fred.switch import Stage, count
from simfabric.fred.ways import WAYS, way_out

TRIANGLE = "0,1;2,4;3,6;5,7"  # figure 7(j)


@pytest.mark.parametrize(
    ("middles", "numbers"),
    [
        (2, (1, 4, 6, 12, 14, 18, 20, 32, 34, 38, 40, 56, 88)),
        (3, (1, 5, 7, 19, 21, 27, 29, 65, 67, 73, 75, 103, 221)),
    ],
)
def test_number_of_micro_switches(middles, numbers):
    ports = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 20)
    assert tuple(count(p, middles) for p in ports) == numbers
    for p, number in zip(ports, numbers, strict=True):
        built = list(Stage(p, middles).micro_switches())
        assert len(built) == number == len({m.name for m in built})


def test_the_example_of_figure_7h_routes():
    for other in ((0, 1, 2), (6, 7)):
        assert isinstance(route(Stage(8, 2), [Flow.of((3, 4, 5), (3, 4, 5)),
                                              Flow.of(other, other)]), Routed)  # fmt: skip


def test_a_triangle_of_conflicts_needs_a_third_middle_switch():
    found = route(Stage(8, 2), parse(TRIANGLE, 8))
    assert isinstance(found, Conflict)
    assert [flow.text for flow in found.flows] == ["2,4", "3,6", "5,7"]
    assert found.edges == ((0, 1), (0, 2), (1, 2))
    assert isinstance(route(Stage(8, 3), parse(TRIANGLE, 8)), Routed)
    assert isinstance(route(Stage(8, 2), parse("0,4;2,1;3,6;5,7", 8)), Routed)


@pytest.mark.parametrize("ports", [4, 5, 6])
def test_unicast_permutations_never_conflict_with_two_middles(ports):
    stage = Stage(ports, 2)
    for order in itertools.permutations(range(ports)):
        flows = [Flow.of([a], [b]) for a, b in enumerate(order)]
        assert isinstance(route(stage, flows), Routed), order


def families(ports: int, number: int):
    """All families of `number` disjoint sets of two ports or more."""

    def extend(free, left, least):
        if left == 0:
            yield ()
            return
        for size in range(2, len(free) + 1):
            for members in itertools.combinations(free, size):
                if members[0] > least:
                    rest = [port for port in free if port not in members]
                    for others in extend(rest, left - 1, members[0]):
                        yield (members, *others)

    return extend(list(range(ports)), number, -1)


@pytest.mark.parametrize(
    ("middles", "number", "routed", "of"),
    [
        (2, 2, 2037, 2037), (2, 3, 1334, 1750), (2, 4, 73, 105),
        (3, 2, 2037, 2037), (3, 3, 1750, 1750), (3, 4, 105, 105),
    ],
)  # fmt: skip
def test_families_of_all_reduces_on_eight_ports(middles, number, routed, of):
    results = [
        isinstance(route(Stage(8, middles), [Flow.of(f, f) for f in family]), Routed)
        for family in families(8, number)
    ]
    assert (sum(results), len(results)) == (routed, of)


@st.composite
def traffic(draw, most: int = 32):
    """A switch and disjoint flows between random ports."""
    ports = draw(st.integers(2, most))
    inputs = draw(st.permutations(range(ports)))
    outputs = draw(st.permutations(range(ports)))
    flows = []
    at = to = 0
    while at < ports and to < ports and len(flows) < 6:
        take, give = draw(st.integers(1, 5)), draw(st.integers(1, 5))
        flows.append(Flow.of(inputs[at : at + take], outputs[to : to + give]))
        at, to = at + take, to + give
    return Stage(ports, draw(st.integers(2, 4))), tuple(flows)


@settings(max_examples=150, deadline=None)
@given(traffic(), st.randoms(use_true_random=False))
def test_a_routed_switch_computes_its_flows_bit_for_bit(case, random):
    stage, flows = case
    routed = route(stage, flows)
    if isinstance(routed, Conflict):
        return
    values = {port: np.float32(random.uniform(-1, 1)) for port in range(stage.ports)}
    configured = configure(routed)
    assert len(configured.word()) == configured.bits
    assert set(re.sub("[01]", "", configured.word())) == set()
    out = push(configured, values, np.add)
    assert out == expected(stage, flows, values, np.add)
    sums = {port: sum(float(values[i]) for i in f.inputs) for f in flows for port in f.outputs}
    assert out.keys() == sums.keys()
    assert all(abs(out[port] - sums[port]) < 1e-5 for port in sums)


def brute_force(stage: Stage, flows) -> bool:
    """Whether any assignment of middle switches works, level by level, without cleverness."""
    if stage.innermost or not flows:
        return True
    for choice in itertools.product(range(stage.middles), repeat=len(flows)):
        ok = True
        for middle in range(stage.middles):
            mine = [flows[k] for k in range(len(flows)) if choice[k] == middle]
            for side in ("inputs", "outputs"):
                groups = [g for f in mine for g in {p // 2 for p in getattr(f, side)}]
                ok &= len(groups) == len(set(groups))
            if not ok:
                break
            inner = [Flow.of({p // 2 for p in f.inputs}, {p // 2 for p in f.outputs}) for f in mine]
            ok &= brute_force(stage.middle(middle), inner)
        if ok:
            return True
    return False


@settings(max_examples=120, deadline=None)
@given(traffic(most=8))
def test_a_conflict_is_found_exactly_when_there_is_no_routing(case):
    stage, flows = case
    found = route(stage, flows)
    assert isinstance(found, Routed) == brute_force(stage, flows)
    if isinstance(found, Conflict):
        for flow in found.flows:
            rest = [other for other in found.flows if other != flow]
            assert brute_force(stage, rest)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_out_routes(way):
    stage, flows = Stage(8, 2), parse(TRIANGLE, 8)
    out = way_out(stage, flows, way)
    assert out is not None and out.cost
    for step in out.rounds:
        assert isinstance(route(out.stage, step), Routed)
    if way == "block":
        assert len(out.rounds) == 2
        assert {f for step in out.rounds for f in step} == set(flows)
    if way == "middles":
        assert out.stage.middles == 3
    if way == "placement":
        assert sum(a != b for a, b in enumerate(out.ports)) == 2


def test_compound_collectives_are_steps_of_flows():
    ports = (1, 3, 4)
    assert all_reduce(ports) == ((Flow(ports, ports),),)
    assert [step[0].outputs for step in reduce_scatter(ports)] == [(1,), (3,), (4,)]
    assert [step[0].inputs for step in all_gather(ports)] == [(1,), (3,), (4,)]
    assert all(step[0].inputs == (1,) for step in scatter(1, ports))
    assert all(step[0].outputs == (1,) for step in gather(1, ports))
    sent = {(f.inputs[0], f.outputs[0]) for step in all_to_all(ports) for f in step}
    assert sent == set(itertools.product(ports, ports))
    for step in all_to_all(ports):
        assert isinstance(route(Stage(5, 2), step), Routed)


def test_edges_join_flows_that_share_a_micro_switch():
    flows = [Flow.of([0], [4]), Flow.of([1], [6]), Flow.of([2], [5])]
    assert conflict_graph(Stage(8, 2), flows) == [{1, 2}, {0}, {0}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["switch=1,2", "flows=0"], "at least 2 ports"),
        (["switch=8,1", "flows=0,1"], "at least 2 middle"),
        (["switch=8", "flows=0,1"], "is not P,m"),
        (["switch=8,2", "flows=0,9"], "ports are 0 to 7|names port 9"),
        (["switch=8,2", "flows=0,0"], "twice"),
        (["switch=8,2", "flows=0,1;1,2"], "share the input port 1"),
        (["switch=8,2", "flows=x"], "not a flow"),
        (["switch=8,2", "flows=;"], "no flow"),
        (["switch=999999,2", "flows=0,1"], "is not P,m|too large"),
        (["switch=8,2", f"flows={TRIANGLE}"], "conflict among the flows 2,4, 3,6, 5,7"),
    ],
)
def test_mistakes_are_explained(arguments, message):
    with pytest.raises(UserError) as caught:
        body(["fred", *arguments])
    assert re.search(message, caught.value.render())


def test_the_command_shows_routing_settings_and_picture(tmp_path, capsys):
    target = tmp_path / "switch.svg"
    assert body(["fred", "switch=11,3", "flows=0,1,10;2,5>3,9", f"svg={target}"]) == 0
    shown = capsys.readouterr().out
    assert "flow 0,1,10 takes middle switch 0" in shown
    assert "demux: to middle 0" in shown
    assert re.search(r"(\d+) configuration bits: [01]+", shown)
    text = target.read_text()
    ends = 2 * (1 + 9)  # a demux and a mux at each odd level
    assert text.startswith("<svg") and text.count("<rect") == 1 + 73 + ends
