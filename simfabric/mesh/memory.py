"""A PE's address space: pages, and the registers that are read and written while it runs.

Pages below `Machine.shared_pages` hold what programs start with; a PE that writes into one gets a
copy of its own first. What a register write changes is in force from the next cycle, because the
core's part of a cycle comes after the router's (machine pages 1, 5, 8).
"""

import cython

if not cython.compiled:
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import fault
    from simfabric.mesh.queues import find_queues
    from simfabric.mesh.rooms import is_message
    from simfabric.mesh.router import find_readers, find_requests, make_channel


def read(m, index, address, now):
    """The word at an address; 0 where there is nothing."""
    if m.config_start <= address < m.config_end:
        return read_register(m, index, address, now)
    if address >= m.memory_end:
        return 0
    page: cython.longlong = m.page_table[
        cython.cast(cython.longlong, index) * PAGE_TABLE + (address >> PAGE_SHIFT)
    ]
    return m.pages[(page << PAGE_SHIFT) + (address & ((1 << PAGE_SHIFT) - 1))]


def check_read(m, w, index, address, wide, now):
    """With `Machine.check`: the error of reading a word of memory that nobody ever wrote.

    Locals may be: the compiler keeps them in registers around loops, loads what it will not use,
    and tells of those that are not assigned.
    """
    first_local: cython.uint = m.tiles[index].stack_start
    end: cython.uint = m.main_words
    k: cython.uint
    word: cython.uint
    for k in range(2 if wide else 1):
        word = (address + k) & M16
        if word >= m.memory_end or m.config_start <= word < m.config_end:
            continue
        if first_local <= word < end:
            continue
        page: cython.longlong = m.page_table[
            cython.cast(cython.longlong, index) * PAGE_TABLE + (word >> PAGE_SHIFT)
        ]
        place: cython.longlong = (page << PAGE_SHIFT) + (word & ((1 << PAGE_SHIFT) - 1))
        if m.written[place >> 5] >> (place & 31) & 1 == 0:
            fault(w, FAULT_UNWRITTEN, index, now, word, 0, 0, 0)
            return


def write(m, w, index, address, value, now):
    if address >= m.main_words:
        if m.config_start <= address < m.config_end:
            write_register(m, w, index, address, value, now)
            return
        if address < m.config_end or address >= m.memory_end:
            fault(w, FAULT_RESERVED_WRITE, index, now, address, value, 0, 0)
            return
    tile: TileP = m.tiles + index
    if cython.cast(cython.int, address) < tile.code_end and tile.code_start <= cython.cast(
        cython.int, address
    ):
        tile.fetch = FETCH_CHANGED
    _store(m, w, index, address, value)


def _store(m, w, index, address, value):
    entry: cython.longlong = cython.cast(cython.longlong, index) * PAGE_TABLE + (
        address >> PAGE_SHIFT
    )
    if m.page_table[entry] < m.shared_pages:
        _own_page(m, w, entry)
    page: cython.longlong = m.page_table[entry]
    place: cython.longlong = (page << PAGE_SHIFT) + (address & ((1 << PAGE_SHIFT) - 1))
    m.pages[place] = value
    if m.check:
        m.written[place >> 5] |= cython.cast(cython.uint, 1) << (place & 31)


def _own_page(m, w, entry):
    """Copy a shared page; the loop keeps enough free pages for one visit."""
    k: cython.int
    old: cython.longlong = cython.cast(cython.longlong, m.page_table[entry]) << PAGE_SHIFT
    new: cython.longlong = w.next_page << PAGE_SHIFT
    for k in range(1 << PAGE_SHIFT):
        m.pages[new + k] = m.pages[old + k]
    if m.check:
        for k in range(1 << (PAGE_SHIFT - 5)):
            m.written[(new >> 5) + k] = m.written[(old >> 5) + k]
    m.page_table[entry] = cython.cast(cython.int, w.next_page)
    w.next_page += 1


def _timer(tile, now):
    return tile.timer + (now - tile.timer_since if tile.timer_control & 4 else 0)


def read_register(m, index, address, now):
    tile: TileP = m.tiles + index
    k: cython.int
    value: cython.uint
    k = address - m.color_config
    if 0 <= k < COLOR_COUNT:
        if tile.channels[k] < 0:
            return ABSENT
        channel: ChannelP = m.channels + tile.channels[k]
        value = channel.routes[0] | cython.cast(cython.uint, channel.swap) * SWAP_VERTICAL
        value |= cython.cast(cython.uint, channel.input_position) << POSITION_SHIFT
        return value | (TORN_DOWN if channel.stopped != RUNNING else 0)
    k = address - m.switch_config
    if 0 <= k < 4 * COLOR_COUNT:
        if tile.channels[k >> 2] < 0:
            return ABSENT if k & 3 == 0 else ABSENT | ABSENT << 8 if k & 3 == 1 else 0
        channel = m.channels + tile.channels[k >> 2]
        if k & 3 == 0:
            value = channel.routes[1] | (RING if channel.ring else 0)
            return value | cython.cast(cython.uint, channel.pop) << POP_SHIFT
        if k & 3 == 1:
            return channel.routes[2] | cython.cast(cython.uint, channel.routes[3]) << 8
        return 0
    k = address - m.output_queue
    if 0 <= k < QUEUE_COUNT:
        return tile.outputs[k].config
    k = address - m.input_queue
    if 0 <= k < 2 * QUEUE_COUNT:
        return tile.inputs[k >> 1].config[k & 1]
    k = address - m.cycle_counter
    if 0 <= k < 3:
        return cython.cast(cython.uint, _timer(tile, now) >> (16 * k) & M16)
    if address == m.row_id:
        return tile.row_id
    if address == m.column_id:
        return tile.column_id
    if address == m.timer_control:
        return tile.timer_control
    page: cython.longlong = m.page_table[
        cython.cast(cython.longlong, index) * PAGE_TABLE + (address >> PAGE_SHIFT)
    ]
    value = m.pages[(page << PAGE_SHIFT) + (address & ((1 << PAGE_SHIFT) - 1))]
    if address == m.float_control:
        return (value & ~cython.cast(cython.uint, 3)) | tile.float_control
    return value


def write_register(m, w, index, address, value, now):
    tile: TileP = m.tiles + index
    k: cython.int
    k = address - m.color_config
    if 0 <= k < COLOR_COUNT:
        _write_color(m, w, tile, index, k, value, now)
        return
    k = address - m.switch_config
    if 0 <= k < 4 * COLOR_COUNT:
        _write_switch(m, w, tile, index, k >> 2, k & 3, value, now)
        return
    k = address - m.output_queue
    if 0 <= k < QUEUE_COUNT:
        queue: OutputQueueP = tile.outputs + k
        color: cython.int = value >> OUTPUT_QUEUE_SHIFT & COLOR_BITS
        if queue.count and color != queue.color:
            fault(w, FAULT_QUEUE_REBOUND, index, now, k, queue.color, color, queue.count)
            return
        queue.config = value
        queue.color = color
        return
    k = address - m.input_queue
    if 0 <= k < 2 * QUEUE_COUNT:
        if k & 1 == 0:  # the loader alone enables a queue
            value = (value & ~QUEUE_ENABLED & M16) | (tile.inputs[k >> 1].config[0] & QUEUE_ENABLED)
            tile.inputs[k >> 1].color = value & COLOR_BITS
        tile.inputs[k >> 1].config[k & 1] = value
        find_queues(m, tile)
        return
    k = address - m.cycle_counter
    if 0 <= k < 3:
        count: cython.longlong = _timer(tile, now)
        part: cython.longlong = M16
        tile.timer = (count & ~(part << (16 * k))) | cython.cast(cython.longlong, value) << (16 * k)
        tile.timer_since = now
        return
    if address == m.row_id:
        tile.row_id = value
    elif address == m.column_id:
        tile.column_id = value
    elif address == m.timer_control:
        tile.timer = _timer(tile, now)
        tile.timer_since = now
        tile.timer_control = value
    else:
        if address == m.float_control:
            tile.float_control = value & 3
        _store(m, w, index, address, value)


def _write_color(m, w, tile, index, color, value, now):
    """A color's config word: route of position 0, swap bits, position of both sides, stop bit."""
    channel: ChannelP
    if tile.channels[color] < 0:
        make_channel(m, w, index, color, now)
    channel = m.channels + tile.channels[color]
    channel.routes[0] = value & 0xFF
    channel.swap = value >> 8 & 7
    if channel.swap and tile.channels[color ^ 1] < 0:
        make_channel(m, w, index, color ^ 1, now)
    channel.input_position = value >> POSITION_SHIFT & 3
    channel.next_position = channel.input_position
    channel.output_position = channel.input_position
    tile.switching &= ~(cython.cast(cython.uint, 1) << color)
    channel.stopped = WRITTEN if value & TORN_DOWN else RUNNING
    find_readers(m, tile, color)
    _changed(m, w, tile, index, channel, now)


def _write_switch(m, w, tile, index, color, number, value, now):
    """Switch words: routes of positions 1 to 3, ring and pop mode."""
    channel: ChannelP
    if tile.channels[color] < 0:
        make_channel(m, w, index, color, now)
    channel = m.channels + tile.channels[color]
    if number == 0:
        channel.routes[1] = value & 0xFF
        channel.ring = 1 if value & RING else 0
        channel.pop = value >> POP_SHIFT & 3
    elif number == 1:
        channel.routes[2] = value & 0xFF
        channel.routes[3] = value >> 8
    channel.positions = 1
    while (
        channel.positions < 4
        and channel.routes[channel.positions] >> ROUTE_INPUT_SHIFT < NO_INPUT
    ):
        channel.positions += 1
    _changed(m, w, tile, index, channel, now)


def _changed(m, w, tile, index, channel, now):
    """The head follows the new route; the neighbours hear of the room that results."""
    bit: cython.uint = cython.cast(cython.uint, 1) << channel.color
    if not is_message(m, tile, channel.color):
        find_requests(m, w, tile, index, channel, now)
    tile.reconfigured |= bit
    tile.routing = 1
