"""Routers: timeline, room, broadcast, turns, swap (machine pages 2 and 2.2)."""

from itertools import pairwise

import pytest

from tests.simfabric.mesh.probe import SDR, Pe, Ran, Stop, code, grid


def sends(values, queue=0, wide=True, after=0):
    """Sends values from memory in one vector instruction, some cycles into the program."""
    size = 2 if wide else 1
    rows = ", ".join(f"{v & 0xFFFF}, {v >> 16}" if wide else str(v) for v in values)
    return code(
        "ldds DS0, out\nldds DS1, from\n"
        + "nop\n" * after
        + f"mov{32 if wide else 16} [DS0], [DS1]\nterm",
        f"out: .word 3, {queue}, {len(values)}, 0\nfrom: .word 0, list, {len(values)}, {size}\n"
        f".align 2\nlist: .word {rows}",
    )


def receives(count, queue=0, wide=True, at=0x1000, wait=0):
    """Receives on the main thread, after some cycles."""
    size = 2 if wide else 1
    return code(
        "ldds DS0, in\nldds DS1, to\n"
        + "nop\n" * wait
        + f"mov{32 if wide else 16} [DS1], [DS0]\nmov16 [0xF00], 1\nterm",
        f"in: .word 2, {queue}, {count}, 0\nto: .word 0, {at}, {count}, {size}",
    )


VALUES = [1000 + k for k in range(8)]


def pair(hops=1, count=8, wait=0):
    pes = {(0, 0): Pe(sends(VALUES[:count]), {1: "[C>R]"}, outputs={0: 1})}
    for x in range(1, hops):
        pes[0, x] = Pe(None, {1: "[L>R]"})
    pes[0, hops] = Pe(receives(count, wait=wait), {1: "[L>C]"}, inputs={0: 1})
    return Ran(grid(pes))


def test_the_timeline():
    """Eight words, one hop (machine page 2, "Timeline that must hold")."""
    ran = pair()
    start = ran.issues(0, 0)[2]
    assert [c - start for c, _ in ran.passed("depart", 0, 0)] == list(range(7, 15))
    assert [c - start for c, _ in ran.passed("land", 0, 1)] == list(range(9, 17))
    executed = [e.cycle - start for e in ran.events if (e.kind, e.x) == ("execute", 1)]
    received = ran.issues(0, 1)[2:-2]
    assert [c - start for c in received] == list(range(9, 17))
    assert executed[2] == 12 and executed[-3] == 19
    assert ran.issues(0, 1)[-2] - start == 19
    assert ran.words(0x1000, 4, 0, 1) == [1000, 0, 1001, 0]


@pytest.mark.parametrize("hops", [1, 2, 5, 31])
def test_one_word_executes_ten_and_two_a_hop_later(hops):
    ran = pair(hops, 1)
    sent = ran.issues(0, 0)[2]
    assert ran.issues(0, hops)[2] + SDR.timing.router_to_execute == sent + 10 + 2 * hops


@pytest.mark.parametrize(("stages", "words"), [(1, 64), (2, 64), (4, 64), (8, 64), (2, 512)])
def test_relay_chain(stages, words):
    """T = 1.001 N B + 16.1 N + 16.5 within 5 % (machine page 2)."""
    relay = code(
        "ldds DS0, in\nldds DS1, mem\nmov32 [DS1], [DS0]\n"
        "ldds DS2, out\nmov32 [DS2], [DS1]\nterm",
        f"in: .word 2, 0, {words}, 0\nout: .word 3, 0, {words}, 0\n"
        f"mem: .word 0, 0x1000, {words}, 2",
    )
    values = list(range(words))
    pes = {(0, 0): Pe(sends(values, after=9), {1: "[C>R]"}, outputs={0: 1})}
    for x in range(1, stages + 1):
        rules = {2 - x % 2: "[L>C]", 1 + x % 2: "[C>R]"}
        pes[0, x] = Pe(relay, rules, inputs={0: 2 - x % 2}, outputs={0: 1 + x % 2})
    last = stages + 1
    pes[0, last] = Pe(receives(words), {2 - last % 2: "[L>C]"}, inputs={0: 2 - last % 2})
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 2 * words, 0, last)[::2] == values
    took = ran.issues(0, last)[-2] - ran.issues(0, 0)[11]
    assert took == pytest.approx(1.001 * stages * words + 16.1 * stages + 16.5 + words, rel=0.05)


def test_free_running_stream_carries_one_wavelet_a_cycle_over_many_hops():
    ran = pair(20)
    landed = [c for c, _ in ran.passed("land", 0, 20)]
    assert landed == list(range(landed[0], landed[0] + 8))


def test_after_a_stall_the_stream_runs_at_full_rate_again():
    """A receiver that starts late: depth 4 sustains one wavelet a cycle (page 2, room)."""
    values = list(range(60))
    pes = {(0, 0): Pe(sends(values), {1: "[C>R]"}, outputs={0: 1})}
    for x in range(1, 6):
        pes[0, x] = Pe(None, {1: "[L>R]"})
    pes[0, 6] = Pe(receives(60, wait=200), {1: "[L>C]"}, inputs={0: 1})
    ran = Ran(grid(pes))
    got = ran.issues(0, 6)[202:262]
    assert ran.words(0x1000, 120, 0, 6)[::2] == values
    assert got[-1] - got[0] == 59


def test_a_stalled_color_holds_what_its_places_hold():
    """8 in the input queue, 4 in each FIFO, 8 in the output queue; nothing more leaves."""
    pes = {
        (0, 0): Pe(sends(list(range(60))), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(None, {1: "[L>R]"}),
        (0, 2): Pe(code("term"), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.stop is Stop.QUIET and not ran.mesh.router_clean()
    assert [len(ran.color(0, x, 1).fifo) for x in range(3)] == [4, 4, 4]
    assert len(ran.mesh.tile(0, 2).inputs[0].wavelets) == 8
    assert len(ran.mesh.tile(0, 0).outputs[0].wavelets) == 8
    (thread,) = ran.mesh.tile(0, 0).threads
    assert (thread.slot, thread.wait.name, thread.queue, thread.left) == (0, "SEND", 0, 60 - 28)
    payloads = [w.payload for x in (2, 1, 0) for w in ran.color(0, x, 1).fifo]
    assert payloads == list(range(8, 20))
    assert all(w.origin == (0, 0) for w in ran.color(0, 2, 1).fifo)
    address = ran.color(0, 2, 1).fifo[0].address
    assert ran.issues(0, 0, address=address)


def test_a_freed_place_is_used_upstream_two_cycles_later():
    """The stalled chain above, drained at one place every ten cycles."""
    slow = "nop\n" * 9
    drain = code(
        "mov16 R5, 30\nnop\n" + "nop\n" * 150 + f"more: mov32 R0, IQ0\n{slow}sub16 R5, R5, 1\n"
        "jnz16 R5, more\nterm"
    )
    pes = {
        (0, 0): Pe(sends(list(range(30))), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(None, {1: "[L>R]"}),
        (0, 2): Pe(drain, {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    takes = ran.issues(0, 2, address=3 + 151)[1:4]
    left = {x: [c for c, _ in ran.passed("depart", 0, x, 1)] for x in range(3)}
    for take in takes:
        # the place in the queue is free when the element executes; the router may use it behind
        to_core = take + SDR.timing.router_to_execute + 1
        assert to_core in left[2]
        assert to_core + 2 in left[1] and to_core + 4 in left[0]


def test_broadcast_waits_for_every_output():
    """One reader late: the head stays, its done outputs keep what they took (page 2)."""
    pes = {
        (0, 0): Pe(sends(VALUES), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(receives(8), {1: "[L>CR]"}, inputs={0: 1}),
        (0, 2): Pe(receives(8, wait=100), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    for x in (1, 2):
        assert ran.words(0x1000, 16, 0, x)[::2] == VALUES
    dead = Ran(grid(pes | {(0, 2): Pe(None, {1: "[L>]", 2: "[L>C]"}), (0, 3): Pe(None)}))
    assert dead.mesh.router_clean()


def test_broadcast_with_a_dead_reader_stops_for_all():
    values = list(range(40))
    pes = {
        (0, 0): Pe(sends(values), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(receives(40), {1: "[L>CR]"}, inputs={0: 1}),
        (0, 2): Pe(code("term"), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    head = ran.color(0, 1, 1)
    assert head.done == 0b10000  # the core has it, the right port not
    # 8 in the dead reader's queue, 4 in its FIFO, and the one whose copy the live reader has
    assert head.fifo[0].payload == 12
    (thread,) = ran.mesh.tile(0, 1).threads
    assert thread.wait.name == "RECEIVE" and thread.left == 40 - 13


def test_a_route_without_outputs_discards():
    ran = Ran(grid({(0, 0): Pe(sends(list(range(40))), {1: "[C>]"}, outputs={0: 1})}))
    assert ran.mesh.router_clean() and not ran.mesh.tile(0, 0).threads


def test_a_color_without_a_rule_takes_none():
    pes = {
        (0, 0): Pe(sends(VALUES), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code("term")),
    }
    ran = Ran(grid(pes))
    assert not ran.passed("land", 0, 1)
    assert len(ran.color(0, 0, 1).fifo) == 4


def test_what_leaves_the_grid_is_counted():
    ran = Ran(grid({(0, 0): Pe(sends(VALUES), {1: "[C>R]"}, outputs={0: 1})}))
    assert ran.mesh.counters()["outside"].tolist() == [[8]] and ran.mesh.router_clean()


def test_colors_take_turns_on_a_link():
    """Two streams over one link: half the rate each, alternating."""
    left = {1: "[C>R]"}
    values = list(range(20))
    pes = {
        (0, 0): Pe(sends(values), left, outputs={0: 1}),
        (0, 1): Pe(sends(values, after=2), {1: "[L>R]", 2: "[C>R]"}, outputs={0: 2}),
        (0, 2): Pe(
            code(
                "ldds DS0, a\nldds DS1, b\nldds DS2, c\nldds DS3, d\nmov32.u0 [DS2], [DS0]\n"
                "mov32.u1 [DS3], [DS1]\nterm",
                "a: .word 2, 0, 20, 0\nb: .word 2, 1, 20, 0\n"
                "c: .word 0, 0x1000, 20, 2\nd: .word 0, 0x1100, 20, 2",
            ),
            {1: "[L>C]", 2: "[L>C]"},
            inputs={0: 1, 1: 2},
        ),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 40, 0, 2)[::2] == ran.words(0x1100, 40, 0, 2)[::2] == values
    colors = [e.color for e in ran.events if (e.kind, e.x, e.port) == ("depart", 1, 1)]
    both = colors[2:-2]
    assert all(a != b for a, b in pairwise(both))
    times = [e.cycle for e in ran.events if (e.kind, e.x, e.port) == ("depart", 1, 1)]
    assert times == list(range(times[0], times[0] + 40))


def test_router_to_core_is_one_a_cycle_over_all_colors():
    values = list(range(20))
    taker = code(
        "ldds DS0, a\nldds DS1, b\nldds DS2, c\nldds DS3, d\nmov32.u0 [DS2], [DS0]\n"
        "mov32.u1 [DS3], [DS1]\nterm",
        "a: .word 2, 0, 20, 0\nb: .word 2, 1, 20, 0\n"
        "c: .word 0, 0x1000, 20, 2\nd: .word 0, 0x1100, 20, 2",
    )
    pes = {
        (0, 0): Pe(sends(values), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(taker, {1: "[L>C]", 2: "[R>C]"}, inputs={0: 1, 1: 2}),
        (0, 2): Pe(sends(values), {2: "[C>L]"}, outputs={0: 2}),
    }
    ran = Ran(grid(pes))
    times = [e.cycle for e in ran.events if (e.kind, e.x, e.port) == ("depart", 1, 4)]
    assert len(set(times)) == 40
    assert ran.words(0x1000, 40, 0, 1)[::2] == ran.words(0x1100, 40, 0, 1)[::2] == values


def test_core_to_router_is_one_a_cycle_in_turns():
    """Two output queues, filled at once: their wavelets alternate."""
    text = (
        "ldds DS0, a\nldds DS1, b\nldds DS2, c\nnop\nnop\nnop\nnop\n"
        "mov32.u0 [DS0], [DS2]\nmov32.u1 [DS1], [DS2]\nterm"
    )
    rows = "a: .word 3, 0, 8, 0\nb: .word 3, 1, 8, 0\nc: .word 0, 0x1000, 8, 2"
    pes = {(0, 0): Pe(code(text, rows), {1: "[C>]", 2: "[C>]"}, outputs={0: 1, 1: 2})}
    ran = Ran(grid(pes))
    landed = [(e.cycle, e.color) for e in ran.events if e.kind == "land"]
    assert len({c for c, _ in landed}) == 16
    colors = [color for _, color in landed]
    assert colors.count(1) == colors.count(2) == 8
    middle = colors[4:12]
    assert all(a != b for a, b in pairwise(middle))


def test_swap_changes_a_color():
    """The notes' step 1."""
    pes = {
        (0, 0): Pe(sends(VALUES), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(receives(8), {3: "[LHC]", 2: "[LHC]"}, inputs={0: 3}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 16, 0, 1)[::2] == VALUES and ran.mesh.router_clean()


def test_swap_without_its_partner_gets_nothing():
    """`b [LHC]` alone: a reads its own color too, takes none, and the wavelets wait (2.2)."""
    pes = {
        (0, 0): Pe(sends(VALUES), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(receives(8), {3: "[LHC]"}, inputs={0: 3}),
    }
    ran = Ran(grid(pes))
    assert ran.stop is Stop.QUIET
    (thread,) = ran.mesh.tile(0, 1).threads
    assert thread.left == 8 and len(ran.color(0, 0, 2).fifo) == 4


def test_swap_that_nobody_reads_could_not_land():
    """`a [LHC]` beside `b [L>C]` (2.2)."""
    pes = {
        (0, 0): Pe(sends(VALUES), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(receives(8), {2: "[LHC]", 3: "[L>C]"}, inputs={0: 3}),
    }
    ran = Ran(grid(pes))
    error = ran.mesh.error
    assert ran.stop is Stop.ERROR and error.fault.name == "COULD_NOT_LAND"
    assert (error.y, error.x) == (0, 1)
    assert error.details == {"color": 2, "port": 0, "payload": 1000}
    assert error.cycle == ran.issues(0, 0)[2] + 9


def test_a_wavelet_goes_to_every_color_that_reads_it():
    """Color 3 reads color 2 from the left, color 2 its own too: two copies."""
    both = code(
        "ldds DS0, a\nldds DS1, b\nldds DS2, c\nldds DS3, d\nmov32.u0 [DS2], [DS0]\n"
        "mov32.u1 [DS3], [DS1]\nterm",
        "a: .word 2, 0, 8, 0\nb: .word 2, 1, 8, 0\n"
        "c: .word 0, 0x1000, 8, 2\nd: .word 0, 0x1100, 8, 2",
    )
    pes = {
        (0, 0): Pe(sends(VALUES), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(both, {3: "[LHC]", 2: "[L>C]"}, inputs={0: 2, 1: 3}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 16, 0, 1)[::2] == ran.words(0x1100, 16, 0, 1)[::2] == VALUES


@pytest.mark.parametrize("stages", [1, 3, 17])
def test_one_socket_for_a_row(stages):
    """The notes' step 2: pairs r=2, rp=3; each stage adds one."""
    stage = code(
        "ldds DS0, in\nldds DS1, mem\nldds DS2, out\nmov32 [DS1], [DS0]\n"
        "add32 [DS2], [DS1], 1\nterm",
        "in: .word 2, 0, 8, 0\nout: .word 3, 0, 8, 0\nmem: .word 0, 0x1000, 8, 2",
    )
    last = stages + 1
    pes = {}
    for x in range(last + 1):
        rules = {
            3: "[CXR]" if x < last else "[CX]",
            2: "[LXC]" if x else "[XC]",
        }
        program = sends(VALUES) if x == 0 else receives(8) if x == last else stage
        pes[0, x] = Pe(program, rules, inputs={0: 2}, outputs={0: 2})
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 16, 0, last)[::2] == [v + stages for v in VALUES]
    assert ran.mesh.router_clean()


def test_core_input_without_swap_of_it_goes_nowhere():
    """The notes' step 2 with H in place of X: r reads what the core sends and has no route."""
    pes = {
        (0, 0): Pe(sends(VALUES), {3: "[CHR]", 2: "[LHC]"}, outputs={0: 2}, inputs={0: 2}),
        (0, 1): Pe(receives(8), {3: "[CH]", 2: "[LHC]"}, outputs={0: 2}, inputs={0: 2}),
    }
    ran = Ran(grid(pes))
    assert ran.stop is Stop.QUIET and not ran.passed("land", 0, 1)
    assert len(ran.mesh.tile(0, 0).outputs[0].wavelets) == 8


def test_a_route_is_turned_around():
    """The notes' step 4: east on 2, back west on 3."""
    pes = {
        (0, 0): Pe(sends(VALUES), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(receives(8), {2: "[L>R]", 3: "[R>C]"}, inputs={0: 3}),
        (0, 2): Pe(None, {3: "[LXL]", 2: "[LXL]"}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 16, 0, 1)[::2] == VALUES


@pytest.mark.parametrize(
    ("out", "back", "place"),
    [("R", "L", (1, 2)), ("L", "R", (1, 0)), ("U", "D", (2, 1)), ("D", "U", (0, 1))],
)
def test_directions(out, back, place):
    """U is the south port (+y), D the north port."""
    pes = {
        (1, 1): Pe(sends(VALUES), {1: f"[C>{out}]"}, outputs={0: 1}),
        place: Pe(receives(8), {1: f"[{back}>C]"}, inputs={0: 1}),
        (2, 2): Pe(),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 16, *place)[::2] == VALUES
