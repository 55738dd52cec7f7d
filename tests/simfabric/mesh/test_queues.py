"""Queues and ramps: depths, packing of halves, filters, data tasks (machine pages 2.3, 3, 4)."""

import pytest
from attrs import evolve

from carbide.object import Filter
from tests.simfabric.mesh.probe import SDR, Pe, Ran, Stop, alone, code, grid
from tests.simfabric.mesh.test_router import receives, sends
from tests.simfabric.mesh.test_switch import script

OPEN = {"rules": {1: "[C>R]"}, "outputs": {0: 1}}


def wavelets(ran, x=0):
    """(cycle, kind, payload) of what departed from a router."""
    return [
        (e.cycle, e.wavelet.kind, e.wavelet.payload)
        for e in ran.events
        if e.kind == "depart" and e.x == x
    ]


def test_a_vector_of_halves_packs_two_by_two_low_half_first():
    pes = {(0, 0): Pe(sends([1, 2, 3, 4, 5], wide=False), {1: "[C>R]"}, outputs={0: 1})}
    ran = Ran(grid(pes))
    start = ran.issues()[2]
    assert wavelets(ran) == [
        (start + 7, "data", 0x00020001),
        (start + 8, "data", 0x00040003),
        (start + 9, "half", 5),
    ]


def test_a_lone_half_leaves_as_a_full_wavelet_would():
    ran = alone("mov16 OQ0, 7\nterm", **OPEN)
    assert wavelets(ran) == [(ran.issues()[0] + 7, "half", 7)]


@pytest.mark.parametrize("gap", range(5))
def test_the_next_half_joins_until_the_first_may_leave(gap):
    """The first issues at 0 and may leave its queue at 6; the second is there 3 after issue."""
    ran = alone("mov16 OQ0, 1\n" + "nop\n" * gap + "mov16 OQ0, 2\nterm", **OPEN)
    kinds = [(kind, payload) for _, kind, payload in wavelets(ran)]
    joins = gap + 1 + SDR.timing.half_join < SDR.timing.half_leave
    assert kinds == ([("data", 0x20001)] if joins else [("half", 1), ("half", 2)])
    assert wavelets(ran)[0][0] == ran.issues()[0] + 7


def test_a_half_that_is_held_back_is_joined_later():
    """Nobody takes the color at first; the halves meet in the queue."""
    text = "mov32 OQ0, 9\n" * 10 + "mov16 OQ0, 1\n" + "nop\n" * 12 + "mov16 OQ0, 2\nterm"
    pes = {
        (0, 0): Pe(code(text), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code("nop\n" * 80 + "mov16 [0x7C01], 0x0000\nterm"), {1: "[R>]"}),
        (0, 2): Pe(),
    }
    ran = Ran(grid(pes))
    assert [(k, p) for _, k, p in wavelets(ran)][-1] == ("data", 0x20001)


def test_halves_that_may_not_pair_keep_their_places():
    """Seven, then eight before it is known what the seventh pairs with: the queue is full."""
    text = """ldds DS0, seven
        mov16 [DS0], 5
        ldds DS1, eight
        mov16 [DS1], 6
        term
    seven: .word 3, 0, 7, 0
    eight: .word 3, 0, 8, 0"""
    ran = alone(text, **OPEN)
    halves = []
    for _, kind, payload in wavelets(ran):
        halves += [payload] if kind == "half" else [payload & 0xFFFF, payload >> 16]
    assert halves == [5] * 7 + [6] * 8


@pytest.mark.parametrize("closer", ["mov32 OQ0, 9", "movc OQ0, 0"])
def test_a_32_bit_or_control_send_closes_a_half(closer):
    ran = alone(f"mov16 OQ0, 1\n{closer}\nmov16 OQ0, 2\nterm", **OPEN)
    assert [k for _, k, _ in wavelets(ran)] == [
        "half",
        "control" if "movc" in closer else "data",
        "half",
    ]


def test_halves_of_other_queues_do_not_join():
    ran = alone(
        "mov16 OQ0, 1\nmov16 OQ1, 2\nterm", rules={1: "[C>]", 2: "[C>]"}, outputs={0: 1, 1: 2}
    )
    landed = [e.wavelet.kind for e in ran.events if e.kind == "land"]
    assert landed == ["half", "half"]


def test_pairs_go_on_behind_an_open_half():
    """1, then a vector 2 3 4: the vector's first joins."""
    text = "ldds DS0, out\nldds DS1, from\nnop\nnop\nnop\nmov16 OQ0, 1\nmov16 [DS0], [DS1]\nterm"
    rows = "out: .word 3, 0, 3, 0\nfrom: .word 0, list, 3, 1\nlist: .word 2, 3, 4"
    ran = alone(text, rows, **OPEN)
    assert [(k, p) for _, k, p in wavelets(ran)] == [("data", 0x20001), ("data", 0x40003)]


def test_halves_are_received_low_first_and_from_half_wavelets():
    pes = {
        (0, 0): Pe(sends([1, 2, 3, 4, 5], wide=False), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(receives(5, wide=False), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 5, 0, 1) == [1, 2, 3, 4, 5]
    # two elements of a wavelet in one cycle
    assert len(ran.issues(0, 1)) == 2 + 3 + 2


def test_a_16_bit_receive_takes_the_low_half_of_a_32_bit_value():
    pes = {
        (0, 0): Pe(sends([0x20001]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(receives(1, wide=False), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    queue = ran.mesh.tile(0, 1).inputs[0]
    assert ran.word(0x1000, 0, 1) == 1 and queue.half_taken and len(queue.wavelets) == 1


@pytest.mark.parametrize("first", [[7], [1, 2, 3]])
def test_a_32_bit_receive_that_finds_a_half_is_an_error(first):
    pes = {
        (0, 0): Pe(sends(first, wide=False), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(receives(len(first)), {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    error = ran.mesh.error
    assert error.fault.name == "HALF_FOR_WORD" and error.details["queue"] == 0
    assert (error.y, error.x) == (0, 1)


def test_a_32_bit_receive_behind_half_of_a_wavelet_is_an_error():
    pes = {
        (0, 0): Pe(sends([1, 2]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code("mov16 R0, IQ0\nmov32 R2, IQ0\nterm"), {1: "[L>C]"}, inputs={0: 1}),
    }
    assert Ran(grid(pes)).mesh.error.fault.name == "HALF_FOR_WORD"


@pytest.mark.parametrize("queue", range(8))
def test_depth_of_input_queues(queue):
    pes = {
        (0, 0): Pe(sends(list(range(40))), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code("term"), {1: "[L>C]"}, inputs={queue: 1}),
    }
    ran = Ran(grid(pes))
    held = ran.mesh.tile(0, 1).inputs[queue].wavelets
    assert len(held) == SDR.queues.input_depth[queue]


def test_a_deep_and_a_shallow_queue_both_take_one_a_cycle():
    """An input place is free when its element executes: depth 4 is just enough."""
    for queue in (0, 5):
        pes = {
            (0, 0): Pe(sends(list(range(40))), {1: "[C>R]"}, outputs={0: 1}),
            (0, 1): Pe(receives(40, queue), {1: "[L>C]"}, inputs={queue: 1}),
        }
        got = Ran(grid(pes)).issues(0, 1)[2:42]
        assert got[-1] - got[0] == 39
    shallow = evolve(SDR, queues=evolve(SDR.queues, input_depth=(3,) * 8))
    ran = Ran(grid(pes), arch=shallow)
    got = ran.issues(0, 1)[2:42]
    assert got[-1] - got[0] > 39 + 10


def test_an_output_place_is_free_when_the_wavelet_has_left():
    """Places issue_k is taken in: with 8 places and 6 cycles to leave, a stream is not held up."""
    ran = alone("\n".join(f"mov32 OQ0, {k}" for k in range(20)) + "\nterm", **OPEN)
    assert [b - a for a, b in zip(ran.issues(), ran.issues()[1:], strict=False)] == [1] * 20
    small = evolve(SDR, queues=evolve(SDR.queues, output_depth=(4,) * 8))
    pes = {(0, 0): Pe(sends(list(range(20))), {1: "[C>R]"}, outputs={0: 1})}
    ran = Ran(grid(pes), arch=small)
    departs = [c for c, _, _ in wavelets(ran)]
    assert departs[4] - departs[0] == SDR.timing.half_leave


def test_two_queues_on_one_color_the_lower_takes_it():
    pes = {
        (0, 0): Pe(sends([1, 2, 3]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code("term"), {1: "[L>C]"}, inputs={5: 1, 2: 1}),
    }
    inputs = Ran(grid(pes)).mesh.tile(0, 1).inputs
    assert len(inputs[2].wavelets) == 3 and not inputs[5].wavelets


def test_without_an_enabled_queue_the_wavelet_waits():
    pes = {
        (0, 0): Pe(sends([1, 2, 3]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code("mov16 [0x7BC0], 1\nterm"), {1: "[L>C]"}),
    }
    ran = Ran(grid(pes))
    assert ran.stop is Stop.QUIET and len(ran.color(0, 1, 1).fifo) == 3


def test_a_program_moves_a_queue_to_another_color():
    text = "mov32 [0x1000], IQ0\nmov16 [0x7BC0], 2\nmov32 [0x1002], IQ0\nterm"
    pes = {
        (0, 0): Pe(sends([1]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(text), {1: "[L>C]", 2: "[R>C]"}, inputs={0: 1}),
        (0, 2): Pe(sends([2]), {2: "[C>L]"}, outputs={0: 2}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 3, 0, 1)[::2] == [1, 2]
    assert ran.word(0x7BC0, 0, 1) == 0x8002  # still enabled, as the loader left it


def test_rebinding_an_output_queue_that_holds_wavelets_is_an_error():
    ran = alone("mov32 OQ0, 1\nmov16 [0x7B80], 0x20\nterm", **OPEN)
    error = ran.mesh.error
    assert error.fault.name == "QUEUE_REBOUND"
    details = {"queue": 0, "color": 1, "new_color": 2, "wavelets": 1}
    assert error.details == {**details, "instruction": 4}
    ok = alone(
        "mov32 OQ0, 1\n" + "nop\n" * 12 + "mov16 [0x7B80], 0x20\nmov32 OQ0, 2\nterm",
        rules={1: "[C>]", 2: "[C>]"},
        outputs={0: 1},
    )
    assert [e.color for e in ok.events if e.kind == "land"] == [1, 2]


def filtered(limit, most, state=0, control=False, data=True, steps=range(1, 13)):
    program = evolve(
        receives(30), filters=(Filter(0, limit, most, data, control, state),)
    )
    pes = {
        (0, 0): Pe(script(*steps), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(program, {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert ran.mesh.router_clean()
    return [v for v in ran.words(0x1000, 60, 0, 1)[::2] if v]


def test_counter_filter():
    """Counts 0..limit, passes while count <= maxpass (page 2.3)."""
    assert filtered(3, 0) == [1, 5, 9]
    assert filtered(3, 1) == [1, 2, 5, 6, 9, 10]
    assert filtered(3, 1, state=64) == [3, 4, 7, 8, 11, 12]
    assert filtered(0, 0) == list(range(1, 13))


def test_counter_filter_counts_what_it_is_told_to():
    hidden = ("c", 0)
    steps = [1, hidden, 2, hidden, 3, hidden, 4]
    assert filtered(1, 0, steps=steps) == [1, 3]
    assert filtered(1, 0, control=True, steps=steps) == [1, 2, 3, 4]


def test_a_filter_needs_no_place_for_what_it_drops():
    """The core never receives; only what passes fills the queue."""
    program = evolve(code("term"), filters=(Filter(0, 3, 0, True, False, 0),))
    pes = {
        (0, 0): Pe(script(*range(1, 61)), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(program, {1: "[L>C]"}, inputs={0: 1}),
    }
    ran = Ran(grid(pes))
    assert [w.payload for w in ran.mesh.tile(0, 1).inputs[0].wavelets] == list(range(1, 32, 4))
    assert ran.color(0, 1, 1).fifo[0].payload == 33


def test_a_filter_counts_what_the_pe_sent_to_itself():
    program = evolve(
        code("\n".join(f"mov32 OQ0, {k}" for k in (1, 2, 3, 4)) + "\nterm"),
        filters=(Filter(0, 1, 0, True, False, 0),),
    )
    pe = Pe(program, {1: "[C>C]"}, inputs={0: 1}, outputs={0: 1})
    queue = Ran(grid({(0, 0): pe})).mesh.tile(0, 0).inputs[0]
    assert [w.payload for w in queue.wavelets] == [1, 3]


def handlers(steps, keep=0, body=""):
    """A data task that stores what starts it, one after the other from 0x1200 on."""
    program = code(
        f"""
        mov16 R20, 0x1200
        mov16 [0x1300], R20
        dtask 0, data, {keep}
        term
        data: mov16 R20, [0x1300]
        {body or "mov16 [R20], R60"}
        mov16 [R20+1], R61
        add16 R20, R20, 2
        mov16 [0x1300], R20
        term
        """
    )
    pes = {
        (0, 0): Pe(steps, {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(program, {1: "[L>C]"}, inputs={0: 1}),
    }
    return Ran(grid(pes))


def test_a_data_wavelet_starts_its_task_with_its_data():
    ran = handlers(script("nop\n" * 20, 0x20001, 0x40003))
    assert ran.words(0x1200, 4, 0, 1) == [1, 2, 3, 4]
    landed = [c for c, _ in ran.passed("land", 0, 1)]
    assert ran.tasks(0, 1)[1] == (landed[0], 0)
    assert ran.mesh.survey()["handlers"].tolist() == [[False, True]]


def test_a_data_task_that_keeps_its_wavelet_receives_it():
    ran = handlers(script(0x20001, 0x40003), 1, "mov32 R0, IQ0\nmov16 [R20], R0")
    assert ran.words(0x1200, 4, 0, 1) == [1, 2, 3, 4]


def test_a_half_wavelet_starts_a_task_too():
    ran = handlers(code("mov16 OQ0, 5\n" + "nop\n" * 20 + "mov16 OQ0, 6\nterm"))
    assert ran.words(0x1200, 4, 0, 1) == [5, 0, 6, 0]


def test_data_tasks_start_blocked():
    pes = {
        (0, 0): Pe(sends([1]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(
            code("entry 0, data\nterm\ndata: mov16 [0x1000], 1\nterm"), {1: "[L>C]"}, inputs={0: 1}
        ),
    }
    ran = Ran(grid(pes))
    assert ran.word(0x1000, 0, 1) == 0 and len(ran.mesh.tile(0, 1).inputs[0].wavelets) == 1


def test_memory_to_queue_moves_two_wavelets_a_cycle_other_sends_one():
    """`output_words16` of a plain copy; the port to the router takes one a cycle all the same."""
    rows = "out: .word 3, 0, 8, 0\nfrom: .word 0, 0x1000, 8, 2"
    text = "ldds DS0, out\nldds DS1, from\nnop\nnop\nnop\nnop\n{}\nterm"
    copy = alone(text.format("mov32 [DS0], [DS1]"), rows, **OPEN)
    assert copy.issues()[-1] - copy.issues()[6] == 4
    add = alone(text.format("add32 [DS0], [DS1], 1"), rows, **OPEN)
    assert add.issues()[-1] - add.issues()[6] == 8
    assert [c - copy.issues()[6] for c, _, _ in wavelets(copy)] == list(range(7, 15))


def test_main_thread_blocked_on_a_queue_starts_no_task_but_microthreads_run():
    text = """
    entry 9, nine
    act 9
    mov32.u0 [0x1000], IQ1
    mov32 R0, IQ0
    mov32 [0x1002], R0
    term
    nine: mov16 [0x1004], 1
    term
    """
    pes = {
        (0, 0): Pe(sends([1]), {2: "[C>R]"}, outputs={0: 2}),
        (0, 1): Pe(code(text), {1: "[R>C]", 2: "[L>C]"}, inputs={0: 1, 1: 2}),
        (0, 2): Pe(sends([2], after=100), {1: "[C>L]"}, outputs={0: 1}),
    }
    ran = Ran(grid(pes))
    first, second = ran.issues(0, 1, 1)[0], ran.issues(0, 1)[3]
    assert first < second < ran.tasks(0, 1)[1][0]
    assert ran.words(0x1000, 5, 0, 1) == [1, 0, 2, 0, 1]


def test_two_sources_from_one_queue():
    pes = {
        (0, 0): Pe(sends([5, 3, 9, 1]), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(
            code("sub32 [0x1000], IQ0, IQ0\nsub32 [0x1002], IQ0, IQ0\nterm"),
            {1: "[L>C]"},
            inputs={0: 1},
        ),
    }
    assert Ran(grid(pes)).words(0x1000, 3, 0, 1)[::2] == [2, 8]
