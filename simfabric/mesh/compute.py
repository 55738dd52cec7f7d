"""The compute engine's cycle: one issue, then the task picker (machine page 4).

Microthreads come before the main thread and take turns. The main thread issues in order; a
result on its way holds back only the instructions that use it.
"""

import cython

if not cython.compiled:
    from simfabric.mesh.arithmetic import evaluate, takes
    from simfabric.mesh.intrinsics import lowest
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import fault, log
    from simfabric.mesh.memory import check_read, read, write
    from simfabric.mesh.queues import settle
    from simfabric.mesh.tasks import *
    from simfabric.mesh.transfers import advance, begin

FIRST_DESCRIPTOR = cython.declare(cython.int, REGISTER_COUNT)


def compute(m, w, tile, index, now):
    """One cycle. Returns whether an instruction or a group of elements issued."""
    issued: cython.int = 0
    number: cython.int
    if tile.control_heads:
        for number in range(QUEUE_COUNT):
            if tile.control_heads >> number & 1:
                settle(m, w, tile, index, number, 0, now)
    if tile.pipe <= now:
        if tile.runnable:
            issued = _microthreads(m, w, tile, index, now)
        if not issued and tile.main == AT_WORK and tile.main_next <= now:
            issued = _step(m, w, tile, index, now)
            if issued and tile.main == AT_REST:
                pick(m, w, tile, index, now, m.task_pick)
    if tile.main == AT_REST:
        pick(m, w, tile, index, now, m.arrival_to_task)
    return issued


def next_issue(tile, now):
    """The first cycle in which the core may have something to do, if nothing happens to it."""
    when: cython.longlong = NEVER
    if tile.runnable:
        when = now + 1
    elif tile.main == AT_WORK:
        when = tile.main_next if tile.main_next > now else now + 1
    if when < tile.pipe:
        when = tile.pipe
    return when


def account(tile, issued, now):
    """Count the time since the last visit, and note what is being done from now on."""
    what: cython.int = TIME_WORK
    if tile.main != AT_WORK and not tile.runnable:
        what = _waiting(tile)
    if tile.accounted == TIME_WORK and what == TIME_WORK:
        return
    start: cython.longlong = tile.since
    tile.since = now
    if issued:
        if tile.accounted == TIME_WORK:
            tile.since = now + 1
        elif what != TIME_WORK:
            tile.spent[TIME_WORK] += 1
            tile.spent[tile.accounted] += now - start
            tile.since = now + 1
            tile.accounted = what
            return
    tile.spent[tile.accounted] += tile.since - start
    tile.accounted = what


def _waiting(tile):
    """What a PE waits for that issues nothing."""
    slot: cython.int
    state: cython.int = tile.main
    mask: cython.uint = tile.busy_slots
    if state == AT_SEND or state == AT_FULL:
        return TIME_SEND
    if state == AT_RECEIVE or state == AT_EMPTY:
        return TIME_RECEIVE
    if mask == 0:
        return TIME_IDLE
    while mask:
        slot = lowest(mask)
        mask &= mask - 1
        state = tile.slots[slot].state
        if state == AT_SEND or state == AT_FULL:
            return TIME_SEND
    return TIME_RECEIVE


def _microthreads(m, w, tile, index, now):
    """Let the next microthread in turn move a group, if one can."""
    slot: cython.int
    behind: cython.uint = tile.runnable >> (tile.last_slot + 1) << (tile.last_slot + 1)
    before: cython.uint = tile.runnable & ~behind
    while behind or before:
        if behind:
            slot = lowest(behind)
            behind &= behind - 1
        else:
            slot = lowest(before)
            before &= before - 1
        if tile.slots[slot].next <= now:
            if advance(m, w, tile, index, slot, now):
                tile.last_slot = slot
                _group_done(m, w, tile, index, slot, now)
                return 1
    return 0


def _group_done(m, w, tile, index, slot, now):
    """After a group: the pipeline's time, and the end of the transfer."""
    this: SlotP = tile.slots + slot
    op: OpP = m.ops + this.op
    tile.pipe = now + op.cycles
    active: cython.longlong = now + (m.router_to_execute if this.receives else 0)
    if active > w.last_active:
        w.last_active = active
    if tile.logged:
        log(m, w, index, now, EVENT_ISSUE, 0, op.address, slot, tile.task, 0, 0)
        log(m, w, index, active, EVENT_EXECUTE, 0, op.address, slot, tile.task, 0, 0)
    if this.left or this.endless:
        if slot == 0:
            tile.main_next = now + op.cycles
        return
    if slot:
        slot_done(m, tile, slot, now)
        return
    this.state = AT_REST
    # What only feeds the accumulator leaves nothing that a later instruction could miss.
    waits: cython.int = this.receives
    if op.opcode >= OP_DOTS and op.no_load:
        waits = 0
    tile.main_next = now + (m.arrival_to_task if waits else op.cycles)
    if op.first_source and op.kinds[0] == ON_REGISTER:
        until: cython.longlong = now + (m.router_to_execute if this.receives else m.vector_result)
        _pend(tile, op.numbers[0], until, now)
        if op.wide[0]:
            _pend(tile, op.numbers[0] + 1, until, now)
    if op.ends_task:
        end_task(tile)


def _step(m, w, tile, index, now):
    """Issue the main thread's next instruction, or the next group of its transfer."""
    op: OpP
    if tile.slots[0].state != AT_REST:
        if not advance(m, w, tile, index, 0, now):
            return 0
        _group_done(m, w, tile, index, 0, now)
        return 1
    if tile.pc < 0:
        return 0
    op = m.ops + tile.pc
    when: cython.longlong
    if tile.pending_count:
        when = _ready_at(tile, op, now)
        if when > now:
            tile.main_next = when
            return 0
    if op.form == FORM_TRANSFER:
        if op.slot:
            if op.brings and not tile.brought:  # the queues that it names become descriptors
                tile.brought = 1
                tile.main_next = now + op.brings * m.descriptor_load + m.descriptor_to_use
                return 1
            if tile.busy_slots >> op.slot & 1:
                tile.main = AT_SLOT
                tile.main_queue = op.slot
                return 0
            _launch(m, w, tile, index, op, now)
            return 1
        if not begin(m, w, tile, index, 0, tile.pc, now):
            tile.main = AT_WAIT
            tile.wait_mask = 0
            return 1
        tile.pc = op.follow
        if not advance(m, w, tile, index, 0, now):
            return 0
        _group_done(m, w, tile, index, 0, now)
        return 1
    if tile.logged:
        log(m, w, index, now, EVENT_ISSUE, 0, op.address, 0, tile.task, 0, 0)
        log(m, w, index, now, EVENT_EXECUTE, 0, op.address, 0, tile.task, 0, 0)
    tile.main_next = now + m.scalar
    w.issuing = tile.pc
    tile.pc = op.follow
    if op.form == FORM_SCALAR:
        a: cython.uint = _value(tile, op, op.first_source)
        b: cython.uint = _value(tile, op, op.first_source + 1)
        c: cython.uint = _value(tile, op, op.first_source + 2) if op.count > 3 else 0
        _result(tile, op, evaluate(op.opcode, a, b, c, tile.float_control), now + op.result, now)
    elif op.form == FORM_BRANCH:
        _branch(m, tile, op, now)
    elif op.form == FORM_LOAD:
        address: cython.uint = _address(tile, op, 1)
        if m.check:
            check_read(m, w, index, address, op.wide[0], now)
        a = read(m, index, address, now)
        if op.wide[0]:
            a |= read(m, index, (address + 1) & M16, now) << 16
        _result(tile, op, a, now + m.load_to_use, now)
    elif op.form == FORM_STORE:
        address = _address(tile, op, 0)
        a = _value(tile, op, 1)
        write(m, w, index, address, a & M16, now)
        if op.wide[0]:
            write(m, w, index, (address + 1) & M16, a >> 16, now)
    elif op.form == FORM_DESCRIPTOR:
        _descriptor(m, w, tile, index, op, now)
    elif op.form == FORM_TASK:
        task_instruction(m, w, tile, index, op, now)
    else:
        fault(w, FAULT_UNDEFINED, index, now, op.address, op.values[0], 0, 0)
        tile.main = AT_WAIT
        tile.wait_mask = 0
        return 1
    if op.ends_task:
        end_task(tile)
    elif tile.pc < 0 and tile.main == AT_WORK and tile.fetch == FETCH_NONE:
        go_to(m, tile, op.next_address)
    if tile.pending_count and tile.main == AT_WORK and tile.pc >= 0:
        when = _ready_at(tile, m.ops + tile.pc, tile.main_next)
        if when > tile.main_next:
            tile.main_next = when
    return 1


def _launch(m, w, tile, index, op, now):
    """Hand a transfer to a microthread; it issues from the next cycle on."""
    slot: cython.int = op.slot
    if tile.logged:
        log(m, w, index, now, EVENT_ISSUE, 0, op.address, 0, tile.task, 0, 0)
    tile.main_next = now + m.scalar
    tile.brought = 0
    if begin(m, w, tile, index, slot, tile.pc, now):
        tile.slots[slot].next = now + 1
        if tile.slots[slot].left:
            tile.busy_slots |= 1 << slot
            tile.runnable |= 1 << slot
        else:
            tile.slots[slot].state = AT_REST
    tile.pc = op.follow
    if op.ends_task:
        end_task(tile)
    elif tile.pc < 0:
        go_to(m, tile, op.next_address)


def _value(tile, op, place):
    """A scalar source: immediate or register."""
    if op.kinds[place] == ON_REGISTER:
        number: cython.int = op.numbers[place]
        if op.wide[place]:
            high: cython.uint = tile.registers[number + 1]
            return tile.registers[number] | high << 16
        return tile.registers[number]
    return op.values[place]


def _result(tile, op, value, until, now):
    """Write a scalar result; it can be used from `until` on."""
    if op.kinds[0] != ON_REGISTER:
        return
    number: cython.int = op.numbers[0]
    tile.registers[number] = value & M16
    if op.wide[0]:
        tile.registers[number + 1] = value >> 16
    if until > now + 1:
        _pend(tile, number, until, now)
        if op.wide[0]:
            _pend(tile, number + 1, until, now)


def _address(tile, op, place):
    """The memory address an operand names."""
    kind: cython.int = op.kinds[place]
    if kind == ON_ADDRESS:
        return op.values[place] & M16
    if kind == ON_INDIRECT:
        return tile.registers[op.numbers[place]]
    return (tile.registers[op.numbers[place]] + op.values[place]) & M16


def _branch(m, tile, op, now):
    opcode: cython.int = op.opcode
    if opcode == OP_RET:
        go_to(m, tile, _value(tile, op, 0) & M16)
    elif opcode == OP_JMP or opcode == OP_CALL:
        if opcode == OP_CALL:
            _result(tile, op, op.next_address, now + m.scalar, now)
        tile.pc = op.target
        if op.target < 0:
            go_to(m, tile, op.values[op.count - 1] & M16)
    elif takes(opcode, _value(tile, op, 0), _value(tile, op, 1)):
        tile.pc = op.target
        if op.target < 0:
            go_to(m, tile, op.values[op.count - 1] & M16)
    else:
        tile.main_next = now + m.branch_not_taken
        return
    tile.main_next = now + m.branch_taken


def _descriptor(m, w, tile, index, op, now):
    """Load, store and change descriptor registers."""
    k: cython.int
    base: cython.int = 4 * op.numbers[0]
    value: cython.uint = _value(tile, op, 1) & M16
    tile.main_next = now + m.descriptor_load
    if op.opcode == OP_STDS:
        for k in range(4):
            write(m, w, index, (value + k) & M16, tile.descriptors[base + k], now)
        return
    if op.opcode == OP_LDDS:
        for k in range(4):
            if m.check:
                check_read(m, w, index, (value + k) & M16, 0, now)
            tile.descriptors[base + k] = read(m, index, (value + k) & M16, now)
    elif op.opcode == OP_DSBASE:
        tile.descriptors[base + 1] = value
    elif op.opcode == OP_DSLEN:
        tile.descriptors[base + 2] = value
    else:
        tile.descriptors[base + 3] = value
    _pend(
        tile,
        FIRST_DESCRIPTOR + op.numbers[0],
        now + m.descriptor_load + m.descriptor_to_use,
        now,
    )


def _pend(tile, number, until, now):
    """Note that a register's (or descriptor's) new value cannot be used before `until`."""
    if tile.pending_count == PENDING:
        _forget(tile, now)
    if tile.pending_count == PENDING:  # more at once than the list holds: wait for the last
        if until > tile.main_next:
            tile.main_next = until
        return
    tile.pending_number[tile.pending_count] = number
    tile.pending_until[tile.pending_count] = until
    tile.pending_count += 1


def _forget(tile, now):
    """Drop what has arrived."""
    k: cython.int
    kept: cython.int = 0
    for k in range(tile.pending_count):
        if tile.pending_until[k] > now:
            tile.pending_until[kept] = tile.pending_until[k]
            tile.pending_number[kept] = tile.pending_number[k]
            kept += 1
    tile.pending_count = kept


def _ready_at(tile, op, now):
    """The first cycle from `now` on in which all that an instruction uses is there."""
    when: cython.longlong = now
    k: cython.int
    _forget(tile, now)
    for k in range(tile.pending_count):
        if tile.pending_until[k] > when and _uses(op, tile.pending_number[k]):
            when = tile.pending_until[k]
    return when


def _uses(op, number):
    """Whether an instruction reads register `number` (from 64 on: a descriptor)."""
    place: cython.int
    for place in range(op.count):
        kind: cython.int = op.kinds[place]
        if kind == ON_DESCRIPTOR:
            if op.numbers[place] + FIRST_DESCRIPTOR == number:
                if op.form != FORM_DESCRIPTOR or op.opcode == OP_STDS:
                    return 1
        elif kind == ON_REGISTER:
            if place >= op.first_source:
                if op.numbers[place] == number:
                    return 1
                if op.wide[place] and op.numbers[place] + 1 == number:
                    return 1
        elif kind == ON_INDIRECT or kind == ON_INDEXED:
            if op.numbers[place] == number:
                return 1
    return 0
