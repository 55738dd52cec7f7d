"""`Mesh`: an image put to work, run, and looked at."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from attrs import evolve

from mitools.arch import load
from mitools.arch.model import Arch
from mitools.image.model import Image
from simfabric.mesh import checkpoint, layout, loop
from simfabric.mesh.build import Built, Unsupported, build, code_index, divide, refill
from simfabric.mesh.program import Code, table_of
from simfabric.mesh.show import Shown
from simfabric.mesh.state import Event, Fault, MachineError, Stop, TileState

_FAULTS = list(Fault)
_DETAILS = {
    Fault.COULD_NOT_LAND: ("color", "port", "payload", "origin"),
    Fault.RESERVED_WRITE: ("address", "value"),
    Fault.UNDEFINED_INSTRUCTION: ("address", "word"),
    Fault.QUEUE_REBOUND: ("queue", "color", "new_color", "wavelets"),
    Fault.HALF_FOR_WORD: ("queue", "color"),
    Fault.HALF_ON_MESSAGE: ("color", "payload", "", "origin"),
    Fault.MESSAGE_OUTSIDE: ("color", "header", "", "origin"),
    Fault.MESSAGE_DIRECTION: ("color", "header", "", "origin"),
    Fault.MESSAGE_BANK: ("color", "header", "port", "origin"),
    Fault.MESSAGE_NO_HEADER: ("color", "payload", "", "origin"),
    Fault.BAD_DESCRIPTOR: ("address", "operand", "descriptor"),
    Fault.BAD_TASK: ("address", "task"),
    Fault.UNWRITTEN_READ: ("address",),
}
_EVENTS_AT_ONCE = 1 << 14

__all__ = ["Mesh", "Unsupported"]


class Mesh:
    """A grid of PEs at some cycle.

    `arch` None is the table of the image's ARCH; another table changes sizes and timings within
    what `Unsupported` allows. `quiet` overrides how many quiet cycles end a run. `check` makes a
    read of memory that was never written an error.
    """

    def __init__(
        self,
        image: Image,
        arch: Arch | None = None,
        quiet: int | None = None,
        check: bool = False,
    ) -> None:
        self.image = image
        self.arch = arch or load(image.arch)
        if quiet is not None:
            self.arch = evolve(self.arch, timing=evolve(self.arch.timing, quiet_cycles=quiet))
        self.width, self.height = image.width, image.height
        self.cycles = 0
        """Cycles counted so far."""
        self.error: MachineError | None = None
        self._built: Built = build(image, self.arch, loop, check)
        self._storage = self._built.storage
        self._shown = Shown(self._built, image)
        self._threads = 1
        self._events: list[Any] = []

    def run(
        self,
        cycles: int,
        threads: int = 1,
        progress: Callable[[int], bool | None] | None = None,
        every: int = 1 << 14,
    ) -> Stop:
        """Run until cycle `cycles` at most; can be called again to go on.

        `progress(cycle)` is called about every `every` cycles; a true result interrupts the run.
        """
        if self.error:
            return Stop.ERROR
        storage = self._storage
        if threads != self._threads and storage["phase"] == 0:
            divide(self._built, threads)
            self._threads = threads
        quiet = self.arch.timing.quiet_cycles
        while True:
            until = min(cycles, storage["now"] + every) if progress else cycles
            outcome = loop.run(storage.where, until, quiet)
            if outcome == "pause":
                self._serve()
                continue
            self.cycles = storage["now"]
            if outcome == "quiet":
                return Stop.QUIET
            if outcome == "fault":
                self._find_error()
                return Stop.ERROR
            if self.cycles >= cycles:
                return Stop.LIMIT
            if progress and progress(self.cycles):
                return Stop.INTERRUPTED

    # --- what the loop asks for ---------------------------------------------------------------

    def _serve(self) -> None:
        storage = self._storage
        for number in range(storage["worker_count"]):
            worker = storage.row("workers", number)
            if worker["pause"] == layout.PAUSE_PAGES:
                refill(self._built, number, "page")
            elif worker["pause"] == layout.PAUSE_CHANNELS:
                if worker["next_channel"] + 48 > worker["end_channel"]:
                    refill(self._built, number, "channel")
                if worker["next_lane"] + 12 > worker["end_lane"]:
                    refill(self._built, number, "lane")
            elif worker["pause"] == layout.PAUSE_EVENTS:
                self._take_events(number)
            elif worker["pause"] == layout.PAUSE_CODE:
                self._fetch(int(worker["pause_tile"]))

    def _fetch(self, tile: int) -> None:
        """Decode what a PE's main thread came to, or its whole code after it was written into."""
        storage = self._storage
        row = storage.row("tiles", tile)
        if row["program"] < 0:
            storage.put("tiles", tile, "program_code", self.add_code((), 0))
        program = int(storage.row("tiles", tile)["program_code"])
        pc = int(row["pc"])
        address = int(row["fetch_address"])
        if row["fetch"] == layout.FETCH_CHANGED:
            words = [
                loop.peek(storage.where, tile, a, storage["now"])
                for a in range(int(row["code_start"]), int(row["code_end"]))
            ]
            if pc >= 0:
                address = int(storage.row("ops", pc)["address"])
            program = self.add_code(words, int(row["code_start"]))
            storage.put("tiles", tile, "program_code", program)
        if int(row["main"]) != layout.AT_REST:
            storage.put("tiles", tile, "pc", self.decode(program, address))
        storage.put("tiles", tile, "fetch", layout.FETCH_NONE)

    def add_code(self, words: Sequence[int], base: int) -> int:
        """Decode code that only one PE has; its place in `Machine.programs`."""
        storage, built = self._storage, self._built
        code = Code(words, base, self.arch)
        places = list(range(storage.size("ops"), storage.size("ops") + len(code.rows)))
        built.codes.append(code)
        built.places.append(places)
        built.fetched.append((base, words))
        self._append("ops", table_of(code, places))
        record = np.zeros(1, layout.dtype("Program"))
        record[0] = (base, base + len(words), storage.size("op_at"), len(code.sites))
        self._append("op_at", code_index(code, places))
        self._append("programs", record)
        return storage.size("programs") - 1

    def decode(self, program: int, address: int) -> int:
        """The number of the instruction at an address, decoded now if it was not before."""
        storage, code = self._storage, self._built.codes[program]
        places = self._built.places[program]
        start, first = len(code.rows), storage.size("ops")
        found = code.decode_at(address)
        if len(code.rows) > start:
            self._built.fetched.append((program, address))
            places += range(first, first + len(code.rows) - start)
            self._append("ops", table_of(code, places, start))
            index = int(storage.row("programs", program)["index"])
            for k, value in enumerate(code_index(code, places)):
                storage.put("op_at", index + k, None, value)
        return places[found]

    def _append(self, name: str, more: Any) -> None:
        self._storage.set(name, np.concatenate([self._storage.get(name), more]))

    def _find_error(self) -> None:
        """The smallest (cycle, y, x) among what the threads found."""
        workers = self._storage.get("workers")
        found = [w for w in workers if w["fault"] != layout.FAULT_NONE]
        first = min(found, key=lambda w: (int(w["fault_cycle"]), int(w["fault_tile"])))
        fault = _FAULTS[int(first["fault"]) - 1]
        y, x = divmod(int(first["fault_tile"]), self.width)
        details = dict(zip(_DETAILS[fault], map(int, first["fault_details"]), strict=False))
        details.pop("", None)
        wavelet = None
        if "origin" in details:
            wavelet = self._shown.wavelet(details.pop("origin") << 32)
        else:
            place = int(first["fault_op"])
            details["instruction"] = int(self._storage.row("ops", place)["address"])
        self.cycles = int(first["fault_cycle"]) + 1
        origin = (wavelet.origin, wavelet.address) if wavelet else None
        self.error = MachineError(fault, int(first["fault_cycle"]), y, x, details, origin)

    # --- checkpoints ----------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Any], list[Any]]:
        """The state between two runs, see `simfabric.mesh.checkpoint`."""
        return checkpoint.state_of(self, self._built, self._events)

    def restore(self, numbers: dict[str, Any], arrays: Any) -> None:
        """Go on from a state of the same image and machine table. Use on a mesh that has not run.

        Raises ValueError for what is no such state.
        """
        self._events = checkpoint.restore(self, self._built, numbers, arrays)
        self._threads = 1

    # --- looking at it --------------------------------------------------------------------------

    def tile(self, y: int, x: int) -> TileState:
        """All of one PE."""
        return self._shown.tile(y * self.width + x)

    def survey(self) -> dict[str, Any]:
        """Boolean (height, width) arrays: "waits" where a thread waits, "blocked" where an active
        task is, "holds" where wavelets are in the router, the queues or on a link towards it,
        "handlers" where a data task would start with the next wavelet."""
        return self._shown.survey()

    def router_clean(self) -> bool:
        """Whether all router FIFOs and lanes are empty."""
        return self._shown.router_clean()

    def counters(self) -> dict[str, Any]:
        """(height, width) arrays: cycles of "work", "send", "receive", "idle"; "outside" wavelets
        that left the grid."""
        return self._shown.counters(self.cycles)

    def traffic(self) -> Any:
        """Departures, (height, width, colors, 5 ports)."""
        return self._shown.traffic()

    def memory(self, y: int, x: int, start: int, count: int) -> Any:
        """Words that the PE would read from `start` on, as uint16."""
        where, tile = self._storage.where, y * self.width + x
        now = self.cycles
        values = [loop.peek(where, tile, a, now) for a in range(start, start + count)]
        return np.array(values, np.uint16)

    def words(self, start: int, count: int) -> Any:
        """Words `start` to `start + count` of main memory or cache of all PEs, as uint16 of shape
        (height, width, count)."""
        return self._shown.words(start, count)

    def changed(self) -> list[tuple[int, Any, Any]]:
        """What PEs hold in pages of their own: (first address, tile numbers, words (n, 256))."""
        return self._shown.changed()

    # --- the event log ----------------------------------------------------------------------------

    def log(self, tiles: tuple[int, int, int, int], first: int = 0, last: int = 1 << 62) -> None:
        """Record what happens at tiles x0, y0, x1, y1 (inclusive) in cycles first to last - 1."""
        x0, y0, x1, y1 = tiles
        for y in range(max(y0, 0), min(y1, self.height - 1) + 1):
            for x in range(max(x0, 0), min(x1, self.width - 1) + 1):
                self._storage.put("tiles", y * self.width + x, "logged", 1)
        self._storage["log_first"], self._storage["log_last"] = first, last
        self._storage["event_most"] = _EVENTS_AT_ONCE
        self._threads = 0  # the next run deals out again, with room for events

    def events(self) -> list[Event]:
        """The records of the cycles so far, by cycle and tile; they are forgotten.

        An instruction that has issued executes later: that record comes when its cycle has.
        """
        for number in range(self._storage["worker_count"]):
            self._take_events(number)
        now = self.cycles
        rows = sorted((r for r in self._events if r[0] < now), key=itemgetter(0, 2))
        self._events = [r for r in self._events if r[0] >= now]
        return [self._shown.event(row) for row in rows]

    def _take_events(self, number: int) -> None:
        storage = self._storage
        count = int(storage.row("workers", number)["event_count"])
        first = number * storage["event_most"]
        self._events += storage.rows("events", first, first + count)
        storage.put("workers", number, "event_count", 0)
