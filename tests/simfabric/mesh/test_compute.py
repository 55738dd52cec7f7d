"""The compute engine's timing table and order (machine page 4), instruction by instruction."""

import pytest

from tests.simfabric.mesh.probe import SDR, Pe, Ran, Stop, alone, code, grid, spaced


def test_scalar_integers_issue_every_cycle():
    assert spaced("mov16 R0, 1\nadd16 R0, R0, 1\nadd16 R0, R0, R0\nterm") == [0, 1, 2, 3]


def test_scalar_floats_hold_back_only_what_uses_them():
    dependent = "mov32 R0, 1.0\nfadds R2, R0, R0\nfadds R4, R2, R0\nfmuls R6, R4, R2\nterm"
    assert spaced(dependent) == [0, 1, 3, 5, 6]
    apart = "mov32 R0, 1.0\nfadds R2, R0, R0\nfadds R4, R0, R0\nfmuls R6, R2, R2\nterm"
    assert spaced(apart) == [0, 1, 2, 3, 4]
    odd_half = "mov32 R0, 1.0\nfadds R2, R0, R0\nmov16 R4, R3\nterm"
    assert spaced(odd_half) == [0, 1, 3, 4]


def test_branches():
    assert spaced("mov16 R0, 0\njnz16 R0, far\nmov16 R1, 1\nfar: term") == [0, 1, 4, 5]
    assert spaced("mov16 R0, 1\njnz16 R0, far\nmov16 R1, 1\nfar: term") == [0, 1, 7]
    assert spaced("jmp far\nnop\nfar: term") == [0, 6]
    assert spaced("call R9, sub\nterm\nsub: ret R9") == [0, 6, 12]


def test_loads_and_descriptors():
    assert spaced("mov16 R0, [a]\nadd16 R0, R0, 1\nterm", "a: .word 5") == [0, 1, 2]
    text = "ldds DS0, d\nldds DS1, e\nmov16 [DS1], [DS0]\nterm"
    assert spaced(text, "d: .word 0, d, 1, 1\ne: .word 0, d, 1, 1") == [0, 1, 6, 7]
    text = "ldds DS0, d\nstds DS0, d\nterm"
    assert spaced(text, "d: .word 0, d, 1, 1") == [0, 5, 6]
    text = "ldds DS0, d\ndslen DS0, 2\nmov16 [DS0], 7\nterm"
    assert spaced(text, "d: .word 0, d, 1, 1") == [0, 1, 6, 7]


VECTOR = """
ldds DS0, a
ldds DS1, b
ldds DS2, c
nop
nop
nop
nop
start: {}
term
"""
DATA = "a: .word 0, 0x1000, {n}, {w}\nb: .word 0, 0x1200, {n}, {w}\nc: .word 0, 0x1400, {n}, {w}"


@pytest.mark.parametrize(
    ("text", "wide", "elements", "cycles"),
    [
        ("mov16 [DS0], [DS1]", 1, 64, 8),
        ("mov16 [DS0], [DS1]", 1, 65, 9),
        ("mov32 [DS0], [DS1]", 2, 64, 16),
        ("add16 [DS0], [DS1], [DS2]", 1, 64, 16),
        ("mac16 [DS0], [DS1], [DS2], [DS0]", 1, 64, 16),
        ("add32 [DS0], [DS1], [DS2]", 2, 64, 32),
        ("fadds [DS0], [DS1], [DS2]", 2, 64, 32),
        ("fsubs [DS0], [DS1], R0", 2, 7, 4),
        ("fmuls [DS0], [DS1], [DS2]", 2, 64, 64),
        ("fmacs [DS0], [DS1], [DS2], [DS0]", 2, 64, 128),
        ("dots R0, [DS1], [DS2]", 2, 64, 64),
        ("fadds R0, R0, [DS1]", 2, 64, 128),
        ("add16 R0, R0, [DS1]", 1, 64, 128),
        ("fmacs R0, [DS1], [DS2], R0", 2, 64, 128),
        ("mov16 [DS0], 0", 1, 0, 1),
    ],
)
def test_vector_rates(text, wide, elements, cycles):
    data = DATA.format(n=elements, w=wide)
    issues = alone(VECTOR.format(text), data).issues()
    assert issues[-1] - issues[7] == cycles


def test_last_result_of_a_reduction_is_ready_two_later():
    ran = alone(VECTOR.format("dots R0, [DS1], [DS2]\nfadds R2, R0, R0"), DATA.format(n=8, w=2))
    assert ran.issues()[-2] - ran.issues()[7] == 7 + SDR.timing.vector_result


def test_microthread_before_main_thread_inside_its_vector():
    """A launched copy takes the pipeline from the next cycle on; the main thread gets the rest."""
    text = VECTOR.format("mov16.u0 [DS0], [DS1]\nmov16 R0, 1\nmov16 R1, 1\nmov16 R2, 1")
    ran = alone(text, DATA.format(n=16, w=1))
    launch = ran.issues()[7]
    assert ran.issues(slot=1) == [launch + 1, launch + 2]
    assert ran.issues()[8:11] == [launch + 3, launch + 4, launch + 5]


def test_equal_microthreads_take_turns():
    text = VECTOR.format("mov16.u0 [DS0], [DS1]\nmov16.u3 [DS2], [DS1]")
    ran = alone(text, DATA.format(n=32, w=1))
    order = sorted(
        (cycle, slot) for slot in (1, 4) for cycle in ran.issues(slot=slot)
    )
    first = [slot for _, slot in order]
    launch = ran.issues()[7]
    assert [cycle for cycle, _ in order[:1]] == [launch + 1]
    # the second launch has to wait for the first microthread, which comes before the main thread
    assert first == [1] * 4 + [4] * 4


def test_turns_of_waiting_microthreads():
    """Two microthreads fed by one wavelet each in the same cycles alternate."""
    text = (
        "ldds DS0, in0\nldds DS1, in1\nldds DS2, out0\nldds DS3, out1\n"
        "mov32.u0 [DS2], [DS0]\nmov32.u1 [DS3], [DS1]\nterm"
    )
    data = (
        "in0: .word 2, 0, 4, 0\nin1: .word 2, 1, 4, 0\n"
        "out0: .word 0, 0x1000, 4, 2\nout1: .word 0, 0x1100, 4, 2"
    )
    send = "ldds DS0, d\nldds DS1, s\nldds DS2, e\nmov32 [DS0], [DS1]\nmov32 [DS2], [DS1]\nterm"
    rows = "d: .word 3, 0, 4, 0\ne: .word 3, 1, 4, 0\ns: .word 0, 0x1000, 4, 2"
    ran = Ran(
        grid(
            {
                (0, 0): Pe(code(send, rows), {1: "[C>R]", 2: "[C>R]"}, outputs={0: 1, 1: 2}),
                (0, 1): Pe(code(text, data), {1: "[L>C]", 2: "[L>C]"}, inputs={0: 1, 1: 2}),
            }
        )
    )
    first, second = ran.issues(0, 1, 1), ran.issues(0, 1, 2)
    assert len(first) == len(second) == 4
    assert not set(first) & set(second)


def test_task_pick_round_robin():
    text = """
    entry 10, ten
    entry 12, twelve
    entry 9, nine
    act 12
    act 9
    act 10
    term
    nine: act 8
    entry 8, eight
    term
    ten: term
    twelve: term
    eight: term
    """
    ran = alone(text)
    assert [task for _, task in ran.tasks()] == [8, 9, 10, 12, 8]
    picks = [cycle for cycle, _ in ran.tasks()]
    issues = ran.issues()
    assert issues[6] == picks[1] and issues[7] == picks[1] + SDR.timing.task_pick


def test_blocked_task_does_not_start_until_unblocked():
    text = """
    entry 9, nine
    block 9
    act 9
    entry 10, ten
    act 10
    term
    nine: term
    ten: nop
    nop
    unblock 9
    term
    """
    assert [task for _, task in alone(text).tasks()] == [8, 10, 9]


def test_a_blocked_active_task_is_no_progress():
    ran = alone("entry 9, nine\nblock 9\nact 9\nterm\nnine: term")
    assert ran.stop is Stop.QUIET and ran.mesh.cycles == 7 + 50
    assert ran.mesh.survey()["blocked"].all()
    state = ran.mesh.tile(0, 0)
    assert [(t.number, t.active, t.blocked) for t in state.tasks] == [
        (8, False, False),
        (9, True, True),
    ]


LOOP = {"rules": {1: "[C>C]"}, "inputs": {0: 1}, "outputs": {0: 1}}
"""A color from the core to itself."""
RECEIVE = "mov32.u0 [0x1000], IQ0\nmov32 OQ0, 77\n"


def test_susp_waits_for_microthreads_and_gives_others_a_turn():
    text = RECEIVE + "entry 9, nine\nact 9\nsusp 10, 1\nmov16 R0, 1\nterm\nnine: term"
    ran = alone(text, **LOOP)
    assert [task for _, task in ran.tasks()] == [8, 9, 10]
    (received,) = ran.issues(slot=1)
    assert ran.tasks()[2][0] == received
    assert ran.issues()[-2] == received + SDR.timing.arrival_to_task
    assert ran.issues()[-3] < received


def test_wait_holds_the_main_thread_and_starts_no_task():
    text = RECEIVE + "entry 9, nine\nact 9\nwait 1\nmov16 R0, 1\nterm\nnine: term"
    ran = alone(text, **LOOP)
    (received,) = ran.issues(slot=1)
    assert ran.issues()[5] == received + SDR.timing.arrival_to_task
    assert [task for _, task in ran.tasks()] == [8, 9] and ran.tasks()[1][0] > received


def test_a_send_to_itself_takes_no_hop():
    ran = alone(RECEIVE + "term", **LOOP)
    sent = ran.issues()[1]
    (received,) = ran.issues(slot=1)
    assert received + SDR.timing.router_to_execute == sent + 10


def test_a_launch_loads_the_descriptors_of_queues_that_it_names():
    load, use = SDR.timing.descriptor_load, SDR.timing.descriptor_to_use
    queues = {"outputs": {0: 3}, "rules": {3: "[C>R]"}}
    ran = alone("nop\nmov32.u0 OQ0, 1\nmov32.u1 OQ0, 2\nnop\nterm", **queues)
    first, launch, second, after, _ = ran.issues()
    assert launch - first == 1 + load + use
    assert second - launch == 1 + load + use + 1  # the first microthread's issue comes between
    assert after - second == 1 + 1
    # through a descriptor register, the launch itself issues at once
    text = "ldds DS0, out\n" + 5 * "nop\n" + "mov32.u0 [DS0], 1\nnop\nterm"
    ran = alone(text, "out: .word 3, 0, 1, 0", **queues)
    assert ran.issues()[6] - ran.issues()[5] == 1
    # and the main thread needs no descriptor for a send of its own
    ran = alone("nop\nmov32 OQ0, 1\nterm", **queues)
    assert ran.issues()[1] - ran.issues()[0] == 1


def test_launch_waits_for_its_slot():
    text = VECTOR.format("mov16.u0 [DS0], [DS1]\nmov16.u0 [DS2], [DS1]")
    ran = alone(text, DATA.format(n=32, w=1))
    slots = ran.issues(slot=1)
    assert len(slots) == 8 and ran.issues()[8] == slots[3] + 1


def test_terminating_launch_ends_the_task_at_once():
    text = VECTOR.format("mov16.u0.t [DS0], [DS1]\nmov16 R0, 1")
    ran = alone(text, DATA.format(n=32, w=1))
    assert len(ran.issues()) == 8


def test_join_starts_a_task_after_microthreads_while_this_one_goes_on():
    text = """
    entry 9, nine
    ldds DS0, a
    ldds DS1, b
    mov16.u0 [DS0], [DS1]
    join 9, 1
    mov16 R0, 1
    term
    nine: mov16 [0x1000], 5
    term
    """
    ran = alone(text, DATA.format(n=80, w=1))
    assert [task for _, task in ran.tasks()] == [8, 9] and ran.word(0x1000) == 5


def test_undefined_instruction_is_an_error_with_its_place():
    ran = alone("mov16 R0, 1\njmp data\nterm\ndata: .word 0xFF00\n")
    assert ran.stop is Stop.ERROR
    assert (ran.mesh.error.fault.name, ran.mesh.error.cycle) == ("UNDEFINED_INSTRUCTION", 10)
    assert ran.mesh.error.details["word"] == 0xFF00


def test_running_off_the_code_is_an_error():
    ran = alone("mov16 R0, 1")
    assert ran.mesh.error.fault.name == "UNDEFINED_INSTRUCTION"
    assert ran.mesh.error.details["address"] == 3


def test_jump_into_the_middle_of_an_instruction_is_decoded_there():
    """The immediate of the first instruction is a `term` of its own."""
    ran = alone("mov16 R0, 0xB100\nmov16 R1, 2\nret R1")
    assert ran.stop is Stop.QUIET and len(ran.issues()) == 4


def test_code_that_is_written_is_what_runs():
    ran = alone("mov16 [patch], 0xB100\nmov16 R0, 1\npatch: mov16 R2, 7\nmov16 R4, 8\nterm")
    assert ran.stop is Stop.QUIET and len(ran.issues()) == 3


def test_only_the_writer_runs_its_changed_code():
    text = """
    mov16 R0, [0x7C46]
    jnz16 R0, patch
    mov16 [patch], 0xB100
    patch: mov16 [0x1000], 7
    term
    """
    same = code(text)
    ran = Ran(grid({(0, 0): Pe(same), (0, 1): Pe(same)}))
    assert ran.word(0x1000, 0, 0) == 0 and ran.word(0x1000, 0, 1) == 7


def test_bad_task_and_descriptor():
    assert alone("act 31\nterm").mesh.error.fault.name == "BAD_TASK"
    text = "ldds DS0, d\nmov16 [DS0], 1\nterm"
    error = alone(text, "d: .word 2, 0, 1, 0").mesh.error
    assert error.fault.name == "BAD_DESCRIPTOR" and error.details["descriptor"] == 0


def test_quiet_cycles_count_and_limits_hold():
    ran = alone("nop\nterm")
    assert ran.stop is Stop.QUIET and ran.mesh.cycles == 5 + SDR.timing.quiet_cycles
    endless = alone("again: jmp again", cycles=777)
    assert endless.stop is Stop.LIMIT and endless.mesh.cycles == 777


def test_what_only_feeds_the_accumulator_holds_nothing_back():
    """A 27-point product takes 37.9 cycles a point: no room for waits between its nine sums."""
    text = "mov32 OQ0, 1\nmov32 OQ0, 2\nmov32 OQ0, 3\n" + "nop\n" * 16
    text += "dots.keep.noload none, IQ0, R0\ndots.keep.noload none, IQ0, R0\n"
    text += "dots.keep R2, IQ0, R0\nmov16 R4, 1\nterm"
    first, second, third, after, _ = alone(text, **LOOP).issues()[-5:]
    assert (second, third) == (first + 1, first + 2)
    assert after == third + SDR.timing.arrival_to_task
