"""Where main threads spend their time, by source line: a sample of PEs, looked at now and then."""

from collections import defaultdict
from typing import Any

import numpy as np
from attrs import frozen

from mitools.image.model import Image
from simfabric.explain.names import place_of
from simfabric.mesh.state import Wait

MOST_TILES = 200
MOST_LINES = 40


@frozen
class LineTime:
    """A source line's share of the time of all sampled PEs, and what it was spent on."""

    program: str
    file: str
    line: int
    share: float
    working: float
    sending: float
    receiving: float


class Profile:
    """Call `look` between pieces of a run; pieces may be of any length."""

    def __init__(self, image: Image) -> None:
        self._image = image
        places = np.argwhere(image.program >= 0)
        step = max(1, len(places) // MOST_TILES)
        self._places = [(int(y), int(x)) for y, x in places[::step]]
        self._last = 0
        self._total = 0.0
        self._times: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])

    def look(self, mesh: Any) -> None:
        """Count the cycles since the last look for where the PEs stand now."""
        weight = mesh.cycles - self._last
        self._last = mesh.cycles
        self._total += weight * len(self._places)
        if not weight:
            return
        for y, x in self._places:
            tile = mesh.tile(y, x)
            thread = next(iter(tile.threads), None)
            if thread is not None:
                kind = {Wait.SEND: 1, Wait.FIFO_FULL: 1, None: 0}.get(thread.wait, 2)
                self._times[tile.program, thread.address][kind] += weight

    def lines(self) -> list[LineTime]:
        """The lines that took most, most first."""
        times: dict[tuple[str, str, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        for (number, address), spent in self._times.items():
            program = self._image.programs[number]
            place = place_of(program, address)
            if place is not None:
                line = times[program.program, place[0], place[1]]
                for kind, cycles in enumerate(spent):
                    line[kind] += cycles
        total = max(self._total, 1.0)
        found = [
            LineTime(
                name,
                file,
                line,
                sum(spent) / total,
                *(cycles / total for cycles in spent),
            )
            for (name, file, line), spent in times.items()
        ]
        return sorted(found, key=lambda t: (-t.share, t.file, t.line))[:MOST_LINES]
