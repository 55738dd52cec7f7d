"""Bit layouts of router configuration, control payloads and message headers.

The one place where a route byte, a color config word, switch words, a control payload or a
message header is put together or taken apart.
"""

from collections.abc import Iterable, Sequence

from attrs import field, frozen

PORTS = "LRUDC"
"""Port letters by number; U is the south port, D the north port."""
LEFT, RIGHT, UP, DOWN, CORE, NO_INPUT = 0, 1, 2, 3, 4, 5
OPPOSITE = (RIGHT, LEFT, DOWN, UP)
"""The neighbour's port at the other end of a link, by own port."""
STEP = ((-1, 0), (1, 0), (0, 1), (0, -1))
"""(dx, dy) of the neighbour behind a port; y is the row ID, growing southward."""

SWAP_VERTICAL, SWAP_HORIZONTAL, SWAP_CORE = 1 << 8, 1 << 9, 1 << 10
POSITION_SHIFT = 11
TORN_DOWN = 1 << 15
RING = 1 << 12
POP_SHIFT = 13
POP_MODES = ("no", "always", "adv", "adv-nop")
ABSENT = NO_INPUT << 5
"""Route byte of a position that does not exist, and of a color without a rule."""

NOP, ADVANCE, RESET, TEARDOWN = range(4)
COMMANDS = ("NOP", "ADVANCE", "RESET", "TEARDOWN")
CE_IGNORE = 4
STREAM_LOW_SHIFT = 22
"""Payload bit of the command stream's bit 0; bits 8-23 of the stream are payload bits 0-15."""
TASK_SHIFT = 16
STREAM_BITS = 0x3FC0FFFF
"""The payload bits that hold the command stream."""

ROUTE_INPUT_SHIFT, ROUTE_OUTPUTS = 5, 0x1F
OUTPUT_QUEUE_SHIFT, INPUT_QUEUE_SHIFT, COLOR_BITS = 4, 0, 0x1F
"""Where a queue's config word holds its color."""
QUEUE_ENABLED = 1 << 15

HEADER_COLUMN_SHIFT, HEADER_ROW_SHIFT, HEADER_BITS = 20, 8, 0xFFF
HEADER_NORTH, HEADER_SOUTH, HEADER_OPEN, HEADER_LENGTH = 1 << 7, 1 << 6, 1 << 5, 0x1F


def route_byte(source: int, outputs: int) -> int:
    """Input port (0-5) and output mask (bit p is port p) as one byte."""
    return source << ROUTE_INPUT_SHIFT | outputs


def split_route(byte: int) -> tuple[int, int]:
    """(input port, output mask) of a route byte."""
    return byte >> ROUTE_INPUT_SHIFT & 7, byte & ROUTE_OUTPUTS


@frozen
class ColorRule:
    """What one router does with one color: up to four positions of (input, output mask).

    `swap` is an or of SWAP_VERTICAL, SWAP_HORIZONTAL, SWAP_CORE.
    """

    positions: tuple[tuple[int, int], ...] = ((NO_INPUT, 0),)
    swap: int = 0
    initial: int = 0
    ring: bool = False
    pop: str = field(default="no")

    def config_word(self) -> int:
        """The word at `color_config + c`."""
        return route_byte(*self.positions[0]) | self.swap | self.initial << POSITION_SHIFT

    def switch_words(self) -> tuple[int, int, int, int]:
        """The four words at `switch_config + 4c`."""
        bytes_ = [route_byte(*p) for p in self.positions[1:]]
        bytes_ += [ABSENT] * (3 - len(bytes_))
        word0 = bytes_[0] | (RING if self.ring else 0) | POP_MODES.index(self.pop) << POP_SHIFT
        return word0, bytes_[1] | bytes_[2] << 8, 0, 0

    @classmethod
    def from_words(cls, config: int, switch: Sequence[int]) -> "ColorRule":
        """The rule that a config word and the switch words describe."""
        positions = [split_route(config & 0xFF)]
        for byte in (switch[0] & 0xFF, switch[1] & 0xFF, switch[1] >> 8):
            if byte >> ROUTE_INPUT_SHIFT == NO_INPUT:
                break
            positions.append(split_route(byte))
        return cls(
            tuple(positions),
            config & (SWAP_VERTICAL | SWAP_HORIZONTAL | SWAP_CORE),
            config >> POSITION_SHIFT & 3,
            bool(switch[0] & RING),
            POP_MODES[switch[0] >> POP_SHIFT & 3],
        )


UNUSED = ColorRule()
"""A color without a rule: config 0x00A0, switch words {0x00A0, 0xA0A0, 0, 0}."""


def control_payload(commands: Iterable[int], task: int = 0) -> int:
    """32-bit payload of a control wavelet from up to eight 3-bit commands (op | CE_IGNORE).

    Missing commands are NOP with ce_ignore.
    """
    stream = 0
    for place, command in enumerate([*commands, *[CE_IGNORE] * 8][:8]):
        stream |= command << 3 * place
    return join_stream(stream, task)


def join_stream(stream: int, task: int) -> int:
    """Stream bits 0-7 stand at payload bits 22-29, bits 8-23 at 0-15; the task at 16-21."""
    return (stream & 0xFF) << STREAM_LOW_SHIFT | stream >> 8 | (task & 0x3F) << TASK_SHIFT


def command_stream(payload: int) -> int:
    """The 24-bit command stream of a control payload, command 0 in the low bits."""
    return payload >> STREAM_LOW_SHIFT & 0xFF | (payload & 0xFFFF) << 8


def control_task(payload: int) -> int:
    """The task that a control wavelet readies at the CE."""
    return payload >> TASK_SHIFT & 0x3F


def pop_command(payload: int) -> int:
    """The payload after command 0 was dropped; NOP with ce_ignore fills in behind."""
    stream = command_stream(payload) >> 3 | CE_IGNORE << 21
    return payload & ~STREAM_BITS | join_stream(stream, 0)


def message_header(x: int, y: int, *, north: bool, south: bool, length: int | None) -> int:
    """Header wavelet of a message; `length` None means software ends it with a control bit."""
    word = x << HEADER_COLUMN_SHIFT | y << HEADER_ROW_SHIFT
    word |= HEADER_NORTH * north | HEADER_SOUTH * south
    return word | (HEADER_OPEN if length is None else length)


QUEUE_ENABLED = 1 << 15
OUTPUT_COLOR_SHIFT = 4


def input_queue_words(color: int) -> tuple[int, int]:
    """The two words of an enabled input queue at `input_queue + 2q`: color in bits 0-4."""
    return color | QUEUE_ENABLED, 0


def output_queue_word(color: int) -> int:
    """The word of an output queue at `output_queue + q`: color in bits 4-8."""
    return color << OUTPUT_COLOR_SHIFT
