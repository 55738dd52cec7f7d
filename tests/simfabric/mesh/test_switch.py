"""Switch positions, control wavelets, pop modes, flip, teardown (machine page 2.1)."""

import pytest

from mitools.arch.words import (
    ADVANCE,
    CE_IGNORE,
    NOP,
    RESET,
    TEARDOWN,
    command_stream,
    control_payload,
)
from tests.simfabric.mesh.probe import Pe, Ran, Stop, code, grid

HIDE = CE_IGNORE
ADV = control_payload([ADVANCE | HIDE])
RES = control_payload([RESET | HIDE])


def script(*steps, queue=0):
    """Sends numbers as data and `("c", payload)` as control wavelets, in order, then ends."""
    lines = []
    for step in steps:
        if isinstance(step, tuple):
            lines.append(f"movc OQ{queue}, 0x{step[1]:08x}")
        elif isinstance(step, str):
            lines.append(step)
        else:
            lines.append(f"mov32 OQ{queue}, {step}")
    return code("\n".join([*lines, "term"]))


def take(count, queue=0, at=0x1000):
    return code(
        "ldds DS0, in\nldds DS1, to\nmov32 [DS1], [DS0]\nterm",
        f"in: .word 2, {queue}, {count}, 0\nto: .word 0, {at}, {count}, 2",
    )


def got(ran, y, x, count):
    return ran.words(0x1000, 2 * count, y, x)[::2]


def fork(steps, rule="[L>R ; L>U]", **more):
    """A sender, a router with a switch, and takers on its right and below."""
    pes = {
        (0, 0): Pe(script(*steps), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(None, {1: rule}),
        (0, 2): Pe(take(30), {1: "[L>C]"}, inputs={0: 1}),
        (1, 1): Pe(take(30), {1: "[D>C]"}, inputs={0: 1}),
        (1, 2): Pe(),
    }
    return Ran(grid(pes | more))


def test_advance_changes_the_outputs_behind_it_and_leaves_by_the_old_ones():
    ran = fork([1, 2, ("c", ADV), 3, 4])
    assert got(ran, 0, 2, 3) == [1, 2, 0] and got(ran, 1, 1, 3) == [3, 4, 0]
    assert [p for _, p in ran.passed("land", 0, 2)] == [1, 2, ADV]
    assert ran.color(0, 1, 1).input_position == ran.color(0, 1, 1).output_position == 1


def test_advance_has_no_effect_at_the_last_position_without_ring():
    ran = fork([("c", ADV), 1, ("c", ADV), 2])
    assert got(ran, 1, 1, 2) == [1, 2]


def test_ring_returns_to_the_first_position():
    ran = fork([("c", ADV), 1, ("c", ADV), 2], "[L>R ; L>U ; ring]")
    assert got(ran, 1, 1, 1) == [1] and got(ran, 0, 2, 1) == [2]


def test_reset_returns_from_anywhere():
    ran = fork([("c", ADV), 1, ("c", RES), 2, ("c", RES), 3])
    assert got(ran, 1, 1, 1) == [1] and got(ran, 0, 2, 2) == [2, 3]


def test_initial_position():
    assert got(fork([1, 2], "[L>R ; L*>U]"), 1, 1, 2) == [1, 2]


def test_a_command_on_a_color_that_does_not_switch_does_nothing():
    pes = {
        (0, 0): Pe(script(("c", ADV), 1), {10: "[C>R]"}, outputs={0: 10}),
        (0, 1): Pe(None, {10: "[L>R ; L>U]"}),
        (0, 2): Pe(take(1), {10: "[L>C]"}, inputs={0: 10}),
        (1, 1): Pe(),
    }
    assert got(Ran(grid(pes)), 0, 2, 1) == [1]


def test_the_input_switches_when_the_command_arrives():
    """Two senders for one color: the second's wavelets wait until the first has advanced it."""
    pes = {
        (0, 0): Pe(script("nop\n" * 100, 1, 2, ("c", ADV)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(take(4), {1: "[L>C ; R>C]"}, inputs={0: 1}),
        (0, 2): Pe(script(3, 4), {1: "[C>L]"}, outputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 1, 4) == [1, 2, 3, 4]
    (advanced,) = [c for c, p in ran.passed("land", 0, 1) if p == ADV]
    third = next(c for c, p in ran.passed("land", 0, 1) if p == 3)
    # in force in the next cycle, told then, used upstream two later, one hop
    assert third == advanced + 1 + 2 + 2


def test_the_order_of_input_and_output():
    """[L>R ; C>U]: the input is the core's at once; the FIFO still goes right until ADV left."""
    pes = {
        (0, 0): Pe(script(1, 2, 3, ("c", ADV)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(script(7, 8), {1: "[L>R ; C>U]"}, outputs={0: 1}),
        (0, 2): Pe(take(30), {1: "[L>C]"}, inputs={0: 1}),
        (1, 1): Pe(take(2), {1: "[D>C]"}, inputs={0: 1}),
        (1, 2): Pe(),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 2, 3) == [1, 2, 3] and got(ran, 1, 1, 2) == [7, 8]


def test_without_pop_one_advance_moves_every_switch_on_its_path():
    pes = {(0, 0): Pe(script(1, ("c", ADV)), {1: "[C>R]"}, outputs={0: 1})}
    for x in (1, 2, 3):
        pes[0, x] = Pe(None, {1: "[L>R ; L>]"})
    pes[0, 4] = Pe(take(1), {1: "[L>C]"}, inputs={0: 1})
    ran = Ran(grid(pes))
    assert [ran.color(0, x, 1).input_position for x in (1, 2, 3)] == [1, 1, 1]


def chain(payload, pops, positions="[L>R ; L>R ; L>R]"):
    """Sends one control wavelet down a row of switches with pop modes; what each left."""
    pes = {(0, 0): Pe(script(("c", payload)), {1: "[C>R]"}, outputs={0: 1})}
    for x, pop in enumerate(pops, start=1):
        pes[0, x] = Pe(None, {1: positions[:-1] + f" ; pop={pop}]"})
    end = len(pops) + 1
    pes[0, end] = Pe(None, {1: "[L>]"})
    ran = Ran(grid(pes))
    left = [ran.passed("depart", 0, x)[0][1] for x in range(1, end)]
    return [ran.color(0, x, 1).input_position for x in range(1, end)], left, ran


def test_pop_adv_leaves_the_next_command_in_front():
    payload = control_payload([ADVANCE | HIDE, RESET | HIDE, ADVANCE | HIDE])
    positions, left, _ = chain(payload, ["adv", "adv", "adv"])
    assert positions == [1, 0, 0]  # ADVANCE; then RESET stays in front: adv does not drop it
    expect = control_payload([RESET | HIDE, ADVANCE | HIDE])
    assert left == [expect, expect, expect]
    # popping shifts the stream by three and fills with a hidden NOP
    assert command_stream(left[0]) == command_stream(payload) >> 3 | CE_IGNORE << 21


def test_pop_adv_moves_one_switch_each():
    payload = control_payload([ADVANCE | HIDE] * 2)
    positions, left, _ = chain(payload, ["adv", "adv", "adv"])
    assert positions == [1, 1, 0]
    assert left[1] == left[2] == control_payload([])


def test_pop_adv_keeps_an_advance_that_changed_nothing():
    payload = control_payload([ADVANCE | HIDE, RESET | HIDE])
    positions, left, _ = chain(payload, ["adv"], "[L>R]")
    assert positions == [0] and left == [payload]


def test_pop_adv_nop_drops_nops_too():
    payload = control_payload([NOP | HIDE, ADVANCE | HIDE])
    positions, left, _ = chain(payload, ["adv-nop", "adv-nop"])
    assert positions == [0, 1] and left[0] == control_payload([ADVANCE | HIDE])
    positions, left, _ = chain(payload, ["adv", "adv"])
    assert positions == [0, 0] and left == [payload, payload]


def test_pop_always_drops_everything():
    payload = control_payload([RESET | HIDE, NOP | HIDE, ADVANCE | HIDE])
    positions, _, _ = chain(payload, ["always", "always", "always"])
    assert positions == [0, 0, 1]


@pytest.mark.parametrize("pop", ["adv", "adv-nop"])
def test_one_reset_goes_down_a_whole_chain(pop):
    pes = {(0, 0): Pe(script(("c", RES)), {1: "[C>R]"}, outputs={0: 1})}
    for x in (1, 2, 3):
        pes[0, x] = Pe(None, {1: f"[L>R ; L*>R ; pop={pop}]"})
    pes[0, 4] = Pe(None, {1: "[L>]"})
    ran = Ran(grid(pes))
    assert [ran.color(0, x, 1).input_position for x in (1, 2, 3)] == [0, 0, 0]


def test_task_bits_survive_a_pop():
    payload = control_payload([ADVANCE | HIDE, NOP], task=21)
    _, left, _ = chain(payload, ["adv"])
    assert left == [control_payload([NOP], task=21)]


HANDLER = """
entry 21, seen
unblock 21
{}
term
seen: mov16 R0, [0x1100]
add16 R0, R0, 1
mov16 [0x1100], R0
mov16 [0x1101], R60
mov16 [0x1102], R61
term
"""


def test_a_control_wavelet_readies_the_task_it_names():
    payload = control_payload([NOP], task=21)
    pes = {
        (0, 0): Pe(script("nop\n" * 30, ("c", payload), 5), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(HANDLER.format("nop")), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1100, 3, 0, 1) == [1, payload & 0xFFFF, payload >> 16]
    (landed,) = [c for c, p in ran.passed("land", 0, 1) if p == payload]
    assert ran.tasks(0, 1)[1] == (landed, 21)
    assert ran.issues(0, 1)[4] == landed + 3


def test_ce_ignore_of_the_command_executed_here_hides_it():
    """What counts is the command that this router executed, not the one in front after a pop."""
    hidden = control_payload([NOP | HIDE, NOP], task=21)
    shown = control_payload([NOP, NOP | HIDE], task=21)
    for payload, count in ((hidden, 0), (shown, 1)):
        pes = {
            (0, 0): Pe(script("nop\n" * 30, ("c", payload)), {1: "[C>R]"}, outputs={0: 1}),
            (0, 1): Pe(
                code(HANDLER.format("nop")), {1: "[L>C ; L>C ; pop=always]"}, inputs={0: 1}
            ),
        }
        assert Ran(grid(pes)).word(0x1100, 0, 1) == count


def test_without_a_handler_it_is_dropped():
    payload = control_payload([NOP], task=22)
    pes = {
        (0, 0): Pe(script(("c", payload), 5, ("c", payload)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(take(1), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 1, 1) == [5] and not ran.mesh.tile(0, 1).inputs[0].wavelets


def test_a_control_wavelet_is_no_element_of_a_receive():
    """The receive goes on behind it; its task starts when the main thread is free."""
    payload = control_payload([NOP], task=21)
    receive = "ldds DS0, in\nldds DS1, to\nmov32 [DS1], [DS0]"
    program = code(
        HANDLER.format(receive), "in: .word 2, 0, 4, 0\nto: .word 0, 0x1000, 4, 2"
    )
    pes = {
        (0, 0): Pe(script("nop\n" * 30, 1, 2, ("c", payload), 3, 4), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(program, {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 1, 4) == [1, 2, 3, 4]
    assert ran.words(0x1100, 3, 0, 1) == [1, payload & 0xFFFF, payload >> 16]
    assert ran.tasks(0, 1)[1][0] >= ran.issues(0, 1)[4]


def test_data_behind_a_control_wavelet_waits_for_its_handler():
    """Handlers run in the order of the stream, whatever the picker's turn is."""
    payload = control_payload([NOP], task=21)
    program = code(
        """
        mov16 R20, 0x1200
        mov16 [0x1300], R20
        dtask 0, data, 0
        entry 21, seen
        term
        data: mov16 R20, [0x1300]
        mov16 [R20], R60
        add16 R20, R20, 1
        mov16 [0x1300], R20
        act 9
        entry 9, busy
        term
        busy: nop
        nop
        term
        seen: mov16 R20, [0x1300]
        mov16 [R20], 0xCC
        add16 R20, R20, 1
        mov16 [0x1300], R20
        term
        """
    )
    steps = [1, ("c", payload), 2, 3, ("c", payload), ("c", payload), 4]
    pes = {
        (0, 0): Pe(script("nop\n" * 30, *steps), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(program, {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1200, 7, 0, 1) == [1, 0xCC, 2, 3, 0xCC, 0xCC, 4]


def test_swap_gives_the_command_to_each_reader():
    """Two colors read it; each acts on its own switch."""
    pes = {
        (0, 0): Pe(script(("c", ADV)), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(None, {2: "[L>R ; L>U]", 3: "[LHU ; LHU ; LHU]"}),
        (0, 2): Pe(None, {2: "[L>]"}),
        (1, 1): Pe(None, {2: "[D>]", 3: "[D>]"}),
        (1, 2): Pe(),
    }
    ran = Ran(grid(pes))
    assert [ran.color(0, 1, c).input_position for c in (2, 3)] == [1, 1]
    assert [ran.color(0, 1, c).output_position for c in (2, 3)] == [1, 1]


def test_flip_advances_the_senders_input_when_its_last_word_lands():
    program = code(
        "ldds DS0, out\nldds DS1, from\nmov32.flip [DS0], [DS1]\nterm",
        "out: .word 3, 0, 3, 0\nfrom: .word 0, list, 3, 2\n.align 2\nlist: .word 1, 0, 2, 0, 3, 0",
    )
    pes = {
        (0, 0): Pe(script(8, 9), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(program, {1: "[C>R ; L>R]"}, outputs={0: 1}),
        (0, 2): Pe(take(5), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 2, 5) == [1, 2, 3, 8, 9]
    state = ran.color(0, 1, 1)
    assert (state.input_position, state.output_position) == (1, 0)


def test_flip_on_a_color_with_one_position_does_nothing():
    program = code("mov32.flip OQ0, 1\nmov32.flip OQ0, 2\nterm")
    pes = {
        (0, 0): Pe(program, {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(take(2), {1: "[L>C]"}, inputs={0: 1}),
    }
    assert got(Ran(grid(pes)), 0, 1, 2) == [1, 2]


TEAR = control_payload([TEARDOWN | HIDE] + [NOP] * 7)
TORN_TASK = """
entry 29, torn
{}
term
torn: mov16 R0, [0x1100]
add16 R0, R0, 1
mov16 [0x1100], R0
mov16 R1, [0x7C01]
mov16 [0x1101], R1
{}
term
"""


def test_teardown_payload_is_the_published_one():
    assert control_payload([TEARDOWN | HIDE] + [NOP] * 7) & 0x3FC00000 == 0x01C00000


def test_teardown_of_a_broadcast_tree():
    """One command tears down every router on its way, after what was before it (page 2.1)."""
    watch = code(TORN_TASK.format("nop", "nop"))
    pes = {
        (0, 0): Pe(script("nop\n" * 20, 1, 2, ("c", TEAR), 3, 4), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(watch, {1: "[L>RU]"}),
        (0, 2): Pe(watch, {1: "[L>C]"}, inputs={0: 1}),
        (1, 1): Pe(watch, {1: "[D>C]"}, inputs={0: 1}),
        (1, 2): Pe(),
    }
    ran = Ran(grid(pes))
    for place in ((0, 1), (0, 2), (1, 1)):
        assert ran.color(*place, 1).stopped == "torn"
        assert ran.words(0x1100, 2, *place)[0] == 1
        assert ran.word(0x1101, *place) & 0x8000
    for place in ((0, 2), (1, 1)):
        assert [w.payload for w in ran.mesh.tile(*place).inputs[0].wavelets] == [1, 2]
    # the color of the sender's own router is torn down too; 3 and 4 wait in its core lane or queue
    assert ran.color(0, 0, 1).stopped == "torn"
    sender = ran.mesh.tile(0, 0)
    waiting = [w.payload for w in sender.outputs[0].wavelets]
    waiting = [w.payload for w in ran.color(0, 0, 1).lanes.get(4, ())] + waiting
    assert waiting == [3, 4]


def test_nothing_is_lost_behind_a_teardown():
    """The core makes the color run again with another route; later wavelets follow it."""
    again = "mov16 [0x7C01], 0x0010"  # [L>C]
    pes = {
        (0, 0): Pe(None, {1: "[R>R]"}),
        (0, 1): Pe(script(1, ("c", TEAR), *range(2, 12)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 2): Pe(
            code(TORN_TASK.format("nop", again + "\nmov32.u0 [0x1000], IQ0")),
            {1: "[L>]"},
            inputs={0: 1},
        ),
    }
    ran = Ran(grid(pes))
    # the sender's own router is torn down and nobody makes it run again
    assert ran.color(0, 1, 1).stopped == "torn"
    resend = TORN_TASK.format("nop\n" * 9 + "mov32 OQ0, 1\n" + f"movc OQ0, 0x{TEAR:08x}\n"
                              + "\n".join(f"mov32 OQ0, {k}" for k in range(2, 9)),
                              "mov16 [0x7C01], 0x0082")  # [C>R]
    taker = TORN_TASK.format("nop", again + "\nldds DS0, in\nldds DS1, to\nmov32.u0 [DS1], [DS0]")
    pes = {
        (0, 1): Pe(code(resend), {1: "[C>R]"}, outputs={0: 1}),
        (0, 2): Pe(
            code(taker, "in: .word 2, 0, 7, 0\nto: .word 0, 0x1000, 7, 2"),
            {1: "[L>]"},
            inputs={0: 1},
        ),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 2, 7) == list(range(2, 9))
    assert ran.mesh.router_clean()


def test_task_29_is_readied_when_the_command_has_left():
    """A blocked output holds the event back."""
    pes = {
        (0, 0): Pe(script("nop\n" * 20, *range(1, 20), ("c", TEAR)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(TORN_TASK.format("nop", "nop")), {1: "[L>R]"}),
        (0, 2): Pe(code("term"), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.word(0x1100, 0, 1) == 0
    pes[0, 2] = Pe(take(19), {1: "[L>C]"}, inputs={0: 1})
    ran = Ran(grid(pes))
    (left,) = [c for c, p in ran.passed("depart", 0, 1) if p == TEAR]
    assert ran.tasks(0, 1)[1] == (left, 29)


def test_a_program_that_stops_a_color_gets_no_event():
    text = TORN_TASK.format("mov16 [0x7C01], 0x8000", "nop")
    pes = {
        (0, 0): Pe(script("nop\n" * 40, *range(9)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(text), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.color(0, 1, 1).stopped == "written" and ran.word(0x1100, 0, 1) == 0
    assert not ran.passed("land", 0, 1) and ran.stop is Stop.QUIET
