"""The cycle: which tiles are visited when, epochs between barriers, and what Python calls.

A tile is visited in the cycles in which something is due there and sleeps otherwise; when all
sleep, time leaps. Tiles touch one another only with a delay, so within an epoch (as many cycles as
the shortest such delay) threads need not wait for each other (machine page 8).
"""

import cython
from cython.parallel import prange

if not cython.compiled:
    from simfabric.mesh.compute import account, compute, next_issue
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import neighbour, read_mail
    from simfabric.mesh.memory import read, write_register
    from simfabric.mesh.queues import find_queues, leave, leaving_soon
    from simfabric.mesh.rooms import told_room
    from simfabric.mesh.router import *

COMPILED = cython.compiled
MADE_FOR = LAYOUT
"""The layout that this was compiled for."""

# What one visit may use up at most, of pages, channels, lanes, events.
PAGES_A_VISIT = cython.declare(cython.int, 32)
CHANNELS_A_VISIT = cython.declare(cython.int, 32)
LANES_A_VISIT = cython.declare(cython.int, 8)
EVENTS_A_VISIT = cython.declare(cython.int, 32)


def visit(m, w, index, now):
    """One tile, one cycle."""
    tile: TileP = m.tiles + index
    moved: cython.int = 0
    if tile.switching:
        moved = commit(m, tile)
    if tile.arrivals or tile.ramp or tile.laned:
        moved |= land(m, w, index, now)
    if tile.sending and tile.ramp == 0:
        moved |= leave(m, w, tile, index, now)
    if tile.occupied:
        moved |= arbitrate(m, w, index, now)
        if tile.finished:
            moved |= retire(m, w, index, now)
    colors: cython.uint = tile.dirty | tile.reconfigured
    if colors:
        sides: cython.uint = tile.reconfigured
        tile.dirty = 0
        tile.reconfigured = 0
        publish(m, w, index, now, colors, sides)
    issued: cython.int = compute(m, w, tile, index, now)
    account(tile, issued, now)
    active: cython.longlong = now if moved or issued else -1
    if tile.main == AT_WORK and tile.main_next - 1 > active:
        active = tile.main_next - 1
    if active > w.last_active:
        w.last_active = active
    when: cython.longlong = _next_visit(m, tile, index, moved, now)
    m.wake[index] = when


def _next_visit(m, tile, index, moved, now):
    """The first cycle in which this tile has something to do of its own accord."""
    when: cython.longlong = next_issue(tile, now)
    other: cython.longlong
    k: cython.int
    if when <= now + 1:
        return now + 1
    if tile.dirty or tile.reconfigured or tile.switching or tile.fetch:
        return now + 1
    if moved and (tile.occupied or tile.laned or tile.sending):
        return now + 1
    if tile.ramp and tile.ramp_due < when:
        when = tile.ramp_due
    if tile.sending and tile.ramp == 0:
        other = leaving_soon(m, tile, index, now)
        if other < when:
            when = other
    if tile.occupied:
        if not blocked_for_ever(m, tile, now):
            return now + 1
        if tile.requests[CORE] and _core_may_take(m, tile, now):
            return now + 1
    if tile.arrivals:
        for k in range(1, LINK_SLOTS):
            if tile.arrivals >> ((now + k) & (LINK_SLOTS - 1)) & 1:
                if now + k < when:
                    when = now + k
                break
    return when


def _core_may_take(m, tile, now):
    """Whether a place of some input queue gets free by time alone."""
    number: cython.int
    for number in range(QUEUE_COUNT):
        queue: InputQueueP = tile.inputs + number
        if queue.popped and now - queue.reference <= m.router_to_execute:
            return 1
    return 0


def _enough(m, w):
    """Whether the pools hold what one visit may use; otherwise says what is short."""
    if w.next_page + PAGES_A_VISIT > w.end_page:
        w.pause = PAUSE_PAGES
    elif w.next_channel + CHANNELS_A_VISIT > w.end_channel:
        w.pause = PAUSE_CHANNELS
    elif w.next_lane + LANES_A_VISIT > w.end_lane:
        w.pause = PAUSE_CHANNELS
    elif w.event_count + EVENTS_A_VISIT > m.event_most:
        w.pause = PAUSE_EVENTS
    else:
        return 1
    return 0


def run_part(m, w, end):
    """Visit the tiles of one thread up to cycle `end`; may stop early and ask Python for more."""
    index: cython.int
    now: cython.longlong
    w.pause = PAUSE_NONE
    while w.now < end:
        now = w.now
        index = w.at
        while index < w.last:
            if m.wake[index] <= now:
                if m.tiles[index].fetch:
                    w.pause = PAUSE_CODE
                    w.pause_tile = index
                if w.pause or not _enough(m, w):
                    w.at = index
                    return w.pause
                w.visits += 1
                visit(m, w, index, now)
            index += 1
        w.at = w.first
        w.now = now + 1
    return PAUSE_NONE


def _collect(m, number):
    """Between epochs: take the mail of the neighbouring threads; find the next due visit."""
    w: WorkerP = m.workers + number
    index: cython.int
    earliest: cython.longlong = NEVER
    if number > 0:
        read_mail(m, w, number - 1, 1)
    if number + 1 < m.worker_count:
        read_mail(m, w, number + 1, 0)
    for index in range(w.first, w.last):
        if m.wake[index] < earliest:
            earliest = m.wake[index]
    w.earliest = earliest


def _machine(where):
    if cython.compiled:
        return cython.cast(MachineP, cython.cast(cython.size_t, where))
    return where


def run(where, until: cython.longlong, quiet: cython.longlong):
    """Run to cycle `until` at most. Returns "quiet", "limit", "fault" or "pause".

    `where` is the machine: its address, uncompiled the record itself. A pause leaves the epoch
    unfinished: the caller does what the workers ask for and calls again.
    """
    m: MachineP = _machine(where)
    k: cython.int
    count: cython.int = m.worker_count
    start: cython.longlong
    active: cython.longlong
    paused: cython.int
    while True:
        if m.in_epoch == 0:
            start = NEVER
            active = -1
            for k in range(count):
                if m.workers[k].earliest < start:
                    start = m.workers[k].earliest
                if m.workers[k].last_active > active:
                    active = m.workers[k].last_active
                if m.workers[k].fault:
                    return "fault"
            if start > active + quiet and active + 1 + quiet <= until:
                m.now = active + 1 + quiet
                return "quiet"
            if start >= until:
                m.now = until
                return "limit"
            m.in_epoch = 1
            m.epoch_end = start + m.epoch if start + m.epoch < until else until
            for k in range(count):
                m.workers[k].now = start
                m.workers[k].at = m.workers[k].first
        if count == 1:
            with cython.nogil:
                run_part(m, m.workers + 0, m.epoch_end)
        else:
            for k in prange(count, nogil=True, num_threads=count, schedule="static", chunksize=1):
                run_part(m, m.workers + k, m.epoch_end)
        paused = 0
        for k in range(count):
            paused |= m.workers[k].pause
        if paused:
            return "pause"
        m.in_epoch = 0
        if count == 1:
            _collect(m, 0)
        else:
            for k in prange(count, nogil=True, num_threads=count, schedule="static", chunksize=1):
                _collect(m, k)
            for k in range(count):
                m.workers[k].mail_count[0] = 0
                m.workers[k].mail_count[1] = 0


def settle_start(where):
    """Once after loading: who reads what, which queue takes what, the room behind every port."""
    m: MachineP = _machine(where)
    index: cython.int
    color: cython.int
    side: cython.int
    room: cython.int
    for index in range(m.tile_count):
        tile: TileP = m.tiles + index
        for color in range(COLOR_COUNT):
            if tile.channels[color] >= 0:
                find_readers(m, tile, color)
        find_queues(m, tile)
    for index in range(m.tile_count):
        tile = m.tiles + index
        for color in range(COLOR_COUNT):
            if tile.channels[color] < 0:
                continue
            channel: ChannelP = m.channels + tile.channels[color]
            for side in range(4):
                room = told_room(m, tile, side, color)
                channel.published[side] = room
                target: cython.int = neighbour(m, tile, index, side)
                if target >= 0 and m.tiles[target].channels[color] >= 0:
                    other: ChannelP = m.channels + m.tiles[target].channels[color]
                    other.room[side ^ 1] = (room * 0x11111111) & M32


def poke(where, tiles, address: cython.int, value: cython.uint):
    """Write a register word of some tiles before the start, as the loader does."""
    m: MachineP = _machine(where)
    index: cython.int
    for number in tiles:
        index = number
        write_register(m, m.workers + 0, index, address, value, 0)
        m.tiles[index].reconfigured = 0
        m.tiles[index].dirty = 0


def peek(where, index: cython.int, address: cython.uint, now: cython.longlong):
    """The word that a program would read at an address."""
    m: MachineP = _machine(where)
    return read(m, index, address, now)
