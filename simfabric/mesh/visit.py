"""A tile's cycle, and a row of tiles for the cycles of an epoch.

A tile is visited in the cycles in which something is due there and sleeps otherwise. What a visit
will need is asked from memory while tiles before it are visited.
"""

import cython

if not cython.compiled:
    from simfabric.mesh.compute import account, compute, next_issue
    from simfabric.mesh.intrinsics import fetch, lowest
    from simfabric.mesh.layout import *
    from simfabric.mesh.queues import leave
    from simfabric.mesh.router import *

# What one visit may use up at most, of pages, channels, lanes, events.
PAGES_A_VISIT = cython.declare(cython.int, 32)
CHANNELS_A_VISIT = cython.declare(cython.int, 32)
LANES_A_VISIT = cython.declare(cython.int, 8)
EVENTS_A_VISIT = cython.declare(cython.int, 32)

FAR = cython.declare(cython.int, 8)
NEAR = cython.declare(cython.int, 3)
"""Tiles between one that is visited and those whose memory is asked for meanwhile."""


def visit(m, w, index, now):
    """One tile, one cycle."""
    tile: TileP = m.tiles + index
    moved: cython.int = 0
    if tile.arrivals or tile.occupied or tile.routing:
        moved = _route(m, w, tile, index, now)
    issued: cython.int = compute(m, w, tile, index, now)
    account(tile, issued, now)
    active: cython.longlong = now if moved or issued else -1
    if tile.main == AT_WORK and tile.main_next - 1 > active:
        active = tile.main_next - 1
    if active > w.last_active:
        w.last_active = active
    when: cython.longlong = _next_visit(m, tile, index, moved, now)
    m.wake[index] = when


def _route(m, w, tile, index, now):
    """The router's part of a cycle."""
    moved: cython.int = 0
    if tile.switching:
        moved = commit(m, tile)
    if tile.arrivals or tile.ramp or tile.laned:
        moved |= land(m, w, index, now)
    if tile.sending and tile.ramp == 0 and (tile.old_heads or tile.leave_at <= now):
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
    tile.routing = 1 if tile.sending or tile.ramp or tile.laned or tile.switching else 0
    return moved


def _next_visit(m, tile, index, moved, now):
    """The first cycle in which this tile has something to do of its own accord."""
    when: cython.longlong = next_issue(tile, now)
    k: cython.int
    if when <= now + 1:
        return now + 1
    if tile.fetch:
        return now + 1
    if not (tile.arrivals or tile.occupied or tile.routing):
        return when
    if tile.reconfigured or tile.switching:
        return now + 1
    if moved and (tile.occupied or tile.laned or tile.sending):
        return now + 1
    if tile.ramp and tile.ramp_due < when:
        when = tile.ramp_due
    if tile.sending and now < tile.leave_at < when:
        when = tile.leave_at
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
    visits: cython.longlong = (w.end_page - w.next_page) // PAGES_A_VISIT
    other: cython.longlong = (w.end_channel - w.next_channel) // CHANNELS_A_VISIT
    if visits < 1:
        w.pause = PAUSE_PAGES
    elif other < 1 or (w.end_lane - w.next_lane) // LANES_A_VISIT < 1:
        w.pause = PAUSE_CHANNELS
    elif m.event_most - w.event_count < EVENTS_A_VISIT:
        w.pause = PAUSE_EVENTS
    else:
        if other < visits:
            visits = other
        other = (w.end_lane - w.next_lane) // LANES_A_VISIT
        if other < visits:
            visits = other
        other = (m.event_most - w.event_count) // EVENTS_A_VISIT
        w.budget = cython.cast(cython.int, other if other < visits else visits)
        return 1
    return 0


def _fetch_head(m, index, now):
    """Ask for what tells what a visit will need."""
    tile: TileP = m.tiles + index
    fetch(cython.address(tile.main_next))
    fetch(cython.address(tile.requests))
    fetch(cython.address(tile.link[4 * (now & (LINK_SLOTS - 1))]))


def _fetch_channels(m, index, now):
    """Ask for the channels that something lands in or departs from."""
    tile: TileP = m.tiles + index
    mask: cython.uint = tile.occupied
    number: cython.int
    slot: cython.int
    cycle: cython.int
    side: cython.int
    if tile.arrivals:
        for cycle in range(m.epoch):
            slot = (now + cycle) & (LINK_SLOTS - 1)
            if tile.arrivals >> slot & 1:
                for side in range(4):
                    if tile.link[4 * slot + side]:
                        mask |= cython.cast(cython.uint, 1) << tile.link_color[4 * slot + side]
    if tile.ramp:
        mask |= cython.cast(cython.uint, 1) << tile.ramp_color
    while mask:
        number = tile.channels[lowest(mask)]
        mask &= mask - 1
        if number >= 0:
            fetch(cython.address(m.channels[number].reference))
            fetch(cython.address(m.channels[number].traffic))


def _fetch_rest(m, index):
    """Ask for what a visit will need, as far as the head tells."""
    tile: TileP = m.tiles + index
    slot: cython.int
    mask: cython.uint
    if tile.main == AT_WORK:
        fetch(cython.address(tile.registers[0]))
        fetch(cython.address(tile.registers[32]))
    if tile.arrivals or tile.occupied or tile.sending:
        fetch(cython.address(tile.ramp))
        fetch(cython.address(tile.channels[0]))
        fetch(cython.address(tile.inputs[0]))
    if tile.sending:
        fetch(cython.address(tile.outputs[0]))
    mask = tile.runnable
    while mask:
        slot = lowest(mask)
        mask &= mask - 1
        fetch(cython.address(tile.slots[slot]))


def run_row(m, w, row, start, end):
    """Visit a row's tiles for the cycles start to end - 1, one tile after the other.

    Returns 0 when it has to stop for Python to do something; `w.at` is the tile to go on with.
    """
    index: cython.int = w.at
    last: cython.int = (row + 1) * m.width
    ahead: cython.int = index
    now: cython.longlong
    earliest: cython.longlong = NEVER
    while index < last:
        if m.wake[index] < end:
            if cython.compiled:
                while ahead < index + FAR:
                    ahead += 1
                    if ahead < last and m.wake[ahead] < end:
                        _fetch_head(m, ahead, start)
                if index + NEAR < last and m.wake[index + NEAR] < end:
                    _fetch_rest(m, index + NEAR)
                if index + 1 < last and m.wake[index + 1] < end:
                    _fetch_channels(m, index + 1, start)
            now = m.wake[index] if m.wake[index] > start else start
            while now < end:
                if m.tiles[index].fetch:
                    w.pause = PAUSE_CODE
                    w.pause_tile = index
                if w.pause or (w.budget == 0 and not _enough(m, w)):
                    w.at = index
                    return 0
                w.budget -= 1
                w.visits += 1
                visit(m, w, index, now)
                now = m.wake[index]
        index += 1
    for index in range(row * m.width, last):
        if m.wake[index] < earliest:
            earliest = m.wake[index]
    m.row_wake[row] = earliest
    w.at = -1
    return 1
