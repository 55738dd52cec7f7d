"""One router's cycle: commit, land, arbitrate, retire, publish (machine pages 2, 2.1, 2.2, 8).

A FIFO belongs to a color after input selection and swap. A wavelet that arrives on a color is
read by that color unless its side is swapped, and by the partner (c ^ 1) where the partner's is;
it enters the FIFOs of all its readers at once or waits in the lane of its side and color.
"""

import cython

if not cython.compiled:
    from simfabric.mesh.intrinsics import lowest
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import *
    from simfabric.mesh.messages import check_landing, head_output, may_pass, passed
    from simfabric.mesh.queues import accept
    from simfabric.mesh.rooms import *


def make_channel(m, w, index, color, now):
    """The channel of a color that this router used nothing of so far.

    The neighbours do not speak about colors that a tile does not use, so they are asked to.
    """
    tile: TileP = m.tiles + index
    number: cython.int = w.next_channel
    channel: ChannelP = m.channels + number
    place: cython.int
    w.next_channel += 1
    channel.reference = now
    channel.color = color
    channel.lane = -1
    channel.positions = 1
    channel.message_port = NO_PORT
    for place in range(4):
        channel.routes[place] = ABSENT
    tile.channels[color] = number
    find_readers(m, tile, color)
    for place in range(4):
        target: cython.int = neighbour(m, tile, index, place)
        if target >= 0:
            greet(m, w, target, color, now + m.hop)
    return channel


def find_readers(m, tile, color):
    """Note for a color and its partner which of the two reads what arrives on them."""
    k: cython.int
    group: cython.int
    for k in range(2):
        own: cython.int = tile.channels[color ^ k]
        partner: cython.int = tile.channels[color ^ k ^ 1]
        if own < 0:
            continue
        channel: ChannelP = m.channels + own
        other: ChannelP = m.channels + (partner if partner >= 0 else own)
        for group in range(3):
            readers: cython.int = 0 if channel.swap >> group & 1 else 1
            if partner >= 0 and other.swap >> group & 1:
                readers |= 2
            channel.readers[group] = readers


def find_requests(m, w, tile, index, channel, now):
    """Let the head of a color's FIFO ask for the outputs that have not taken it yet."""
    bit: cython.uint = cython.cast(cython.uint, 1) << channel.color
    port: cython.int
    for port in range(5):
        tile.requests[port] &= ~bit
    tile.finished &= ~bit
    channel.wants = 0
    if channel.count == 0 or channel.stopped == WRITTEN:
        return
    outputs: cython.int
    if is_message(m, tile, channel.color):
        outputs = head_output(m, w, tile, index, channel, now)
    else:
        outputs = channel.routes[channel.output_position] & ROUTE_OUTPUTS & ~channel.done
        if channel.marks[channel.head] & CE_IGNORE:
            outputs &= ~(1 << CORE)
    channel.wants = outputs
    if outputs == 0:
        tile.finished |= bit
        return
    for port in range(5):
        if outputs >> port & 1:
            tile.requests[port] |= bit


def commit(m, tile):
    """Input positions decided in the cycle before come into force."""
    mask: cython.uint = tile.switching
    color: cython.int
    if mask == 0:
        return 0
    tile.reconfigured |= mask
    tile.switching = 0
    while mask:
        color = lowest(mask)
        mask &= mask - 1
        channel: ChannelP = m.channels + tile.channels[color]
        channel.input_position = channel.next_position
    return 1


def land(m, w, index, now):
    """Lanes, links and the ramp from the core, into the FIFOs. Returns whether anything moved."""
    tile: TileP = m.tiles + index
    moved: cython.int = 0
    side: cython.int
    slot: cython.int
    word: cython.ulonglong
    drained: cython.int = tile.laned != 0
    if drained:
        moved = _drain(m, w, tile, index, now)
    slot = now & (LINK_SLOTS - 1)
    if tile.arrivals >> slot & 1:
        tile.arrivals &= ~(1 << slot)
        if tile.hello[slot]:
            mask: cython.uint = tile.hello[slot]
            tile.hello[slot] = 0
            tile.reconfigured |= mask
            while mask:
                number: cython.int = tile.channels[lowest(mask)]
                mask &= mask - 1
                if number >= 0:
                    channel: ChannelP = m.channels + number
                    for side in range(4):
                        channel.published[side] = NO_PORT
        for side in range(4):
            word = tile.link[4 * slot + side]
            if word:
                tile.link[4 * slot + side] = 0
                moved = 1
                _arrive(m, w, tile, index, side, tile.link_color[4 * slot + side], word, now)
    if tile.ramp and tile.ramp_due <= now:
        word = tile.ramp
        tile.ramp = 0
        moved = 1
        _arrive(m, w, tile, index, CORE, tile.ramp_color, word, now)
    if drained:
        for side in range(5):
            w.drained[side] = 0
    return moved


def _drain(m, w, tile, index, now):
    """One wavelet of each lane, if all its readers have a place."""
    moved: cython.int = 0
    mask: cython.uint = tile.laned
    side: cython.int
    while mask:
        color: cython.int = lowest(mask)
        mask &= mask - 1
        channel: ChannelP = m.channels + tile.channels[color]
        lane: LaneP = m.lanes + channel.lane
        left: cython.int = 0
        for side in range(5):
            if lane.count[side]:
                word: cython.ulonglong = lane.words[side * FIFO_MOST + lane.head[side]]
                if _enter(m, w, tile, index, side, color, word, now):
                    lane.head[side] = (lane.head[side] + 1) & (FIFO_MOST - 1)
                    lane.count[side] -= 1
                    w.drained[side] |= cython.cast(cython.uint, 1) << color
                    tile.reconfigured |= cython.cast(cython.uint, 1) << color
                    moved = 1
                left += lane.count[side]
        if left == 0:
            tile.laned &= ~(cython.cast(cython.uint, 1) << color)
    return moved


def _arrive(m, w, tile, index, side, color, word, now):
    if tile.logged:
        log(m, w, index, now, EVENT_LAND, word, 0, 0, 0, color, side)
    number: cython.int = tile.channels[color]
    payload: cython.uint = cython.cast(cython.uint, word & M32)
    if number < 0:
        origin: cython.uint = cython.cast(cython.uint, word >> 32)
        fault(w, FAULT_COULD_NOT_LAND, index, now, color, side, payload, origin)
        return
    channel: ChannelP = m.channels + number
    if is_message(m, tile, color):
        if check_landing(m, w, tile, index, channel, word, now):
            _push(m, w, tile, index, channel, word, now)
        return
    if channel.lane >= 0:
        lane: LaneP = m.lanes + channel.lane
        if lane.count[side] or w.drained[side] >> color & 1:
            _wait_in_lane(m, w, tile, channel, side, word)
            return
    if not _enter(m, w, tile, index, side, color, word, now):
        _wait_in_lane(m, w, tile, channel, side, word)


def _wait_in_lane(m, w, tile, channel, side, word):
    k: cython.int
    lane: LaneP
    if channel.lane < 0:
        channel.lane = w.next_lane
        w.next_lane += 1
        lane = m.lanes + channel.lane
        for k in range(5):
            lane.head[k] = 0
            lane.count[k] = 0
    lane = m.lanes + channel.lane
    k = (lane.head[side] + lane.count[side]) & (FIFO_MOST - 1)
    lane.words[side * FIFO_MOST + k] = word
    lane.count[side] += 1
    tile.laned |= cython.cast(cython.uint, 1) << channel.color
    tile.reconfigured |= cython.cast(cython.uint, 1) << channel.color


def _enter(m, w, tile, index, side, color, word, now):
    """Put a wavelet into the FIFOs of all its readers, or into none (returns 0)."""
    channel: ChannelP = m.channels + tile.channels[color]
    readers: cython.int = channel.readers[side_group(side)]
    if readers == 0:
        payload: cython.uint = cython.cast(cython.uint, word & M32)
        origin: cython.uint = cython.cast(cython.uint, word >> 32)
        fault(w, FAULT_COULD_NOT_LAND, index, now, color, side, payload, origin)
        return 1
    if readers & 1 and free_places(m, channel, side) <= 0:
        return 0
    partner: ChannelP = channel
    if readers & 2:
        partner = m.channels + tile.channels[color ^ 1]
        if free_places(m, partner, side) <= 0:
            return 0
    if readers & 1:
        _push(m, w, tile, index, channel, word, now)
    if readers & 2:
        _push(m, w, tile, index, partner, word, now)
    return 1


def _push(m, w, tile, index, channel, word, now):
    """Add a wavelet to a FIFO; the command it carries acts now (machine page 2.1)."""
    depth: cython.int = m.fifo_depth
    place: cython.int = channel.head + channel.count
    if place >= depth:
        place -= depth
    bit: cython.uint = cython.cast(cython.uint, 1) << channel.color
    flip: cython.int = cython.cast(cython.int, word >> FLIP_SHIFT & 1)
    channel.marks[place] = 0
    if flip:
        word &= ~(cython.cast(cython.ulonglong, 1) << FLIP_SHIFT)
        if m.switching >> channel.color & 1:
            channel.next_position = _advanced(channel, channel.input_position)
            if channel.next_position != channel.input_position:
                tile.switching |= bit
    if (word >> KIND_SHIFT & 3) == CONTROL and not is_message(m, tile, channel.color):
        word = _command(m, tile, channel, place, word)
    channel.fifo[place] = word
    channel.count += 1
    tile.occupied |= bit
    tile.dirty ^= bit  # one in and one out in a cycle leave the room as it was
    if channel.count == 1:
        channel.done = 0
        find_requests(m, w, tile, index, channel, now)


def _command(m, tile, channel, place, word):
    """Execute command 0 of a control wavelet; returns the wavelet as it goes on (pop modes)."""
    payload: cython.uint = cython.cast(cython.uint, word & M32)
    command: cython.int = payload >> STREAM_LOW_SHIFT & 7
    operation: cython.int = command & 3
    position: cython.int = channel.next_position
    changed: cython.int = 0
    if m.switching >> channel.color & 1:
        if operation == ADVANCE:
            position = _advanced(channel, position)
        elif operation == RESET:
            position = 0
        if position != channel.next_position:
            changed = 1
            channel.next_position = position
            tile.switching |= cython.cast(cython.uint, 1) << channel.color
    if operation == TEARDOWN:
        channel.stopped = TORN
        tile.reconfigured |= cython.cast(cython.uint, 1) << channel.color
    channel.marks[place] = command
    if (
        channel.pop == POP_ALWAYS
        or (operation == ADVANCE and changed and channel.pop >= POP_ADVANCE)
        or (operation == NOP and channel.pop == POP_ADVANCE_NOP)
    ):
        stream: cython.uint = (payload >> STREAM_LOW_SHIFT & 0xFF) | (payload & M16) << 8
        stream = stream >> 3 | cython.cast(cython.uint, CE_IGNORE) << 21
        payload = (payload & ~STREAM_BITS & M32) | (stream & 0xFF) << STREAM_LOW_SHIFT | stream >> 8
        word = (word >> KIND_SHIFT) << KIND_SHIFT | payload
    return word


def _advanced(channel, position):
    """The position after one ADVANCE."""
    if position + 1 < channel.positions:
        return position + 1
    return 0 if channel.ring else position


def arbitrate(m, w, index, now):
    """Each output takes the head of one color, round robin. Returns whether anything moved."""
    tile: TileP = m.tiles + index
    moved: cython.int = 0
    port: cython.int
    color: cython.int
    for port in range(5):
        mask: cython.uint = tile.requests[port]
        if mask == 0:
            continue
        start: cython.int = tile.pointers[port]
        first: cython.uint = mask >> start << start
        mask &= ~first
        while first or mask:
            if first:
                color = lowest(first)
                first &= first - 1
            else:
                color = lowest(mask)
                mask &= mask - 1
            if _grant(m, w, tile, index, port, color, now):
                tile.pointers[port] = color + 1 if color + 1 < COLOR_COUNT else 0
                moved = 1
                break
    return moved


def _grant(m, w, tile, index, port, color, now):
    """Let one output take the head of a color if there is room behind it."""
    number: cython.int = tile.channels[color]
    channel: ChannelP = m.channels + number
    word: cython.ulonglong = channel.fifo[channel.head]
    message: cython.int = is_message(m, tile, color)
    if message and not may_pass(m, tile, channel, port):
        return 0
    if port == CORE:
        if not accept(m, w, tile, index, color, word, now):
            return 0
    else:
        target: cython.int = neighbour(m, tile, index, port)
        if target < 0:
            tile.outside += 1
        else:
            lane_color: cython.int = color
            track: ChannelP = channel
            if message:
                lane_color = m.port_color[5 * m.bank_of[color] + (port ^ 1)]
                track = m.channels + tile.channels[lane_color]
            move_history(track, now)
            if room_behind(m, track, port, now) <= 0:
                return 0
            track.gone[port] |= 1 << (track.reference - now)
            send_word(m, w, target, port ^ 1, word, lane_color, now + m.hop)
    if tile.logged:
        log(m, w, index, now, EVENT_DEPART, word, 0, 0, 0, color, port)
    channel.traffic[port] += 1
    channel.done |= 1 << port
    channel.wants &= ~(1 << port)
    tile.requests[port] &= ~(cython.cast(cython.uint, 1) << color)
    if channel.wants == 0:
        tile.finished |= cython.cast(cython.uint, 1) << color
    if message:
        passed(m, tile, channel, word)
    return 1


def retire(m, w, index, now):
    """Heads that all outputs took go; output positions change behind a command."""
    tile: TileP = m.tiles + index
    mask: cython.uint = tile.finished
    if mask == 0:
        return 0
    tile.finished = 0
    tile.dirty ^= mask
    while mask:
        color: cython.int = lowest(mask)
        mask &= mask - 1
        channel: ChannelP = m.channels + tile.channels[color]
        mark: cython.int = channel.marks[channel.head]
        if mark & 3:
            if mark & 3 == TEARDOWN:
                tile.teardowns += 1
            elif m.switching >> color & 1:
                if mark & 3 == ADVANCE:
                    channel.output_position = _advanced(channel, channel.output_position)
                else:
                    channel.output_position = 0
        channel.head = channel.head + 1 if channel.head + 1 < m.fifo_depth else 0
        channel.count -= 1
        channel.done = 0
        if channel.count:
            find_requests(m, w, tile, index, channel, now)
        else:
            tile.occupied &= ~(cython.cast(cython.uint, 1) << color)
    return 1


def publish(m, w, index, now, colors, all_sides):
    """Tell the neighbours the room of colors where it changed."""
    tile: TileP = m.tiles + index
    side: cython.int
    color: cython.int
    while colors:
        color = lowest(colors)
        bit: cython.uint = cython.cast(cython.uint, 1) << color
        colors &= colors - 1
        channel: ChannelP = m.channels + tile.channels[color]
        if is_message(m, tile, color) or all_sides & bit:
            for side in range(4):
                _tell(m, w, tile, index, color, side, now)
                _tell(m, w, tile, index, color ^ 1, side, now)
        else:
            side = channel.routes[channel.input_position] >> ROUTE_INPUT_SHIFT
            if side < CORE:
                if channel.swap >> side_group(side) & 1:
                    color ^= 1
                _tell(m, w, tile, index, color, side, now)


def _tell(m, w, tile, index, color, side, now):
    number: cython.int = tile.channels[color]
    if number < 0:
        return
    target: cython.int = neighbour(m, tile, index, side)
    if target < 0:
        return
    room: cython.int = told_room(m, tile, side, color)
    channel: ChannelP = m.channels + number
    if channel.published[side] != room:
        channel.published[side] = room
        tell_room(m, w, target, side ^ 1, color, room, now)


def blocked_for_ever(m, tile, now):
    """Whether no head can move before a neighbour, or this tile's core, does something."""
    port: cython.int
    for port in range(4):
        mask: cython.uint = tile.requests[port]
        while mask:
            color: cython.int = lowest(mask)
            mask &= mask - 1
            if is_message(m, tile, color):
                color = m.port_color[5 * m.bank_of[color] + (port ^ 1)]
                if tile.channels[color] < 0:
                    continue
            channel: ChannelP = m.channels + tile.channels[color]
            move_history(channel, now)
            if room_may_come(m, channel, port, now):
                return 0
    return 1
