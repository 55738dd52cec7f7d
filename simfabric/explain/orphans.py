"""Wavelets that are left in FIFOs, lanes and queues, with where they were sent from."""

from collections import defaultdict
from collections.abc import Iterator

from attrs import evolve

from mitools.arch.words import CORE, NO_INPUT, OPPOSITE, STEP
from simfabric.explain.model import Hop, Orphans
from simfabric.explain.names import (
    color_name,
    color_text,
    place_of,
    place_text,
    tile_name,
)
from simfabric.explain.sites import sites
from simfabric.explain.snapshot import Coordinate, Snapshot, TileState, Wavelet

MOST_TILES = 2000
"""Tiles that are looked into; of those beyond, only their number is told."""
MOST_HOPS = 4096

Sender = tuple[int, int, int | None]
"""(y, x, address of the sending instruction)."""


def buffers(tile: TileState) -> Iterator[tuple[Hop, tuple[Wavelet, ...]]]:
    """Every buffer of a tile that holds wavelets."""
    y, x = tile.place
    for color, fifo in sorted(tile.colors.items()):
        if fifo.fifo:
            yield (
                Hop(
                    y,
                    x,
                    "FIFO",
                    color,
                    color,
                    len(fifo.fifo),
                    fifo.depth,
                    route=color_text(fifo),
                ),
                fifo.fifo,
            )
    for (port, color), lane in sorted(tile.lanes.items()):
        if lane:
            yield Hop(y, x, "lane", port, color, len(lane), 0), lane
    for what, queues in (("input queue", tile.inputs), ("output queue", tile.outputs)):
        for number, state in enumerate(queues):
            if state.wavelets:
                held = len(state.wavelets)
                yield (
                    Hop(y, x, what, number, state.color, held, state.depth),
                    state.wavelets,
                )


def upstream_senders(snapshot: Snapshot, hop: Hop) -> list[Sender]:
    """The PEs that can have sent what a buffer holds, followed against its color's routes.

    All switch positions count: a switch may have moved since.
    """
    if hop.what == "output queue":
        return [_sender(snapshot.tile(hop.y, hop.x), hop.color)]
    found: dict[Sender, None] = {}
    seen: set[tuple[int, int, int]] = set()
    if hop.what == "lane":
        work = list(_across(snapshot, hop.y, hop.x, hop.number, hop.color))
        if hop.number == CORE:
            found[_sender(snapshot.tile(hop.y, hop.x), hop.color)] = None
    else:
        work = [(hop.y, hop.x, hop.color)]
    while work and len(seen) < MOST_HOPS:
        y, x, color = work.pop()
        if (y, x, color) in seen:
            continue
        seen.add((y, x, color))
        tile = snapshot.tile(y, x)
        for port in {source for source, _ in tile.color(color).rule.positions}:
            arrival = tile.arrival(color, port) if port != NO_INPUT else color
            if port == CORE and tile.output_queues(arrival):
                found[_sender(tile, arrival)] = None
            elif port < CORE:
                work += _across(snapshot, y, x, port, arrival)
    return sorted(found, key=lambda s: s[:2])


def _across(
    snapshot: Snapshot, y: int, x: int, port: int, color: int
) -> Iterator[tuple[int, int, int]]:
    if port >= CORE:
        return
    dx, dy = STEP[port]
    y, x = y + dy, x + dx
    if 0 <= y < snapshot.height and 0 <= x < snapshot.width:
        rule = snapshot.tile(y, x).color(color).rule
        if any(outputs >> OPPOSITE[port] & 1 for _, outputs in rule.positions):
            yield y, x, color


def _sender(tile: TileState, color: int) -> Sender:
    for queue in tile.output_queues(color):
        places = sites(tile.program).sends.get(queue) if tile.program else None
        if places:
            return tile.y, tile.x, places[0]
    return tile.y, tile.x, None


def find_orphans(snapshot: Snapshot) -> tuple[list[Orphans], int]:
    """What is left, grouped by color and by the source place it was sent from, most first; and
    the number of PEs that were not looked into."""
    beyond = 0
    groups: dict[object, list[tuple[Hop, list[Wavelet], list[Sender]]]] = defaultdict(list)
    for count, (y, x) in enumerate(snapshot.holding()):
        if count >= MOST_TILES:
            beyond += 1
            continue
        for hop, wavelets in buffers(snapshot.tile(y, x)):
            for senders, some in _by_sender(snapshot, hop, wavelets):
                groups[hop.color, _sites(snapshot, senders)].append((hop, some, senders))
    found = [_group(snapshot, held) for held in groups.values()]
    return sorted(found, key=lambda o: (-o.count, o.color, o.held[0].y, o.held[0].x)), beyond


def _by_sender(
    snapshot: Snapshot, hop: Hop, wavelets: tuple[Wavelet, ...]
) -> list[tuple[list[Sender], list[Wavelet]]]:
    known: dict[Sender, list[Wavelet]] = defaultdict(list)
    unknown: list[Wavelet] = []
    for wavelet in wavelets:
        if wavelet.origin is None:
            unknown.append(wavelet)
        else:
            known[(*wavelet.origin, wavelet.pc)].append(wavelet)
    found: list[tuple[list[Sender], list[Wavelet]]] = [
        ([sender], known[sender]) for sender in sorted(known, key=lambda s: s[:2])
    ]
    if unknown:
        found.append((upstream_senders(snapshot, hop), unknown))
    return found


def _sites(snapshot: Snapshot, senders: list[Sender]) -> tuple[object, ...]:
    """What makes senders alike: their programs and places."""
    alike = []
    for y, x, pc in senders:
        program = snapshot.tile(y, x).program
        alike.append((program.program if program else None, place_of(program, pc) or pc))
    return tuple(dict.fromkeys(alike))


def _group(
    snapshot: Snapshot, held: list[tuple[Hop, list[Wavelet], list[Sender]]]
) -> Orphans:
    wavelets = [w for _, some, _ in held for w in some]
    color = held[0][0].color
    name = color_name(color, snapshot.colors)
    controls = sum(w.control for w in wavelets)
    kind = "control wavelet" if controls == len(wavelets) else "wavelet"
    kind += "" if len(wavelets) == 1 else "s"
    if 0 < controls < len(wavelets):
        kind += f" ({controls} of them control)"
    senders: dict[Coordinate, Sender] = {}
    for _, _, some in held:
        for sender in some:
            senders.setdefault(sender[:2], sender)
    counts: dict[Hop, int] = defaultdict(int)
    for hop, lying, _ in held:
        counts[hop] += len(lying)
    hops = [evolve(hop, held=count, color_name=name) for hop, count in counts.items()]
    return Orphans(
        len(wavelets),
        color,
        name,
        f"{len(wavelets)} {kind} of color {name}, {_sent_by(snapshot, list(senders.values()))}",
        tuple(hops),
        tuple(senders),
    )


def _sent_by(snapshot: Snapshot, senders: list[Sender]) -> str:
    if not senders:
        return "sent from no PE whose route leads here now"
    y, x, pc = senders[0]
    tile = snapshot.tile(y, x)
    at = f" at {place_text(tile.program, pc)}" if pc is not None else ""
    more = f" and {len(senders) - 1} more PEs" if len(senders) > 1 else ""
    return f"sent by {tile_name(tile)}{at}{more}"
