"""Vector instructions: descriptors, walks, FIFOs, overlap, the accumulator (docs/isa.md)."""

import numpy as np

from tests.simfabric.mesh.probe import Pe, Ran, Stop, alone, code, grid


def vector(text, data, descriptors="ldds DS0, d\nldds DS1, e\nldds DS2, f\n"):
    return alone(f"{descriptors}{text}\nterm", data)


def single(*values):
    bits = np.array(values, np.float32).view(np.uint32)
    return ", ".join(f"{int(b) & 0xFFFF}, {int(b) >> 16}" for b in bits)


def test_strides_and_reversed_walks():
    data = "d: .word 0, 0x1007, 8, -1\ne: .word 0, a, 8, 2\nf: .word 0, a, 8, 1\n"
    data += "a: .word 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16"
    ran = vector("add16 [DS0], [DS1], [DS2]", data)
    assert ran.words(0x1000, 8) == [15 + 8, 13 + 7, 11 + 6, 9 + 5, 7 + 4, 5 + 3, 3 + 2, 1 + 1]


def test_the_shortest_descriptor_rules():
    data = "d: .word 0, 0x1000, 0xFFFF, 1\ne: .word 0, a, 3, 1\nf: .word 0, a, 5, 1\n"
    data += "a: .word 1, 2, 3, 4, 5"
    assert vector("add16 [DS0], [DS1], [DS2]", data).words(0x1000, 5) == [2, 4, 6, 0, 0]


def test_overlap_behaves_as_the_loop():
    """x[i+1] <- x[i] spreads the first element, however many elements issue in a cycle."""
    data = "d: .word 0, 0x1001, 12, 1\ne: .word 0, 0x1000, 12, 1\nf: .word 0, 0, 0, 0"
    ran = alone("mov16 [0x1000], 7\nldds DS0, d\nldds DS1, e\nmov16 [DS0], [DS1]\nterm", data)
    assert ran.words(0x1000, 13) == [7] * 13


def test_reduction_into_a_register_and_into_memory():
    data = "d: .word 0, a, 5, 1\ne: .word 0, a, 5, 1\nf: .word 0, a, 5, 1\na: .word 1, 2, 3, 4, 5"
    ran = vector("mov16 R0, 100\nadd16 R0, R0, [DS0]\nmov16 [0x1000], R0", data)
    assert ran.word(0x1000) == 115
    ran = vector("mov16 [0x1000], 100\nadd16 [0x1000], [0x1000], [DS0]", data)
    assert ran.word(0x1000) == 115
    ran = vector("mov16 R0, 1\nmac16 R0, R0, 2, [DS0]\nmov16 [0x1000], R0", data)
    value = 1
    for k in (1, 2, 3, 4, 5):
        value = value * 2 + k
    assert ran.word(0x1000) == value


def test_registers_name_memory():
    text = "mov16 R3, 0x1000\nmov16 [R3], 5\nmov16 [R3+2], 6\nadd16 [R3+4], [R3], [R3+2]\n"
    text += "mov32 [R3+6], 0x12345678\nmov32 R8, [R3+6]\nmov32 [0x100A], R8\nterm"
    ran = alone(text)
    assert ran.words(0x1000, 12) == [5, 0, 6, 0, 11, 0, 0x5678, 0x1234, 0, 0, 0x5678, 0x1234]


def test_a_transfer_copies_its_descriptors():
    """Reloading a descriptor register does not disturb a running microthread."""
    text = (
        "ldds DS0, d\nldds DS1, e\nmov32.u0 [DS0], [DS1]\nldds DS0, f\nldds DS1, f\nmov32 OQ0, 5\n"
        "mov32 OQ0, 6\nterm"
    )
    data = "d: .word 0, 0x1000, 2, 2\ne: .word 2, 0, 2, 0\nf: .word 0, 0, 0, 0"
    ran = alone(text, data, rules={1: "[C>C]"}, inputs={0: 1}, outputs={0: 1})
    assert ran.words(0x1000, 4) == [5, 0, 6, 0]


def test_a_launched_transfer_copies_its_registers():
    text = "mov32 R0, 5\nadd32.u0 [0x1000], IQ0, R0\nmov32 R0, 900\nmov32 OQ0, 1\nterm"
    ran = alone(text, rules={1: "[C>C]"}, inputs={0: 1}, outputs={0: 1})
    assert ran.word(0x1000) == 6


def walk(dims, base):
    """Words of a walk record."""
    words = [len(dims), base, base]
    for count, stride in dims:
        words += [count, stride & 0xFFFF, 0]
    return ", ".join(str(w) for w in words)


def test_a_walk_keeps_its_position_between_uses():
    data = "d: .word 0, 0x1000, 3, 1\ne: .word 1, record, 3, 0\nf: .word 0, 0x1003, 3, 1\n"
    data += f"record: .word {walk([(2, 1), (2, 10)], 0x1100)}"
    places = ((0, 1), (10, 2), (1, 3), (11, 4))
    fill = "\n".join(f"mov16 [0x{0x1100 + a:x}], {v}" for a, v in places)
    ran = vector(f"{fill}\nmov16 [DS0], [DS1]\nmov16 [DS2], [DS1]", data)
    # four elements, then it starts again
    assert ran.words(0x1000, 6) == [1, 2, 3, 4, 1, 2]


def test_walks_of_four_dimensions_as_destination():
    dims = [(2, 100), (1, 0), (2, -7), (3, 2)]
    data = "d: .word 1, record, 12, 0\ne: .word 0, a, 12, 1\nf: .word 0, a, 1, 1\n"
    data += f"record: .word {walk(dims, 0x1100)}\na: .word " + ", ".join(map(str, range(1, 13)))
    ran = vector("mov16 [DS0], [DS1]", data)
    value = 0
    for i in range(2):
        for k in range(2):
            for n in range(3):
                value += 1
                assert ran.word(0x1100 + 100 * i - 7 * k + 2 * n) == value


def test_a_walk_without_end_never_carries():
    data = "d: .word 0, 0x1000, 6, 1\ne: .word 1, record, 0xFFFF, 0\nf: .word 0, a, 1, 1\n"
    data += f"record: .word {walk([(0xFFFF, 2)], 0x1100)}\na: .word 1"
    fill = "\n".join(f"mov16 [0x{0x1100 + 2 * k:x}], {k + 1}" for k in range(6))
    assert vector(f"{fill}\nmov16 [DS0], [DS1]", data).words(0x1000, 6) == [1, 2, 3, 4, 5, 6]


FIFO = "record: .word buffer, 3, 2, 0, 0\n.align 2\nbuffer: .space 6\n"


def test_a_fifo_between_microthreads():
    """The writer waits while it is full, the reader while it is empty; order is kept."""
    text = (
        "ldds DS0, d\nldds DS1, e\nldds DS2, f\n"
        "mov32.u0 [DS0], [DS1]\nmov32.u1 [DS2], [DS0]\nterm"
    )
    data = "d: .word 4, record, 0xFFFF, 0\ne: .word 0, a, 9, 2\nf: .word 0, 0x1000, 9, 2\n" + FIFO
    data += "a: .word " + ", ".join(f"{k}, 0" for k in range(1, 10))
    ran = alone(text, data)
    assert ran.words(0x1000, 18)[::2] == list(range(1, 10))
    assert not ran.mesh.tile(0, 0).threads


def test_a_reader_of_an_empty_fifo_and_a_writer_of_a_full_one_wait():
    text = "ldds DS0, d\nldds DS1, e\n{}\nterm"
    data = "d: .word 4, record, 0xFFFF, 0\ne: .word 0, 0x1000, 9, 2\n" + FIFO
    ran = alone(text.format("mov32.u0 [DS1], [DS0]"), data)
    (thread,) = ran.mesh.tile(0, 0).threads
    assert thread.wait.name == "FIFO_EMPTY" and thread.left == 9
    full = alone(text.format("mov32 [DS0], [DS1]"), data)
    (thread,) = full.mesh.tile(0, 0).threads
    assert (thread.wait.name, thread.slot, thread.left) == ("FIFO_FULL", 0, 6)
    assert thread.record is not None and full.word(thread.record + 4) == 3


def test_accumulator_flags():
    """Without keep it starts at +0; with no load the destination stays."""
    data = "d: .word 0, a, 3, 2\ne: .word 0, b, 3, 2\nf: .word 0, a, 3, 2\n.align 2\n"
    data += f"a: .word {single(1, 2, 3)}\nb: .word {single(4, 5, 6)}"
    text = (
        "dots R0, [DS0], [DS1]\nmov32 [0x1000], R0\n"
        "dots.noload R2, [DS0], [DS1]\nmov32 [0x1002], R2\n"
        "sums.keep.noload R2, [DS0]\n"
        "dots.keep R4, [DS0], [DS1]\nmov32 [0x1004], R4"
    )
    words = vector(text, data).mesh.memory(0, 0, 0x1000, 6).view(np.float32).tolist()
    assert words == [32.0, 0.0, 32.0 + 6.0 + 32.0]


def test_accumulator_rounds_once_per_product():
    tiny = np.float32(1 + 2**-12)
    data = "d: .word 0, a, 2, 2\ne: .word 0, a, 2, 2\nf: .word 0, a, 1, 2\n.align 2\n"
    data += f"a: .word {single(tiny, -1)}"
    bits = vector("dots R0, [DS0], [DS1]\nmov32 [0x1000], R0", data)
    exact = np.float32(np.float64(tiny) * np.float64(tiny)) + np.float32(1)
    assert bits.mesh.memory(0, 0, 0x1000, 2).view(np.float32)[0] == exact


def test_sum_into_a_queue():
    data = "d: .word 0, a, 3, 1\na: .word 0x3C00, 0x4000, 0x4200"  # 1, 2, 3
    text = "ldds DS0, d\nsumh OQ0, [DS0]\nterm"
    ran = alone(text, data, rules={1: "[C>]"}, outputs={0: 1})
    assert [e.wavelet.payload for e in ran.events if e.kind == "land"] == [0x4600]


def test_umov_microthreads():
    text = "umov32.u11 [0x1000], IQ0\numov16.u8 [0x1002], 7\nmov32 OQ0, 5\nterm"
    ran = alone(text, rules={1: "[C>C]"}, inputs={0: 1}, outputs={0: 1})
    assert ran.words(0x1000, 3) == [5, 0, 7]


def test_reserved_memory_reads_0_and_may_not_be_written():
    ran = alone("mov16 R0, [0x6000]\nmov16 [0x1000], R0\nmov16 [0x71FF], 1\nterm")
    error = ran.mesh.error
    assert error.fault.name == "RESERVED_WRITE"
    assert (error.cycle, error.details["address"]) == (5, 0x71FF) and ran.stop is Stop.ERROR
    assert alone("mov16 [0x5FFF], 1\nterm").mesh.error is None
    for address in (0x8000, 0xFFFF, 0x6000):
        assert alone(f"mov16 [0x{address:x}], 1\nterm").mesh.error.fault.name == "RESERVED_WRITE"
    assert alone("mov16 R1, [0xFFFF]\nterm").mesh.error is None


def test_the_data_cache_is_plain_memory():
    ran = alone("mov16 [0x7F00], 3\nmov16 [0x7FFF], 4\nterm")
    assert ran.word(0x7F00) == 3 and ran.word(0x7FFF) == 4


def test_a_page_is_private_from_the_first_write_on():
    same = code("mov16 R0, [0x7C46]\nmov16 [data], R0\nterm", "data: .word 9, 8, 7")
    ran = Ran(grid({(0, x): Pe(same) for x in range(3)}))
    address = same.code.address + len(same.code.words)
    for x in range(3):
        assert ran.words(address, 3, 0, x) == [x, 8, 7]
    assert ran.mesh.words(address, 2).tolist() == [[[0, 8], [1, 8], [2, 8]]]


def test_smallest_error_wins():
    """Both PEs err in one cycle: the smaller (y, x) is named."""
    late = code("nop\nmov16 [0x6000], 1\nterm")
    early = code("mov16 [0x6000], 1\nterm")
    ran = Ran(grid({(0, 0): Pe(late), (0, 1): Pe(early), (1, 0): Pe(early), (1, 1): Pe(late)}))
    assert (ran.mesh.error.y, ran.mesh.error.x, ran.mesh.error.cycle) == (0, 1, 3)
