"""The state of a mesh in the form the explanation reads (`simfabric.explain.snapshot`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from carbide.object import Object
from mitools.arch.model import Arch
from mitools.arch.words import ColorRule
from mitools.image.model import Image
from simfabric.explain import snapshot as view
from simfabric.mesh import state

WAITS = {
    state.Wait.RECEIVE: view.RECEIVE,
    state.Wait.SEND: view.SEND,
    state.Wait.FIFO_EMPTY: view.FIFO_EMPTY,
    state.Wait.FIFO_FULL: view.FIFO_FULL,
    state.Wait.MICROTHREADS: view.MICROTHREADS,
    state.Wait.SLOT: view.SLOT,
}
KEPT_TILES = 50_000


class MeshSnapshot:
    """A `simfabric.explain.snapshot.Snapshot` over a mesh that stands still."""

    def __init__(self, mesh: Any, image: Image, arch: Arch, reason: str) -> None:
        self.width, self.height = image.width, image.height
        self.cycle: int = mesh.cycles
        self.reason = reason
        self.colors: Mapping[int, list[str]] = image.colors
        self._mesh = mesh
        self._image = image
        self._arch = arch
        self._region = _regions(image)
        self._tile = lru_cache(maxsize=KEPT_TILES)(self._convert)
        self._survey = mesh.survey()
        self._waits = self._survey["waits"] | self._survey["blocked"]

    def tile(self, y: int, x: int) -> view.TileState:
        if not (0 <= y < self.height and 0 <= x < self.width):
            raise IndexError(f"no PE at column {x}, row {y}")
        return self._tile(y, x)

    def waiting(self) -> Iterator[list[view.Coordinate]]:
        counts = np.bincount(self._image.program[self._waits] + 1)
        for number in np.flatnonzero(counts) - 1:
            yield _places(self._waits & (self._image.program == number))

    def holding(self) -> Iterator[view.Coordinate]:
        yield from _places(self._survey["holds"])

    def handling(self) -> Iterator[view.Coordinate]:
        yield from _places(self._survey["handlers"] & ~self._waits)

    def _color(self, color: state.ColorState, banks: int) -> view.ColorState:
        outputs = color.routes[color.output_position][1]
        for number, bank in enumerate(self._arch.router.message_banks):
            if banks >> number & 1 and color.color in bank:
                outputs = 0 if color.message_port is None else 1 << color.message_port
        return view.ColorState(
            ColorRule(color.routes, color.swap),
            color.input_position,
            color.output_position,
            bool(color.stopped),
            self._arch.router.fifo_depth,
            tuple(_wavelet(w) for w in color.fifo),
            outputs & ~color.done if color.fifo else 0,
            color.message_port,
            color.message_left,
            color.message_holds,
        )

    def clean(self) -> bool:
        return bool(self._mesh.router_clean())

    def _convert(self, y: int, x: int) -> view.TileState:
        tile = self._mesh.tile(y, x)
        program = self._image.programs[tile.program] if tile.program >= 0 else None
        config = self._image.config[y, x]
        banks = self._image.configs[config].message_banks if config >= 0 else 0
        return view.TileState(
            y,
            x,
            program,
            self._region.get((y, x)),
            tuple(_thread(t) for t in tile.threads if t.wait is not None),
            tuple(
                view.TaskState(t.number, t.entry, t.active, t.blocked, t.mask) for t in tile.tasks
            ),
            _queues(tile.inputs, self._arch.queues.input_depth, lambda q: q.enabled),
            _queues(
                tile.outputs, self._arch.queues.output_depth, lambda q: _sends(program, q.number)
            ),
            {c.color: self._color(c, banks) for c in tile.colors},
            {
                (port, c.color): tuple(_wavelet(w) for w in lane)
                for c in tile.colors
                for port, lane in c.lanes.items()
                if lane
            },
            banks,
            self._arch.router.message_banks,
            works=any(t.wait is None for t in tile.threads) or any(t.ready for t in tile.tasks),
        )


def _places(where: np.ndarray) -> list[view.Coordinate]:
    return [(int(y), int(x)) for y, x in np.argwhere(where)]


def _regions(image: Image) -> dict[view.Coordinate, str]:
    """The name of the region of each tile; the first name of a tile counts."""
    if sum(len(ys) for ys, _ in image.regions.values()) > KEPT_TILES:
        return {}
    found: dict[view.Coordinate, str] = {}
    for name, (ys, xs) in image.regions.items():
        for y, x in zip(ys.tolist(), xs.tolist(), strict=True):
            found.setdefault((y, x), name)
    return found


def _sends(program: Object | None, queue: int) -> bool:
    if program is None:
        return False
    from simfabric.explain.sites import sites

    return queue in sites(program).sends or any(s.output_queue == queue for s in program.sockets)


def _thread(thread: state.Thread) -> view.Thread:
    return view.Thread(
        thread.slot,
        thread.address,
        WAITS[thread.wait],  # type: ignore[index]
        thread.queue,
        thread.record,
        thread.mask,
        thread.left,
    )


def _wavelet(wavelet: state.Wavelet) -> view.Wavelet:
    return view.Wavelet(
        wavelet.payload,
        wavelet.kind == "control",
        wavelet.kind == "half",
        wavelet.origin,
        wavelet.address,
    )


def _queues(
    queues: Iterable[state.Queue], depths: tuple[int, ...], enabled: Callable[[state.Queue], bool]
) -> tuple[view.QueueState, ...]:
    """All queues of one direction by number; those that are not shown are not enabled."""
    found = [view.QueueState(0, False, depth) for depth in depths]
    for queue in queues:
        wavelets = tuple(_wavelet(w) for w in queue.wavelets)
        depth = depths[queue.number]
        found[queue.number] = view.QueueState(queue.color, enabled(queue), depth, wavelets)
    return tuple(found)
