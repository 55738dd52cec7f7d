"""Registers that a program reads and writes while it runs (machine page 5)."""

import numpy as np
from attrs import evolve

from carbide.object import Segment
from mitools.image.model import Overlay
from tests.simfabric.mesh.probe import Mesh, Pe, Ran, alone, code, grid
from tests.simfabric.mesh.test_router import receives, sends
from tests.simfabric.mesh.test_switch import ADV, got, script, take


def test_row_and_column():
    text = "mov16 R0, [0x7C45]\nmov16 R1, [0x7C46]\nmov16 [0x1000], R0\nmov16 [0x1001], R1\nterm"
    ran = Ran(grid({(2, 3): Pe(code(text))}))
    assert ran.words(0x1000, 2, 2, 3) == [2, 3]


def test_cycle_counter_counts_while_bit_2_is_set():
    text = """
    mov16 R0, [0x7B30]
    mov16 [0x7B34], 0xC
    nop
    nop
    mov16 R1, [0x7B30]
    mov16 [0x7B34], 0
    nop
    mov16 R2, [0x7B30]
    mov16 [0x1000], R0
    mov16 [0x1001], R1
    mov16 [0x1002], R2
    term
    """
    assert alone(text).words(0x1000, 3) == [0, 3, 4]


def test_cycle_counter_has_48_bits_and_can_be_written():
    text = """
    mov16 [0x7B30], 0xFFFE
    mov16 [0x7B31], 0xFFFF
    mov16 [0x7B32], 0x1234
    mov16 [0x7B34], 4
    ldds DS0, from
    ldds DS1, to
    mov16 [DS1], [DS0]
    term
    """
    ran = alone(text, "from: .word 0, 0x7B30, 3, 1\nto: .word 0, 0x1000, 3, 1")
    started, read = ran.issues()[3], ran.issues()[6]
    count = (0x1234FFFFFFFE + read - started) & (1 << 48) - 1
    assert ran.words(0x1000, 3) == [count & 0xFFFF, count >> 16 & 0xFFFF, count >> 32]


def test_float_control_starts_toward_zero():
    text = "stoi16 R0, 2.5\nmov16 [0x7E0C], {}\nstoi16 R1, {}\nmov16 [0x1000], R0\n"
    text += "mov16 [0x1001], R1\nmov16 R2, [0x7E0C]\nmov16 [0x1002], R2\nterm"
    assert alone(text.format(3, "2.5")).words(0x1000, 3) == [2, 3, 3]
    assert alone(text.format("0x03C2", "-2.5")).words(0x1000, 3) == [2, 0xFFFD, 0x03C2]
    assert alone(text.format(0, "3.5")).words(0x1000, 2) == [2, 4]
    assert alone("mov16 R2, [0x7E0C]\nmov16 [0x1000], R2\nterm").word(0x1000) == 1


def test_color_config_is_read_as_it_is():
    text = "mov16 R0, [0x7C02]\nmov16 R1, [0x7C88]\nmov16 R2, [0x7C89]\nmov16 R3, [0x7C05]\n"
    text += "mov16 R4, [0x7C94]\nmov16 R5, [0x7C95]\n"
    text += "\n".join(f"mov16 [0x{0x1000 + k:x}], R{k}" for k in range(6)) + "\nterm"
    ran = alone(text, rules={2: "[LHC ; R*HC ; ring ; ]".replace(" ; ]", " pop=adv]")})
    # position 0 [L, C], swap of east/west, position 1; word 0 [R, C], ring, pop 2
    assert ran.words(0x1000, 6) == [0x0A10, 0x5030, 0xA0A0, 0x00A0, 0x00A0, 0xA0A0]


def test_a_route_written_while_it_runs_is_followed_from_the_next_cycle():
    """What is in the FIFO follows the new route; what nobody took waits for one."""
    turn = code("nop\n" * 60 + "mov16 [0x7C01], 0x0004\nnop\nterm")  # [L>U]
    pes = {
        (0, 0): Pe(sends(list(range(10))), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(turn, {1: "[L>R]"}),
        (0, 2): Pe(code("term"), {1: "[L>C]"}),
        (1, 1): Pe(receives(6), {1: "[D>C]"}, inputs={0: 1}),
        (1, 2): Pe(),
    }
    ran = Ran(grid(pes))
    written = ran.issues(0, 1)[60]
    turned = [e for e in ran.events if e.kind == "depart" and (e.y, e.x, e.port) == (0, 1, 2)]
    # four went on to the right before; the rest turns down from the next cycle on
    assert [w.payload for w in ran.color(0, 2, 1).fifo] == [0, 1, 2, 3]
    assert turned[0].cycle == written + 1
    assert ran.words(0x1000, 12, 1, 1)[::2] == [4, 5, 6, 7, 8, 9]


def test_done_outputs_that_are_gone_are_ignored():
    """[L>CR] with a dead reader on the right becomes [L>C]: the head was done at the core."""
    drop = "nop\n" * 80 + "mov16 [0x7C01], 0x0010\nldds DS0, in\nldds DS1, to\nmov32 [DS1], [DS0]"
    data = "in: .word 2, 0, 20, 0\nto: .word 0, 0x1000, 20, 2"
    pes = {
        (0, 0): Pe(sends(list(range(20))), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(drop + "\nterm", data), {1: "[L>CR]"}, inputs={0: 1}),
        (0, 2): Pe(code("term"), {1: "[L>C]"}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 40, 0, 1)[::2] == list(range(20))


def test_a_color_without_a_rule_gets_one_while_it_runs():
    late = "nop\n" * 70 + "mov16 [0x7C03], 0x0010\nldds DS0, in\nldds DS1, to\nmov32 [DS1], [DS0]"
    data = "in: .word 2, 0, 8, 0\nto: .word 0, 0x1000, 8, 2"
    pes = {
        (0, 0): Pe(sends(list(range(8))), {3: "[C>R]"}, outputs={0: 3}),
        (0, 1): Pe(code(late + "\nterm", data), inputs={0: 3}),
    }
    ran = Ran(grid(pes))
    assert ran.words(0x1000, 16, 0, 1)[::2] == list(range(8))


def test_a_program_sets_up_its_whole_route():
    """Neither router has a rule at the start; both programs write theirs."""
    send = "mov16 [0x7C03], 0x0082\nmov16 [0x7B80], 0x30\nmov32 OQ0, 7\nterm"  # [C>R], color 3
    pes = {
        (0, 0): Pe(code(send)),
        (0, 1): Pe(code("mov16 [0x7C03], 0x0010\nmov32 [0x1000], IQ0\nterm"), inputs={0: 3}),
    }
    assert Ran(grid(pes)).word(0x1000, 0, 1) == 7
    declared = {k: evolve(p, program=evolve(p.program, configures_router=True))
                for k, p in pes.items()}
    assert Ran(grid(declared)).word(0x1000, 0, 1) == 7


def test_switch_words_written_while_it_runs():
    """The core gives color 1 a second position, and a pop mode."""
    text = "mov16 [0x7C84], 0x4004\nmov16 [0x7C85], 0xA0A0\nterm"  # [L>U], pop=adv
    pes = {
        (0, 0): Pe(script("nop\n" * 40, 1, ("c", ADV), 2), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(text), {1: "[L>R]"}),
        (0, 2): Pe(take(2), {1: "[L>C]"}, inputs={0: 1}),
        (1, 1): Pe(take(2), {1: "[D>C]"}, inputs={0: 1}),
        (1, 2): Pe(),
    }
    ran = Ran(grid(pes))
    assert got(ran, 0, 2, 1) == [1] and got(ran, 1, 1, 1) == [2]
    assert ran.color(0, 1, 1).routes == ((0, 2), (0, 4))


def test_position_bits_set_both_sides():
    text = "mov16 [0x7C01], 0x0802\nterm"  # [L>R], position 1
    pes = {
        (0, 0): Pe(script("nop\n" * 40, 1, 2), {1: "[C>R]"}, outputs={0: 1}),
        (0, 1): Pe(code(text), {1: "[L>R ; L>U]"}),
        (1, 1): Pe(take(2), {1: "[D>C]"}, inputs={0: 1}),
    }
    assert got(Ran(grid(pes)), 1, 1, 2) == [1, 2]


def test_initialised_register_arrays_are_written_by_the_loader():
    program = sends([4, 5])
    program = evolve(program, data=(*program.data, Segment(0x7C01, (0x0084,))))  # [C>U]
    pes = {
        (0, 0): Pe(program, {1: "[C>R]"}, outputs={0: 1}),
        (1, 0): Pe(receives(2), {1: "[D>C]"}, inputs={0: 1}),
        (0, 1): Pe(),
    }
    assert Ran(grid(pes)).words(0x1000, 4, 1, 0)[::2] == [4, 5]


def test_overlays_write_memory_and_registers_of_their_tiles():
    same = code("mov16 R0, [0x1000]\nadd16 R0, R0, 1\nmov16 [0x1002], R0\nterm")
    image = grid({(y, x): Pe(same) for y in range(2) for x in range(2)})
    ys, xs = np.array([0, 1]), np.array([1, 0])
    image.overlays.append(Overlay(0x1000, ys, xs, np.array([[5], [6]], np.uint16)))
    image.overlays.append(Overlay(0x1000, ys[:1], xs[:1], np.array([[8]], np.uint16)))
    image.overlays.append(Overlay(0x7E0C, ys[:1], xs[:1], np.array([[2]], np.uint16)))
    mesh = Mesh(image)
    mesh.run(1000)
    assert mesh.words(0x1002, 1)[:, :, 0].tolist() == [[1, 9], [7, 1]]
    assert mesh.memory(0, 1, 0x7E0C, 1)[0] == 2 and mesh.memory(1, 0, 0x7E0C, 1)[0] == 1


def test_an_overlay_on_code_changes_what_runs():
    same = code("mov16 R0, 1\nmov16 [0x1000], R0\nterm")
    image = grid({(0, 0): Pe(same), (0, 1): Pe(same)})
    image.overlays.append(Overlay(2, np.array([0]), np.array([1]), np.array([[9]], np.uint16)))
    mesh = Mesh(image)
    mesh.run(1000)
    assert mesh.words(0x1000, 1)[0, :, 0].tolist() == [1, 9]
