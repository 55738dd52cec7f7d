"""What a node of the graph of waits is called, in words and as data."""

from collections.abc import Iterable

from mitools.arch.words import PORTS
from simfabric.explain.messages import bank_of, going_to, message_text
from simfabric.explain.model import Hop, Stall
from simfabric.explain.names import (
    SIDES,
    color_name,
    color_text,
    pe_name,
    place_of,
    place_text,
    route_text,
    socket_text,
    symbol_at,
    thread_name,
    tile_name,
)
from simfabric.explain.sites import sites
from simfabric.explain.snapshot import (
    FIFO_EMPTY,
    FIFO_FULL,
    MICROTHREADS,
    RECEIVE,
    SEND,
    Coordinate,
    Snapshot,
    Thread,
    TileState,
)
from simfabric.explain.waits import AS_INPUT, Node, thread_in

Said = tuple[str, tuple[str, int, int] | None]
"""A text, and the source place that it is about, where there is one."""


class Describer:
    """Words for nodes, over one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def tile(self, node: Node) -> TileState:
        return self.snapshot.tile(node.y, node.x)

    def color(self, number: int) -> str:
        return color_name(number, self.snapshot.colors)

    # Stalls

    def stall(
        self, node: Node, path: Iterable[Node], alike: tuple[Coordinate, ...] = ()
    ) -> Stall:
        """A thread or blocked task with the buffers it waits behind."""
        tile = self.tile(node)
        if node.kind == "blocked":
            return self._blocked(tile, node.a, alike)
        thread = thread_in(tile, node.a)
        assert thread is not None
        file, line, column = place_of(tile.program, thread.pc) or (None, None, None)
        receives = thread.waits == RECEIVE
        queue = color = socket = None
        if thread.queue is not None:
            queue = thread.queue
            color = (tile.inputs if receives else tile.outputs)[queue].color
            socket = socket_text(tile.program, queue, receives=receives)
        return Stall(
            tile.y,
            tile.x,
            thread.slot,
            None,
            thread.waits,
            self._thread_text(tile, thread),
            socket,
            queue,
            color,
            None if color is None else self.color(color),
            file,
            line,
            column,
            left=thread.left,
            path=tuple(self.hops(node, path)),
            alike=alike,
        )

    def _blocked(self, tile: TileState, number: int, alike: tuple[Coordinate, ...]) -> Stall:
        entry = next(t.entry for t in tile.tasks if t.number == number)
        file, line, column = place_of(tile.program, entry) or (None, None, None)
        at = place_text(tile.program, entry)
        return Stall(
            tile.y,
            tile.x,
            -1,
            number,
            "blocked",
            f"{tile_name(tile)} task {number}, at {at}: ready but blocked",
            file=file,
            line=line,
            column=column,
            alike=alike,
        )

    def _thread_text(self, tile: TileState, thread: Thread) -> str:
        who = f"{tile_name(tile)} {thread_name(thread.slot)}"
        at = f"at {place_text(tile.program, thread.pc)}"
        if thread.waits in (RECEIVE, SEND) and thread.queue is not None:
            receives = thread.waits == RECEIVE
            state = (tile.inputs if receives else tile.outputs)[thread.queue]
            socket = socket_text(tile.program, thread.queue, receives=receives)
            color = f"color {self.color(state.color)}"
            verb = "receive on" if receives else "send on"
            kept = "empty input" if receives else "full output"
            return (
                f"{who} waits to {verb} {socket}, {color}, {at}: {kept} queue {thread.queue}"
                f"{self._progress(thread)}"
            )
        if thread.waits in (FIFO_EMPTY, FIFO_FULL):
            name = symbol_at(tile.program, thread.fifo or 0)
            return f"{who} waits on {thread.waits} {name}, {at}{self._progress(thread)}"
        names = ", ".join(str(n) for n in range(16) if thread.mask >> n & 1)
        if thread.waits == MICROTHREADS:
            return f"{who} waits for microthreads {names} to end, {at}"
        return f"{who} waits to launch microthread {names}, which still runs, {at}"

    def _progress(self, thread: Thread) -> str:
        if thread.left is None:
            return ", in a transfer without end"
        return f", {thread.left} elements left" if thread.left > 1 else ""

    # Paths

    def hops(self, start: Node, path: Iterable[Node]) -> Iterable[Hop]:
        """The buffers of a path, from the waiting thread's own queue on."""
        tile = self.tile(start)
        thread = thread_in(tile, start.a)
        if thread is not None and thread.waits == RECEIVE and thread.queue is not None:
            yield self._queue_hop(tile, "input queue", thread.queue)
        seen: set[tuple[int, int, str, int, int]] = set()
        for node in path:
            hop = self._hop(node)
            if hop is not None:
                key = hop.y, hop.x, hop.what, hop.number, hop.color
                if key not in seen:
                    seen.add(key)
                    yield hop

    def _queue_hop(self, tile: TileState, what: str, number: int) -> Hop:
        state = (tile.inputs if what == "input queue" else tile.outputs)[number]
        held, name = len(state.wavelets), self.color(state.color)
        return Hop(tile.y, tile.x, what, number, state.color, held, state.depth, name)

    def _hop(self, node: Node) -> Hop | None:
        tile = self.tile(node)
        y, x, a, b = node.y, node.x, node.a, node.b
        match node.kind:
            case "drain":
                return self._queue_hop(tile, "output queue", a)
            case "take" | "no reader":
                return self._queue_hop(tile, "input queue", a)
            case "feed" | "head":
                fifo = tile.color(a)
                bank = bank_of(tile, a)
                if bank is not None and node.kind == "feed":
                    going = next(going_to(tile, bank, b), None)
                    a, fifo = going or (a, fifo)
                held, name, route = len(fifo.fifo), self.color(a), color_text(fifo)
                if bank is not None:
                    route = message_text(bank, a, fifo)
                return Hop(
                    y, x, "FIFO", a, a, held, fifo.depth, name, route, node.kind == "head"
                )
            case "lane":
                held = len(tile.lanes.get((a, b), ()))
                return Hop(y, x, "lane", a, b, held, 0, self.color(b)) if held else None
            case "send":
                return Hop(y, x, "core", 0, a, 0, 0, self.color(a), "", False)
        return None

    # Reasons

    def reason(self, node: Node) -> Said:
        """A reason in words, and the source place that is to blame, where there is one."""
        tile = self.tile(node)
        method = getattr(self, f"_say_{node.kind.replace(' ', '_')}")
        return method(tile, node.a, node.b)

    def _sends(self, tile: TileState, color: int) -> Said:
        """The socket on which a PE sends a color, and where; for "it sends …"."""
        queue = tile.output_queues(color)[0]
        socket = socket_text(tile.program, queue, receives=False)
        places = sites(tile.program).sends.get(queue, []) if tile.program else []
        return self._site(tile, socket, places, "sends")

    def _receives(self, tile: TileState, queue: int) -> Said:
        socket = socket_text(tile.program, queue, receives=True)
        places = sites(tile.program).receives.get(queue, []) if tile.program else []
        return self._site(tile, socket, places, "receives")

    def _site(
        self, tile: TileState, socket: str, addresses: list[int], verb: str
    ) -> Said:
        places = list(dict.fromkeys(place_of(tile.program, a) for a in addresses))
        known = [p for p in places if p is not None]
        if not known:
            return socket, None
        shown = ", ".join("{}:{}:{}".format(*p) for p in known[:3])
        more = " …" if len(known) > 3 else ""
        return f"{socket} (it {verb} at {shown}{more})", known[0]

    def _say_no_sender(self, tile: TileState, color: int, _: int) -> Said:
        name = self.color(color)
        if tile.program is None:
            return f"{pe_name(tile.y, tile.x)} has no program that could send on color {name}", None
        text = f"{tile_name(tile)} has no socket that sends on color {name}"
        return f"{text}: its program is {tile.program.source or tile.program.program}", None

    def _say_sent_all(self, tile: TileState, color: int, _: int) -> Said:
        socket, place = self._sends(tile, color)
        return (
            f"{tile_name(tile)} sends nothing more on color {self.color(color)}: its program has"
            f" ended; {socket}",
            place,
        )

    def _say_no_reader(self, tile: TileState, queue: int, _: int) -> Said:
        state = tile.inputs[queue]
        held = f"input queue {queue} holds {len(state.wavelets)} of {state.depth} wavelets"
        if tile.program is None:
            return f"{pe_name(tile.y, tile.x)} has no program: {held}", None
        socket, place = self._receives(tile, queue)
        return (
            f"{tile_name(tile)} takes nothing more from color {self.color(state.color)}: its"
            f" program has ended; {held}; {socket}",
            place,
        )

    def _say_no_queue(self, tile: TileState, color: int, _: int) -> Said:
        route = color_text(tile.color(color))
        if bank_of(tile, color) is not None:
            route = "[messages]"
        who = tile_name(tile)
        if tile.program is None:
            why = "there is no program"
        else:
            why = f"no socket of {tile.program.program} receives on it"
        return (
            f"{who} does not take color {self.color(color)}, which its router {route}"
            f" sends to the core: no enabled input queue is bound to it, {why}",
            None,
        )

    def _say_no_message(self, tile: TileState, color: int, _: int) -> Said:
        return f"no message is on its way to {tile_name(tile)} on color {self.color(color)}", None

    def _say_unfinished(self, tile: TileState, color: int, left: int) -> Said:
        socket, place = self._sends(tile, color)
        rest = "the control bit that ends it" if left < 0 else f"{left} more wavelets of it"
        return (
            f"{tile_name(tile)} has ended without finishing its message on color"
            f" {self.color(color)}, which holds its path: {rest} should come; {socket}",
            place,
        )

    def _say_queue_off(self, tile: TileState, queue: int, _: int) -> Said:
        color = self.color(tile.inputs[queue].color)
        return f"{tile_name(tile)} input queue {queue}, color {color}, is not enabled", None

    def _say_other_queue(self, tile: TileState, queue: int, taker: int) -> Said:
        color = self.color(tile.inputs[queue].color)
        return (
            f"{tile_name(tile)} has two input queues on color {color}: queue {taker}, the lower,"
            f" takes everything and queue {queue} nothing",
            None,
        )

    def _say_torn_down(self, tile: TileState, color: int, _: int) -> Said:
        return (
            f"color {self.color(color)} is torn down at router {tile_name(tile)}: what arrives"
            " waits until the program gives it a route",
            None,
        )

    def _say_switch(self, tile: TileState, color: int, port: int) -> Said:
        state = tile.color(color)
        rule = state.rule
        takes = port >= AS_INPUT
        port %= AS_INPUT
        position = state.input_position if takes else state.output_position
        good = [
            n
            for n, (source, outputs) in enumerate(rule.positions)
            if (source == port if takes else outputs >> port & 1)
        ]
        wanted = f"take from {SIDES[port]}" if takes else f"send to {SIDES[port]}"
        there = ", ".join(f"{n} {route_text(rule, n)}" for n in good)
        return (
            f"the switch of color {self.color(color)} at router {tile_name(tile)} stands at"
            f" position {position} {route_text(rule, position)}; position {there} would {wanted},"
            f" but no ADVANCE or RESET came{self._advancers(tile, color)[0]}",
            self._advancers(tile, color)[1],
        )

    def _advancers(self, tile: TileState, color: int) -> Said:
        """The PEs whose control wavelets would come by this switch, and where the first sends."""
        from simfabric.explain.orphans import upstream_senders

        hop = Hop(tile.y, tile.x, "FIFO", color, color, 0, 0)
        senders = upstream_senders(self.snapshot, hop)
        others = [s for s in senders if s[:2] != tile.place] or senders
        if not others:
            return "", None
        y, x, pc = others[0]
        sender = self.snapshot.tile(y, x)
        more = f" or {len(others) - 1} more PEs" if len(others) > 1 else ""
        at = f", which sends on it at {place_text(sender.program, pc)}" if pc is not None else ""
        return f" from {tile_name(sender)}{at}{more}", place_of(sender.program, pc)

    def _say_no_output(self, tile: TileState, color: int, port: int) -> Said:
        state = tile.color(color)
        return (
            f"color {self.color(color)} at router {tile_name(tile)} {color_text(state)} does not"
            f" send to {SIDES[port]}",
            None,
        )

    def _say_no_input(self, tile: TileState, color: int, port: int) -> Said:
        state = tile.color(color)
        name, who = self.color(color), tile_name(tile)
        if state.source >= len(PORTS):
            return f"color {name} at router {who} {color_text(state)} has no input", None
        return (
            f"color {name} at router {who} {color_text(state)} reads what comes from {SIDES[port]}"
            f" but takes its input from {SIDES[state.source]}: it could not land",
            None,
        )

    def _say_no_rule(self, tile: TileState, color: int, _: int) -> Said:
        return f"color {self.color(color)} has no rule at router {tile_name(tile)}", None

    def _say_edge(self, tile: TileState, color: int, port: int) -> Said:
        route = color_text(tile.color(color))
        return (
            f"color {self.color(color)} at router {tile_name(tile)} {route} crosses the edge of"
            f" the grid on {SIDES[port]} side"
        ).replace("on the core side", "at the core"), None

    def _say_no_land(self, tile: TileState, color: int, port: int) -> Said:
        return (
            f"no color of router {tile_name(tile)} reads color {self.color(color)} from"
            f" {SIDES[port]}: it could not land",
            None,
        )

    def _say_unblock(self, tile: TileState, number: int, _: int) -> Said:
        entry = next((t.entry for t in tile.tasks if t.number == number), None)
        return (
            f"{tile_name(tile)} has nothing left to run that would unblock task {number}",
            place_of(tile.program, entry),
        )

    def _say_memory_FIFO(self, tile: TileState, address: int, full: int) -> Said:
        name = symbol_at(tile.program, address)
        verb = "takes from" if full else "fills"
        return f"nothing of {tile_name(tile)} {verb} the FIFO {name} any more", None

    def _say_busy(self, tile: TileState, slot: int, _: int) -> Said:
        return f"{tile_name(tile)} {thread_name(slot)} still runs", None

    def _say_works(self, tile: TileState, _: int, __: int) -> Said:
        return f"{tile_name(tile)} still works", None

    def _say_moves(self, tile: TileState, color: int, _: int) -> Said:
        name = self.color(color)
        return f"wavelets of color {name} are still on their way at {tile_name(tile)}", None
