"""Who waits for whom: a graph of threads, queues, routers and PEs.

A node is one thing that cannot go on (or, at the end, the reason); an edge leads to what it waits
for. Kinds of node, with what `a` and `b` are:

    thread a            a thread in slot a
    blocked a           an active task a that is blocked
    feed a b            wavelets of color a that should come out of port b of this router
    drain a             output queue a, full
    lane a b            a landing lane: port a, arrival color b
    head a              the wavelet at the head of color a's FIFO
    send a              this PE as the one that should send on color a
    take a              this PE as the one that should receive from input queue a

and the reasons, which lead nowhere: those of `REASONS`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from mitools.arch.words import CORE, NO_INPUT, OPPOSITE, STEP
from simfabric.explain.messages import bank_of, color_at, going_to, holder, input_port
from simfabric.explain.snapshot import (
    FIFO_EMPTY,
    FIFO_FULL,
    MICROTHREADS,
    RECEIVE,
    SEND,
    SLOT,
    Snapshot,
    Thread,
    TileState,
)

REASONS = (
    "no sender",  # a color: the PE's program sends nothing on it
    "sent all",  # a color: the PE's program could send on it but has ended
    "no reader",  # an input queue: the PE has ended and takes nothing from it
    "no queue",  # a color: it goes to the core, where no enabled queue takes it
    "other queue",  # an input queue, the lower one on its color that takes everything
    "queue off",  # an input queue that a program waits on but that is not enabled
    "torn down",  # a color
    "switch",  # a color, wanted output or (plus AS_INPUT) input: another position would do
    "no output",  # a color, wanted port: no position sends there
    "no input",  # a color, wanted port: no position takes from there
    "no rule",  # a color without a rule at this router
    "edge",  # a color, port: it comes from or goes to beyond the grid
    "no land",  # an arrival color, port: no color reads it
    "unblock",  # a task: nobody unblocks it
    "memory FIFO",  # address, 1 if full: nobody fills or empties it
    "busy",  # a slot: a microthread runs but waits for nothing known
    "no message",  # a bank's core color: no message is on its way here
    "unfinished",  # a bank's core color, wavelets to come (-1: open): the PE has ended
    "works",  # nothing is wrong there: the PE can go on
    "moves",  # nor there: it is on its way
)
AS_INPUT = 8
PASSING = ("switch", "busy", "works", "moves")
"""Reasons that mean nothing while a run goes on."""


class Node(NamedTuple):
    kind: str
    y: int
    x: int
    a: int = 0
    b: int = 0

    @property
    def place(self) -> tuple[int, int]:
        return self.y, self.x


def threads_of(tile: TileState) -> Iterator[Node]:
    """The nodes of what waits at one PE."""
    for thread in tile.threads:
        yield Node("thread", tile.y, tile.x, thread.slot)
    for task in tile.blocked_tasks:
        yield Node("blocked", tile.y, tile.x, task.number)


def thread_in(tile: TileState, slot: int) -> Thread | None:
    """The waiting thread of a slot, if there is one."""
    return next((t for t in tile.threads if t.slot == slot), None)


class Waits:
    """Answers `after(node)`: what a node waits for, from the state of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def after(self, node: Node) -> list[Node]:
        """The nodes it waits for, most telling first; none for a reason."""
        method = getattr(self, f"_{node.kind.replace(' ', '_')}", None)
        if node.kind in REASONS or method is None:
            return []
        tile = self.snapshot.tile(node.y, node.x)
        return list(dict.fromkeys(method(tile, node.a, node.b)))

    def _at(self, tile: TileState, kind: str, a: int = 0, b: int = 0) -> Node:
        return Node(kind, tile.y, tile.x, a, b)

    def _neighbour(self, tile: TileState, port: int) -> TileState | None:
        dx, dy = STEP[port]
        y, x = tile.y + dy, tile.x + dx
        if 0 <= y < self.snapshot.height and 0 <= x < self.snapshot.width:
            return self.snapshot.tile(y, x)
        return None

    def _thread(self, tile: TileState, slot: int, _: int) -> Iterator[Node]:
        thread = thread_in(tile, slot)
        if thread is None:
            yield self._at(tile, "busy", slot)
        elif thread.waits == RECEIVE and thread.queue is not None:
            queue = tile.inputs[thread.queue]
            taker = tile.input_queue(queue.color)
            if not queue.enabled:
                yield self._at(tile, "queue off", thread.queue)
            elif taker is not None and taker != thread.queue:
                yield self._at(tile, "other queue", thread.queue, taker)
            else:
                yield self._at(tile, "feed", queue.color, CORE)
        elif thread.waits == SEND and thread.queue is not None:
            yield self._at(tile, "drain", thread.queue)
        elif thread.waits in (MICROTHREADS, SLOT):
            for n in range(16):
                if thread.mask >> n & 1 and n + 1 != slot:
                    yield self._at(tile, "thread", n + 1)
        elif thread.waits in (FIFO_EMPTY, FIFO_FULL):
            others = [n for n in threads_of(tile) if n.a != slot or n.kind != "thread"]
            yield from others
            if not others:
                yield self._at(tile, "memory FIFO", thread.fifo or 0, thread.waits == FIFO_FULL)

    def _blocked(self, tile: TileState, number: int, _: int) -> Iterator[Node]:
        if tile.threads:
            for thread in tile.threads:
                yield self._at(tile, "thread", thread.slot)
        else:
            yield self._at(tile, "unblock", number)

    def _feed(self, tile: TileState, color: int, port: int) -> Iterator[Node]:
        state = tile.color(color)
        bank = bank_of(tile, color)
        if bank is not None:
            yield from self._messages_to(tile, bank, port)
        elif state.torn_down:
            yield self._at(tile, "torn down", color)
        elif not state.outputs >> port & 1:
            yield self._wrong_output(tile, color, port)
        elif state.fifo:
            if state.outputs_left >> port & 1 and port != CORE:
                yield from self._beyond(tile, color, port)
            elif state.outputs_left:
                yield self._at(tile, "head", color)
            else:
                yield self._at(tile, "moves", color, port)
        else:
            yield from self._upstream(tile, color)

    def _messages_to(self, tile: TileState, bank: tuple[int, ...], port: int) -> Iterator[Node]:
        """What keeps the messages that go to a port from going on."""
        for color, state in going_to(tile, bank, port):
            if state.fifo:
                yield self._at(tile, "head", color)
            else:
                yield from self._message_source(tile, bank, color)
            return
        yield self._at(tile, "no message", bank[-1])

    def _message_source(self, tile: TileState, bank: tuple[int, ...], color: int) -> Iterator[Node]:
        """Where the rest of a message comes from."""
        port = input_port(bank, color)
        if port == CORE:
            yield self._at(tile, "send", color)
            return
        neighbour = self._neighbour(tile, port)
        if neighbour is not None:
            yield Node("feed", neighbour.y, neighbour.x, bank[-1], OPPOSITE[port])

    def _wrong_output(self, tile: TileState, color: int, port: int) -> Node:
        state = tile.color(color)
        if any(outputs >> port & 1 for _, outputs in state.rule.positions):
            return self._at(tile, "switch", color, port)
        kind = "no output" if self._has_rule(tile, color) else "no rule"
        return self._at(tile, kind, color, port)

    def _has_rule(self, tile: TileState, color: int) -> bool:
        rule = tile.color(color).rule
        return any(source != NO_INPUT or outputs for source, outputs in rule.positions)

    def _upstream(self, tile: TileState, color: int) -> Iterator[Node]:
        """Where an empty FIFO of a color gets its wavelets from."""
        state = tile.color(color)
        for (port, arrival), lane in tile.lanes.items():
            if lane and color in tile.readers(port, arrival):
                yield self._at(tile, "lane", port, arrival)
        port = state.source
        for other in sorted({source for source, _ in state.rule.positions} - {port, NO_INPUT}):
            if self._waits_before(tile, color, other):
                yield self._at(tile, "switch", color, other + AS_INPUT)
        if port == NO_INPUT:
            yield self._at(tile, "no input" if self._has_rule(tile, color) else "no rule", color)
            return
        arrival = tile.arrival(color, port)
        if port == CORE:
            yield self._at(tile, "send", arrival)
            return
        neighbour = self._neighbour(tile, port)
        if neighbour is None:
            yield self._at(tile, "edge", color, port)
        else:
            yield self._at(neighbour, "feed", arrival, OPPOSITE[port])

    def _waits_before(self, tile: TileState, color: int, port: int) -> bool:
        """Whether wavelets wait before an input that another position of the switch takes."""
        arrival = tile.arrival(color, port)
        if port == CORE:
            return any(tile.outputs[q].wavelets for q in tile.output_queues(arrival))
        neighbour = self._neighbour(tile, port)
        if neighbour is None:
            return False
        return bool(neighbour.color(arrival).outputs_left >> OPPOSITE[port] & 1)

    def _drain(self, tile: TileState, queue: int, _: int) -> Iterator[Node]:
        return self._landing(tile, CORE, tile.outputs[queue].color)

    def _lane(self, tile: TileState, port: int, arrival: int) -> Iterator[Node]:
        return self._landing(tile, port, arrival)

    def _landing(self, tile: TileState, port: int, arrival: int) -> Iterator[Node]:
        """Why what arrives on a port and color cannot enter the FIFOs of all its readers."""
        bank = bank_of(tile, arrival)
        if bank is not None:
            color = color_at(bank, port)
            yield self._at(tile, "head" if tile.color(color).full else "moves", color, port)
            return
        readers = tile.readers(port, arrival)
        if not readers:
            yield self._at(tile, "no land", arrival, port)
            return
        moves = True
        for color in readers:
            state = tile.color(color)
            if state.full:
                moves = False
                yield self._at(tile, "head", color)
            elif state.torn_down:
                moves = False
                yield self._at(tile, "torn down", color)
            elif state.source != port:
                moves = False
                if not self._has_rule(tile, color):
                    yield self._at(tile, "no rule", color, port)
                elif any(source == port for source, _ in state.rule.positions):
                    yield self._at(tile, "switch", color, port + AS_INPUT)
                else:
                    yield self._at(tile, "no input", color, port)
        if moves:
            yield self._at(tile, "moves", arrival, port)

    def _head(self, tile: TileState, color: int, _: int) -> Iterator[Node]:
        state = tile.color(color)
        bank = bank_of(tile, color)
        if bank is not None and state.message_port is not None:
            other = holder(tile, bank, state.message_port, color)
            if other is not None:
                yield from self._messages_to(tile, bank, state.message_port)
                return
        for port in range(CORE):
            if state.outputs_left >> port & 1:
                yield from self._beyond(tile, color, port)
        if state.outputs_left >> CORE & 1:
            delivered = color if bank is None else bank[-1]
            queue = tile.input_queue(delivered)
            if queue is None:
                yield self._at(tile, "no queue", delivered)
            elif tile.inputs[queue].full:
                yield self._at(tile, "take", queue)
            else:
                yield self._at(tile, "moves", color, CORE)
        if not state.outputs_left:
            yield self._at(tile, "torn down" if state.torn_down else "moves", color)

    def _beyond(self, tile: TileState, color: int, port: int) -> Iterator[Node]:
        neighbour = self._neighbour(tile, port)
        if neighbour is None:
            yield self._at(tile, "edge", color, port)
        elif (bank := bank_of(neighbour, color)) is not None:
            back = OPPOSITE[port]
            yield self._at(neighbour, "lane", back, color_at(bank, back))
        else:
            yield self._at(neighbour, "lane", OPPOSITE[port], color)

    def _send(self, tile: TileState, color: int, _: int) -> Iterator[Node]:
        queues = tile.output_queues(color)
        if not queues:
            yield self._at(tile, "no sender", color)
        elif any(tile.outputs[q].wavelets for q in queues):
            yield self._at(tile, "moves", color, CORE)
        else:
            from simfabric.explain.sites import sites

            sends = sites(tile.program).sends if tile.program else {}
            here = {address for q in queues for address in sends.get(q, ())}
            doing = list(self._doing(tile, None, here))
            yield from doing or [self._sent(tile, color)]

    def _sent(self, tile: TileState, color: int) -> Node:
        if tile.works:
            return self._at(tile, "works", color)
        state = tile.color(color)
        if bank_of(tile, color) is not None and state.message_holds:
            left = -1 if state.message_left is None else state.message_left
            return self._at(tile, "unfinished", color, left)
        return self._at(tile, "sent all", color)

    def _take(self, tile: TileState, queue: int, _: int) -> Iterator[Node]:
        doing = list(self._doing(tile, queue, set()))
        yield from doing or [self._at(tile, "works" if tile.works else "no reader", queue)]

    def _doing(self, tile: TileState, queue: int | None, here: set[int]) -> Iterator[Node]:
        """What keeps a PE from a receive on `queue`, or from a send at one of the places `here`.

        The main thread comes first: while it waits, no task starts. A transfer without end that
        waits for other data holds nothing up. Handlers wait for their queue's color: those that
        send at one of the places, if any does.
        """
        for thread in sorted(tile.threads, key=lambda t: t.slot):
            endless = thread.slot and thread.left is None and thread.waits == RECEIVE
            if not endless or thread.queue == queue or thread.pc in here:
                yield self._at(tile, "thread", thread.slot)
        for task in tile.blocked_tasks:
            yield self._at(tile, "blocked", task.number)
        if not tile.waits and not tile.works:
            for number in self._handlers(tile, here):
                if number != queue and tile.inputs[number].enabled:
                    yield self._at(tile, "feed", tile.inputs[number].color, CORE)

    def _handlers(self, tile: TileState, here: set[int]) -> list[int]:
        """The open data tasks whose code holds one of the places, or all of them."""
        entries = sorted((t.entry, t.number) for t in tile.tasks if t.entry is not None)
        owners = set()
        for address in here:
            before = [number for entry, number in entries if entry <= address]
            owners |= set(before[-1:])
        numbers = [t.number for t in tile.handlers]
        return [n for n in numbers if n in owners] or numbers
