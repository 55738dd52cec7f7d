"""What messages wait for (machine page, section 6): held outputs, and messages left unfinished.

A bank's colors stand for the input ports of a router, so the way of a message is in the routers'
state: each knows the port that the message on each of its inputs goes to.
"""

from collections.abc import Iterator

from mitools.arch.words import CORE, DOWN, LEFT, RIGHT, UP
from simfabric.explain.snapshot import ColorState, TileState

INPUTS = (DOWN, UP, RIGHT, LEFT, CORE)
"""Input ports in the order of a bank's colors: north, south, east, west, core."""


def bank_of(tile: TileState, color: int) -> tuple[int, ...] | None:
    """The colors of the enabled bank that a color belongs to, or None."""
    for number, colors in enumerate(tile.bank_colors):
        if tile.message_banks >> number & 1 and color in colors:
            return colors
    return None


def input_port(bank: tuple[int, ...], color: int) -> int:
    """The port that a bank's color comes in by."""
    return INPUTS[bank.index(color)]


def color_at(bank: tuple[int, ...], port: int) -> int:
    """The bank's color at an input port."""
    return bank[INPUTS.index(port)]


def going_to(tile: TileState, bank: tuple[int, ...], port: int) -> Iterator[tuple[int, ColorState]]:
    """The colors of a bank whose message goes to a port, the one that holds it first."""
    found = [(c, tile.color(c)) for c in bank if tile.color(c).message_port == port]
    yield from sorted(found, key=lambda f: not f[1].message_holds)


def holder(tile: TileState, bank: tuple[int, ...], port: int, but: int) -> int | None:
    """The color whose message holds a port, if another than `but` does."""
    for color, state in going_to(tile, bank, port):
        if state.message_holds and color != but:
            return color
    return None


def message_text(bank: tuple[int, ...], color: int, state: ColorState) -> str:
    """The way of a message in a router: `[messages L>R]`, `?` where no header has come."""
    ports = "LRUDC"
    target = "?" if state.message_port is None else ports[state.message_port]
    return f"[messages {ports[input_port(bank, color)]}>{target}]"
