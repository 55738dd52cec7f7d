"""The state of a stopped grid as the explanation reads it.

The engine fills it tile by tile on demand (`simfabric.state`); tests build it by hand. Nothing here
knows how the engine keeps its state.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

from attrs import field, frozen

from carbide.object import Object
from mitools.arch.words import CORE, SWAP_CORE, SWAP_HORIZONTAL, SWAP_VERTICAL, UNUSED, ColorRule

Coordinate = tuple[int, int]
"""(y, x); row 0 is the north row."""

SWAP_OF_PORT = (SWAP_HORIZONTAL, SWAP_HORIZONTAL, SWAP_VERTICAL, SWAP_VERTICAL, SWAP_CORE)
"""The swap bit that governs an input port, by port number (L, R, U, D, C)."""

# What a thread waits for.
RECEIVE, SEND = "receive", "send"
FIFO_EMPTY, FIFO_FULL = "empty FIFO", "full FIFO"
MICROTHREADS, SLOT = "microthreads", "slot"


@frozen
class Wavelet:
    """`origin` is the PE that sent it and `pc` the address of the sending instruction, if known."""

    data: int
    control: bool = False
    half: bool = False
    origin: Coordinate | None = None
    pc: int | None = None


@frozen
class Thread:
    """A thread of a CE that waits. Slot 0 is the main thread, 1-12 are the microthreads 0-11.

    `waits` is one of the words above. `queue` is the input or output queue it waits for, `fifo` the
    address of a FIFO record in memory, `mask` the microthreads (bit n is microthread n).
    `pc` is the address of the instruction. `left` elements are still to come; None is a transfer
    without end.
    """

    slot: int
    pc: int
    waits: str
    queue: int | None = None
    fifo: int | None = None
    mask: int = 0
    left: int | None = 0


@frozen
class TaskState:
    """`entry` is None for a task whose entry was never set."""

    number: int
    entry: int | None
    active: bool
    blocked: bool
    mask: int = 0


@frozen
class QueueState:
    color: int
    enabled: bool
    depth: int
    wavelets: tuple[Wavelet, ...] = ()

    @property
    def full(self) -> bool:
        return len(self.wavelets) >= self.depth


@frozen
class ColorState:
    """One color in one router. The head of `fifo` is its first wavelet.

    `outputs_left` is the mask of outputs that have not taken the head yet (0 when there is none).
    On a color of an enabled message bank, `message_port` is the output of the message that is on
    its way, `message_left` its wavelets to come (None: open), `message_holds` whether it has the
    output.
    """

    rule: ColorRule = UNUSED
    input_position: int = 0
    output_position: int = 0
    torn_down: bool = False
    depth: int = 4
    fifo: tuple[Wavelet, ...] = ()
    outputs_left: int = 0
    message_port: int | None = None
    message_left: int | None = None
    message_holds: bool = False

    @property
    def source(self) -> int:
        """The input port it takes from now (NO_INPUT for none)."""
        return self.rule.positions[self.input_position][0]

    @property
    def outputs(self) -> int:
        """The mask of output ports it sends to now."""
        return self.rule.positions[self.output_position][1]

    @property
    def full(self) -> bool:
        return len(self.fifo) >= self.depth

    def swaps(self, port: int) -> bool:
        """Whether this color reads its partner's wavelets at an input port."""
        return bool(self.rule.swap & SWAP_OF_PORT[port])


NO_COLOR = ColorState()


@frozen
class TileState:
    """One PE and its router. Colors without a rule and without wavelets may be left out.

    `lanes` are the landing lanes by (input port, arrival color); what the core sends waits in its
    output queues. `message_banks` is a mask of the enabled ones of `bank_colors`. `works` tells
    that a thread or a task of it can go on.
    """

    y: int
    x: int
    program: Object | None = None
    region: str | None = None
    threads: tuple[Thread, ...] = ()
    tasks: tuple[TaskState, ...] = ()
    inputs: tuple[QueueState, ...] = ()
    outputs: tuple[QueueState, ...] = ()
    colors: Mapping[int, ColorState] = field(factory=dict)
    lanes: Mapping[tuple[int, int], tuple[Wavelet, ...]] = field(factory=dict)
    message_banks: int = 0
    bank_colors: tuple[tuple[int, ...], ...] = ()
    works: bool = False

    def color(self, number: int) -> ColorState:
        return self.colors.get(number, NO_COLOR)

    def readers(self, port: int, arrival: int) -> list[int]:
        """The colors that read what arrives on color `arrival` at an input port (swap rules)."""
        found = []
        if not self.color(arrival).swaps(port):
            found.append(arrival)
        if self.color(arrival ^ 1).swaps(port):
            found.append(arrival ^ 1)
        return found

    def arrival(self, color: int, port: int) -> int:
        """The color on which `color` takes its wavelets at an input port."""
        return color ^ 1 if self.color(color).swaps(port) else color

    def output_queues(self, color: int) -> list[int]:
        """The output queues whose wavelets leave on `color`."""
        return [q for q, state in enumerate(self.outputs) if state.enabled and state.color == color]

    def input_queue(self, color: int) -> int | None:
        """The queue that takes `color` at the core: the lowest enabled one."""
        for q, state in enumerate(self.inputs):
            if state.enabled and state.color == color:
                return q
        return None

    @property
    def routers_hold(self) -> int:
        """Wavelets in the router's FIFOs and lanes."""
        fifos = sum(len(c.fifo) for c in self.colors.values())
        return fifos + sum(len(lane) for lane in self.lanes.values())

    @property
    def waits(self) -> bool:
        """Whether something of this PE waits: a thread, or an active task that is blocked."""
        return bool(self.threads) or bool(self.blocked_tasks)

    @property
    def blocked_tasks(self) -> list[TaskState]:
        return [t for t in self.tasks if t.active and t.blocked and t.entry is not None]

    @property
    def handlers(self) -> list[TaskState]:
        """Data tasks that would start with the next wavelet of their queue."""
        return [
            t for t in self.tasks if t.number < len(self.inputs) and not t.blocked and t.entry
        ]

    @property
    def place(self) -> Coordinate:
        return self.y, self.x


class Snapshot(Protocol):
    """The whole grid. `reason` is "quiet", "limit", "error" or "interrupted"."""

    width: int
    height: int
    cycle: int
    reason: str
    colors: Mapping[int, list[str]]

    def tile(self, y: int, x: int) -> TileState:
        """The state of one tile. Raises IndexError off the grid."""
        ...

    def waiting(self) -> Iterator[list[Coordinate]]:
        """The PEs for which `TileState.waits`, in groups that wait alike, each in row order."""
        ...

    def holding(self) -> Iterator[Coordinate]:
        """The PEs where wavelets are left in a FIFO, lane or queue, in row order."""
        ...

    def handling(self) -> Iterator[Coordinate]:
        """The PEs that only wait in handlers, in row order."""
        ...

    def clean(self) -> bool:
        """Whether all router FIFOs and lanes are empty."""
        ...


@frozen
class TileSnapshot:
    """A snapshot from tiles made by hand; places without a tile are PEs without a program."""

    width: int
    height: int
    tiles: Mapping[Coordinate, TileState]
    cycle: int = 0
    reason: str = "quiet"
    colors: Mapping[int, list[str]] = field(factory=dict)

    @classmethod
    def of(cls, *tiles: TileState, **more) -> "TileSnapshot":
        """A grid just large enough for the tiles."""
        by_place = {t.place: t for t in tiles}
        height = max(y for y, _ in by_place) + 1
        width = max(x for _, x in by_place) + 1
        return cls(width, height, by_place, **more)

    def tile(self, y: int, x: int) -> TileState:
        if not (0 <= y < self.height and 0 <= x < self.width):
            raise IndexError(f"no PE at column {x}, row {y}")
        return self.tiles.get((y, x)) or TileState(y, x)

    def waiting(self) -> Iterator[list[Coordinate]]:
        groups: dict[object, list[Coordinate]] = {}
        for place in sorted(self.tiles):
            tile = self.tiles[place]
            if tile.waits:
                program = tile.program.program if tile.program else None
                alike = tuple((t.slot, t.pc, t.waits, t.queue) for t in tile.threads)
                blocked = tuple(t.number for t in tile.blocked_tasks)
                groups.setdefault((program, alike, blocked), []).append(place)
        yield from groups.values()

    def holding(self) -> Iterator[Coordinate]:
        for place in sorted(self.tiles):
            tile = self.tiles[place]
            queues = (*tile.inputs, *tile.outputs)
            if tile.routers_hold or any(q.wavelets for q in queues):
                yield place

    def handling(self) -> Iterator[Coordinate]:
        for place in sorted(self.tiles):
            tile = self.tiles[place]
            if tile.handlers and not tile.waits and not tile.works:
                yield place

    def clean(self) -> bool:
        return not any(tile.routers_hold for tile in self.tiles.values())


CORE_PORT = CORE
