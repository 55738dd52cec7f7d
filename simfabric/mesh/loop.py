"""Rows and windows: in which order tiles run, threads, and what Python calls.

Tiles touch one another only with a delay, so within an *epoch* (as many cycles as the shortest
such delay) their order cannot matter. A *window* is some epochs, run as a wave over the rows: a
row's epoch follows the epoch before of the rows beside it, so a row's state is used several times
while it is in the processor's caches. With threads, each runs its rows as far as the borders allow
(a row next to a border one epoch, the next row two, …), and then what is left around the borders.
When all tiles sleep, time leaps to the next one that is due (machine page 8).
"""

import cython
from cython.parallel import prange

if not cython.compiled:
    from simfabric.mesh.layout import *
    from simfabric.mesh.links import neighbour, read_mail
    from simfabric.mesh.memory import read, write_register
    from simfabric.mesh.queues import find_queues
    from simfabric.mesh.rooms import told_room
    from simfabric.mesh.router import *
    from simfabric.mesh.visit import run_row

COMPILED = cython.compiled
MADE_FOR = LAYOUT
"""The layout that this was compiled for."""


def _runs(m, w, row, level):
    """Whether a thread runs epoch `level` of a row now; else it did or another thread will."""
    if m.phase == 2:
        distance: cython.int = w.border - 1 - row if row < w.border else row - w.border
        return level > distance
    if w.number > 0 and row - w.first_row < level:
        return 0
    return w.number + 1 == m.worker_count or w.last_row - 1 - row >= level


def run_part(m, w):
    """Run a thread's part of the window, as a wave over its rows. Goes on after a pause."""
    row: cython.int
    start: cython.longlong
    end: cython.longlong
    w.pause = PAUSE_NONE
    w.budget = 0
    while w.step < w.last_row - w.first_row + m.levels - 1:
        while w.level < m.levels:
            row = w.first_row + w.step - w.level
            start = m.window + w.level * m.epoch
            end = start + m.epoch if start + m.epoch < m.window_end else m.window_end
            if w.first_row <= row < w.last_row and start < end and m.row_wake[row] < end:
                if _runs(m, w, row, w.level):
                    if w.at < 0:
                        w.at = row * m.width
                    if not run_row(m, w, row, start, end):
                        return
            w.level += 1
        w.level = 0
        w.step += 1


def _deal(m, phase):
    """Set out the rows of each thread for a phase of a window, and the tiles it may touch."""
    k: cython.int
    m.phase = phase
    for k in range(m.worker_count):
        w: WorkerP = m.workers + k
        w.step = 0
        w.level = 0
        w.at = -1
        w.border = m.height * (k + 1) // m.worker_count
        if phase == 1:
            w.first_row = m.height * k // m.worker_count
            w.last_row = w.border
            w.first = w.first_row * m.width
            w.last = w.last_row * m.width
        else:  # around the border to the next thread's rows; the last thread has none
            w.first_row = w.border - m.levels + 1
            w.last_row = w.border + m.levels - 1 if k + 1 < m.worker_count else w.first_row
            w.first = (w.first_row - 1) * m.width
            w.last = (w.last_row + 1) * m.width


def _collect(m, number):
    """After the first phase: take the mail of the neighbouring threads."""
    w: WorkerP = m.workers + number
    if number > 0:
        read_mail(m, w, number - 1, 1)
    if number + 1 < m.worker_count:
        read_mail(m, w, number + 1, 0)


def _run_phase(m):
    """Let all threads run their part. Returns whether one has to pause."""
    k: cython.int
    count: cython.int = m.worker_count
    paused: cython.int = 0
    if count == 1:
        with cython.nogil:
            run_part(m, m.workers + 0)
    else:
        for k in prange(count, nogil=True, num_threads=count, schedule="static", chunksize=1):
            run_part(m, m.workers + k)
    for k in range(count):
        paused |= m.workers[k].pause
    return paused


def _machine(where):
    if cython.compiled:
        return cython.cast(MachineP, cython.cast(cython.size_t, where))
    return where


def run(where, until: cython.longlong, quiet: cython.longlong):
    """Run to cycle `until` at most. Returns "quiet", "limit", "fault" or "pause".

    `where` is the machine: its address, uncompiled the record itself. A pause leaves the window
    unfinished: the caller does what the workers ask for and calls again.
    """
    m: MachineP = _machine(where)
    k: cython.int
    count: cython.int = m.worker_count
    start: cython.longlong
    active: cython.longlong
    while True:
        if m.phase == 0:
            start = NEVER
            active = -1
            for k in range(m.height):
                if m.row_wake[k] < start:
                    start = m.row_wake[k]
            for k in range(count):
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
            m.window = start
            m.window_end = start + m.levels * m.epoch
            if m.window_end > until:
                m.window_end = until
            _deal(m, 1)
        if _run_phase(m):
            return "pause"
        if m.phase == 1 and count > 1:
            for k in prange(count, nogil=True, num_threads=count, schedule="static", chunksize=1):
                _collect(m, k)
            for k in range(count):
                m.workers[k].mail_count[0] = 0
                m.workers[k].mail_count[1] = 0
            if m.levels > 1:
                _deal(m, 2)
                continue
        m.phase = 0


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
