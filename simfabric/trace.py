"""`trace=`: Chrome trace events, which Perfetto and other viewers open.

One process a PE; its tracks are the main thread, the microthreads, and one for each color in its
router. A cycle is a microsecond of the trace. Instructions that issue in consecutive cycles from
one place are one slice, named by mnemonic and source line.
"""

import json
from collections.abc import Iterable
from typing import IO, Any

from attrs import define

from mitools.arch.words import PORTS
from mitools.image.model import Image
from simfabric.explain.names import color_name, pe_name, place_text, thread_name
from simfabric.mesh.state import Event

MERGE_CYCLES = 8
"""Issues of one instruction at most so far apart belong to one slice."""
ROUTER_TRACKS = 100


@define
class _Slice:
    address: int
    first: int
    last: int
    issues: int = 1


class Trace:
    """Writes trace events as they come; `close` ends the file."""

    def __init__(self, out: IO[str], image: Image) -> None:
        self._out = out
        self._image = image
        self._open: dict[tuple[int, int], _Slice] = {}
        self._named: set[tuple[int, int]] = set()
        self._names: dict[tuple[int, int], tuple[str, str]] = {}
        self._separator = "\n"
        out.write('{"displayTimeUnit":"ns","otherData":{"unit":"1 cycle = 1 us"},"traceEvents":[')

    def take(self, events: Iterable[Event]) -> None:
        """Write what some events add, which come in order of cycles."""
        for event in events:
            process = event.y * self._image.width + event.x
            if event.kind == "issue":
                self._issue(event, process)
            elif event.kind in ("land", "depart") and event.wavelet is not None:
                self._wavelet(event, process)
            elif event.kind == "task":
                self._track(process, 0, event)
                self._write(
                    {
                        "name": f"task {event.task}",
                        "ph": "i",
                        "s": "t",
                        "ts": event.cycle,
                        "pid": process,
                        "tid": 0,
                    }
                )

    def close(self) -> None:
        """End every slice and the file."""
        for (process, slot), slice_ in sorted(self._open.items()):
            self._end(process, slot, slice_)
        self._open.clear()
        self._out.write("\n]}\n")

    def _issue(self, event: Event, process: int) -> None:
        slot, address = event.slot or 0, event.address or 0
        key = process, slot
        known = self._open.get(key)
        if known and known.address == address and event.cycle - known.last <= MERGE_CYCLES:
            known.last = event.cycle
            known.issues += 1
            return
        if known:
            self._end(process, slot, known)
        self._track(process, slot, event)
        self._open[key] = _Slice(address, event.cycle, event.cycle)

    def _end(self, process: int, slot: int, slice_: _Slice) -> None:
        number = int(self._image.program.flat[process])
        mnemonic, place = self._operation(number, slice_.address)
        self._write(
            {
                "name": f"{mnemonic} {place}",
                "cat": mnemonic,
                "ph": "X",
                "ts": slice_.first,
                "dur": slice_.last - slice_.first + 1,
                "pid": process,
                "tid": slot,
                "args": {"address": f"0x{slice_.address:04x}", "issues": slice_.issues},
            }
        )

    def _wavelet(self, event: Event, process: int) -> None:
        color, port, wavelet = event.color or 0, event.port or 0, event.wavelet
        assert wavelet is not None
        track = ROUTER_TRACKS + color
        self._track(process, track, event)
        name = f"{'from' if event.kind == 'land' else 'to'} {PORTS[port]}"
        origin = pe_name(*wavelet.origin)
        self._write(
            {
                "name": name,
                "cat": event.kind,
                "ph": "X",
                "ts": event.cycle,
                "dur": 1,
                "pid": process,
                "tid": track,
                "args": {"data": f"0x{wavelet.payload:08x}", "kind": wavelet.kind, "from": origin},
            }
        )

    def _operation(self, number: int, address: int) -> tuple[str, str]:
        key = number, address
        if key not in self._names:
            from simfabric.log import disassembled

            program = self._image.programs[number] if number >= 0 else None
            mnemonic, _ = disassembled(self._image, number, address)
            self._names[key] = mnemonic.lower(), place_text(program, address)
        return self._names[key]

    def _track(self, process: int, track: int, event: Event) -> None:
        """Name the process and the track when they first appear."""
        if (process, track) in self._named:
            return
        if (process, -1) not in self._named:
            self._named.add((process, -1))
            number = int(self._image.program.flat[process])
            program = f" {self._image.programs[number].program}" if number >= 0 else ""
            self._meta(process, 0, "process_name", pe_name(event.y, event.x) + program)
        self._named.add((process, track))
        if track < ROUTER_TRACKS:
            name = thread_name(track)
        else:
            name = f"color {color_name(track - ROUTER_TRACKS, self._image.colors)}"
        self._meta(process, track, "thread_name", name)

    def _meta(self, process: int, track: int, kind: str, name: str) -> None:
        args = {"name": name}
        self._write({"name": kind, "ph": "M", "pid": process, "tid": track, "args": args})

    def _write(self, event: dict[str, Any]) -> None:
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self._out.write(self._separator + text)
        self._separator = ",\n"
