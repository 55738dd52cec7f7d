"""Records and named constants that the compiled modules share, described once.

Uncompiled, the records are Python objects with the fields below; compiled, they are the C structs
of `layout.pxd`, which this module writes (`WOLFRAMITE_PURE=1 python -m simfabric.mesh.layout`)
and a test compares.
The records hold the machine's whole state, so a copy of them is a checkpoint.

Numbers of the machine are not here: those that a table may change are fields of `Machine`,
filled from `mitools.arch`; bit layouts and opcodes come from `mitools.arch.words` and
`carbide.isa.table`.
"""

import zlib
from typing import Any

from carbide.isa import table as isa
from mitools.arch import words

# Fields: (name, type[, count]); a type is one of _TYPES or another record's name.
_TYPES = {
    "u8": ("unsigned char", "u1"),
    "u16": ("unsigned short", "<u2"),
    "u32": ("unsigned int", "<u4"),
    "u64": ("unsigned long long", "<u8"),
    "i32": ("int", "<i4"),
    "i64": ("long long", "<i8"),
}

# --- sizes that are compiled in; `Mesh` refuses a table that goes beyond them -----------------
FIFO_MOST = 4
"""Wavelets in a router FIFO."""
LINK_SLOTS = 8
"""Cycles a wavelet may be on its way: one less than this."""
HISTORY = 8
"""Cycles for which a router remembers a neighbour's room, so one more than `room_return`."""
PENDING = 8
"""Results on their way to registers."""
SLOT_COUNT = 13
QUEUE_COUNT = 8
TASK_COUNT = 31
CONTROL_NAMES = 64
"""Names of tasks in control wavelets."""
COLOR_COUNT = 24
REGISTER_COUNT = 64
DESCRIPTOR_COUNT = 32
PAGE_TABLE = 128
"""Pages of a PE's address space; a page is `Machine.page_words` words."""
PAGE_SHIFT = 8

NEVER = 1 << 62
"""A cycle that does not come."""

# --- a wavelet is one 64-bit word ------------------------------------------------------------
DATA, HALF, CONTROL = 1, 2, 3
KIND_SHIFT = 32
FLIP_SHIFT = 34
SITE_SHIFT = 35
SITE_BITS = 9
NO_SITE = (1 << SITE_BITS) - 1
"""Site of a sending instruction beyond those an origin can tell apart."""
ORIGIN_SHIFT = 44
MOST_TILES = 1 << 20

# --- forms of instructions -------------------------------------------------------------------
(
    FORM_UNDEFINED,
    FORM_SCALAR,
    FORM_LOAD,
    FORM_STORE,
    FORM_TRANSFER,
    FORM_BRANCH,
    FORM_TASK,
    FORM_DESCRIPTOR,
) = range(8)

# --- kinds of operands, in instructions and in running transfers -----------------------------
(
    ON_NOTHING,
    ON_VALUE,
    ON_REGISTER,
    ON_DESCRIPTOR,
    ON_INPUT,
    ON_OUTPUT,
    ON_ADDRESS,
    ON_INDIRECT,
    ON_INDEXED,
    ON_VECTOR,
    ON_WALK,
    ON_FIFO,
) = range(12)

# --- what a thread does or waits for ---------------------------------------------------------
(
    AT_REST,
    AT_WORK,
    AT_RECEIVE,
    AT_SEND,
    AT_EMPTY,
    AT_FULL,
    AT_WAIT,
    AT_SLOT,
) = range(8)

# --- why Python must look at the code of a PE ------------------------------------------------
FETCH_NONE, FETCH_ADDRESS, FETCH_CHANGED = range(3)

# --- mail between threads ---------------------------------------------------------------------
MAIL_WAVELET, MAIL_ROOM, MAIL_HELLO = range(3)

# --- how a PE's time is counted --------------------------------------------------------------
TIME_WORK, TIME_SEND, TIME_RECEIVE, TIME_IDLE = range(4)

# --- a color that does not take part ---------------------------------------------------------
RUNNING, TORN, WRITTEN = range(3)

# --- what the compiled loop asks of Python ---------------------------------------------------
PAUSE_NONE, PAUSE_PAGES, PAUSE_CHANNELS, PAUSE_CODE, PAUSE_EVENTS = range(5)

# --- kinds of filters ------------------------------------------------------------------------
FILTER_NONE, FILTER_COUNTER, FILTER_RANGE = range(3)

# --- errors, in the order of `simfabric.mesh.state.Fault` -------------------------------------
(
    FAULT_NONE,
    FAULT_COULD_NOT_LAND,
    FAULT_RESERVED_WRITE,
    FAULT_UNDEFINED,
    FAULT_QUEUE_REBOUND,
    FAULT_HALF_FOR_WORD,
    FAULT_HALF_ON_MESSAGE,
    FAULT_MESSAGE_OUTSIDE,
    FAULT_MESSAGE_DIRECTION,
    FAULT_MESSAGE_BANK,
    FAULT_MESSAGE_NO_HEADER,
    FAULT_DESCRIPTOR,
    FAULT_TASK,
    FAULT_UNWRITTEN,
) = range(14)

# --- events of the log ------------------------------------------------------------------------
EVENT_ISSUE, EVENT_EXECUTE, EVENT_LAND, EVENT_DEPART, EVENT_TASK = range(1, 6)

RECORDS: dict[str, tuple[tuple[Any, ...], ...]] = {
    # One decoded instruction. `values` are immediates, addresses and displacements.
    "Op": (
        ("follow", "i32"),  # index of the next instruction, -1 where there is none
        ("target", "i32"),  # of a branch or task instruction
        ("address", "u16"),
        ("next_address", "u16"),
        ("site", "u16"),  # number of the sending instruction within its program
        ("elements", "u16"),  # rate: so many elements
        ("cycles", "u16"),  # ... in so many cycles
        ("result", "u16"),  # cycles until a dependent instruction can issue
        ("opcode", "u8"),
        ("form", "u8"),
        ("slot", "u8"),
        ("ends_task", "u8"),
        ("flip", "u8"),
        ("keep", "u8"),
        ("no_load", "u8"),
        ("copies", "u8"),  # a plain copy: memory to queue moves more than one wavelet a cycle
        ("count", "u8"),  # operands
        ("first_source", "u8"),
        ("kinds", "u8", 4),
        ("numbers", "u8", 4),
        ("wide", "u8", 4),  # 32-bit value
        ("values", "u32", 4),
        ("brings", "u8"),  # queues that a launch names, so descriptors that it loads
        ("pad", "u8", 3),
    ),
    "Program": (
        ("code_start", "i32"),
        ("code_end", "i32"),
        ("index", "i32"),  # where its part of Machine.op_at starts: one entry a code word
        ("sites", "i32"),
    ),
    # One operand of a running transfer. A value stands in `low` and `high`, a place in memory (its
    # address and stride) too.
    "Operand": (
        ("low", "u16"),
        ("high", "u16"),
        ("kind", "u8"),
        ("number", "u8"),
        ("wide", "u8"),
    ),
    "Slot": (
        ("next", "i64"),  # earliest issue
        ("left", "u32"),  # elements to come
        ("op", "i32"),
        ("state", "u8"),
        ("endless", "u8"),
        ("queue", "u8"),  # that it waits for
        ("receives", "u8"),  # has an input queue among its operands
        ("operands", "Operand", 4),
        ("pad", "u8", 12),
    ),
    "InputQueue": (
        ("reference", "i64"),  # cycle of bit 0 of `popped`
        ("popped", "u16"),  # places whose element has issued but not executed, by cycle
        ("waiting", "u16"),  # slots
        ("config", "u16", 2),
        ("head", "u8"),
        ("count", "u8"),
        ("half_taken", "u8"),
        ("color", "u8"),
        ("enabled", "u8"),
        ("filter", "u8"),
        ("held", "u8"),  # task + 1 of a control wavelet that has not started its task yet
    ),
    "Filter": (
        ("limit", "u32"),  # the low end of a range
        ("most", "u32"),
        ("count", "u32"),
        ("data", "u8"),
        ("control", "u8"),
    ),
    "OutputQueue": (
        ("reference", "i64"),  # cycle of the last push
        ("pushed", "u32"),  # two bits a cycle: how many came then, the last lowest
        ("waiting", "u16"),  # slots
        ("config", "u16"),
        ("head", "u8"),
        ("count", "u8"),
        ("color", "u8"),
        ("open", "u8"),  # last entry is a half: 1 that begins a wavelet, 2 that may still join
    ),
    # One color of one router; only colors that a tile uses have one. Two cache lines.
    "Channel": (
        ("reference", "i64"),  # newest cycle that `room` and `gone` speak of
        ("fifo", "u64", FIFO_MOST),
        ("room", "u32", 4),  # by port: 4 bits a cycle, newest lowest: neighbour's free places
        ("gone", "u16", 4),  # by port: bit j is a departure in cycle reference - j
        ("traffic", "u32", 5),  # departures by port
        ("lane", "i32"),  # what waits outside the FIFO; -1 when nothing ever did
        ("routes", "u8", 4),
        ("published", "u8", 4),  # by port: room last told to the neighbour
        ("marks", "u8", FIFO_MOST),  # of each FIFO place: command executed here, ce_ignore
        ("readers", "u8", 3),  # who reads this arrival color: vertical, horizontal, core input
        ("color", "u8"),
        ("positions", "u8"),
        ("input_position", "u8"),
        ("next_position", "u8"),
        ("output_position", "u8"),
        ("swap", "u8"),  # bits: vertical, horizontal, core
        ("pop", "u8"),
        ("ring", "u8"),
        ("stopped", "u8"),
        ("head", "u8"),
        ("count", "u8"),
        ("done", "u8"),  # outputs that took the head
        ("wants", "u8"),  # outputs that it still waits for
        ("message_port", "u8"),  # held by the message at this input; NO_PORT when none
        ("message_begins", "u8"),  # its header is the head
        ("message_left", "u8"),  # wavelets to come; MESSAGE_OPEN: until the control bit
        ("pad", "u8", 8),
    ),
    "Lane": (
        ("words", "u64", 5 * FIFO_MOST),
        ("head", "u8", 5),
        ("count", "u8", 5),
    ),
    # What every visit looks at stands first.
    "Tile": (
        ("main_next", "i64"),
        ("pipe", "i64"),  # cycle from which the pipeline is free again
        ("since", "i64"),
        ("occupied", "u32"),  # colors with something in their FIFO
        ("laned", "u32"),  # colors with something in a lane
        ("pc", "i32"),  # index of the main thread's next instruction
        ("runnable", "u16"),  # slots that may issue
        ("busy_slots", "u16"),
        ("arrivals", "u8"),  # bit: a wavelet lands in a cycle with that number modulo LINK_SLOTS
        ("main", "u8"),  # what the main thread does
        ("task", "u8"),  # running; NO_TASK
        ("accounted", "u8"),  # TIME_... since `since`
        ("last_slot", "u8"),
        ("sending", "u8"),  # output queues that hold something
        ("pending_count", "u8"),
        ("logged", "u8"),
        ("fetch", "u8"),  # Python must say which instruction stands at `fetch_address`
        ("control_heads", "u8"),  # input queues with a control wavelet in front
        ("routing", "u8"),  # the router has something to do besides arrivals and FIFOs
        ("banks", "u8"),
        ("teardowns", "u8"),
        ("float_control", "u8"),
        ("last_task", "u8"),
        ("last_output", "u8"),  # output queue that sent last
        ("ramp_color", "u8"),
        # second line
        ("requests", "u32", 5),  # by output: colors whose head wants it
        ("switching", "u32"),  # colors whose input position changes in the next cycle
        ("dirty", "u32"),  # colors whose room may have changed
        ("reconfigured", "u32"),  # colors whose room must be told on all sides
        ("finished", "u32"),  # colors whose head every output has taken
        ("code_start", "i32"),
        ("code_end", "i32"),
        ("wait_mask", "u16"),
        ("fifo_waiters", "u16"),
        ("pointers", "u8", 5),  # by output: color after the one granted last
        ("main_queue", "u8"),  # that the main thread waits for
        ("data_tasks", "u8"),
        ("keeps", "u8"),
        ("held_queues", "u8"),  # input queues with a control wavelet whose task has not started
        ("old_heads", "u8"),  # output queues whose head is old enough to leave
        ("brought", "u8"),  # the next launch's own descriptors are loaded
        ("pad", "u8", 3),
        ("stack_start", "u16"),  # locals from here on
        # third line
        ("spent", "i64", 4),
        ("ramp", "u64"),  # on its way from an output queue into the router
        ("ramp_due", "i64"),
        ("leave_at", "i64"),  # cycle in which another head of an output queue gets old enough
        ("active", "u32"),
        ("blocked", "u32"),
        ("known", "u32"),  # tasks whose entry is set
        ("masked", "u32"),  # tasks with a wait mask
        ("named", "u32"),  # tasks that a control wavelet activated
        ("registers", "u16", REGISTER_COUNT),
        ("pending_until", "i64", PENDING),
        ("pending_number", "u8", PENDING),
        ("queue_of", "u8", COLOR_COUNT),  # input queue that takes a color; NO_QUEUE
        ("link_color", "u8", 4 * LINK_SLOTS),
        ("link", "u64", 4 * LINK_SLOTS),
        ("slots", "Slot", SLOT_COUNT),
        ("channels", "i32", COLOR_COUNT),  # -1 where there is none
        ("x", "i32"),
        ("y", "i32"),
        ("program", "i32"),
        ("program_code", "i32"),  # its place in Machine.programs; private after a store into code
        ("fetch_address", "i32"),
        ("accumulator", "u32"),
        ("row_id", "u16"),
        ("column_id", "u16"),
        ("inputs", "InputQueue", QUEUE_COUNT),
        ("outputs", "OutputQueue", QUEUE_COUNT),
        ("filters", "Filter", QUEUE_COUNT),
        ("holders", "u8", 10),  # by bank and output: color whose message holds it; NO_COLOR
        ("timer_control", "u16"),
        ("timer", "i64"),
        ("timer_since", "i64"),
        ("outside", "i64"),  # wavelets that left the grid
        ("hello", "u32", LINK_SLOTS),  # colors that a neighbour began to use, by cycle of arrival
        ("descriptors", "u16", 4 * DESCRIPTOR_COUNT),
        ("entries", "u16", TASK_COUNT),
        ("masks", "u16", TASK_COUNT),
        ("payloads", "u32", TASK_COUNT),
    ),
    # One thread's part of the rows, and what it has to tell the others.
    "Worker": (
        ("number", "i32"),
        ("first", "i32"),  # tiles it may touch
        ("last", "i32"),
        ("first_row", "i32"),  # rows it runs
        ("last_row", "i32"),
        ("border", "i32"),  # first row of the next thread
        ("step", "i32"),  # of the wave
        ("level", "i32"),  # epoch of the window
        ("at", "i32"),  # tile to go on with after a pause
        ("pause", "i32"),
        ("budget", "i32"),  # visits that the pools have enough for
        ("pause_tile", "i32"),
        ("last_active", "i64"),
        ("next_page", "i64"),
        ("end_page", "i64"),
        ("next_channel", "i64"),
        ("end_channel", "i64"),
        ("next_lane", "i64"),
        ("end_lane", "i64"),
        ("fault", "i32"),
        ("fault_tile", "i32"),
        ("fault_cycle", "i64"),
        ("issuing", "i32"),  # instruction that issues or issued last
        ("fault_op", "i32"),  # what it was when the fault was found
        ("fault_details", "u32", 4),
        ("mail_count", "i32", 2),
        ("event_count", "i32"),
        ("drained", "u32", 5),  # by side: lanes that gave a wavelet in this visit
        ("visits", "i64"),
    ),
    # What crosses the border between two threads' rows: a wavelet, or a change of room.
    "Mail": (
        ("word", "u64"),
        ("cycle", "i64"),
        ("tile", "i32"),
        ("port", "u8"),
        ("color", "u8"),
        ("room", "u8"),
        ("kind", "u8"),
    ),
    "LogEntry": (
        ("cycle", "i64"),
        ("word", "u64"),
        ("tile", "i32"),
        ("address", "u16"),
        ("kind", "u8"),
        ("slot", "u8"),
        ("task", "u8"),
        ("color", "u8"),
        ("port", "u8"),
    ),
}

MACHINE: tuple[tuple[Any, ...], ...] = (
    ("tiles", "Tile*"),
    ("wake", "i64*"),  # by tile: cycle of the next visit
    ("row_wake", "i64*"),  # by row: no tile is due before
    ("channels", "Channel*"),
    ("lanes", "Lane*"),
    ("input_words", "u64*"),  # by tile: the places of its input queues
    ("output_words", "u64*"),
    ("page_table", "i32*"),  # by tile: PAGE_TABLE page numbers
    ("pages", "u16*"),
    ("written", "u32*"),  # with `check`: a bit for each word of each page
    ("ops", "Op*"),
    ("op_at", "i32*"),
    ("control_tasks", "u8*"),  # by program, input queue and name: what a control wavelet starts
    ("programs", "Program*"),
    ("workers", "Worker*"),
    ("mail", "Mail*"),  # by worker: two boxes (up, down) of mail_most
    ("events", "LogEntry*"),
    ("input_start", "i32", QUEUE_COUNT),
    ("output_start", "i32", QUEUE_COUNT),
    ("input_depth", "i32", QUEUE_COUNT),
    ("output_depth", "i32", QUEUE_COUNT),
    ("input_places", "i32"),
    ("output_places", "i32"),
    ("width", "i32"),
    ("height", "i32"),
    ("tile_count", "i32"),
    ("worker_count", "i32"),
    ("phase", "i32"),  # of the window; 0 between windows
    ("levels", "i32"),  # epochs in a window
    ("window", "i64"),  # its first cycle
    ("window_end", "i64"),
    ("now", "i64"),
    ("mail_most", "i32"),
    ("event_most", "i32"),
    ("shared_pages", "i32"),  # pages below this one belong to programs: copied before a write
    ("zero_page", "i32"),
    ("check", "i32"),  # whether a read of what was never written is an error
    ("switching", "u32"),  # mask of colors with positions
    ("bank_of", "u8", COLOR_COUNT),  # 0, 1; NO_BANK
    ("port_color", "u8", 10),  # by bank and port: color of what comes in by that port
    ("bank_mask", "u32", 2),
    ("log_first", "i64"),
    ("log_last", "i64"),
    ("fifo_depth", "i32"),
    ("main_words", "i32"),
    ("config_start", "i32"),
    ("config_end", "i32"),
    ("memory_end", "i32"),
    ("cycle_counter", "i32"),
    ("timer_control", "i32"),
    ("output_queue", "i32"),
    ("input_queue", "i32"),
    ("color_config", "i32"),
    ("switch_config", "i32"),
    ("row_id", "i32"),
    ("column_id", "i32"),
    ("float_control", "i32"),
    ("task_main", "i32"),
    ("task_teardown", "i32"),
    ("first_software", "i32"),
    ("header_to_core", "i32"),
    ("hop", "i32"),
    ("room_return", "i32"),
    ("epoch", "i32"),
    ("queue_leave", "i32"),  # from issue to leaving the output queue
    ("ramp", "i32"),  # from there into the router
    ("half_join", "i32"),
    ("router_to_execute", "i32"),
    ("arrival_to_task", "i32"),
    ("task_pick", "i32"),
    ("scalar", "i32"),
    ("scalar_float_result", "i32"),
    ("branch_not_taken", "i32"),
    ("branch_taken", "i32"),
    ("load_to_use", "i32"),
    ("descriptor_load", "i32"),
    ("descriptor_to_use", "i32"),
    ("vector_result", "i32"),
    ("fabric_wavelets", "i32"),
    ("output_words16", "i32"),
    ("reduce_elements", "i32"),
    ("reduce_cycles", "i32"),
)

NO_TASK = NO_QUEUE = NO_COLOR = NO_PORT = NO_BANK = 0xFF
MESSAGE_OPEN = 0xFF

_WORDS = """LEFT RIGHT UP DOWN CORE NO_INPUT NOP ADVANCE RESET TEARDOWN CE_IGNORE STREAM_LOW_SHIFT
 TASK_SHIFT ROUTE_INPUT_SHIFT ROUTE_OUTPUTS OUTPUT_QUEUE_SHIFT COLOR_BITS QUEUE_ENABLED
 HEADER_COLUMN_SHIFT HEADER_ROW_SHIFT HEADER_BITS HEADER_NORTH HEADER_SOUTH HEADER_OPEN
 HEADER_LENGTH POSITION_SHIFT TORN_DOWN RING POP_SHIFT ABSENT SWAP_VERTICAL STREAM_BITS""".split()
_TABLE = """DSD_MEMORY DSD_WALK DSD_FABRIC_IN DSD_FABRIC_OUT DSD_FIFO UNBOUNDED WALK_DIMENSIONS
 WALK_BASE WALK_CURRENT WALK_FIRST WALK_COUNT WALK_STRIDE WALK_POSITION WALK_STEP FIFO_BASE
 FIFO_CAPACITY FIFO_WORDS FIFO_READ FIFO_FILL""".split()


def _constants() -> dict[str, int]:
    own = {n: v for n, v in globals().items() if n.isupper() and type(v) is int and n[0] != "_"}
    constants = {name: own[name] for name in own}
    constants |= {name: getattr(words, name) for name in _WORDS}
    constants["POP_ALWAYS"], constants["POP_ADVANCE"], constants["POP_ADVANCE_NOP"] = (
        words.POP_MODES.index(mode) for mode in ("always", "adv", "adv-nop")
    )
    constants |= {name: getattr(isa, name) for name in _TABLE}
    constants |= {f"OP_{row.mnemonic.upper()}": row.opcode for row in isa.INSTRUCTIONS}
    constants |= {"M16": 0xFFFF, "B15": 0x8000, "M32": 0xFFFFFFFF, "B31": 0x80000000}
    constants |= {"M64": 0xFFFFFFFFFFFFFFFF}
    return constants


CONSTANTS = _constants()
globals().update(CONSTANTS)


class Records(list):
    """An array of records; `records + i` is record i, as a C pointer plus i is in compiled code."""

    def __add__(self, place: Any) -> Any:
        return self[place]


def _record_class(name: str, fields: tuple[tuple[Any, ...], ...]) -> type:
    """A class with those fields, all zero."""
    lines = ["def __init__(self):"]
    for field, type_, *count in fields:
        if type_.endswith("*"):
            value = "None"
        elif type_ in RECORDS:
            value = f"Records({type_}() for _ in range({count[0]}))"
        else:
            value = f"[0] * {count[0]}" if count else "0"
        lines.append(f"    self.{field} = {value}")
    space: dict[str, Any] = {}
    exec("\n".join(lines), globals(), space)
    slots = tuple(field for field, *_ in fields)
    return type(name, (), {"__slots__": slots, "__init__": space["__init__"]})


for _name, _fields in RECORDS.items():
    globals()[_name] = _record_class(_name, _fields)
Machine = _record_class("Machine", MACHINE)

# Annotations of uncompiled code; in compiled code these are the pointer types.
MachineP = TileP = ChannelP = LaneP = SlotP = OperandP = OpP = ProgramP = WorkerP = Any
InputQueueP = OutputQueueP = FilterP = MailP = LogEntryP = Any


def dtype(name: str) -> Any:
    """The record's numpy type, laid out as the C struct."""
    import numpy as np

    fields: list[Any] = []
    for field, type_, *count in RECORDS[name]:
        inner = dtype(type_) if type_ in RECORDS else _TYPES[type_][1]
        fields.append((field, inner, *count))
    return np.dtype(fields, align=True)


def machine_dtype() -> Any:
    """`Machine` as a numpy type; pointers are 64-bit addresses."""
    import numpy as np

    fields: list[Any] = []
    for field, type_, *count in MACHINE:
        fields.append((field, "<u8" if type_.endswith("*") else _TYPES[type_][1], *count))
    return np.dtype(fields, align=True)


def _struct(name: str, fields: tuple[tuple[Any, ...], ...]) -> list[str]:
    lines = [f"ctypedef struct {name}:"]
    for field, type_, *count in fields:
        star = "*" if type_.endswith("*") else ""
        type_ = type_.rstrip("*")
        c_type = _TYPES[type_][0] if type_ in _TYPES else type_
        lines.append(f"    {c_type} {star}{field}" + (f"[{count[0]}]" if count else ""))
    return [*lines, f"ctypedef {name} *{name}P", ""]


def declarations() -> str:
    """The text of `layout.pxd`."""
    text = _declarations()
    # compiled code knows by this number that it was made for this layout
    return text + f"cdef enum:\n    LAYOUT = {zlib.crc32(text.encode()) & 0x7FFFFFFF}\n"


def _declarations() -> str:
    lines = ["# Written by simfabric/mesh/layout.py; change it there.", "", "cdef enum:"]
    small = {n: v for n, v in CONSTANTS.items() if v < 1 << 31}
    lines += [f"    {name} = {value}" for name, value in small.items()]
    lines += ["", "cdef extern from *:", '    """']
    large = {n: v for n, v in CONSTANTS.items() if n not in small}
    for name, value in large.items():
        suffix = "U" if value < 1 << 32 else "LL" if value < 1 << 63 else "ULL"
        lines.append(f"    #define {name} {value}{suffix}")
    lines.append('    """')
    for name, value in large.items():
        c_type = "unsigned int" if value < 1 << 32 else "long long"
        c_type = c_type if value < 1 << 63 else "unsigned long long"
        lines.append(f"    {c_type} {name}")
    lines.append("")
    for name, fields in RECORDS.items():
        lines += _struct(name, fields)
    lines += _struct("Machine", MACHINE)
    return "\n".join(lines)


LAYOUT = zlib.crc32(_declarations().encode()) & 0x7FFFFFFF


def __getattr__(name: str) -> Any:
    """Only reached for names that do not exist: opcodes and records are in the globals."""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    from pathlib import Path

    Path(__file__).with_suffix(".pxd").write_text(declarations())
