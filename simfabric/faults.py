"""What the machine's errors say to a user: the PE, the color or address, the cycle, the source."""

from mitools.arch.words import OPPOSITE, PORTS
from simfabric.explain.names import (
    SIDES,
    color_name,
    color_text,
    memory_text,
    place_of,
    place_text,
    socket_text,
    tile_name,
)
from simfabric.explain.snapshot import Snapshot, TileState
from simfabric.mesh.state import Fault, MachineError
from simfabric.runner import RunError


def run_error(error: MachineError, snapshot: Snapshot) -> RunError:
    """The error as text, with the source place of its instruction when it has one."""
    tile = snapshot.tile(error.y, error.x)
    details = error.details
    instruction = details.get("instruction")
    place = place_of(tile.program, instruction)
    parts = [f"{error.fault.value} at {tile_name(tile)} in cycle {error.cycle}"]
    parts += _where(error, tile, snapshot)
    if place is not None:
        parts.append("at {}:{}:{}".format(*place))
    elif instruction is not None:
        parts.append(f"code address 0x{instruction:04x}")
    if error.origin is not None:
        (y, x), address = error.origin
        sender = snapshot.tile(y, x)
        place = place_of(sender.program, address)
        parts.append(f"sent by {tile_name(sender)} at {place_text(sender.program, address)}")
    file, line, column = place or (None, None, None)
    return RunError(
        error.fault.name.lower().replace("_", " "),
        error.cycle,
        error.y,
        error.x,
        ", ".join(parts),
        file,
        line,
        column,
        dict(details),
    )


def _where(error: MachineError, tile: TileState, snapshot: Snapshot) -> list[str]:
    """What the numbers of an error mean."""
    details = error.details
    out = []
    color = details.get("color")
    if color is not None:
        out.append(f"color {color_name(color, snapshot.colors)}")
    port = details.get("port")
    if error.fault is Fault.MESSAGE_BANK and port is not None and port < len(OPPOSITE):
        port = OPPOSITE[port]
    if port is not None and 0 <= port < len(PORTS):
        out.append(f"from {SIDES[port]}")
    if error.fault is Fault.COULD_NOT_LAND and color is not None:
        out.append(_readers(tile, color))
    queue = details.get("queue")
    if queue is not None:
        receives = error.fault is Fault.HALF_FOR_WORD
        out.append(socket_text(tile.program, queue, receives=receives))
    header = details.get("header")
    if header is not None:
        out.append(
            f"header 0x{header:08x} (to column {header >> 20}, row {header >> 8 & 0xFFF})"
        )
    if error.fault is Fault.UNWRITTEN_READ:
        out.append(memory_text(tile.program, details.get("address", 0)))
    if error.fault is Fault.RESERVED_WRITE:
        out.append(f"address 0x{details.get('address', 0):04x}")
    for name, value in details.items():
        if name in ("word", "payload"):
            out.append(f"{name} 0x{value:0{4 if name == 'word' else 8}x}")
        elif name in ("value", "new_color", "wavelets", "operand", "descriptor", "task"):
            out.append(f"{name.replace('_', ' ')} {value}")
    return out


def _readers(tile: TileState, color: int) -> str:
    """Why no color takes it: what the color and its partner do there."""
    own, partner = tile.color(color), tile.color(color ^ 1)
    return (
        f"where no color reads it: {color} is {color_text(own)} and its partner {color ^ 1}"
        f" {color_text(partner)}"
    )
