"""Explanations of states made by hand: the culprit's PE, socket and line must be named."""

import pytest

from carbide.isa.assembler import assemble
from mitools.arch.words import CORE, DOWN, LEFT, RIGHT, SWAP_CORE, SWAP_HORIZONTAL, UP, ColorRule
from simfabric.explain import TileSnapshot, explain, lines
from simfabric.explain.snapshot import (
    ColorState,
    QueueState,
    TaskState,
    Thread,
    TileState,
    Wavelet,
)

W = Wavelet(7)


def program(name: str, text: str):
    head = f'.program "{name}" "{name}.w" "sdr"\n'
    return assemble(head + text, name, f"{name}.w")


SENDER = program(
    "send",
    """.socket "tx" "i32" none OQ0 2 1
    .task 8 main active open
    main: .line "send.w" 5 3
    mov32 OQ0, R0
    term""",
)
RECEIVER = program(
    "recv",
    """.socket "rx" "i32" IQ0 none 2 1
    .task 8 main active open
    main: .line "recv.w" 6 4
    mov32 R0, IQ0
    term""",
)
BOTH = program(
    "ring",
    """.socket "r" "i32" IQ0 OQ0 2 1
    .task 8 main active open
    main: .line "ring.w" 7 5
    mov32 OQ0, R0
    .line "ring.w" 8 5
    mov32 R0, IQ0
    term""",
)


def route(source, *outputs, **more):
    mask = sum(1 << p for p in outputs)
    fifo = more.pop("fifo", 0)
    left = more.pop("left", mask if fifo else 0)
    return ColorState(
        ColorRule(((source, mask),), more.pop("swap", 0)),
        fifo=(W,) * fifo,
        outputs_left=left,
        **more,
    )


def queue(color, held=0, depth=8, enabled=True):
    return QueueState(color, enabled, depth, (W,) * held)


def receiving(queue=0, pc=0, **more):
    return Thread(0, pc, "receive", queue, **more)


def sending(queue=0, pc=0, **more):
    return Thread(0, pc, "send", queue, **more)


def told(snapshot):
    explanation = explain(snapshot)
    return explanation, "\n".join(lines(explanation))


def full_sender():
    """P0.0, which sends east on color 0 and finds everything full."""
    colors = {0: route(CORE, RIGHT, fifo=4)}
    return TileState(
        0, 0, SENDER, threads=(sending(),), outputs=(queue(0, 8),), colors=colors
    )


COLORS = {0: ["a"], 1: ["b"]}


def test_nothing_waits_nothing_said():
    explanation, text = told(TileSnapshot.of(TileState(0, 0, SENDER)))
    assert text == "" and explanation.clean and not explanation.causes


def test_sender_that_ended():
    sender = TileState(0, 0, SENDER, outputs=(queue(0),), colors={0: route(CORE, RIGHT)})
    receiver = TileState(
        0,
        1,
        RECEIVER,
        threads=(receiving(left=5),),
        inputs=(queue(0),),
        colors={0: route(LEFT, CORE)},
    )
    explanation, text = told(TileSnapshot.of(sender, receiver, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "sent all" and cause.places == ((0, 0),)
    assert (cause.file, cause.line, cause.column) == ("send.w", 5, 3)
    (stall,) = cause.stalls
    assert (stall.x, stall.socket, stall.file, stall.line) == (1, "socket rx", "recv.w", 6)
    assert "P1.0 (recv) main thread waits to receive on socket rx, color a (0)" in text
    assert "recv.w:6:4" in text and "5 elements left" in text
    assert "P1.0 a (0) [L>C] 0/4 <- P0.0 a (0) [C>R] 0/4 <- P0.0 core" in text
    assert "socket tx" in text and "send.w:5:3" in text
    assert "orphan" not in text and "outside" not in text and "copying" not in text


def test_nobody_sends_on_the_color():
    other = TileState(0, 0, SENDER, outputs=(queue(5),), colors={0: route(CORE, RIGHT)})
    receiver = TileState(
        0, 1, RECEIVER, threads=(receiving(),), inputs=(queue(0),), colors={0: route(LEFT, CORE)}
    )
    explanation, text = told(TileSnapshot.of(other, receiver, colors=COLORS))
    assert [c.kind for c in explanation.causes] == ["no sender"]
    assert "P0.0 (send) has no socket that sends on color a (0)" in text


@pytest.mark.parametrize("programs", [True, False])
def test_route_from_a_pe_without_rule(programs):
    receiver = TileState(
        0, 1, RECEIVER, threads=(receiving(),), inputs=(queue(0),), colors={0: route(LEFT, CORE)}
    )
    before = TileState(0, 0, SENDER if programs else None)
    explanation, text = told(TileSnapshot.of(before, receiver, colors=COLORS))
    assert [c.kind for c in explanation.causes] == ["no rule"]
    assert "color a (0) has no rule at router P0.0" in text


def test_route_from_the_edge():
    receiver = TileState(
        0, 0, RECEIVER, threads=(receiving(),), inputs=(queue(0),), colors={0: route(UP, CORE)}
    )
    explanation, text = told(TileSnapshot.of(receiver))
    assert [c.kind for c in explanation.causes] == ["edge"]
    assert "south" in text


def ring(count):
    """PEs in a row, neighbours paired by colors 0 (east) and 1 (back), all sending."""
    tiles = []
    for x in range(count):
        there = RIGHT if x % 2 == 0 else LEFT
        out, into = (0, 1) if x % 2 == 0 else (1, 0)
        tiles.append(
            TileState(
                0,
                x,
                BOTH,
                threads=(sending(left=80),),
                inputs=(queue(into, 8),),
                outputs=(queue(out, 8),),
                colors={
                    out: route(CORE, there, fifo=4),
                    into: route(there, CORE, fifo=4),
                },
            )
        )
    return TileSnapshot.of(*tiles, colors=COLORS)


def test_all_send_before_they_receive():
    explanation, text = told(ring(2))
    (cause,) = explanation.causes
    assert cause.kind == "cycle"
    assert [(s.x, s.socket, s.file, s.line) for s in cause.chain] == [
        (0, "socket r", "ring.w", 7),
        (1, "socket r", "ring.w", 7),
    ]
    assert "P0.0 -> P1.0 -> P0.0" in text and "ring.w:7:5" in text
    assert (
        "P0.0 output queue 0 8/8 -> P0.0 a (0) [C>R] 4/4 -> P1.0 a (0) [L>C] 4/4"
        " -> P1.0 input queue 0 8/8" in text
    )
    assert not explanation.clean and "orphan" in text


def test_many_pairs_fit_on_a_screen():
    explanation, text = told(ring(60))
    assert explanation.waiting == 60
    assert len(explanation.causes) == 1 and len(explanation.causes[0].alike) == 29
    assert len(text.splitlines()) < 24


def test_a_chain_behind_one_cause_stands_together():
    tiles = [TileState(0, 0, SENDER, outputs=(queue(0),), colors={0: route(CORE, RIGHT)})]
    for x in range(1, 18):
        colors = {0: route(LEFT, CORE), 1: route(CORE, RIGHT)}
        if x % 2 == 0:
            colors = {1: route(LEFT, CORE), 0: route(CORE, RIGHT)}
        into, out = (0, 1) if x % 2 else (1, 0)
        tiles.append(
            TileState(
                0,
                x,
                BOTH,
                threads=(receiving(pc=2),),
                inputs=(queue(into),),
                outputs=(queue(out),),
                colors=colors,
            )
        )
    explanation, text = told(TileSnapshot.of(*tiles, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "sent all" and len(cause.stalls) == 1
    assert (cause.stalls[0].x, len(cause.stalls[0].alike)) == (1, 16)
    assert "16 more PEs alike: P2.0, P3.0 and 14 more" in text
    assert len(text.splitlines()) < 8


def test_reader_that_ended():
    sender = full_sender()
    reader = TileState(0, 1, RECEIVER, inputs=(queue(0, 8),), colors={0: route(LEFT, CORE, fifo=4)})
    explanation, text = told(TileSnapshot.of(sender, reader, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "no reader" and (cause.file, cause.line) == ("recv.w", 6)
    assert "P1.0 (recv) takes nothing more from color a (0)" in text
    (orphans,) = explanation.orphans
    assert orphans.count == 24 and orphans.senders == ((0, 0),)
    assert "orphan: 24 wavelets of color a (0), sent by P0.0 (send) at send.w:5:3" in text


def test_no_queue_takes_what_the_router_delivers():
    sender = full_sender()
    reader = TileState(0, 1, RECEIVER, inputs=(queue(3),), colors={0: route(LEFT, CORE, fifo=4)})
    explanation, text = told(TileSnapshot.of(sender, reader, colors=COLORS))
    assert [c.kind for c in explanation.causes] == ["no queue"]
    assert "P1.0 (recv) does not take color a (0)" in text


def test_broadcast_with_one_dead_reader():
    """P1 took its copy and wants more; P2 took none; so P1 waits for P2."""
    sender = full_sender()
    middle = TileState(
        0,
        1,
        RECEIVER,
        threads=(receiving(),),
        inputs=(queue(0),),
        colors={0: route(LEFT, CORE, RIGHT, fifo=4, left=1 << RIGHT)},
    )
    dead = TileState(0, 2, RECEIVER, inputs=(queue(0, 8),), colors={0: route(LEFT, CORE, fifo=4)})
    explanation, text = told(TileSnapshot.of(sender, middle, dead, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "no reader" and cause.places == ((0, 2),)
    assert "P1.0 input queue 0 0/8 <- P1.0 a (0) [L>RC] 4/4 -> P2.0 a (0) [L>C] 4/4" in text
    assert {(s.x, s.waits) for s in cause.stalls} == {(0, "send"), (1, "receive")}
    assert "P2.0 (recv) takes nothing more" in text


def test_cyclic_wait_over_two_colors():
    """Each PE waits to receive what the other sends only afterwards."""
    tiles = [
        TileState(
            0,
            x,
            BOTH,
            threads=(receiving(pc=2),),
            inputs=(queue(1 - x),),
            outputs=(queue(x),),
            colors={x: route(CORE, side), 1 - x: route(side, CORE)},
        )
        for x, side in ((0, RIGHT), (1, LEFT))
    ]
    explanation, text = told(TileSnapshot.of(*tiles, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "cycle" and {s.color for s in cause.chain} == {0, 1}
    assert text.count("ring.w:8:5") == 2
    assert "P0.0 -> P1.0 -> P0.0" in text


def test_switch_that_never_advances():
    rule = ColorRule(((LEFT, 1 << CORE), (CORE, 1 << RIGHT)))
    stuck = TileState(
        0,
        1,
        SENDER,
        threads=(sending(),),
        outputs=(queue(0, 8),),
        colors={0: ColorState(rule)},
    )
    before = TileState(0, 0, SENDER, outputs=(queue(0),), colors={0: route(CORE, RIGHT)})
    explanation, text = told(TileSnapshot.of(before, stuck, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "switch" and cause.places == ((0, 1),)
    assert "the switch of color a (0) at router P1.0 (send) stands at position 0 [L>C]" in text
    assert "position 1 [C>R] would take from the core" in text


def test_swap_beside_a_color_that_reads_too():
    """`a [LHC]` beside `b [L>C]`: nothing reads what arrives on a."""
    sender = full_sender()
    reader = TileState(
        0,
        1,
        RECEIVER,
        inputs=(queue(0),),
        colors={0: route(LEFT, CORE, swap=SWAP_HORIZONTAL), 1: route(LEFT, CORE)},
        lanes={(LEFT, 0): (W, W)},
    )
    explanation, text = told(TileSnapshot.of(sender, reader, colors=COLORS))
    assert [c.kind for c in explanation.causes] == ["no land"]
    assert "no color of router P1.0 (recv) reads color a (0) from the west" in text
    assert "could not land" in text
    assert "orphan" in text and "landing lane L of router P1.0" in text


def test_swap_reader_with_another_input():
    sender = full_sender()
    reader = TileState(
        0,
        1,
        RECEIVER,
        inputs=(queue(0),),
        colors={0: route(UP, CORE)},
        lanes={(LEFT, 0): (W, W)},
    )
    explanation, text = told(TileSnapshot.of(sender, reader, colors=COLORS))
    assert [c.kind for c in explanation.causes] == ["no input"]
    assert "reads what comes from the west but takes its input from the south" in text


def test_one_socket_row_follows_the_swap():
    """The notes' step 2: cores use color 0, links color 1."""
    pair = {
        0: route(LEFT, CORE, swap=SWAP_HORIZONTAL | SWAP_CORE),
        1: route(CORE, RIGHT, swap=SWAP_HORIZONTAL | SWAP_CORE),
    }
    first = TileState(0, 0, BOTH, inputs=(queue(0),), outputs=(queue(0),), colors=pair)
    second = TileState(
        0, 1, BOTH, threads=(receiving(pc=2),), inputs=(queue(0),), outputs=(queue(0),), colors=pair
    )
    explanation, text = told(TileSnapshot.of(first, second, colors={0: ["r"], 1: ["rp"]}))
    (cause,) = explanation.causes
    assert cause.kind == "sent all" and cause.places == ((0, 0),)
    assert "P1.0 r (0) [LXC] 0/4 <- P0.0 rp (1) [CXR] 0/4 <- P0.0 core" in text


def test_color_torn_down():
    sender = full_sender()
    reader = TileState(
        0,
        1,
        RECEIVER,
        threads=(receiving(),),
        inputs=(queue(0),),
        colors={0: route(LEFT, CORE, torn_down=True)},
        lanes={(LEFT, 0): (W, W)},
    )
    explanation, text = told(TileSnapshot.of(sender, reader, colors=COLORS))
    (cause,) = explanation.causes
    assert cause.kind == "torn down" and len(cause.stalls) == 2
    assert "color a (0) is torn down at router P1.0 (recv)" in text


def test_blocked_task():
    tile = TileState(0, 0, BOTH, tasks=(TaskState(9, 2, True, True),))
    explanation, text = told(TileSnapshot.of(tile))
    (cause,) = explanation.causes
    assert cause.kind == "unblock" and cause.stalls[0].task == 9
    assert "P0.0 (ring) task 9, at ring.w:8:5: ready but blocked" in text


def test_two_queues_on_one_color():
    two = TileState(
        0,
        0,
        RECEIVER,
        threads=(receiving(queue=1),),
        inputs=(queue(0, 8), queue(0)),
        colors={0: route(DOWN, CORE)},
    )
    explanation, _ = told(TileSnapshot.of(two))
    assert [c.kind for c in explanation.causes] == ["other queue"]


def test_main_thread_waits_for_its_microthreads():
    tile = TileState(
        0,
        0,
        RECEIVER,
        threads=(Thread(0, 0, "microthreads", mask=0b10), Thread(2, 0, "receive", 0)),
        inputs=(queue(0),),
        colors={0: route(UP, CORE)},
    )
    explanation, text = told(TileSnapshot.of(tile))
    (cause,) = explanation.causes
    assert cause.kind == "edge" and len(cause.stalls) == 2
    assert "main thread waits for microthreads 1 to end" in text


def test_reactive_pes_take_one_line():
    handler = TaskState(0, 2, False, False)
    tiles = [
        TileState(y, x, RECEIVER, tasks=(handler,), inputs=(queue(0),))
        for y in range(6)
        for x in range(6)
    ]
    explanation, text = told(TileSnapshot.of(*tiles))
    assert text == (
        "36 PEs wait in handlers only, as reactive programs do: 36 of recv.w (first P0.0)"
    )
    assert explanation.waiting == 0


def test_left_in_a_queue_though_all_ended():
    sender = TileState(0, 0, SENDER, outputs=(queue(0),), colors={0: route(CORE, RIGHT)})
    reader = TileState(0, 1, RECEIVER, inputs=(queue(0, 1),), colors={0: route(LEFT, CORE)})
    explanation, text = told(TileSnapshot.of(sender, reader, colors=COLORS))
    assert explanation.clean and not explanation.causes
    assert text == (
        "orphan: 1 wavelet of color a (0), sent by P0.0 (send) at send.w:5:3:"
        " 1 in input queue 0 of P1.0"
    )


def test_plain_data_for_scripts():
    import json

    explanation, _ = told(ring(2))
    data = json.loads(json.dumps(explanation.as_dict()))
    assert data["causes"][0]["places"] == [{"x": 0, "y": 0}, {"x": 1, "y": 0}]
    assert data["causes"][0]["chain"][0]["path"][0]["what"] == "output queue"
