"""An explanation as data: what waits, why, and what is left over. `text` prints it."""

from typing import Any

from attrs import asdict, field, frozen

from simfabric.explain.snapshot import Coordinate


@frozen
class Hop:
    """One buffer on a color's path.

    `what` is "output queue", "FIFO", "lane", "input queue" or "core"; `number` the queue, or the
    port of a lane; `route` the rule in force there. `downstream` tells a buffer that the one before
    it in a path sends to from one that it is fed by.
    """

    y: int
    x: int
    what: str
    number: int
    color: int
    held: int
    depth: int
    color_name: str = ""
    route: str = ""
    downstream: bool = True


@frozen
class Stall:
    """One thread or task that waits. Slot -1 stands for a task.

    `waits` is "receive", "send", "blocked", "microthreads", "slot", "full FIFO" or "empty FIFO".
    `path` are the buffers from here towards what it waits for. `alike` are the other PEs of which
    the same can be said. `text` says all but the path.
    """

    y: int
    x: int
    slot: int
    task: int | None
    waits: str
    text: str
    socket: str | None = None
    queue: int | None = None
    color: int | None = None
    color_name: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    left: int | None = 0
    path: tuple[Hop, ...] = ()
    alike: tuple[Coordinate, ...] = ()


@frozen
class Cause:
    """Why some threads wait: `kind` is "cycle" or one of `waits.REASONS`.

    `chain` are the stalls of a cycle in order, each waiting for the next and the last for the
    first; `stalls` those that lead to this cause, nearest first. `alike` are the first PEs of
    further causes of which the same can be said.
    """

    kind: str
    text: str
    places: tuple[Coordinate, ...]
    chain: tuple[Stall, ...] = ()
    stalls: tuple[Stall, ...] = ()
    file: str | None = None
    line: int | None = None
    column: int | None = None
    alike: tuple[Coordinate, ...] = ()


@frozen
class Orphans:
    """Wavelets left of one color and one sending place: how many, and where they are."""

    count: int
    color: int
    color_name: str
    text: str
    held: tuple[Hop, ...]
    senders: tuple[Coordinate, ...] = ()


@frozen
class Handlers:
    """PEs that wait in handlers, as reactive programs do."""

    program: str
    count: int
    first: Coordinate


@frozen
class Explanation:
    """`waiting` counts PEs; `unexplored` those that wait but were not looked into, and
    `orphans_beyond` PEs with wavelets that were not. `clean`: routers hold nothing."""

    cycle: int
    reason: str
    waiting: int = 0
    causes: tuple[Cause, ...] = ()
    orphans: tuple[Orphans, ...] = ()
    handlers: tuple[Handlers, ...] = ()
    clean: bool = True
    unexplored: int = 0
    orphans_beyond: int = 0
    problem: str | None = field(default=None)

    @property
    def stalls(self) -> list[Stall]:
        """Every stall of every cause, cycles first."""
        return [s for cause in self.causes for s in (*cause.chain, *cause.stalls)]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; coordinates as {"x": …, "y": …}."""
        return _plain(asdict(self))


def _plain(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _plain(v, k) for k, v in value.items()}
    if isinstance(value, list | tuple):
        if key in ("alike", "places", "senders"):
            return [{"x": x, "y": y} for y, x in value]
        if key == "first":
            return {"x": value[1], "y": value[0]}
        return [_plain(v) for v in value]
    return value
