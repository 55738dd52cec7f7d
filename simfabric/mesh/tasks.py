"""Tasks: what is ready, the picker, and the task instructions (machine page 4)."""

import cython

if not cython.compiled:
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import fault, log
    from simfabric.mesh.queues import head_word, pop


def op_at(m, tile, address):
    """Index of the decoded instruction at an address, -1 when it was not decoded there."""
    if not tile.code_start <= cython.cast(cython.int, address) < tile.code_end:
        return -1
    program: ProgramP = m.programs + tile.program_code
    return m.op_at[program.index + cython.cast(cython.int, address) - tile.code_start]


def go_to(m, tile, address):
    """Let the main thread go on at an address; Python finds out what stands there if need be."""
    tile.pc = op_at(m, tile, address)
    if tile.pc < 0:
        tile.fetch_address = address
        if tile.fetch == FETCH_NONE:
            tile.fetch = FETCH_ADDRESS


def ready_tasks(m, tile):
    """Mask of the tasks that the picker may start."""
    ready: cython.uint = tile.active
    waiting: cython.uint = tile.data_tasks & ~tile.blocked & ~ready
    number: cython.int
    if tile.teardowns:
        ready |= cython.cast(cython.uint, 1) << m.task_teardown
    number = 0
    while waiting:
        if waiting & 1:
            queue: InputQueueP = tile.inputs + number
            if queue.count and not queue.held and not tile.control_heads >> number & 1:
                ready |= cython.cast(cython.uint, 1) << number
        waiting >>= 1
        number += 1
    ready &= tile.known & ~tile.blocked
    waiting = ready & tile.masked
    number = 0
    while waiting >> number:
        if waiting >> number & 1 and (tile.masks[number] << 1) & tile.busy_slots:
            ready &= ~(cython.cast(cython.uint, 1) << number)
        number += 1
    return ready


def pick(m, w, tile, index, now, delay):
    """Start the next ready task in turn; its first instruction issues `delay` later."""
    ready: cython.uint = ready_tasks(m, tile)
    if ready == 0:
        return 0
    task: cython.int = tile.last_task
    while True:
        task = task + 1 if task + 1 < TASK_COUNT else 0
        if ready >> task & 1:
            break
    _start(m, w, tile, index, task, now)
    tile.main_next = now + delay
    return 1


def _start(m, w, tile, index, task, now):
    bit: cython.uint = cython.cast(cython.uint, 1) << task
    number: cython.int
    payload: cython.uint
    if tile.named & bit:
        tile.named &= ~bit
        tile.registers[60] = tile.payloads[task] & M16
        tile.registers[61] = tile.payloads[task] >> 16
    if task == m.task_teardown and tile.teardowns and not tile.active & bit:
        tile.teardowns -= 1
    elif tile.active & bit:
        tile.active &= ~bit
    else:  # the data task of an input queue
        queue: InputQueueP = tile.inputs + task
        word: cython.ulonglong = head_word(m, tile, index, task)
        payload = cython.cast(cython.uint, word & M32)
        if queue.half_taken:
            payload >>= 16
        if not tile.keeps >> task & 1:
            pop(m, tile, index, task, now)
        tile.registers[60] = payload & M16
        tile.registers[61] = payload >> 16
    tile.masked &= ~bit
    if tile.held_queues:
        for number in range(QUEUE_COUNT):
            if tile.inputs[number].held == task + 1:
                tile.inputs[number].held = 0
                tile.held_queues &= ~(1 << number)
    tile.main = AT_WORK
    tile.task = task
    tile.last_task = task
    tile.pending_count = 0
    go_to(m, tile, tile.entries[task])
    if tile.logged:
        log(m, w, index, now, EVENT_TASK, 0, tile.entries[task], 0, task, 0, 0)


def end_task(tile):
    tile.main = AT_REST
    tile.task = NO_TASK


def slot_done(m, tile, slot, now):
    """A microthread's transfer ended in this cycle."""
    tile.busy_slots &= ~(1 << slot)
    tile.runnable &= ~(1 << slot)
    tile.slots[slot].state = AT_REST
    if tile.main == AT_WAIT and (tile.wait_mask << 1) & tile.busy_slots == 0:
        tile.main = AT_WORK
        tile.main_next = now + m.arrival_to_task
    elif tile.main == AT_SLOT and tile.main_queue == slot:
        tile.main = AT_WORK
        tile.main_next = now + 1


def _valid(w, index, task, op, now):
    if task < TASK_COUNT:
        return 1
    fault(w, FAULT_TASK, index, now, op.address, task, 0, 0)
    return 0


def task_instruction(m, w, tile, index, op, now):
    """Execute one of the task instructions; `pc` stands behind it already."""
    number: cython.uint = op.values[0]
    bit: cython.uint
    if op.opcode == OP_NOP:
        return
    if op.opcode == OP_TERM:
        end_task(tile)
        return
    if op.opcode == OP_WAIT:
        if (number << 1) & tile.busy_slots:
            tile.main = AT_WAIT
            tile.wait_mask = number
        return
    if not _valid(w, index, number, op, now):
        return
    bit = cython.cast(cython.uint, 1) << number
    if op.opcode == OP_ACT:
        tile.active |= bit
    elif op.opcode == OP_BLOCK:
        tile.blocked |= bit
    elif op.opcode == OP_UNBLOCK:
        tile.blocked &= ~bit
    elif op.opcode == OP_ENTRY:
        tile.entries[number] = op.values[1]
        tile.known |= bit
    elif op.opcode == OP_DTASK:
        if number >= QUEUE_COUNT:
            _valid(w, index, TASK_COUNT, op, now)
            return
        tile.entries[number] = op.values[1]
        tile.known |= bit
        tile.data_tasks |= bit
        tile.blocked &= ~bit
        tile.keeps = tile.keeps & ~bit | (bit if op.values[2] else 0)
    else:  # susp, join
        tile.masks[number] = op.values[1]
        tile.active |= bit
        tile.masked |= bit
        if op.opcode == OP_SUSP:
            tile.entries[number] = op.next_address
            tile.known |= bit
            end_task(tile)
