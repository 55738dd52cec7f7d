"""Debug records and traces from events made by hand: the published form, and valid JSON."""

import io
import json

from mitools.arch.words import CORE, LEFT, RIGHT
from simfabric.log import DebugLog, departing
from simfabric.mesh.state import Event, Wavelet
from simfabric.trace import Trace
from tests.simfabric.machine import Pe, grid, program

ADD = program(
    "add",
    """.task 8 main active open
    main: .line "add.w" 3 1
    fadds [DS1], R2, R4
    term""",
)
IMAGE = grid({(0, x): Pe(ADD) for x in range(3)}, {3: "east"})
ONE = Wavelet("data", 0x3F800000, (0, 0), 0)


def way(cycle=10):
    """One wavelet from the core of P0.0 to the core of P1.0."""
    return [
        Event(cycle, 0, 0, "issue", address=0, slot=1),
        Event(cycle, 0, 0, "execute", address=0, slot=1),
        Event(cycle + 7, 0, 0, "land", color=3, port=CORE, wavelet=ONE),
        Event(cycle + 7, 0, 0, "depart", color=3, port=RIGHT, wavelet=ONE),
        Event(cycle + 9, 0, 1, "land", color=3, port=LEFT, wavelet=ONE),
        Event(cycle + 9, 0, 1, "depart", color=3, port=CORE, wavelet=ONE),
    ]


def log(events, records=("hwtile", "landing")):
    out = io.StringIO()
    DebugLog(out, IMAGE, records).take(events)
    return out.getvalue().splitlines()


def test_published_form():
    wavelet = "ctrl=0, idx=0000, data=3f800000 (x (1.0)), half=0, ident=0000000000000001"
    assert log(way()) == [
        "@0 dimX=3, dimY=1",
        "@10 P0.0: [IS OP] ^ 0x0000: T01 FADDS [DS1], R2, R4",
        "@10 P0.0: [EX OP] ^ 0x0000: T01 FADDS",
        f"@17 P0.0 (hwtile) landing C3 from link R, {wavelet}",
        f"@17 P0.0 (hwtile) wavelet C3 {wavelet} landing=R departing=/E    /",
        f"@19 P1.0 (hwtile) landing C3 from link W, {wavelet}",
        f"@19 P1.0 (hwtile) wavelet C3 {wavelet} landing=W departing=/    R/",
    ]


def test_each_kind_of_record_alone():
    assert not [line for line in log(way(), ("hwtile",)) if "landing C3" in line]
    assert all(" landing C3 from " in line for line in log(way(), ("landing",))[1:])


def test_equal_wavelets_in_a_row_keep_their_numbers():
    events = sorted([*way(10), *way(11), *way(12)], key=lambda e: e.cycle)
    idents = [line.split("ident=")[1][:16] for line in log(events) if "P1.0" in line]
    assert [int(n, 16) for n in idents] == [1, 1, 2, 2, 3, 3]


def test_a_broadcast_is_one_wavelet():
    events = [
        Event(1, 0, 1, "land", color=3, port=LEFT, wavelet=ONE),
        Event(1, 0, 1, "depart", color=3, port=CORE, wavelet=ONE),
        Event(3, 0, 1, "depart", color=3, port=RIGHT, wavelet=ONE),
        Event(5, 0, 2, "land", color=3, port=LEFT, wavelet=ONE),
    ]
    idents = {line.split("ident=")[1][:16] for line in log(events)[1:]}
    assert len(idents) == 1


def test_places_of_departing():
    assert "".join(departing(port).strip("/") for port in range(5)).split() == list("WESNR")
    assert departing(CORE) == "/    R/"


def test_trace_is_json_with_named_tracks():
    out = io.StringIO()
    trace = Trace(out, IMAGE)
    events = sorted([*way(10), *way(11), Event(40, 0, 0, "issue", address=0, slot=1)],
                    key=lambda e: e.cycle)  # fmt: skip
    trace.take(events)
    trace.close()
    found = json.loads(out.getvalue())["traceEvents"]
    names = {e["args"]["name"] for e in found if e["ph"] == "M"}
    assert names == {"P0.0 add", "P1.0 add", "microthread 0", "color east (3)"}
    slices = [e for e in found if e["ph"] == "X" and e["tid"] == 1]
    assert [(e["ts"], e["dur"], e["name"]) for e in slices] == [
        (10, 2, "fadds add.w:3:1"),
        (40, 1, "fadds add.w:3:1"),
    ]
    assert [e["ts"] for e in found if e.get("cat") == "land" and e["pid"] == 1] == [19, 20]


def test_empty_trace_is_json():
    out = io.StringIO()
    Trace(out, IMAGE).close()
    assert json.loads(out.getvalue())["traceEvents"] == []
