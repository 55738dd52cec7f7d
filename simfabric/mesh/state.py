"""What a mesh looks like from outside: plain values, for explanations and cores.

Everything here is a copy; changing it changes nothing in the machine. Cycles are absolute,
tiles are (y, x), ports are numbers of `mitools.arch.words.PORTS`.
"""

from enum import Enum

from attrs import field, frozen


class Stop(Enum):
    """Why `Mesh.run` came back."""

    QUIET = "quiet"
    """Nothing moved or was in progress for `quiet` cycles; they are counted."""
    LIMIT = "limit"
    """The cycle limit was reached."""
    ERROR = "error"
    """The program did what the machine does not allow: `Mesh.error` says what."""
    INTERRUPTED = "interrupted"
    """The progress callback asked to stop."""


class Fault(Enum):
    """Named kinds of errors of the machine. The value is the sentence's beginning for a user."""

    COULD_NOT_LAND = "arriving wavelet could not land"
    RESERVED_WRITE = "write to reserved memory"
    UNDEFINED_INSTRUCTION = "undefined instruction"
    QUEUE_REBOUND = "output queue changed its color while it held wavelets"
    HALF_FOR_WORD = "a 32-bit receive found a half-wavelet"
    HALF_ON_MESSAGE = "a half-wavelet on a message-passing color"
    MESSAGE_OUTSIDE = "a message to coordinates outside the grid"
    MESSAGE_DIRECTION = "the header's north and south bits contradict its row"
    MESSAGE_BANK = "a message through a PE without the bank enabled"
    MESSAGE_NO_HEADER = "a message that starts with a half- or control wavelet"
    BAD_DESCRIPTOR = "a descriptor that the instruction cannot use"
    BAD_TASK = "a task number the machine does not have"
    UNWRITTEN_READ = "read of memory that was never written"
    """Found only by a mesh that checks for it."""


@frozen
class MachineError:
    """`details` are named numbers: color, port, address, header, queue, …, by kind of fault;
    `instruction` is the address of the instruction of an error of the core. `origin` is the PE
    (y, x) that sent the wavelet of an error of a router, and the address of the instruction."""

    fault: Fault
    cycle: int
    y: int
    x: int
    details: dict[str, int] = field(factory=dict)
    origin: tuple[tuple[int, int], int | None] | None = None


@frozen
class Wavelet:
    """`kind` is "data", "half" or "control".

    `origin` is the PE that sent it and `address` the instruction that did (None when the program
    has more sending instructions than an origin can tell apart).
    """

    kind: str
    payload: int
    origin: tuple[int, int]
    address: int | None


class Wait(Enum):
    """What a thread waits for."""

    RECEIVE = "receive"
    SEND = "send"
    FIFO_EMPTY = "FIFO empty"
    FIFO_FULL = "FIFO full"
    MICROTHREADS = "microthreads"
    SLOT = "slot"


@frozen
class Thread:
    """A thread that has something to do. `slot` 0 is the main thread, 1-12 the microthreads.

    `address` is the instruction it is at. `queue` is the queue of a RECEIVE or SEND wait,
    `mask` the microthreads (bit n: microthread n) of MICROTHREADS and SLOT; `record` the address of
    the FIFO record. `left` elements remain of a transfer (None: without end, or no transfer).
    """

    slot: int
    address: int
    task: int | None
    wait: Wait | None
    queue: int | None = None
    color: int | None = None
    mask: int = 0
    record: int | None = None
    left: int | None = None


@frozen
class Queue:
    """`half_taken`: the low half of the first wavelet has been received already."""

    number: int
    color: int
    enabled: bool
    wavelets: tuple[Wavelet, ...]
    half_taken: bool = False


@frozen
class TaskState:
    number: int
    entry: int | None
    active: bool
    blocked: bool
    ready: bool
    mask: int
    """Microthreads it waits for (bit n: microthread n)."""


@frozen
class ColorState:
    """One color in one router.

    `routes` are (input port, output mask) of each position; `done` the outputs that already took
    the head of `fifo`; `lanes` what waits outside the FIFO, by the port it came in by; `room` the
    places this router believes free behind each of ports 0-3. `stopped` is "", "torn" (by a
    TEARDOWN command) or "written" (by the program). `message_port` is the port that the message
    at this input goes to, None when there is none; `message_left` its wavelets to come (None:
    open); `message_holds` whether it holds that port, or its header still waits for it.
    """

    color: int
    routes: tuple[tuple[int, int], ...]
    swap: int
    input_position: int
    output_position: int
    stopped: str
    fifo: tuple[Wavelet, ...]
    done: int
    lanes: dict[int, tuple[Wavelet, ...]]
    room: tuple[int, ...]
    message_port: int | None = None
    message_left: int | None = None
    message_holds: bool = False


@frozen
class TileState:
    """Everything of one PE. `program` is the image's program number, -1 for none."""

    y: int
    x: int
    program: int
    task: int | None
    threads: tuple[Thread, ...]
    tasks: tuple[TaskState, ...]
    inputs: tuple[Queue, ...]
    outputs: tuple[Queue, ...]
    colors: tuple[ColorState, ...]
    arriving: tuple[tuple[int, int, Wavelet], ...]
    """(cycle, port, wavelet) of what is on the links towards this router."""


@frozen
class Event:
    """One record of the event log (tools page 2): what happened at a PE in a cycle.

    `kind` is "issue", "execute", "land" (in the router, from `port`), "depart" (by `port`) or
    "task" (a task starts). `address` is the instruction of issue and execute.
    """

    cycle: int
    y: int
    x: int
    kind: str
    address: int | None = None
    slot: int | None = None
    task: int | None = None
    color: int | None = None
    port: int | None = None
    wavelet: Wavelet | None = None
