"""Room: what a router has free, and what it may believe of its neighbours.

A channel remembers, for every port, how much room the neighbour told of in each of the last
cycles and in which of them a wavelet left: the room that may be used in cycle t is what the
neighbour told at t - room_return less the departures it cannot have counted (machine page 8).
"""

import cython

if not cython.compiled:
    from simfabric.mesh.layout import *


def is_message(m, tile, color):
    """Whether a color passes messages in this router."""
    return tile.banks != 0 and m.bank_of[color] != NO_BANK and tile.banks >> m.bank_of[color] & 1


def side_group(side):
    """Which swap bit rules a side: 0 vertical, 1 horizontal, 2 core."""
    if side < UP:
        return 1
    return 0 if side < CORE else 2


def free_places(m, channel, side):
    """Places of a color's FIFO that a wavelet from a side may take."""
    if channel.stopped != RUNNING:
        return 0
    if channel.routes[channel.input_position] >> ROUTE_INPUT_SHIFT != side:
        return 0
    return m.fifo_depth - channel.count


def room_of(m, tile, side, color):
    """Wavelets that may still come in by a side on a color."""
    number: cython.int = tile.channels[color]
    if number < 0:
        return 0
    channel: ChannelP = m.channels + number
    if is_message(m, tile, color):
        return m.fifo_depth - channel.count
    readers: cython.int = channel.readers[side_group(side)]
    room: cython.int = m.fifo_depth
    free: cython.int
    if readers & 1:
        room = free_places(m, channel, side)
    if readers & 2:
        free = free_places(m, m.channels + tile.channels[color ^ 1], side)
        if free < room:
            room = free
    if channel.lane >= 0:
        lane: LaneP = m.lanes + channel.lane
        room -= lane.count[side]
    return room if room > 0 else 0


def told_room(m, tile, side, color):
    """The room a neighbour hears of; a bank's color has some on its own side only."""
    if is_message(m, tile, color) and m.port_color[5 * m.bank_of[color] + side] != color:
        return 0
    return room_of(m, tile, side, color)


def move_history(channel, now):
    """Let `room` and `gone` speak of cycle `now` too."""
    steps: cython.longlong = now - channel.reference
    if steps <= 0:
        return
    channel.reference = now
    port: cython.int
    shift: cython.int
    value: cython.uint
    filled: cython.uint
    if steps >= HISTORY:
        for port in range(4):
            channel.room[port] = ((channel.room[port] & 15) * 0x11111111) & M32
            channel.gone[port] = 0
        return
    shift = 4 * cython.cast(cython.int, steps)
    for port in range(4):
        value = channel.room[port]
        filled = (value & 15) * 0x11111111 & ((cython.cast(cython.uint, 1) << shift) - 1)
        channel.room[port] = (value << shift | filled) & M32
        channel.gone[port] = (channel.gone[port] << steps) & M16


def room_behind(m, channel, port, now):
    """Places that may be used behind a port in cycle `now`, which the history speaks of."""
    back: cython.int = cython.cast(cython.int, channel.reference - now)
    left: cython.int = channel.room[port] >> (4 * (m.room_return + back)) & 15
    gone: cython.int = channel.gone[port] >> back & ((1 << (m.hop + m.room_return)) - 2)
    while gone and left > 0:
        gone &= gone - 1
        left -= 1
    return left


def room_may_come(m, channel, port, now):
    """Whether a port without room may get some by time alone, without being told."""
    back: cython.int = cython.cast(cython.int, channel.reference - now)
    value: cython.uint = channel.room[port]
    return (
        channel.gone[port] >> back & ((1 << (m.hop + m.room_return)) - 1) != 0
        or value != ((value & 15) * 0x11111111) & M32
    )
