"""Between tiles: wavelets on links, rooms told to neighbours, waking, and mail across threads.

A tile changes another tile only through this module, and only in ways that take effect two or
more cycles later, so the order in which tiles are visited within a cycle cannot matter. What goes
to a tile of another thread is put into a mail box and delivered between epochs.
"""

import cython

if not cython.compiled:
    from simfabric.mesh.layout import *
    from simfabric.mesh.rooms import move_history


def neighbour(m, tile, index, port):
    """Index of the tile behind a port, -1 outside the grid."""
    if port == LEFT:
        return index - 1 if tile.x > 0 else -1
    if port == RIGHT:
        return index + 1 if tile.x + 1 < m.width else -1
    if port == UP:
        return index + m.width if tile.y + 1 < m.height else -1
    return index - m.width if tile.y > 0 else -1


def wake(m, index, cycle):
    if cycle < m.wake[index]:
        m.wake[index] = cycle
        row: cython.int = m.tiles[index].y
        if cycle < m.row_wake[row]:
            m.row_wake[row] = cycle


def fault(w, kind, index, now, a, b, c, d):
    """Keep the smallest (cycle, tile) of the errors this thread finds."""
    if w.fault != FAULT_NONE:
        if now > w.fault_cycle or (now == w.fault_cycle and index >= w.fault_tile):
            return
    w.fault = kind
    w.fault_tile = index
    w.fault_cycle = now
    w.fault_op = w.issuing
    w.fault_details[0] = a
    w.fault_details[1] = b
    w.fault_details[2] = c
    w.fault_details[3] = d


def log(m, w, index, now, kind, word, address, slot, task, color, port):
    """Add to the event log; the loop leaves enough free places for one visit."""
    if now < m.log_first or now >= m.log_last:
        return
    entry: LogEntryP = m.events + (w.number * m.event_most + w.event_count)
    w.event_count += 1
    entry.cycle = now
    entry.word = word
    entry.tile = index
    entry.address = address
    entry.kind = kind
    entry.slot = slot
    entry.task = task
    entry.color = color
    entry.port = port


def send_word(m, w, target, side, word, color, due):
    """Put a wavelet on the link into `target`'s port `side`; it lands in cycle `due`."""
    if w.first <= target < w.last:
        _put_word(m, target, side, word, color, due)
    else:
        _post(m, w, MAIL_WAVELET, target, side, color, 0, word, due)


def tell_room(m, w, target, port, color, room, now):
    """Tell the tile behind one of our ports how much room its own port `port` has from now on."""
    if w.first <= target < w.last:
        _put_room(m, target, port, color, room, now)
    else:
        _post(m, w, MAIL_ROOM, target, port, color, room, 0, now)


def greet(m, w, target, color, due):
    """Ask a neighbour to tell its room for a color that this tile begins to use."""
    if w.first <= target < w.last:
        _put_hello(m, target, color, due)
    else:
        _post(m, w, MAIL_HELLO, target, 0, color, 0, 0, due)


def _put_word(m, target, side, word, color, due):
    tile: TileP = m.tiles + target
    slot: cython.int = due & (LINK_SLOTS - 1)
    tile.link[4 * slot + side] = word
    tile.link_color[4 * slot + side] = color
    tile.arrivals |= 1 << slot
    wake(m, target, due)


def _put_room(m, target, port, color, room, cycle):
    tile: TileP = m.tiles + target
    number: cython.int = tile.channels[color]
    if number < 0:
        return
    channel: ChannelP = m.channels + number
    j: cython.int
    move_history(channel, cycle)
    value: cython.uint = channel.room[port]
    for j in range(cython.cast(cython.int, channel.reference - cycle) + 1):
        value = (value & ~(cython.cast(cython.uint, 15) << (4 * j))) | (
            cython.cast(cython.uint, room) << (4 * j)
        )
    channel.room[port] = value & M32
    if tile.requests[port] >> color & 1:
        wake(m, target, cycle + m.room_return)


def _put_hello(m, target, color, due):
    tile: TileP = m.tiles + target
    slot: cython.int = due & (LINK_SLOTS - 1)
    tile.hello[slot] |= cython.cast(cython.uint, 1) << color
    tile.arrivals |= 1 << slot
    wake(m, target, due)


def _post(m, w, kind, target, port, color, room, word, cycle):
    box: cython.int = 0 if target < w.first else 1
    mail: MailP = m.mail + ((2 * w.number + box) * m.mail_most + w.mail_count[box])
    w.mail_count[box] += 1
    mail.kind = kind
    mail.tile = target
    mail.port = port
    mail.color = color
    mail.room = room
    mail.word = word
    mail.cycle = cycle


def read_mail(m, w, sender, box):
    """Deliver what thread `sender` put into its box (0: for the rows before its own)."""
    other: WorkerP = m.workers + sender
    k: cython.int
    for k in range(other.mail_count[box]):
        mail: MailP = m.mail + ((2 * sender + box) * m.mail_most + k)
        if mail.kind == MAIL_WAVELET:
            _put_word(m, mail.tile, mail.port, mail.word, mail.color, mail.cycle)
        elif mail.kind == MAIL_ROOM:
            _put_room(m, mail.tile, mail.port, mail.color, mail.room, mail.cycle)
        else:
            _put_hello(m, mail.tile, mail.color, mail.cycle)
