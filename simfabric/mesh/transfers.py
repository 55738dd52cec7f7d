"""Transfers: vector instructions, on the main thread (slot 0) and in microthreads.

A transfer copies its descriptors when it begins. Each time it has the pipeline it moves one
group: as many elements as its rate, its queues and what is left allow; element by element in
index order, so that an overlap behaves as the loop it came from (machine pages 3, 4; the
project's instruction set page, "Scalars and vectors").
"""

import cython

if not cython.compiled:
    from simfabric.mesh.arithmetic import accumulate, evaluate
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import fault
    from simfabric.mesh.memory import check_read, read, write
    from simfabric.mesh.queues import *


def begin(m, w, tile, index, slot, op_index, now):
    """Set up a slot for the transfer `op_index`. Returns 0 after an error."""
    op: OpP = m.ops + op_index
    this: SlotP = tile.slots + slot
    place: cython.int
    this.op = op_index
    this.state = AT_WORK
    this.next = now
    this.receives = 0
    this.endless = 0
    this.left = UNBOUNDED
    vectors: cython.int = 0
    for place in range(op.count):
        result: cython.int = _describe(m, tile, this.operands + place, op, place, this, now)
        if result < 0:
            fault(w, FAULT_DESCRIPTOR, index, now, op.address, place, op.numbers[place], 0)
            this.state = AT_REST
            return 0
        vectors += result
    if vectors == 0:
        this.left = 1
    elif this.left == UNBOUNDED:
        this.endless = 1
    if op.opcode >= OP_DOTS and not op.keep:
        tile.accumulator = 0
    return 1


def _describe(m, tile, operand, op, place, slot, now):
    """Fill one operand from the instruction; 1 for a vector, 0 for others, -1 for an error."""
    kind: cython.int = op.kinds[place]
    number: cython.int = op.numbers[place]
    is_source: cython.int = place >= op.first_source
    operand.kind = kind
    operand.number = number
    operand.wide = op.wide[place]
    operand.low = op.values[place] & M16
    operand.high = op.values[place] >> 16
    if kind == ON_DESCRIPTOR:
        base: cython.int = 4 * number
        what: cython.int = tile.descriptors[base]
        length: cython.uint = tile.descriptors[base + 2]
        operand.low = tile.descriptors[base + 1]
        operand.high = tile.descriptors[base + 3]
        if length < slot.left:
            slot.left = length
        if what == DSD_MEMORY:
            operand.kind = ON_VECTOR
        elif what == DSD_WALK:
            operand.kind = ON_WALK
        elif what == DSD_FIFO:
            operand.kind = ON_FIFO
        else:
            if operand.low >= QUEUE_COUNT:
                return -1
            operand.number = operand.low
            if what == DSD_FABRIC_IN and is_source:
                operand.kind = ON_INPUT
                slot.receives = 1
            elif what == DSD_FABRIC_OUT and not is_source:
                operand.kind = ON_OUTPUT
            else:
                return -1
        return 1
    if kind == ON_INPUT:
        slot.receives = 1
    elif kind == ON_REGISTER and is_source:
        # what no microthread can change and this transfer does not write is read once
        if op.first_source == 0 or op.kinds[0] != ON_REGISTER:
            operand.kind = ON_VALUE
            operand.low = tile.registers[number]
            operand.high = tile.registers[number + 1] if operand.wide else 0
    elif kind == ON_INDIRECT:
        operand.kind = ON_ADDRESS
        operand.low = tile.registers[number]
    elif kind == ON_INDEXED:
        operand.kind = ON_ADDRESS
        operand.low = (tile.registers[number] + op.values[place]) & M16
    return 0


def _wait(tile, slot, number, state, queue):
    """Take the transfer out of the running ones; it is woken by what it waits for."""
    slot.state = state
    slot.queue = queue
    bit: cython.int = 1 << number
    tile.runnable &= ~bit
    if state == AT_RECEIVE:
        tile.inputs[queue].waiting |= bit
    elif state == AT_SEND:
        tile.outputs[queue].waiting |= bit
    else:
        tile.fifo_waiters |= bit
    if number == 0:
        tile.main = state
        tile.main_queue = queue
    return 0


def advance(m, w, tile, index, slot, now):
    """Move one group of a transfer. Returns 1 when it issued, 0 when it has to wait.

    The caller looks at `left` and `state` to see whether the transfer ended.
    """
    this: SlotP = tile.slots + slot
    op: OpP = m.ops + this.op
    w.issuing = this.op
    count: cython.uint = op.elements
    place: cython.int
    free: cython.int
    fifo: cython.int = 0
    first: cython.int = op.first_source
    operand: OperandP
    this.state = AT_WORK
    if this.left < count and not this.endless:
        count = this.left
    if count == 0:
        return 1
    last_queue: cython.int = NO_QUEUE
    for place in range(first, op.count):
        operand = this.operands + place
        if operand.kind == ON_INPUT:
            free = elements_in(m, w, tile, index, operand.number, operand.wide, now)
            if operand.number == last_queue and free > 0:  # two sources from one queue
                free = 1 if tile.inputs[operand.number].count > 1 else 0
            last_queue = operand.number
            if free <= 0:
                return _wait(tile, this, slot, AT_RECEIVE, operand.number)
            if cython.cast(cython.uint, free) < count:
                count = free
        elif operand.kind == ON_FIFO:
            fifo = 1
            free = read(m, index, (operand.low + FIFO_FILL) & M16, now)
            if free == 0:
                return _wait(tile, this, slot, AT_EMPTY, place)
            if cython.cast(cython.uint, free) < count:
                count = free
    if first and not op.no_load:
        operand = this.operands + 0
        if operand.kind == ON_OUTPUT:
            free = m.fabric_wavelets
            if op.copies and not this.receives and free < m.output_words16 >> 1:
                free = m.output_words16 >> 1
            free = elements_out(m, tile, index, operand.number, operand.wide, free, now)
            if free <= 0:
                return _wait(tile, this, slot, AT_SEND, operand.number)
            if cython.cast(cython.uint, free) < count:
                count = free
        elif operand.kind == ON_FIFO:
            fifo = 1
            free = read(m, index, (operand.low + FIFO_CAPACITY) & M16, now)
            free -= cython.cast(
                cython.int, read(m, index, (operand.low + FIFO_FILL) & M16, now)
            )
            if free <= 0:
                return _wait(tile, this, slot, AT_FULL, 0)
            if cython.cast(cython.uint, free) < count:
                count = free
    a: cython.uint
    b: cython.uint
    c: cython.uint
    element: cython.uint
    sources: cython.int = op.count - first
    for element in range(count):
        a = _fetch(m, w, tile, index, this.operands + first, now)
        b = 0
        c = 0
        if sources > 1:
            b = _fetch(m, w, tile, index, this.operands + (first + 1), now)
            if sources > 2:
                c = _fetch(m, w, tile, index, this.operands + (first + 2), now)
        if not this.endless:
            this.left -= 1
        if op.opcode >= OP_DOTS:
            tile.accumulator = accumulate(op.opcode, tile.accumulator, a, b)
        else:
            if not op.copies:
                a = evaluate(op.opcode, a, b, c, tile.float_control)
            place = op.flip and this.left == 0
            _deliver(m, w, tile, index, this.operands + 0, op, a, place, now)
    if op.opcode >= OP_DOTS and this.left == 0 and not op.no_load:
        operand = this.operands + 0
        if operand.kind == ON_OUTPUT or operand.kind == ON_FIFO:
            # the sum needs a place of its own; the group before it made sure of one
            fifo = 1
        _deliver(m, w, tile, index, operand, op, tile.accumulator, op.flip, now)
    if fifo and tile.fifo_waiters:
        place = tile.fifo_waiters
        tile.fifo_waiters = 0
        wake_slots(m, tile, place, now + 1)
    this.next = now + op.cycles
    return 1


def _word(m, w, index, address, wide, now):
    if m.check:
        check_read(m, w, index, address, wide, now)
    value: cython.uint = read(m, index, address, now)
    if wide:
        value |= read(m, index, (address + 1) & M16, now) << 16
    return value


def _set_word(m, w, index, address, wide, value, now):
    write(m, w, index, address, value & M16, now)
    if wide:
        write(m, w, index, (address + 1) & M16, value >> 16, now)


def _fetch(m, w, tile, index, operand, now):
    """The next element of a source."""
    kind: cython.int = operand.kind
    address: cython.uint
    value: cython.uint
    if kind == ON_VECTOR:
        address = operand.low
        operand.low = (address + operand.high) & M16
        return _word(m, w, index, address, operand.wide, now)
    if kind == ON_VALUE:
        return operand.low | cython.cast(cython.uint, operand.high) << 16
    if kind == ON_INPUT:
        return take(m, tile, index, operand.number, operand.wide, now)
    if kind == ON_REGISTER:
        value = tile.registers[operand.number]
        if operand.wide:
            value |= cython.cast(cython.uint, tile.registers[operand.number + 1]) << 16
        return value
    if kind == ON_ADDRESS:
        return _word(m, w, index, operand.low, operand.wide, now)
    if kind == ON_WALK:
        address = _walk(m, w, index, operand.low, now)
        return _word(m, w, index, address, operand.wide, now)
    if kind == ON_FIFO:
        return _fifo_read(m, w, tile, index, operand, now)
    return 0


def _deliver(m, w, tile, index, operand, op, value, flip, now):
    """Write one result."""
    kind: cython.int = operand.kind
    address: cython.uint
    if kind == ON_VECTOR:
        address = operand.low
        operand.low = (address + operand.high) & M16
        _set_word(m, w, index, address, operand.wide, value, now)
    elif kind == ON_OUTPUT:
        put(
            m,
            tile,
            index,
            operand.number,
            operand.wide,
            CONTROL if op.opcode == OP_MOVC else DATA if operand.wide else HALF,
            value,
            op.site,
            flip,
            now,
        )
    elif kind == ON_REGISTER:
        tile.registers[operand.number] = value & M16
        if operand.wide:
            tile.registers[operand.number + 1] = value >> 16
    elif kind == ON_ADDRESS:
        _set_word(m, w, index, operand.low, operand.wide, value, now)
    elif kind == ON_WALK:
        address = _walk(m, w, index, operand.low, now)
        _set_word(m, w, index, address, operand.wide, value, now)
    elif kind == ON_FIFO:
        _fifo_write(m, w, tile, index, operand, value, now)


def _walk(m, w, index, record, now):
    """The address of the next element of a walk, which moves on."""
    current: cython.uint = read(m, index, (record + WALK_CURRENT) & M16, now)
    next_: cython.uint = current
    place: cython.int = read(m, index, record, now)
    at: cython.uint
    count: cython.uint
    stride: cython.uint
    position: cython.uint
    while place > 0:
        place -= 1
        at = record + WALK_FIRST + WALK_STEP * place
        count = read(m, index, (at + WALK_COUNT) & M16, now)
        stride = read(m, index, (at + WALK_STRIDE) & M16, now)
        position = read(m, index, (at + WALK_POSITION) & M16, now) + 1
        next_ = (next_ + stride) & M16
        if position < count or count == UNBOUNDED:
            write(m, w, index, (at + WALK_POSITION) & M16, position & M16, now)
            break
        write(m, w, index, (at + WALK_POSITION) & M16, 0, now)
        next_ = (next_ - count * stride) & M16
    write(m, w, index, (record + WALK_CURRENT) & M16, next_, now)
    return current


def _fifo_read(m, w, tile, index, operand, now):
    record: cython.uint = operand.low
    capacity: cython.uint = read(m, index, (record + FIFO_CAPACITY) & M16, now)
    words: cython.uint = read(m, index, (record + FIFO_WORDS) & M16, now)
    place: cython.uint = read(m, index, (record + FIFO_READ) & M16, now)
    fill: cython.uint = read(m, index, (record + FIFO_FILL) & M16, now)
    base: cython.uint = read(m, index, record, now)
    value: cython.uint = _word(m, w, index, (base + place * words) & M16, operand.wide, now)
    place = place + 1 if place + 1 < capacity else 0
    write(m, w, index, (record + FIFO_READ) & M16, place, now)
    write(m, w, index, (record + FIFO_FILL) & M16, (fill - 1) & M16, now)
    return value


def _fifo_write(m, w, tile, index, operand, value, now):
    record: cython.uint = operand.low
    capacity: cython.uint = read(m, index, (record + FIFO_CAPACITY) & M16, now)
    words: cython.uint = read(m, index, (record + FIFO_WORDS) & M16, now)
    fill: cython.uint = read(m, index, (record + FIFO_FILL) & M16, now)
    place: cython.uint = read(m, index, (record + FIFO_READ) & M16, now) + fill
    base: cython.uint = read(m, index, record, now)
    if place >= capacity:
        place -= capacity
    _set_word(m, w, index, (base + place * words) & M16, operand.wide, value, now)
    write(m, w, index, (record + FIFO_FILL) & M16, (fill + 1) & M16, now)
