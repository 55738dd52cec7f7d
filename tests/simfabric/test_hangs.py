"""Programs that hang or go wrong, run by the command: the log names PE, socket, line."""

import json

import pytest

from mitools.arch.words import message_header
from mitools.elf import read_elf, write_elf
from simfabric.command import main
from tests.simfabric.layouts import build
from tests.simfabric.machine import Pe, grid, program

SEND = """
xp param N;
socket tx;
i32 a[n=N];
{
    let k in [0, N);
    ∀k tx[] <- a[k];
}
"""
RECV = """
xp param N;
socket rx;
i32 a[n=N];
{
    let k in [0, N);
    ∀k a[k] <- rx[];
}
"""


@pytest.fixture
def run(tmp_path, capsys):
    """Runs an image with the command; gives the log, the summary and the standard error."""

    def start(image, *terms, status=0):
        elf, core = tmp_path / "x.elf", tmp_path / "x.core"
        write_elf(str(elf), image)
        capsys.readouterr()
        assert main([f"elf={elf}", f"core={core}", "json=1", *terms]) == status
        captured = capsys.readouterr()
        log = captured.out.splitlines()
        read_elf(str(core))
        for word in ("outside", "copying", "orphan"):
            reports = [line for line in log if word in line]
            assert all(line.startswith(f"{word}: ") or "error" in line for line in reports)
        return "\n".join(log[:-1]), json.loads(log[-1]), captured.err

    return start


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if part in line)


RING = """
xp param N;
socket tx;
socket rx;
i32 a[n=N];
i32 b[n=N];
{
    let k in [0, N);
    ∀k tx[] <- a[k];
    ∀k b[k] <- rx[];
}
"""
RING_LAYOUT = """
let there = color()
let back = color()
let left = rect(0 0 1 1)
left : code('ring [tx:there rx:back N:N])
left : paint(there [C>R])
left : paint(back [R>C])
left : name('left)
let right = rect(1 0 1 1)
right : code('ring [tx:back rx:there N:N])
right : paint(there [L>C])
right : paint(back [C>L])
right : name('right)
union(left right)
"""


def test_all_send_before_they_receive(tmp_path, run):
    image = build(tmp_path, RING_LAYOUT, {"ring": RING}, N=100)
    log, summary, _ = run(image)
    sends = line_of(RING, "tx[]")
    (cause,) = summary["causes"]
    assert cause["kind"] == "cycle" and cause["places"] == [{"x": 0, "y": 0}, {"x": 1, "y": 0}]
    for stall in summary["stalls"]:
        assert (stall["socket"], stall["waits"], stall["line"]) == ("socket tx", "send", sends)
        assert stall["in_cycle"] and stall["file"].endswith("ring.w")
    assert "P0.0 -> P1.0 -> P0.0" in log and "there (0)" in log and "back (1)" in log
    assert "output queue 0 8/8" in log and "input queue 0 8/8" in log
    assert "All router state is clean" not in log


def test_small_rings_do_not_deadlock(tmp_path, run):
    """The same program with what the queues can hold."""
    log, summary, _ = run(build(tmp_path, RING_LAYOUT, {"ring": RING}, N=20))
    assert not summary["causes"] and summary["clean"]
    assert "All router state is clean" in log and "orphan" not in log


PAIR_LAYOUT = """
let c = color()
let send = rect(0 0 1 1)
send : code('send [tx:c N:SENT])
send : paint(c [C>R])
send : name('send)
let recv = rect(1 0 1 1)
recv : code('recv [rx:c N:TAKEN])
recv : paint(c [L>C])
recv : name('recv)
union(send recv)
"""


def test_a_receive_that_nobody_feeds(tmp_path, run):
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=5, TAKEN=8)
    log, summary, _ = run(image)
    (stall,) = summary["stalls"]
    assert (stall["x"], stall["socket"], stall["left"]) == (1, "socket rx", 3)
    assert stall["line"] == line_of(RECV, "rx[]")
    (cause,) = summary["causes"]
    assert cause["kind"] == "sent all" and cause["places"] == [{"x": 0, "y": 0}]
    assert cause["file"].endswith("send.w") and cause["line"] == line_of(SEND, "tx[]")
    assert "All router state is clean" in log and "orphan" not in log
    assert len(log.splitlines()) <= 8


def test_a_wavelet_that_nobody_takes(tmp_path, run):
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=30, TAKEN=2)
    log, summary, _ = run(image)
    (cause,) = summary["causes"]
    assert cause["kind"] == "no reader" and cause["places"] == [{"x": 1, "y": 0}]
    assert cause["file"].endswith("recv.w") and cause["line"] == line_of(RECV, "rx[]")
    assert "P1.0 (recv) takes nothing more from color c (0)" in log
    (orphans,) = summary["left_over"]
    assert orphans["senders"] == [{"x": 0, "y": 0}]
    assert sum(hop["held"] for hop in orphans["held"]) == orphans["count"] == 24
    assert f"send.w:{line_of(SEND, 'tx[]')}:" in next(
        line for line in log.splitlines() if line.startswith("orphan:")
    )


def test_a_few_wavelets_left_in_the_queue(tmp_path, run):
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=5, TAKEN=2)
    log, summary, _ = run(image)
    assert not summary["causes"] and summary["clean"] and summary["waiting"] == 0
    assert next(line for line in log.splitlines() if "orphan" in line).startswith(
        "orphan: 3 wavelets of color c (0), sent by P0.0 (send)"
    )


def test_broadcast_with_one_dead_reader(tmp_path, run):
    layout = """
    let c = color()
    let send = rect(0 0 1 1)
    send : code('send [tx:c N:60])
    send : paint(c [C>R])
    let live = rect(1 0 3 1)
    live : code('recv [rx:c N:60])
    live : paint(c [L>CR])
    let dead = rect(4 0 1 1)
    dead : code('recv [rx:c N:3])
    dead : paint(c [L>C])
    dead : name('dead)
    union(send live dead)
    """
    log, summary, _ = run(build(tmp_path, layout, {"send": SEND, "recv": RECV}))
    (cause,) = summary["causes"]
    assert cause["kind"] == "no reader" and cause["places"] == [{"x": 4, "y": 0}]
    assert summary["waiting"] == 4
    receives = next(s for s in summary["stalls"] if s["waits"] == "receive")
    assert receives["x"] == 3 and len(receives["alike"]) == 2
    assert "P4.0 (dead) takes nothing more from color c (0)" in log
    assert "P3.0 c (0) [L>RC] 4/4 -> P4.0 c (0) [L>C] 4/4 -> P4.0 input queue 0 8/8" in log


def test_cyclic_wait_over_two_colors(tmp_path, run):
    program = """
    socket tx;
    socket rx;
    i32 a;
    {
        a <- rx[];
        tx[] <- a;
    }
    """
    log, summary, _ = run(build(tmp_path, RING_LAYOUT, {"ring": "xp param N;" + program}, N=1))
    (cause,) = summary["causes"]
    assert cause["kind"] == "cycle" and len(summary["stalls"]) == 2
    assert {s["color"] for s in summary["stalls"]} == {0, 1}
    assert all(s["waits"] == "receive" for s in summary["stalls"])
    assert "All router state is clean" in log


def test_a_row_of_stages_behind_one_sender(tmp_path, run):
    """One cause, and all stages in one line."""
    stage = """
    xp param N;
    socket r;
    i32 a[n=N];
    {
        let i in [0, N);
        ∀i a[i] <- r[];
        ∀i r[] <- a[i] + 1;
    }
    """
    layout = """
    let r = color()
    let rp = color()
    let row = rect(0 0 12 1)
    row : paint(rp [CXR|R])
    row : paint(r [L|LXC])
    row : colorpair(r rp)
    let src = rect(0 0 1 1)
    src : code('send [tx:r N:3])
    let stages = rect(1 0 10 1)
    stages : code('stage [r:r N:8])
    let sink = rect(11 0 1 1)
    sink : code('recv [rx:r N:8])
    union(row src stages sink)
    """
    log, summary, _ = run(build(tmp_path, layout, {"send": SEND, "recv": RECV, "stage": stage}))
    (cause,) = summary["causes"]
    assert cause["kind"] == "sent all" and cause["places"] == [{"x": 0, "y": 0}]
    stages = next(s for s in summary["stalls"] if s["x"] == 1)
    assert len(stages["alike"]) == 9 and summary["waiting"] == 11
    assert len(log.splitlines()) < 12


def test_walls_that_answer_are_one_line(tmp_path, run):
    echo = """
    socket rx;
    socket tx;
    forever dispatch(rx) { wavelet() { tx[] <- 1:i32; } }
    """
    ask = """
    socket rx;
    socket tx;
    i32 a;
    { tx[] <- 5:i32; a <- rx[]; }
    """
    layout = RING_LAYOUT.replace("'ring [tx:there rx:back N:N]", "'ask [tx:there rx:back]")
    layout = layout.replace("'ring [tx:back rx:there N:N]", "'echo [tx:back rx:there]")
    log, summary, _ = run(build(tmp_path, layout, {"ask": ask, "echo": echo}))
    assert not summary["causes"] and summary["waiting"] == 0
    assert summary["handlers"][0]["count"] == 1
    assert len(log.splitlines()) == 4


def test_cycle_limit(tmp_path, run):
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=500, TAKEN=500)
    log, summary, _ = run(image, "cycles=12")
    assert summary["reason"] == "limit" and summary["cycles"] == 12
    assert "Stopped after 12 cycles, the limit" in log
    assert summary["waiting"] == 1 and not summary["causes"] and "orphan" not in log
    assert "1 PE still waits at this moment, for others that go on" in log


def test_cycle_limit_beside_a_stall(tmp_path, run):
    """A PE that runs on does not hide another that waits for ever."""
    layout = PAIR_LAYOUT.replace("union(send recv)", """
    let busy = rect(0 1 1 1)
    busy : code('busy [])
    union(send recv busy)""")
    programs = {"send": SEND, "recv": RECV, "busy": "xp a; { forever { a += 1; } }"}
    log, summary, _ = run(build(tmp_path, layout, programs, SENT=5, TAKEN=8), "cycles=2000")
    assert summary["reason"] == "limit" and [c["kind"] for c in summary["causes"]] == ["sent all"]
    assert "1 PE still waits at this moment, some of them for ever:" in log


def test_quiet_cycles(tmp_path, run):
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=5, TAKEN=5)
    fifty, ten = run(image)[1], run(image, "quiet=10")[1]
    assert fifty["cycles"] - ten["cycles"] == 40 and fifty["reason"] == ten["reason"] == "quiet"


def test_swap_with_no_reader(run):
    """`a [LHC]` beside `b [L>C]` at the receiver: nobody reads a."""
    send = program(
        "send",
        '.socket "tx" "u32" none OQ0 1 1\n.task 8 main active open\n'
        'main: .line "send.w" 4 2\nmov32 OQ0, 7\nterm',
    )
    image = grid(
        {
            (0, 0): Pe(send, {0: "[C>R]"}, outputs={0: 0}),
            (0, 1): Pe(None, {0: "[LHC]", 1: "[L>C]"}),
        },
        {0: "a", 1: "b"},
    )
    log, summary, err = run(image, status=1)
    error = summary["error"]
    assert (error["kind"], error["x"], error["y"]) == ("could not land", 1, 0)
    assert "arriving wavelet could not land" in log and "color a (0)" in log
    assert "[LHC]" in log and "[L>C]" in log
    assert "could not land" in err and "P1.0" in err and summary["reason"] == "error"
    assert "sent by P0.0 (send) at send.w:4:2" in log and error["line"] == 4


def test_switch_that_never_advances(run):
    send = program(
        "send",
        '.socket "tx" "u32" none OQ0 1 1\n.task 8 main active open\n'
        'main: .line "send.w" 4 2\n' + "mov32 OQ0, 7\n" * 30 + "term",
    )
    image = grid(
        {
            (0, 0): Pe(None, {2: "[C>R]"}),
            (0, 1): Pe(send, {2: "[L>C ; C>L]"}, outputs={0: 2}),
        },
        {2: "turn"},
    )
    log, summary, _ = run(image)
    (cause,) = summary["causes"]
    assert cause["kind"] == "switch" and cause["places"] == [{"x": 1, "y": 0}]
    assert "position 1 [C>L] would take from the core" in log and "send.w:4:2" in log


TURNS = """
    let t = color()
    let first = rect(0 0 1 1)
    first : code('first [tx:t])
    first : paint(t [C>R])
    first : name('first)
    let second = rect(1 0 1 1)
    second : code('second [tx:t])
    second : paint(t [L>R ; C>R])
    second : name('second)
    let recv = rect(2 0 1 1)
    recv : code('recv [rx:t N:4])
    recv : paint(t [L>C])
    recv : name('recv)
    union(first second recv)
"""
SECOND = "socket tx; i32 a[n=2]; { let k in [0, 2); ∀k tx[] <- a[k]; }"


@pytest.mark.parametrize("advances", [True, False])
def test_taking_turns_by_a_switch(tmp_path, run, advances):
    """The first PE sends, advances the second's switch, and the second sends."""
    advance = "tx[] <- control(ADV);" if advances else ""
    first = f"""
    socket tx;
    i32 a[n=2];
    wv const ADV = {{0x9249, 0x0940}};
    {{
        let k in [0, 2);
        ∀k tx[] <- a[k];
        {advance}
    }}
    """
    image = build(tmp_path, TURNS, {"first": first, "second": SECOND, "recv": RECV})
    log, summary, _ = run(image)
    if advances:
        assert not summary["causes"] and summary["clean"] and "orphan" not in log
        return
    cause = next(c for c in summary["causes"] if c["kind"] == "switch")
    assert cause["places"] == [{"x": 1, "y": 0}]
    assert cause["file"].endswith("first.w") and cause["line"] == line_of(first, "tx[] <- a[k]")
    assert "no ADVANCE or RESET came from P0.0 (first)" in log
    assert "position 1 [C>R] would take from the core" in log


def test_a_task_that_nobody_unblocks(run):
    waits = program(
        "waits",
        '.task 8 main active open\n.task 9 later idle blocked\nmain: .line "w.w" 1 1\nact 9\nterm\n'
        'later: .line "w.w" 7 3\nterm',
    )
    log, summary, _ = run(grid({(0, 0): Pe(waits)}))
    (cause,) = summary["causes"]
    assert cause["kind"] == "unblock" and summary["stalls"][0]["task"] == 9
    assert "w.w:7:3" in log


def test_a_color_the_program_tore_down(run):
    send = program(
        "send",
        '.socket "tx" "u32" none OQ0 1 1\n.task 8 main active open\n'
        'main: .line "send.w" 4 2\n' + "mov32 OQ0, 7\n" * 40 + "term",
    )
    stop = program(
        "stop",
        '.task 8 main active open\nmain: .line "stop.w" 2 2\nmov16 [0x7c03], 0x8000\n'
        '.line "stop.w" 3 2\nmov32 R0, IQ0\nterm',
    )
    image = grid(
        {
            (0, 0): Pe(send, {3: "[C>R]"}, outputs={0: 3}),
            (0, 1): Pe(stop, {3: "[L>C]"}, inputs={0: 3}),
        },
        {3: "c"},
    )
    log, summary, _ = run(image)
    (cause,) = summary["causes"]
    assert cause["kind"] == "torn down" and cause["places"] == [{"x": 1, "y": 0}]
    assert "color c (3) is torn down at router P1.0" in log
    assert {(s["x"], s["line"]) for s in summary["stalls"]} == {(0, 4), (1, 3)}


def test_a_full_fifo_in_memory(run):
    fills = program(
        "fills",
        '.task 8 main active open\n.symbol "ff" "fifo" ff 5\nmain: .line "fills.w" 5 5\n'
        "ldds DS0, d\nldds DS1, m\nmov16 [DS0], [DS1]\nterm\n.data\n"
        "d: .word 4, ff, 0xffff, 0\nm: .word 0, 0x100, 9, 1\n"
        "ff: .word buf, 4, 1, 0, 0\nbuf: .space 4",
    )
    log, summary, _ = run(grid({(0, 0): Pe(fills)}))
    (cause,) = summary["causes"]
    assert cause["kind"] == "memory FIFO" and summary["stalls"][0]["waits"] == "full FIFO"
    assert "FIFO ff" in log and "fills.w:5:5" in log and summary["stalls"][0]["left"] == 5


def test_two_input_queues_on_one_color(run):
    takes = program(
        "takes",
        '.task 8 main active open\nmain: .line "t.w" 2 2\nmov32 R0, IQ1\nterm',
    )
    image = grid({(0, 0): Pe(takes, {3: "[C>C]"}, inputs={0: 3, 1: 3})})
    _, summary, _ = run(image)
    assert [c["kind"] for c in summary["causes"]] == ["other queue"]


def test_write_to_reserved_memory(run):
    writes = program(
        "writes", '.task 8 main active open\nmain: .line "w.w" 3 3\nmov16 [0x6100], 5\nterm'
    )
    log, summary, err = run(grid({(0, 0): Pe(writes)}), status=1)
    assert summary["error"]["kind"] == "reserved write"
    assert "0x6100" in log and "P0.0" in err and summary["error"]["line"] == 3


def test_a_program_that_is_no_code(run):
    wild = program("wild", ".task 8 main active open\nmain: .word 0xffff, 0xffff")
    log, summary, _ = run(grid({(0, 0): Pe(wild)}), status=1)
    assert summary["error"]["kind"] == "undefined instruction" and "0xffff" in log


def test_wavelets_that_leave_the_grid(run):
    send = program("send", ".task 8 main active open\nmain: mov32 OQ0, 7\nmov32 OQ0, 8\nterm")
    image = grid(
        {
            (0, 0): Pe(send, {3: "[C>R]"}, outputs={0: 3}),
            (1, 1): Pe(send, {4: "[C>DU]"}, outputs={0: 4}),
            (0, 1): Pe(None, {3: "[L>R]", 4: "[U>D]"}),
        },
        {3: "c"},
    )
    log, summary, _ = run(image)
    assert [line for line in log.splitlines() if "outside" in line] == [
        "outside: 2 wavelets of color 4 left the grid on the north side, first at P1.0",
        "outside: 2 wavelets of color 4 left the grid on the south side, first at P1.1",
        "outside: 2 wavelets of color c (3) left the grid on the east side, first at P1.0",
    ]
    assert summary["counters"]["off_grid"] == 6 and summary["clean"]


def message(x: int, y: int, length: int | None, north=False, south=False) -> str:
    return f"0x{message_header(x, y, north=north, south=south, length=length):08x}"


def messenger(name: str, words: list[str], takes: int = 0, wait: int = 0):
    lines = ["nop"] * wait + [f'.line "{name}.w" 4 5'] + [f"mov32 OQ0, {word}" for word in words]
    lines += [f'.line "{name}.w" 5 5'] + ["mov32 R0, IQ0"] * takes
    head = '.socket "tx" "u32" none OQ0 1 1\n.socket "rx" "u32" IQ0 none 2 1\n'
    return program(
        name, f"{head}.task 8 main active open\nmain:\n" + "\n".join(lines) + "\nterm"
    )


def messages(*programs):
    """PEs in a row with bank 0."""
    return grid(
        {
            (0, x): Pe(p, {}, {0: 18} if p else {}, {0: 18} if p else {}, 1)
            for x, p in enumerate(programs)
        },
        {18: "mp"},
    )


def test_an_unfinished_message_holds_its_path(run):
    """P0.0 stops partway; P1.0's message to the same PE waits for it."""
    image = messages(
        messenger("short", [message(3, 0, 4), "1", "2"]),
        messenger("late", [message(3, 0, 31)] + ["7"] * 31, wait=40),
        None,
        messenger("takes", [], 8),
    )
    log, summary, _ = run(image)
    unfinished = next(c for c in summary["causes"] if c["kind"] == "unfinished")
    assert unfinished["places"] == [{"x": 0, "y": 0}] and unfinished["file"] == "short.w"
    assert "P0.0 (short) has ended without finishing its message on color mp (18)" in log
    assert "2 more wavelets of it should come" in log
    assert any(s["x"] == 3 and s["waits"] == "receive" for s in summary["stalls"])
    assert "late.w:4:5" in log


def test_a_message_that_nobody_sends(run):
    image = messages(messenger("takes", [], 1), None)
    log, summary, _ = run(image)
    assert [c["kind"] for c in summary["causes"]] == ["no message"]
    assert "no message is on its way to P0.0 (takes) on color mp (18)" in log


def test_a_message_to_a_pe_that_does_not_take_it(run):
    image = messages(messenger("sends", [message(2, 0, 31)] + ["5"] * 31), None, None)
    log, summary, _ = run(image)
    assert [c["kind"] for c in summary["causes"]] == ["no queue"]
    assert summary["causes"][0]["places"] == [{"x": 2, "y": 0}]
    assert "P2.0 17 [messages L>C] 4/4" in log or "color 17 [messages L>C] 4/4" in log


def test_messages_that_go_wrong(run):
    far = messages(messenger("far", [message(9, 0, 0)]), None)
    log, summary, _ = run(far, status=1)
    assert summary["error"]["kind"] == "message outside" and "P0.0" in log
    assert "to column 9, row 0" in log
