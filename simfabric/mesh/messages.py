"""Message passing: a header finds its way, and its message holds that way (machine page 6).

A bank has one color for each input port. A message that leaves by a port goes on, at the next
router, on the color of the port it comes in by there, so no color is ever fed from two sides.
"""

import cython

if not cython.compiled:
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import fault, neighbour


def check_landing(m, w, tile, index, channel, word, now):
    """Whether a wavelet may come in; a half-wavelet on a bank's color is an error."""
    payload: cython.uint = cython.cast(cython.uint, word & M32)
    origin: cython.uint = cython.cast(cython.uint, word >> 32)
    if (word >> KIND_SHIFT & 3) == HALF:
        fault(w, FAULT_HALF_ON_MESSAGE, index, now, channel.color, payload, 0, origin)
        return 0
    return 1


def head_output(m, w, tile, index, channel, now):
    """Mask of the output that the head of a bank's color goes to; 0 drops it.

    A header of a message decides for what follows it.
    """
    if channel.message_port != NO_PORT:
        return 1 << channel.message_port & ~channel.done
    word: cython.ulonglong = channel.fifo[channel.head]
    header: cython.uint = cython.cast(cython.uint, word & M32)
    origin: cython.uint = cython.cast(cython.uint, word >> 32)
    if (word >> KIND_SHIFT & 3) != DATA:
        fault(w, FAULT_MESSAGE_NO_HEADER, index, now, channel.color, header, 0, origin)
        return 0
    port: cython.int = _route(m, w, tile, index, header, origin, channel.color, now)
    if port == NO_PORT:
        return 0
    channel.message_port = port
    channel.message_left = MESSAGE_OPEN if header & HEADER_OPEN else header & HEADER_LENGTH
    channel.message_begins = 1
    return 1 << port


def _route(m, w, tile, index, header, origin, color, now):
    """X first, then Y, by the coordinates in the router's own registers."""
    x: cython.int = header >> HEADER_COLUMN_SHIFT & HEADER_BITS
    y: cython.int = header >> HEADER_ROW_SHIFT & HEADER_BITS
    port: cython.int
    if x != tile.column_id:
        port = RIGHT if x > tile.column_id else LEFT
    elif y == tile.row_id:
        return CORE
    elif y < tile.row_id:
        port = DOWN
        if not header & HEADER_NORTH:
            fault(w, FAULT_MESSAGE_DIRECTION, index, now, color, header, 0, origin)
            return NO_PORT
    else:
        port = UP
        if not header & HEADER_SOUTH:
            fault(w, FAULT_MESSAGE_DIRECTION, index, now, color, header, 0, origin)
            return NO_PORT
    target: cython.int = neighbour(m, tile, index, port)
    if target < 0 or x >= m.width or y >= m.height:
        fault(w, FAULT_MESSAGE_OUTSIDE, index, now, color, header, 0, origin)
        return NO_PORT
    other: TileP = m.tiles + target
    if not other.banks >> m.bank_of[color] & 1:
        fault(w, FAULT_MESSAGE_BANK, target, now, color, header, port, origin)
        return NO_PORT
    return port


def may_pass(m, tile, channel, port):
    """Whether no other message of the bank holds the output."""
    holder: cython.int = tile.holders[5 * m.bank_of[channel.color] + port]
    return holder == NO_COLOR or holder == channel.color


def passed(m, tile, channel, word):
    """The head has left by the message's output: hold it, or let it go behind the last."""
    place: cython.int = 5 * m.bank_of[channel.color] + channel.message_port
    tile.holders[place] = channel.color
    if channel.message_begins:
        channel.message_begins = 0
    elif channel.message_left == MESSAGE_OPEN:
        if (word >> KIND_SHIFT & 3) == CONTROL:
            channel.message_left = 0
    else:
        channel.message_left -= 1
    if channel.message_left == 0:
        tile.holders[place] = NO_COLOR
        channel.message_port = NO_PORT
