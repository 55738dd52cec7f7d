"""The ramps: filters, input queues, output queues and the packing of halves (machine page 3).

An input place is free again when its element executes, so what was popped in the last cycles
still counts. A lone half in an output queue is joined by the next 16-bit value that reaches the
queue before the half leaves.
"""

import cython

if not cython.compiled:
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import *
    from simfabric.mesh.rooms import room_of


def find_queues(m, tile):
    """Which input queue takes which color: the lowest enabled one; a bank's core color takes all
    messages unless a queue is bound to the color of the side they come in by."""
    number: cython.int
    color: cython.int
    for color in range(COLOR_COUNT):
        tile.queue_of[color] = NO_QUEUE
    for number in range(QUEUE_COUNT - 1, -1, -1):
        queue: InputQueueP = tile.inputs + number
        if queue.enabled and queue.color < COLOR_COUNT:
            tile.queue_of[queue.color] = number
    for number in range(2):
        if tile.banks >> number & 1:
            core: cython.int = tile.queue_of[m.port_color[5 * number + CORE]]
            if core != NO_QUEUE:
                for color in range(4):
                    tile.queue_of[m.port_color[5 * number + color]] = core


def wake_slots(m, tile, mask, now):
    """Let threads that waited try again in this cycle. Bit 0 is the main thread."""
    tile.runnable |= mask & ~1
    if mask & 1:
        tile.main = AT_WORK
        tile.main_next = now


def _passes(filter_, form, kind, payload):
    """Whether a filter lets a wavelet through; counts it (machine page 2.3)."""
    if form == FILTER_RANGE:
        return kind == CONTROL or filter_.limit <= payload >> 16 <= filter_.most
    if not (filter_.control if kind == CONTROL else filter_.data):
        return 1
    passes: cython.int = filter_.count <= filter_.most
    filter_.count = 0 if filter_.count >= filter_.limit else filter_.count + 1
    return passes


def accept(m, w, tile, index, color, word, now):
    """The core takes a wavelet from the router, into the color's queue. Returns whether it did."""
    if tile.banks:
        channel: ChannelP = m.channels + tile.channels[color]
        if channel.message_begins and not m.header_to_core:
            return 1
    number: cython.int = tile.queue_of[color]
    if number == NO_QUEUE:
        return 0
    queue: InputQueueP = tile.inputs + number
    kind: cython.int = cython.cast(cython.int, word >> KIND_SHIFT & 3)
    held: cython.int = queue.count
    steps: cython.longlong = now - queue.reference
    popped: cython.int = 0 if steps > m.router_to_execute else queue.popped << steps
    popped &= (2 << m.router_to_execute) - 1
    while popped:
        popped &= popped - 1
        held += 1
    if queue.filter:
        # what the filter drops needs no place; a wavelet is counted once, when it is taken
        filter_: FilterP = tile.filters + number
        count: cython.uint = filter_.count
        if not _passes(filter_, queue.filter, kind, cython.cast(cython.uint, word & M32)):
            return 1
        if held >= m.input_depth[number]:
            filter_.count = count
            return 0
    elif held >= m.input_depth[number]:
        return 0
    place: cython.int = queue.head + queue.count
    if place >= m.input_depth[number]:
        place -= m.input_depth[number]
    m.input_words[
        cython.cast(cython.longlong, index) * m.input_places + m.input_start[number] + place
    ] = word
    queue.count += 1
    if kind == CONTROL and queue.count == 1:
        tile.control_heads |= 1 << number
    if queue.waiting:
        wake_slots(m, tile, queue.waiting, now)
        queue.waiting = 0
    return 1


def head_word(m, tile, index, number):
    queue: InputQueueP = tile.inputs + number
    return m.input_words[
        cython.cast(cython.longlong, index) * m.input_places + m.input_start[number] + queue.head
    ]


def settle(m, w, tile, index, number, for_receive, now):
    """Deal with control wavelets at the head of an input queue.

    One that names a task with a handler activates it and holds back data handlers of this queue
    until that task starts; a receive that reaches it goes on behind it. One without a handler goes.
    """
    queue: InputQueueP = tile.inputs + number
    while queue.count:
        word: cython.ulonglong = head_word(m, tile, index, number)
        if (word >> KIND_SHIFT & 3) != CONTROL:
            break
        if queue.held and not for_receive:
            return
        name: cython.int = cython.cast(cython.int, word >> TASK_SHIFT & 0x3F)
        task: cython.int = NO_TASK
        if tile.program >= 0:
            task = m.control_tasks[(tile.program * QUEUE_COUNT + number) * CONTROL_NAMES + name]
        if task < TASK_COUNT and tile.known >> task & 1:
            if tile.active >> task & 1 and not for_receive:
                return
            tile.active |= cython.cast(cython.uint, 1) << task
            tile.payloads[task] = cython.cast(cython.uint, word & M32)
            tile.named |= cython.cast(cython.uint, 1) << task
            queue.held = 0 if for_receive else task + 1
            if for_receive:
                tile.held_queues &= ~(1 << number)
            else:
                tile.held_queues |= 1 << number
        pop(m, tile, index, number, now)
        if queue.held:
            break
    tile.control_heads &= ~(1 << number)
    if queue.count:
        word = head_word(m, tile, index, number)
        if (word >> KIND_SHIFT & 3) == CONTROL:
            tile.control_heads |= 1 << number


def elements_in(m, w, tile, index, number, wide, now):
    """How many elements a receive may take in this cycle; -1 after an error."""
    if tile.control_heads >> number & 1:
        settle(m, w, tile, index, number, 1, now)
    queue: InputQueueP = tile.inputs + number
    if queue.count == 0:
        return 0
    word: cython.ulonglong = head_word(m, tile, index, number)
    half: cython.int = (word >> KIND_SHIFT & 3) == HALF or queue.half_taken
    if not wide:
        return 1 if half else 2
    if half:
        fault(w, FAULT_HALF_FOR_WORD, index, now, number, queue.color, 0, 0)
        return -1
    # a control wavelet behind the head ends the group
    count: cython.int = 1
    while count < m.fabric_wavelets and count < queue.count:
        place: cython.int = queue.head + count
        if place >= m.input_depth[number]:
            place -= m.input_depth[number]
        word = m.input_words[
            cython.cast(cython.longlong, index) * m.input_places + m.input_start[number] + place
        ]
        if (word >> KIND_SHIFT & 3) != DATA:
            break
        count += 1
    return count


def take(m, tile, index, number, wide, now):
    """The next element: 32 bits, or a half (the low one first)."""
    queue: InputQueueP = tile.inputs + number
    word: cython.ulonglong = head_word(m, tile, index, number)
    value: cython.uint = cython.cast(cython.uint, word & M32)
    if not wide:
        if queue.half_taken:
            value = value >> 16
        elif (word >> KIND_SHIFT & 3) == DATA:
            queue.half_taken = 1
            return value & M16
        value &= M16
    pop(m, tile, index, number, now)
    return value


def pop(m, tile, index, number, now):
    """Remove the head; its place is free when the element executes."""
    queue: InputQueueP = tile.inputs + number
    steps: cython.longlong = now - queue.reference
    queue.popped = 0 if steps > 15 else (queue.popped << steps) & M16
    queue.reference = now
    queue.popped |= 1
    queue.half_taken = 0
    queue.head = queue.head + 1 if queue.head + 1 < m.input_depth[number] else 0
    queue.count -= 1
    if queue.count:
        if (head_word(m, tile, index, number) >> KIND_SHIFT & 3) == CONTROL:
            tile.control_heads |= 1 << number


def elements_out(m, tile, index, number, wide, wavelets, now):
    """How many elements a send may put into an output queue, at most so many wavelets' worth."""
    queue: OutputQueueP = tile.outputs + number
    free: cython.int = m.output_depth[number] - queue.count
    if wide:
        return free if free < wavelets else wavelets
    elements: cython.int = 2 * free
    if queue.open:
        if _joins(m, tile, index, number, now):
            elements += 1
        elif queue.open:  # it is not known yet which halves will pair: each may need a place
            elements = m.output_depth[number] - queue.count
    return elements if elements < 2 * wavelets else 2 * wavelets


def _younger(queue, cycles, now):
    """How many of a queue's entries were issued in the last `cycles` cycles, this one included."""
    steps: cython.longlong = now - queue.reference
    if steps >= cycles:
        return 0
    mask: cython.uint = (cython.cast(cython.uint, 1) << (2 * (cycles - steps))) - 1
    mask &= queue.pushed
    count: cython.int = 0
    while mask:
        count += mask & 3
        mask >>= 2
    return count


def _joins(m, tile, index, number, now):
    """Whether a half issued now certainly joins the half that stands last in the queue.

    It does when it reaches the queue before that one may leave. A half that may itself still join
    the entry before it is settled first.
    """
    queue: OutputQueueP = tile.outputs + number
    last: cython.int = queue.head + queue.count - 1
    if queue.count == 0 or queue.open == 0:
        return 0
    if queue.open == 2:
        if queue.count == 1:  # the entry it might have joined left alone
            queue.open = 1
        elif now - queue.reference > m.half_join:
            start: cython.longlong = (
                cython.cast(cython.longlong, index) * m.output_places + m.output_start[number]
            )
            if last >= m.output_depth[number]:
                last -= m.output_depth[number]
            before: cython.int = last - 1 if last else m.output_depth[number] - 1
            m.output_words[start + before] = _joined(
                m.output_words[start + before], m.output_words[start + last]
            )
            queue.count -= 1
            queue.pushed -= 1
            queue.open = 0
            return 0
        else:
            return 0
    return now - queue.reference < m.queue_leave - m.half_join


def _joined(word, behind):
    """Two halves as one wavelet, the first low; a flip of the second counts."""
    word &= ~(cython.cast(cython.ulonglong, 3) << KIND_SHIFT)
    word |= cython.cast(cython.ulonglong, DATA) << KIND_SHIFT
    word |= behind & cython.cast(cython.ulonglong, 1) << FLIP_SHIFT
    return word | (behind & M16) << 16


def put(m, tile, index, number, wide, kind, value, site, flip, now):
    """Append an element that issues now. The caller made sure that there is room for it."""
    queue: OutputQueueP = tile.outputs + number
    start: cython.longlong = (
        cython.cast(cython.longlong, index) * m.output_places + m.output_start[number]
    )
    place: cython.int
    word: cython.ulonglong = (
        value
        | cython.cast(cython.ulonglong, kind) << KIND_SHIFT
        | cython.cast(cython.ulonglong, flip) << FLIP_SHIFT
        | cython.cast(cython.ulonglong, site) << SITE_SHIFT
        | cython.cast(cython.ulonglong, index) << ORIGIN_SHIFT
    )
    if not wide and queue.open and _joins(m, tile, index, number, now):
        place = queue.head + queue.count - 1
        if place >= m.output_depth[number]:
            place -= m.output_depth[number]
        m.output_words[start + place] = _joined(m.output_words[start + place], word)
        queue.open = 0
        return
    place = queue.head + queue.count
    if place >= m.output_depth[number]:
        place -= m.output_depth[number]
    m.output_words[start + place] = word
    if wide:
        queue.open = 0
    else:
        queue.open = 2 if queue.open and queue.count else 1
    steps: cython.longlong = now - queue.reference
    queue.pushed = 0 if steps > 15 else (queue.pushed << (2 * steps)) & M32
    queue.pushed += 1
    queue.reference = now
    queue.count += 1
    tile.sending |= 1 << number
    tile.routing = 1
    if now + m.queue_leave < tile.leave_at:
        tile.leave_at = now + m.queue_leave


def _oldest(queue, cycles, now):
    """Age of the oldest entry issued in the last `cycles` cycles; -1 when there is none."""
    age: cython.int = cycles - 1
    last: cython.int
    if now - queue.reference >= cycles:
        return -1
    last = cython.cast(cython.int, now - queue.reference)
    while age >= last:
        if queue.pushed >> (2 * (age - last)) & 3:
            return age
        age -= 1
    return -1


def leave(m, w, tile, index, now):
    """Let one wavelet go from an output queue towards the router, the queues in turn."""
    left: cython.int = tile.sending
    number: cython.int = tile.last_output
    young: cython.int
    gone: cython.int = 0
    tile.leave_at = NEVER
    tile.old_heads = 0
    while left:
        number = number + 1 if number + 1 < QUEUE_COUNT else 0
        if not left >> number & 1:
            continue
        left &= ~(1 << number)
        queue: OutputQueueP = tile.outputs + number
        young = _younger(queue, m.queue_leave, now)
        if young < queue.count and not gone and room_of(m, tile, CORE, queue.color) > 0:
            gone = 1
            _take_off(m, tile, index, number, now)
            if queue.waiting:
                wake_slots(m, tile, queue.waiting, now)
                queue.waiting = 0
            if queue.count == 0:
                continue
            young = _younger(queue, m.queue_leave, now)
        if young < queue.count:
            tile.old_heads |= 1 << number
        else:
            ready: cython.longlong = now + m.queue_leave - _oldest(queue, m.queue_leave, now)
            if ready < tile.leave_at:
                tile.leave_at = ready
    return gone


def _take_off(m, tile, index, number, now):
    """The head goes onto the ramp, with the half that joined it meanwhile."""
    queue: OutputQueueP = tile.outputs + number
    age: cython.int
    start: cython.longlong = (
        cython.cast(cython.longlong, index) * m.output_places + m.output_start[number]
    )
    word: cython.ulonglong = m.output_words[start + queue.head]
    queue.head = queue.head + 1 if queue.head + 1 < m.output_depth[number] else 0
    queue.count -= 1
    if (word >> KIND_SHIFT & 3) == HALF and queue.count:
        behind: cython.ulonglong = m.output_words[start + queue.head]
        if (behind >> KIND_SHIFT & 3) == HALF:
            if _younger(queue, m.half_join + 1, now) < queue.count:
                word = _joined(word, behind)
                queue.head = queue.head + 1 if queue.head + 1 < m.output_depth[number] else 0
                queue.count -= 1
                age = _oldest(queue, m.queue_leave, now)
                if age >= 0:  # it was not old enough itself and counts no longer
                    age -= cython.cast(cython.int, now - queue.reference)
                    queue.pushed -= cython.cast(cython.uint, 1) << (2 * age)
    if queue.count == 0:
        queue.open = 0
        tile.sending &= ~(1 << number)
    tile.ramp = word
    tile.ramp_color = queue.color
    tile.ramp_due = now + m.ramp
    tile.last_output = number
