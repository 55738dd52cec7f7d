"""No wavelet is lost, doubled or reordered: random trees of routes under back-pressure.

Each color has one sender and a random tree over the grid; any node of the tree may receive. PEs
start at different times, so FIFOs fill and stall. Every receiver must have the sender's sequence.
"""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import simfabric
from carbide.object import Object
from mitools.arch.words import CORE, NO_INPUT, OPPOSITE, PORTS, STEP
from mitools.image.memory import read_words
from tests.simfabric.machine import Pe, grid, program

WORDS = 12


def transfers(sends: dict[int, int], receives: dict[int, int], delay: int, wide: bool) -> Object:
    """A program that sends `sends[queue]` from its first value on, and receives `receives[queue]`
    words, all side by side, after waiting `delay` rounds."""
    move, size = ("mov32", 2) if wide else ("mov16", 1)
    code = [".task 8 main active open", "main:"]
    data = []
    if delay:
        code += [f"mov16 R0, {delay}", "again: sub16 R0, R0, 1", "jnz16 R0, again"]
    slot = 0
    for queue, first in sends.items():
        values = [first + k for k in range(WORDS)]
        words = ", ".join(f"{v}, {v >> 3}" if wide else f"{v}" for v in values)
        data += [f"q{slot}: .word 3, {queue}, {WORDS}, 0"]
        data += [f"m{slot}: .word 0, v{slot}, {WORDS}, {size}"]
        data += [".align 2", f"v{slot}: .word {words}"]
        code += [f"ldds DS0, q{slot}", f"ldds DS1, m{slot}", f"{move}.u{slot} [DS0], [DS1]"]
        slot += 1
    for queue in receives:
        data += [f"q{slot}: .word 2, {queue}, {WORDS}, 0"]
        data += [f"m{slot}: .word 0, v{slot}, {WORDS}, {size}"]
        data += [".align 2", f"v{slot}: .space {size * WORDS}"]
        code += [f".line \"t.w\" {slot} 1", f"ldds DS0, q{slot}", f"ldds DS1, m{slot}"]
        code += [f"{move}.u{slot} [DS1], [DS0]"]
        head = f'.symbol "got{queue}" "{"u32" if wide else "u16"}" v{slot} {size} "k" {WORDS}'
        code.insert(0, head)
        slot += 1
    code += [f"wait {(1 << slot) - 1}", "term", ".data", *data]
    return program("t", "\n".join(code))


def random_case(seed: int, wide: bool):
    """An image, and what each (y, x, queue) must receive."""
    rng = random.Random(seed)
    width, height = rng.randint(1, 4), rng.randint(1, 4)
    places = [(y, x) for y in range(height) for x in range(width)]
    rules = {p: {} for p in places}
    sends = {p: {} for p in places}
    receives = {p: {} for p in places}
    outputs = {p: {} for p in places}
    inputs = {p: {} for p in places}
    expected = {}
    for color in rng.sample(range(24), rng.randint(1, 10)):
        root = rng.choice([p for p in places])
        if len(sends[root]) + len(receives[root]) >= 8:
            continue
        reached = {root: CORE}
        outs = {root: set()}
        edge = [root]
        for _ in range(rng.randint(0, 2 * len(places))):
            y, x = rng.choice(edge)
            port = rng.randrange(4)
            dx, dy = STEP[port]
            there = y + dy, x + dx
            if there in rules and there not in reached:
                reached[there] = OPPOSITE[port]
                outs[there] = set()
                outs[y, x].add(port)
                edge.append(there)
        first = rng.randint(1, 9000)
        queue = len(sends[root])
        sends[root][queue] = first
        outputs[root][queue] = color
        for place in edge:
            full = len(sends[place]) + len(receives[place]) >= 8
            if not outs[place] or (rng.random() < 0.4 and not full):
                if full:
                    continue
                outs[place].add(CORE)
                queue = len(receives[place])
                receives[place][queue] = color
                inputs[place][queue] = color
                expected[(*place, queue)] = first
        for place in edge:
            source = reached[place]
            letters = "".join(PORTS[p] for p in sorted(outs[place]))
            rules[place][color] = f"[{'' if source == NO_INPUT else PORTS[source]}>{letters}]"
    pes = {
        p: Pe(
            transfers(sends[p], receives[p], rng.choice([0, 0, 1, 30, 200]), wide),
            rules[p],
            inputs[p],
            outputs[p],
        )
        for p in places
    }
    return grid(pes), expected


def check(seed: int, wide: bool, threads: int = 1) -> "simfabric.Result":
    image, expected = random_case(seed, wide)
    result = simfabric.run(image, cycles=100_000, threads=threads)
    assert result.reason == "quiet" and result.error is None, str(result)
    assert not result.explanation.waiting and result.explanation.clean, str(result)
    for (y, x, queue), first in expected.items():
        number = int(image.program[y, x])
        symbol = next(s for s in image.programs[number].symbols if s.name == f"got{queue}")
        words = read_words(
            result.core, np.array([y]), np.array([x]), symbol.address, symbol.words * WORDS
        )[0].tolist()
        values = [first + k for k in range(WORDS)]
        assert words == ([w for v in values for w in (v, v >> 3)] if wide else values)
    return result


@pytest.mark.parametrize("wide", [True, False], ids=["32-bit", "16-bit"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_nothing_lost_doubled_or_reordered(wide, seed):
    check(seed, wide)


@pytest.mark.parametrize("seed", range(4))
def test_threads_change_nothing(seed):
    one, three = check(seed, True, 1), check(seed, True, 3)
    assert one.cycles == three.cycles and one.counters == three.counters
