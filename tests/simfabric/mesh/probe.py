"""Small machines looked at through their event log."""

from carbide.isa.assembler import assemble
from carbide.object import Object
from mitools.arch import load
from mitools.image.model import Image
from simfabric.mesh import Mesh, Stop
from tests.simfabric.machine import Pe, grid

SDR = load("sdr")
START = SDR.timing.arrival_to_task
"""Cycle of the first issue of a task that is active from the start."""


def code(text: str, data: str = "") -> Object:
    """A program whose task 8 starts at the first instruction."""
    data = f"\n.data\n{data}" if data else ""
    return assemble(f".task 8 main active open\nmain:\n{text}{data}", "test", "test.w")


class Ran:
    """A run to its end, with everything logged."""

    def __init__(self, image: Image, cycles: int = 100_000, arch=None, threads: int = 1) -> None:
        self.mesh = Mesh(image, arch=arch)
        self.mesh.log((0, 0, image.width - 1, image.height - 1))
        self.stop = self.mesh.run(cycles, threads=threads)
        self.events = self.mesh.events()

    def issues(
        self, y: int = 0, x: int = 0, slot: int = 0, address: int | None = None
    ) -> list[int]:
        """Cycles in which a thread issued (an instruction at an address)."""
        return [
            e.cycle
            for e in self.events
            if e.kind == "issue" and (e.y, e.x, e.slot) == (y, x, slot)
            and address in (None, e.address)
        ]

    def tasks(self, y: int = 0, x: int = 0) -> list[tuple[int, int]]:
        """(cycle of the pick, task)."""
        return [(e.cycle, e.task) for e in self.events if e.kind == "task" and (e.y, e.x) == (y, x)]

    def passed(self, kind: str, y: int, x: int, color: int | None = None) -> list[tuple[int, int]]:
        """(cycle, payload) of what landed in a router or departed from it."""
        return [
            (e.cycle, e.wavelet.payload)
            for e in self.events
            if e.kind == kind and (e.y, e.x) == (y, x) and color in (None, e.color)
        ]

    def word(self, address: int, y: int = 0, x: int = 0) -> int:
        return int(self.mesh.memory(y, x, address, 1)[0])

    def words(self, address: int, count: int, y: int = 0, x: int = 0) -> list[int]:
        return self.mesh.memory(y, x, address, count).tolist()

    def color(self, y: int, x: int, color: int):
        return next(c for c in self.mesh.tile(y, x).colors if c.color == color)


def alone(text: str, data: str = "", cycles: int = 100_000, **pe) -> Ran:
    """One PE."""
    return Ran(grid({(0, 0): Pe(code(text, data), **pe)}), cycles)


def spaced(text: str, data: str = "") -> list[int]:
    """Cycles from the first issue to each issue of the main thread of one PE."""
    return [cycle - START for cycle in alone(text, data).issues()]


__all__ = ["SDR", "START", "Mesh", "Pe", "Ran", "Stop", "alone", "code", "grid", "spaced"]
