"""Debug records in the published form, from the engine's event log.

    @0 dimX=4, dimY=3
    @10 P1.1: [IS OP] ^ 0x0010: T01 FADDS [DS1], R2
    @10 P1.1: [EX OP] ^ 0x0010: T01 FADDS
    @11 P1.1 (hwtile) wavelet C3 ctrl=0, idx=0000, data=3f800000 (x (1.0)), half=0,
        ident=0000000000000001 landing=R departing=/E    /              (one line)
    @12 P2.1 (hwtile) landing C3 from link W, ctrl=0, …

`debug=hwtile` writes the first three, `debug=landing` the last. `T` is the thread: 00 the main
thread, 01-12 the microthreads. A wavelet keeps its `ident` along its way as far as the selected
tiles and cycles show it.
"""

import struct
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import TextIO

from attrs import define, field

from carbide.isa.disassembler import operation_text
from mitools.arch.words import CORE, OPPOSITE, STEP
from mitools.image.model import Image
from simfabric.mesh.state import Event, Wavelet

LINKS = "WESNR"
"""Link letters of the log by port number: L is west, U is south, R the ramp of the core."""
DEPARTING = "EWNSR"
"""Order of the five places between the slashes of `departing=/…/`."""


@define
class _Held:
    """A wavelet in a router: `gone` are the (color, output) it has left by."""

    ident: int
    port: int
    payload: int
    gone: set[tuple[int, int]] = field(factory=set)


class Identity:
    """Numbers wavelets and follows them from router to router."""

    def __init__(self) -> None:
        self._next = 0
        self._links: dict[tuple[int, int, int, int], deque[int]] = defaultdict(deque)
        self._held: dict[tuple[int, int, int], deque[_Held]] = defaultdict(deque)

    def land(self, y: int, x: int, port: int, color: int, payload: int) -> int:
        """The number of a wavelet that lands on an arrival color."""
        way = self._links.get((y, x, port, color))
        ident = way.popleft() if way else self._new()
        self._held[y, x, color].append(_Held(ident, port, payload))
        return ident

    def depart(self, y: int, x: int, out: int, color: int, payload: int) -> tuple[int, int]:
        """The number of a wavelet that leaves by a port, and the port it came in by."""
        found = self._find(y, x, out, color, payload)
        ident, port = (found.ident, found.port) if found else (self._new(), CORE)
        if found:
            found.gone.add((color, out))
        if out < CORE:
            dx, dy = STEP[out]
            self._links[y + dy, x + dx, OPPOSITE[out], color].append(ident)
        return ident, port

    def _find(self, y: int, x: int, out: int, color: int, payload: int) -> _Held | None:
        """The oldest such wavelet that has not left there yet; a swap may have changed color."""
        for arrival in (color, color ^ 1):
            held = self._held.get((y, x, arrival), ())
            for place, wavelet in enumerate(held):
                if wavelet.payload == payload and (color, out) not in wavelet.gone:
                    while place and self._held[y, x, arrival][0].gone:
                        self._held[y, x, arrival].popleft()
                        place -= 1
                    return wavelet
        return None

    def _new(self) -> int:
        self._next += 1
        return self._next


class DebugLog:
    """Writes the records of a selection to the log, in order of cycle, row, column."""

    def __init__(self, out: TextIO, image: Image, records: Iterable[str]) -> None:
        self._out = out
        self._image = image
        self._hwtile = "hwtile" in records
        self._landing = "landing" in records
        self._identity = Identity()
        self._text: dict[tuple[int, int], tuple[str, str]] = {}
        out.write(f"@0 dimX={image.width}, dimY={image.height}\n")

    def take(self, events: Iterable[Event]) -> None:
        """Write the records of some events."""
        self._out.writelines(line + "\n" for line in self._lines(events))

    def _lines(self, events: Iterable[Event]) -> Iterator[str]:
        for event in events:
            at = f"@{event.cycle} P{event.x}.{event.y}"
            if event.kind in ("issue", "execute"):
                if self._hwtile:
                    yield f"{at}: {self._operation(event)}"
            elif event.kind == "land" and event.wavelet is not None:
                ident = self._identity.land(*_moved(event))
                if self._landing:
                    link = LINKS[event.port or 0]
                    fields = wavelet_fields(event.wavelet, ident)
                    yield f"{at} (hwtile) landing C{event.color} from link {link}, {fields}"
            elif event.kind == "depart" and event.wavelet is not None:
                ident, port = self._identity.depart(*_moved(event))
                if self._hwtile:
                    fields = wavelet_fields(event.wavelet, ident)
                    out = departing(event.port or 0)
                    yield (
                        f"{at} (hwtile) wavelet C{event.color} {fields} landing={LINKS[port]}"
                        f" departing={out}"
                    )

    def _operation(self, event: Event) -> str:
        number = int(self._image.program[event.y, event.x])
        address = event.address or 0
        key = number, address
        if key not in self._text:
            self._text[key] = disassembled(self._image, number, address)
        mnemonic, operands = self._text[key]
        thread = f"T{event.slot or 0:02d}"
        if event.kind == "issue":
            return f"[IS OP] ^ 0x{address:04x}: {thread} {mnemonic} {operands}".rstrip()
        return f"[EX OP] ^ 0x{address:04x}: {thread} {mnemonic}"


def _moved(event: Event) -> tuple[int, int, int, int, int]:
    """Row, column, port, color and payload of a landing or a departure."""
    payload = event.wavelet.payload if event.wavelet else 0
    return event.y, event.x, event.port or 0, event.color or 0, payload


def disassembled(image: Image, number: int, address: int) -> tuple[str, str]:
    """Mnemonic in capitals and operands of the instruction at an address."""
    from carbide.isa.decode import DecodeError, decode

    if number < 0:
        return "?", ""
    code = image.programs[number].code
    try:
        operation, _ = decode(code.words, address - code.address, code.address)
    except (DecodeError, IndexError):
        return "?", ""
    mnemonic, _, operands = operation_text(operation).partition(" ")
    return mnemonic.split(".")[0].upper(), operands.strip()


def wavelet_fields(wavelet: Wavelet, ident: int) -> str:
    """`ctrl=0, idx=0000, data=3f800000 (x (1.0)), half=0, ident=…`."""
    control, half = int(wavelet.kind == "control"), int(wavelet.kind == "half")
    (value,) = struct.unpack("<f", struct.pack("<I", wavelet.payload & 0xFFFFFFFF))
    text = f"{value:.6g}"
    text += ".0" if text.lstrip("-").isdigit() else ""
    return (
        f"ctrl={control}, idx=0000, data={wavelet.payload:08x} (x ({text})), half={half},"
        f" ident={ident:016x}"
    )


def departing(port: int) -> str:
    """The output a wavelet leaves by: `/E    /`."""
    return "/" + "".join(c if c == LINKS[port] else " " for c in DEPARTING) + "/"
