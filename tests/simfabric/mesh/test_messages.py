"""Message passing (machine page 6)."""

import pytest
from attrs import evolve

from mitools.arch.words import control_payload, message_header
from tests.simfabric.mesh.probe import SDR, Pe, Ran, Stop, code, grid

CORE = {0: 18, 1: 23}
"""The core color of each bank."""


def header(source, target, length):
    (y, _), (row, column) = source, target
    return message_header(column, row, north=row < y, south=row > y, length=length)


def sender(source, messages, queue=0):
    """Sends (target, words) one after the other; words None-ended are open, by a control bit."""
    lines = []
    for target, words, *is_open in messages:
        length = None if is_open else len(words)
        lines.append(f"mov32 OQ{queue}, 0x{header(source, target, length):08x}")
        lines += [f"mov32 OQ{queue}, {w}" for w in words]
        if is_open:
            lines.append(f"movc OQ{queue}, 0x{control_payload([], task=21):08x}")
    return "\n".join(lines)


def taker(count, queue=0, at=0x1000, slot=0):
    return (
        f"ldds DS{2 * queue}, in{queue}\nldds DS{2 * queue + 1}, to{queue}\n"
        f"mov32.u{slot} [DS{2 * queue + 1}], [DS{2 * queue}]",
        f"in{queue}: .word 2, {queue}, {count}, 0\nto{queue}: .word 0, 0x{at:x}, {count}, 2\n",
    )


def pe(text="", data="", bank=0):
    return Pe(
        code(text + "\nterm", data), inputs={0: CORE[bank]}, outputs={0: CORE[bank]},
        banks=1 << bank,
    )


def filled(pes, height=4, width=4, banks=1):
    """The other places of the grid: relays, that only need the bank."""
    return {
        (y, x): pes.get((y, x), Pe(None, banks=banks)) for y in range(height) for x in range(width)
    }


def words(ran, place, count):
    return ran.words(0x1000, 2 * count, *place)[::2]


@pytest.mark.parametrize("bank", [0, 1])
@pytest.mark.parametrize("target", [(0, 0), (3, 3), (0, 3), (3, 0), (1, 3), (2, 0), (0, 2), (1, 1)])
def test_a_message_finds_its_way(bank, target):
    source = (1, 2)
    text = sender(source, [(target, [7, 8, 9])])
    pes = {source: pe(text, bank=bank), target: pe(*taker(4), bank=bank)}
    ran = Ran(grid(filled(pes, banks=1 << bank)))
    assert ran.mesh.error is None
    low = header(source, target, 3) & 0xFFFF
    assert words(ran, target, 4) == [low, 7, 8, 9] and ran.mesh.router_clean()


def test_x_first_then_y_two_cycles_a_hop():
    ran = Ran(grid(filled({(0, 0): pe(sender((0, 0), [((2, 3), [5])])), (2, 3): pe(*taker(2))})))
    path = []
    for e in ran.events:
        if e.kind == "land" and e.wavelet.payload == 5:
            path.append((e.cycle, e.y, e.x, e.color))
    first = path[0][0]
    # west input 17 while going east, north input 14 while going south, core input 18 at the start
    assert path == [
        (first, 0, 0, 18),
        (first + 2, 0, 1, 17),
        (first + 4, 0, 2, 17),
        (first + 6, 0, 3, 17),
        (first + 8, 1, 3, 14),
        (first + 10, 2, 3, 14),
    ]


@pytest.mark.parametrize("length", [0, 1, 31])
def test_lengths(length):
    data = list(range(100, 100 + length))
    text = sender((0, 0), [((0, 2), data), ((0, 1), [1])])
    pes = {(0, 0): pe(text), (0, 2): pe(*taker(length + 1)), (0, 1): pe(*taker(2))}
    ran = Ran(grid(filled(pes)))
    assert words(ran, (0, 2), length + 1)[1:] == data and words(ran, (0, 1), 2)[1] == 1


def test_an_open_message_ends_with_the_control_bit():
    data = list(range(50))
    text = sender((0, 0), [((0, 2), data, "open"), ((0, 1), [1])])
    handled = code(
        "entry 21, end\n" + taker(51)[0] + "\nterm\nend: mov16 [0x1200], 1\nterm", taker(51)[1]
    )
    receive = Pe(handled, inputs={0: 18}, banks=1)
    ran = Ran(grid(filled({(0, 0): pe(text), (0, 2): receive, (0, 1): pe(*taker(2))})))
    assert words(ran, (0, 2), 51)[1:] == data and ran.word(0x1200, 0, 2) == 1
    assert words(ran, (0, 1), 2)[1] == 1


def test_the_header_can_be_kept_from_the_core():
    arch = evolve(SDR, router=evolve(SDR.router, message_header_to_core=False))
    text = sender((0, 0), [((0, 2), [7, 8]), ((0, 2), [])])
    ran = Ran(grid(filled({(0, 0): pe(text), (0, 2): pe(*taker(2))})), arch=arch)
    assert words(ran, (0, 2), 2) == [7, 8] and ran.mesh.router_clean()


def test_a_message_holds_its_path_until_its_last_wavelet():
    """Two senders through one link: their messages do not mix."""
    pes = {
        (0, 0): pe(sender((0, 0), [((0, 3), [1, 2, 3, 4])] * 3)),
        (0, 1): pe(sender((0, 1), [((0, 3), [5, 6, 7, 8])] * 3)),
        (0, 3): pe(*taker(30)),
    }
    ran = Ran(grid(filled(pes)))
    got = words(ran, (0, 3), 30)
    messages = [tuple(got[k + 1 : k + 5]) for k in range(0, 30, 5)]
    assert sorted(messages) == [(1, 2, 3, 4)] * 3 + [(5, 6, 7, 8)] * 3
    # free outputs go round robin: neither waits for all of the other's
    assert messages[0] != messages[1] or messages[1] != messages[2]


def test_an_unfinished_message_locks_its_path():
    text = f"mov32 OQ0, 0x{header((0, 0), (0, 3), 5):08x}\nmov32 OQ0, 1"
    pes = {
        (0, 0): pe(text),
        (0, 1): pe("nop\n" * 40 + sender((0, 1), [((0, 3), [9])])),
        (0, 3): pe(*taker(4)),
    }
    ran = Ran(grid(filled(pes)))
    assert ran.stop is Stop.QUIET and words(ran, (0, 3), 3)[1:] == [1, 0]
    holder = ran.color(0, 1, 17)
    assert (holder.message_port, holder.message_left) == (1, 4)
    assert len(ran.color(0, 1, 18).fifo) == 2


def test_static_colors_and_messages_share_a_link():
    values = ", ".join(f"{k}, 0" for k in range(20))
    stream = code(
        "ldds DS0, out\nldds DS1, from\nmov32.u0 [DS0], [DS1]\n"
        + sender((0, 0), [((0, 1), [7] * 9)], queue=1)
        + "\nterm",
        f"out: .word 3, 0, 20, 0\nfrom: .word 0, list, 20, 2\n.align 2\nlist: .word {values}",
    )
    first, second = taker(20, 0, 0x1000, 0), taker(10, 1, 0x1200, 1)
    takes = code(first[0] + "\n" + second[0] + "\nterm", first[1] + second[1])
    pes = {
        (0, 0): Pe(stream, {1: "[C>R]"}, outputs={0: 1, 1: 18}, banks=1),
        (0, 1): Pe(takes, {1: "[L>C]"}, inputs={0: 1, 1: 18}, banks=1),
    }
    ran = Ran(grid(pes))
    assert words(ran, (0, 1), 20) == list(range(20))
    assert ran.words(0x1200, 20, 0, 1)[2::2] == [7] * 9


def test_all_to_all_in_both_banks_at_once():
    """Every PE sends three messages to every other over each bank; order holds for each pair."""
    size = 4
    places = [(y, x) for y in range(size) for x in range(size)]
    pes = {}
    for me in places:
        others = [p for p in places if p != me]
        number = me[0] * size + me[1]
        lists = {
            bank: [
                ((me, other), (number << 8 | round_ << 4 | bank, 0x55))
                for round_ in range(3)
                for other in others[number % 5 :] + others[: number % 5]
            ]
            for bank in (0, 1)
        }
        rows = {
            bank: ", ".join(
                f"{w & 0xFFFF}, {w >> 16}"
                for (source, target), data in messages
                for w in (header(source, target, len(data)), *data)
            )
            for bank, messages in lists.items()
        }
        count = 3 * len(others) * 3
        first, second = taker(count, 0, 0x2000, 0), taker(count, 1, 0x3000, 1)
        text = first[0] + "\n" + second[0] + "\n"
        data = first[1] + second[1]
        for bank in (0, 1):
            text += f"ldds DS{8 + bank}, out{bank}\nldds DS{10 + bank}, from{bank}\n"
            text += f"mov32.u{4 + bank} [DS{8 + bank}], [DS{10 + bank}]\n"
            data += f"out{bank}: .word 3, {bank}, {count}, 0\n"
            data += f"from{bank}: .word 0, list{bank}, {count}, 2\n"
            data += f".align 2\nlist{bank}: .word {rows[bank]}\n"
        pes[me] = Pe(
            code(text + "term", data), inputs={0: 18, 1: 23}, outputs={0: 18, 1: 23}, banks=3
        )
    ran = Ran(grid(pes))
    assert ran.mesh.error is None and ran.mesh.router_clean()
    for me in places:
        for bank, at in ((0, 0x2000), (1, 0x3000)):
            got = ran.words(at, 6 * 3 * 15, *me)[::2]
            tags = [got[k + 1] for k in range(0, len(got), 3)]
            assert all(t & 15 == bank for t in tags) and got[2::3] == [0x55] * 45
            for other in range(size * size):
                if other != me[0] * size + me[1]:
                    assert [t >> 4 & 15 for t in tags if t >> 8 == other] == [0, 1, 2]


def misuse(text, rest=None):
    pes = filled({(1, 1): pe(text)}, 3, 3)
    pes |= rest or {}
    ran = Ran(grid(pes))
    assert ran.stop is Stop.ERROR
    return ran.mesh.error


def test_a_half_wavelet_on_a_bank_is_an_error():
    error = misuse("mov16 OQ0, 5")
    assert error.fault.name == "HALF_ON_MESSAGE" and error.details == {"color": 18, "payload": 5}


def test_coordinates_outside_the_grid_are_an_error():
    for column, row in ((9, 1), (1, 9)):
        word = message_header(column, row, north=False, south=row > 1, length=1)
        error = misuse(f"mov32 OQ0, 0x{word:08x}")
        assert error.fault.name == "MESSAGE_OUTSIDE" and error.details["header"] == word


def test_a_header_whose_direction_is_wrong_is_an_error():
    word = message_header(1, 2, north=True, south=False, length=1)
    assert misuse(f"mov32 OQ0, 0x{word:08x}").fault.name == "MESSAGE_DIRECTION"


def test_a_pe_without_the_bank_is_an_error_that_names_it():
    word = header((1, 1), (1, 2), 1)
    error = misuse(f"mov32 OQ0, 0x{word:08x}", {(1, 2): Pe(None)})
    assert error.fault.name == "MESSAGE_BANK" and (error.y, error.x) == (1, 2)
    assert error.details["header"] == word


def test_a_message_that_starts_with_a_control_wavelet_is_an_error():
    assert misuse("movc OQ0, 5").fault.name == "MESSAGE_NO_HEADER"
