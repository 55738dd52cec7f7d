"""What one compiled program is: the contract of `carbide`, `paint`, the image and the tools."""

from attrs import field, frozen


@frozen
class Segment:
    """Initial memory contents: 16-bit words from a word address on."""

    address: int
    words: tuple[int, ...]


@frozen
class Symbol:
    """A global variable. `dimensions` are (name, extent), outermost first.

    `words` is the number of 16-bit words of one element; `struct` elements count all their words.
    """

    name: str
    type: str
    address: int
    words: int
    dimensions: tuple[tuple[str, int], ...] = ()


@frozen
class SocketUse:
    """A socket of the program. Queues are None where that direction is not used."""

    name: str
    type: str | None
    input_queue: int | None
    output_queue: int | None
    line: int
    column: int


@frozen
class Task:
    """Initial state of a task. `entry` is a word address."""

    number: int
    entry: int
    active: bool
    blocked: bool


@frozen
class Filter:
    """Counter filter on an input queue's color (machine page, section 2.3)."""

    input_queue: int
    limit: int
    maxpass: int
    counts_data: bool
    counts_control: bool
    state: int = 0


@frozen
class Control:
    """Control wavelets that name `name` (any name when None) on `input_queue` (any when None) start
    `task`; None drops them. Of several that fit, the last one holds."""

    input_queue: int | None
    name: int | None
    task: int | None


CONTROL_NAMES = 64
"""A control wavelet names a task in six bits (machine page, section 2.1)."""


@frozen
class SourcePlace:
    """Which source stands behind the instructions from `address` on, up to the next place."""

    address: int
    file: str
    line: int
    column: int


@frozen
class Object:
    """One compiled program.

    `code` is the segment of instructions; `data` what the loader writes besides (initialised
    arrays, descriptors, constants, register arrays at their addresses). `data_end` is the first
    word after globals; `stack_start` the lowest word of the frames, which grow down from the end
    of main memory. `notes` are the compiler's notes, already shown.
    """

    program: str
    source: str
    arch: str
    parameters: tuple[tuple[str, str], ...]
    code: Segment
    data: tuple[Segment, ...]
    data_end: int
    stack_start: int
    symbols: tuple[Symbol, ...]
    sockets: tuple[SocketUse, ...]
    tasks: tuple[Task, ...]
    filters: tuple[Filter, ...]
    places: tuple[SourcePlace, ...]
    configures_router: bool = False
    """The program writes router registers itself (it has an array on them)."""
    notes: tuple[str, ...] = field(default=())
    controls: tuple[Control, ...] = field(default=())
    """Without any, a control wavelet starts the task of the number that it names."""
