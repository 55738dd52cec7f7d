"""How PEs, colors, routes, sockets, threads and source places are called in lines for people."""

from bisect import bisect_right
from collections.abc import Mapping

from carbide.object import Object, SocketUse
from mitools.arch.words import (
    PORTS,
    SWAP_HORIZONTAL,
    SWAP_VERTICAL,
    ColorRule,
)
from simfabric.explain.snapshot import ColorState, TileState

SIDES = ("the west", "the east", "the south", "the north", "the core")
"""What lies behind a port, by port number."""


def pe_name(y: int, x: int) -> str:
    """`P3.0`: column, then row, as in debug records."""
    return f"P{x}.{y}"


def tile_name(tile: TileState) -> str:
    """The PE with its region or program, `P3.0 (stages)`."""
    label = tile.region or (tile.program.program if tile.program else None)
    return pe_name(tile.y, tile.x) + (f" ({label})" if label else "")


def color_name(number: int, colors: Mapping[int, list[str]]) -> str:
    """The layout's names and the number, `r (2)`; `color 2` for one without a name."""
    names = colors.get(number)
    return f"{'/'.join(names)} ({number})" if names else f"{number}"


def route_text(rule: ColorRule, position: int) -> str:
    """One position of a rule as a layout writes it: `[L>R]`, `[CXR]`, `[>C]` for no input."""
    source, outputs = rule.positions[position]
    letter = {0: ">", SWAP_HORIZONTAL: "H", SWAP_VERTICAL: "V"}.get(rule.swap, "X")
    inputs = PORTS[source] if source < len(PORTS) else ""
    return f"[{inputs}{letter}{''.join(p for n, p in enumerate(PORTS) if outputs >> n & 1)}]"


def color_text(state: ColorState) -> str:
    """The route in force, with the switch position where there is more than one."""
    text = route_text(state.rule, state.output_position)
    count = len(state.rule.positions)
    if count > 1:
        text += f" at position {state.output_position} of 0-{count - 1}"
        if state.input_position != state.output_position:
            text += f" (inputs at {state.input_position})"
    return text + (", torn down" if state.torn_down else "")


def thread_name(slot: int) -> str:
    return "main thread" if slot == 0 else f"microthread {slot - 1}"


def place_of(program: Object | None, address: int | None) -> tuple[str, int, int] | None:
    """(file, line, column) behind an instruction, or None."""
    if program is None or address is None:
        return None
    code = program.code
    if not code.address <= address < code.address + len(code.words):
        return None
    place = bisect_right(program.places, address, key=lambda p: p.address) - 1
    if place < 0:
        return None
    found = program.places[place]
    return found.file, found.line, found.column


def place_text(program: Object | None, address: int | None) -> str:
    """`stage.w:8:12`, or the code address where no source is known."""
    place = place_of(program, address)
    if place is not None:
        return "{}:{}:{}".format(*place)
    return "an unknown place" if address is None else f"code address 0x{address:04x}"


def sockets_of(program: Object | None, queue: int, *, receives: bool) -> list[SocketUse]:
    """The sockets that share one queue."""
    if program is None:
        return []
    return [
        s
        for s in program.sockets
        if (s.input_queue if receives else s.output_queue) == queue
    ]


def socket_text(program: Object | None, queue: int, *, receives: bool) -> str:
    """`socket rx`, or the queue for a program that binds it without a socket."""
    names = [s.name for s in sockets_of(program, queue, receives=receives)]
    if not names:
        return f"{'input' if receives else 'output'} queue {queue}"
    return f"socket{'s' if len(names) > 1 else ''} {'/'.join(names)}"


def memory_text(program: Object | None, address: int) -> str:
    """`u[3, 0] (address 0x0078)`; the address alone where no global variable stands."""
    where = f"address 0x{address:04x}"
    for symbol in program.symbols if program else ():
        element, word = divmod(address - symbol.address, symbol.words)
        indices = []
        for _, extent in reversed(symbol.dimensions):
            element, index = divmod(element, extent)
            indices.append(str(index))
        if element == 0:  # nothing is left of the distance: it lies within
            text = symbol.name + (f"[{', '.join(reversed(indices))}]" if indices else "")
            if word and symbol.words > 2:
                text += f" word {word}"
            return f"{text} ({where})"
    return where


def symbol_at(program: Object | None, address: int) -> str:
    """The global that starts at an address, or the address."""
    for symbol in program.symbols if program else ():
        if symbol.address == address:
            return symbol.name
    return f"0x{address:04x}"


def some_names(names: list[str], limit: int = 6) -> str:
    """A list that does not run away: `P0.0, P1.0, P2.0 and 30 more`."""
    if len(names) <= limit:
        return ", ".join(names)
    return f"{', '.join(names[: limit - 2])} and {len(names) - limit + 2} more"
