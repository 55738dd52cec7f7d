"""A machine at cycle 0 from an image: what the loader does (machine pages 1, 5)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from attrs import define, field

from carbide.object import Object
from mitools.arch import words
from mitools.arch.model import Arch
from mitools.image.model import Image, Overlay, TileConfig
from simfabric.mesh import layout
from simfabric.mesh.program import Code, table_of
from simfabric.mesh.storage import Storage, zeros


class Unsupported(Exception):
    """A machine table or an image beyond the sizes this engine is compiled for."""


@define
class Built:
    """`codes[p]` and `places[p]` belong to entry p of `Machine.programs`: the image's programs
    first, then private copies of PEs that wrote into their code. `free` are unused ranges of the
    pools, by pool name. `fetched` is what was decoded since the start, in order: (base, words) of
    a private copy, (program, address) of one instruction."""

    storage: Storage
    arch: Arch
    codes: list[Code]
    places: list[list[int]]
    free: dict[str, list[tuple[int, int]]] = field(factory=dict)
    fetched: list[tuple[int, int | Sequence[int]]] = field(factory=list)


def check(image: Image, arch: Arch) -> None:
    """Raise Unsupported for what the records of `layout` cannot hold."""
    timing, router, queues = arch.timing, arch.router, arch.queues
    limits = (
        ("tiles", image.height * image.width, layout.MOST_TILES),
        ("router fifo_depth", router.fifo_depth, layout.FIFO_MOST),
        ("router colors", router.colors, layout.COLOR_COUNT),
        ("timing hop", timing.hop, layout.LINK_SLOTS - 1),
        ("timing room_return", timing.room_return, layout.HISTORY - 1),
        ("timing router_to_execute", timing.router_to_execute, 14),
        ("timing half_leave", timing.half_leave, 14),
        ("memory page_words", arch.memory.page_words, 1 << layout.PAGE_SHIFT),
        ("queues inputs", queues.inputs, layout.QUEUE_COUNT),
        ("queues outputs", queues.outputs, layout.QUEUE_COUNT),
        ("tasks count", arch.tasks.count, layout.TASK_COUNT),
    )
    for what, value, most in limits:
        if value > most:
            raise Unsupported(f"{what} is {value}; this engine holds at most {most}")
    ramp = timing.send_to_router - timing.half_leave
    least = (
        ("timing hop", timing.hop),
        ("timing room_return", timing.room_return),
        ("timing send_to_router less half_leave", ramp),
        ("timing half_leave less half_join", timing.half_leave - timing.half_join),
    )
    for what, value in least:
        if value < 1:
            raise Unsupported(f"{what} is {value}; this engine needs at least 1")


def build(image: Image, arch: Arch, loop: Any, check_reads: bool = False) -> Built:
    """`loop` is the module `simfabric.mesh.loop`, compiled or not. Raises Unsupported."""
    check(image, arch)
    storage = Storage(loop.COMPILED)
    count = image.height * image.width
    programs = image.program.reshape(-1)
    _numbers(storage, arch, image)
    built = Built(storage, arch, [], [])
    tiles = zeros(count, layout.dtype("Tile"))
    _code(built, image)
    storage["check"] = check_reads
    _memory(built, image, programs)
    _written(built, image, programs)
    _tiles(built, image, tiles, programs)
    _channels(built, image, tiles, programs)
    storage.set("tiles", tiles)
    queues = arch.queues
    storage.set("input_words", zeros(count * sum(queues.input_depth), np.uint64))
    storage.set("output_words", zeros(count * sum(queues.output_depth), np.uint64))
    wake = np.full(count, layout.NEVER, np.int64)
    wake[tiles["known"] != 0] = 0
    storage.set("wake", wake)
    storage.set("row_wake", wake.reshape(image.height, -1).min(axis=1))
    storage.set("mail", np.zeros(1, layout.dtype("Mail")))
    storage["event_most"] = 1 << 12
    storage.set("workers", np.zeros(0, layout.dtype("Worker")))
    divide(built, 1)
    _registers(built, image, programs, loop)
    loop.settle_start(storage.where)
    return built


def _numbers(storage: Storage, arch: Arch, image: Image) -> None:
    """The machine's table, and the grid."""
    timing, memory, registers = arch.timing, arch.memory, arch.registers
    queues, router, tasks = arch.queues, arch.router, arch.tasks
    values: dict[str, Any] = {
        name: getattr(timing, name)
        for name in (
            "hop room_return half_join router_to_execute arrival_to_task task_pick scalar"
            " scalar_float_result branch_not_taken branch_taken load_to_use descriptor_load"
            " descriptor_to_use vector_result"
        ).split()
    }
    values |= {
        name: getattr(registers, name)
        for name in (
            "cycle_counter timer_control output_queue input_queue color_config switch_config"
            " row_id column_id float_control"
        ).split()
    }
    values |= {
        "queue_leave": timing.half_leave,
        "ramp": timing.send_to_router - timing.half_leave,
        "epoch": min(timing.hop, timing.room_return, layout.HISTORY - timing.room_return),
        "fabric_wavelets": timing.fabric_wavelets[0],
        "output_words16": timing.output_words16[0],
        # as many epochs as let a few threads share the rows; the same whatever the threads
        "levels": max(1, min(8, image.height // 8)),
        "width": image.width,
        "height": image.height,
        "tile_count": image.width * image.height,
        "fifo_depth": router.fifo_depth,
        "main_words": memory.main_words,
        "config_start": memory.config_start,
        "config_end": memory.config_end,
        "memory_end": memory.cache_end,
        "task_teardown": tasks.teardown,
        "switching": sum(1 << color for color in router.switching),
        "header_to_core": router.message_header_to_core,
        "input_depth": queues.input_depth,
        "output_depth": queues.output_depth,
        "input_start": [sum(queues.input_depth[:q]) for q in range(queues.inputs)],
        "output_start": [sum(queues.output_depth[:q]) for q in range(queues.outputs)],
        "input_places": sum(queues.input_depth),
        "output_places": sum(queues.output_depth),
    }
    banks = [layout.NO_BANK] * layout.COLOR_COUNT
    ports = [layout.NO_COLOR] * 10
    # a bank's colors are those of its north, south, east, west and core inputs
    order = (words.DOWN, words.UP, words.RIGHT, words.LEFT, words.CORE)
    for bank, colors in enumerate(router.message_banks):
        for color, port in zip(colors, order, strict=True):
            banks[color] = bank
            ports[5 * bank + port] = color
    values["bank_of"], values["port_color"] = banks, ports
    for name, value in values.items():
        storage[name] = value


def _code(built: Built, image: Image) -> None:
    """Decode every program once."""
    tables, at, records = [], [], np.zeros(len(image.programs), layout.dtype("Program"))
    rows = words_before = 0
    for number, program in enumerate(image.programs):
        code = Code(program.code.words, program.code.address, built.arch)
        places = list(range(rows, rows + len(code.rows)))
        built.codes.append(code)
        built.places.append(places)
        tables.append(table_of(code, places))
        records[number] = (code.base, code.base + len(code.words), words_before, len(code.sites))
        at.append(code_index(code, places))
        rows += len(places)
        words_before += len(code.words)
    empty = np.zeros(0, layout.dtype("Op"))
    built.storage.set("ops", np.concatenate([*tables, empty]))
    built.storage.set("op_at", np.concatenate([*at, np.zeros(0, np.int32)]))
    built.storage.set("programs", records)
    calls = [control_tasks(program) for program in image.programs]
    built.storage.set("control_tasks", np.concatenate([*calls, np.zeros(0, np.uint8)]))


def control_tasks(program: Object) -> Any:
    """The task that a control wavelet starts, by input queue and by the name in it, flattened."""
    tasks = np.full((layout.QUEUE_COUNT, layout.CONTROL_NAMES), layout.NO_TASK, np.uint8)
    if not program.controls:
        tasks[:, : layout.TASK_COUNT] = np.arange(layout.TASK_COUNT)
    for control in program.controls:
        queue = slice(None) if control.input_queue is None else control.input_queue
        name = slice(None) if control.name is None else control.name
        tasks[queue, name] = layout.NO_TASK if control.task is None else control.task
    return tasks.ravel()


def code_index(code: Code, places: list[int]) -> Any:
    """The number of the instruction at each code word, -1 where none was decoded."""
    index = np.full(len(code.words), -1, np.int32)
    for address, row in code.at.items():
        if 0 <= address - code.base < len(index):
            index[address - code.base] = places[row]
    return index


def _in_memory(arch: Arch, address: int) -> bool:
    return not arch.memory.config_start <= address < arch.memory.config_end


def _memory(built: Built, image: Image, programs: Any) -> None:
    """Pages of the programs, shared; and private ones for what overlays write."""
    size = 1 << layout.PAGE_SHIFT
    table = np.zeros((len(programs), layout.PAGE_TABLE), np.int32)
    pages = [np.zeros(size, np.uint16)]
    for number, program in enumerate(image.programs):
        space = np.zeros(layout.PAGE_TABLE * size, np.uint16)
        used: set[int] = set()
        for segment in (program.code, *program.data):
            if not segment.words or not _in_memory(built.arch, segment.address):
                continue
            end = segment.address + len(segment.words)
            space[segment.address : end] = segment.words
            used |= set(range(segment.address // size, (end - 1) // size + 1))
        row = np.zeros(layout.PAGE_TABLE, np.int32)
        for page in sorted(used):
            row[page] = len(pages)
            pages.append(space[page * size : (page + 1) * size])
        table[programs == number] = row
    shared = len(pages)
    storage = built.storage
    storage["shared_pages"] = shared
    pool = np.zeros((max(shared + 256, 2 * shared), size), np.uint16)
    pool[:shared] = pages
    used_pages = shared
    for overlay in image.overlays:
        if not _in_memory(built.arch, overlay.address):
            continue
        pool, used_pages = _overlay(image, overlay, table, pool, used_pages, shared)
    storage.set("page_table", table.reshape(-1))
    storage.set("pages", pool.reshape(-1))
    built.free["page"] = [(used_pages, len(pool))]


def _written(built: Built, image: Image, programs: Any) -> None:
    """Which words the loader writes, if reads are checked."""
    storage, size = built.storage, 1 << layout.PAGE_SHIFT
    if not storage["check"]:
        storage.set("written", np.zeros(1, np.uint32))
        return
    table = storage.get("page_table").reshape(-1, layout.PAGE_TABLE)
    bits = np.zeros((storage.size("pages") // size, size), bool)

    def mark(tiles: Any, start: int, count: int) -> None:
        end = start + count
        for page in range(start // size, (end - 1) // size + 1) if count else ():
            first, last = max(start, page * size), min(end, (page + 1) * size)
            bits[np.unique(table[tiles, page]), first - page * size : last - page * size] = True

    for number, program in enumerate(image.programs):
        mine = np.flatnonzero(programs == number)
        for segment in (program.code, *program.data):
            if len(mine) and _in_memory(built.arch, segment.address):
                mark(mine, segment.address, len(segment.words))
    for overlay in image.overlays:
        if _in_memory(built.arch, overlay.address):
            tiles = np.asarray(overlay.ys, np.int64) * image.width
            tiles += np.asarray(overlay.xs, np.int64)
            count = np.asarray(overlay.words).reshape(len(tiles), -1).shape[1]
            mark(tiles, overlay.address, count)
    packed = np.packbits(bits, axis=1, bitorder="little")
    storage.set("written", np.ascontiguousarray(packed).view("<u4").reshape(-1).astype(np.uint32))


def _overlay(
    image: Image, overlay: Overlay, table: Any, pool: Any, used: int, shared: int
) -> tuple[Any, int]:
    """Write an overlay's words into its tiles' own pages; returns the pool and its used pages."""
    size = 1 << layout.PAGE_SHIFT
    tiles = np.asarray(overlay.ys, np.int64) * image.width + np.asarray(overlay.xs, np.int64)
    values = np.asarray(overlay.words, np.uint16).reshape(len(tiles), -1)
    end = overlay.address + values.shape[1]
    for page in range(overlay.address // size, (end - 1) // size + 1):
        need = tiles[table[tiles, page] < shared]
        if used + len(need) > len(pool):
            pool = np.concatenate([pool, np.zeros((len(need) + len(pool) // 2, size), np.uint16)])
        pool[used : used + len(need)] = pool[table[need, page]]
        table[need, page] = np.arange(used, used + len(need))
        used += len(need)
        first, last = max(overlay.address, page * size), min(end, (page + 1) * size)
        part = values[:, first - overlay.address : last - overlay.address]
        pool[table[tiles, page], first - page * size : last - page * size] = part
    return pool, used


def _tiles(built: Built, image: Image, tiles: Any, programs: Any) -> None:
    """Everything of a tile that is not a channel."""
    number = np.arange(len(tiles))
    tiles["x"], tiles["y"] = number % image.width, number // image.width
    tiles["column_id"], tiles["row_id"] = tiles["x"], tiles["y"]
    tiles["program"] = tiles["program_code"] = programs
    tiles["task"] = layout.NO_TASK
    tiles["last_task"] = layout.TASK_COUNT - 1
    tiles["accounted"] = layout.TIME_IDLE
    tiles["main_queue"] = tiles["ramp_color"] = layout.NO_QUEUE
    tiles["last_output"] = layout.QUEUE_COUNT - 1
    tiles["last_slot"] = layout.SLOT_COUNT - 1
    tiles["holders"] = layout.NO_COLOR
    tiles["channels"] = -1
    tiles["float_control"] = 1  # tungsten page 2: toward zero at the start
    tiles["pc"] = -1
    tiles["leave_at"] = layout.NEVER
    tiles["outputs"]["reference"] = tiles["inputs"]["reference"] = -1000
    for k, program in enumerate(image.programs):
        _program(built, tiles, np.flatnonzero(programs == k), program)
    configs = image.config.reshape(-1)
    for k, config in enumerate(image.configs):
        _config(tiles, np.flatnonzero(configs == k), config)
    for overlay in image.overlays:
        mine = np.asarray(overlay.ys, np.int64) * image.width + np.asarray(overlay.xs, np.int64)
        end = overlay.address + np.asarray(overlay.words).reshape(len(mine), -1).shape[1]
        code = (tiles["code_start"][mine] < end) & (overlay.address < tiles["code_end"][mine])
        tiles["fetch"][mine[code]] = layout.FETCH_CHANGED
    for k, program in enumerate(image.programs):
        mine = np.flatnonzero(programs == k)
        for wanted in program.filters:
            at = wanted.input_queue
            tiles["inputs"]["filter"][mine, at] = layout.FILTER_COUNTER
            filters = tiles["filters"]
            filters["limit"][mine, at] = wanted.limit
            filters["most"][mine, at] = wanted.maxpass
            filters["data"][mine, at] = wanted.counts_data
            filters["control"][mine, at] = wanted.counts_control
            filters["count"][mine, at] = wanted.maxpass + 1 if wanted.state == 64 else 0


def _program(built: Built, tiles: Any, mine: Any, program: Object) -> None:
    tiles["code_start"][mine] = program.code.address
    tiles["code_end"][mine] = program.code.address + len(program.code.words)
    tiles["stack_start"][mine] = program.stack_start
    known = active = blocked = 0
    for task in program.tasks:
        known |= 1 << task.number
        active |= task.active << task.number
        blocked |= task.blocked << task.number
        tiles["entries"][mine, task.number] = task.entry
    for number in range(built.arch.tasks.data):  # data tasks start blocked
        if not known >> number & 1:
            blocked |= 1 << number
    tiles["known"][mine] = known
    tiles["active"][mine] = active
    tiles["blocked"][mine] = blocked


def _config(tiles: Any, mine: Any, config: TileConfig) -> None:
    tiles["banks"][mine] = config.message_banks
    for number in range(layout.QUEUE_COUNT):
        first, second = config.input_queues[2 * number : 2 * number + 2]
        queue = tiles["inputs"]
        queue["config"][mine, number, 0] = first
        queue["config"][mine, number, 1] = second
        queue["color"][mine, number] = first & words.COLOR_BITS
        queue["enabled"][mine, number] = bool(first & words.QUEUE_ENABLED)
        word = config.output_queues[number]
        color = word >> words.OUTPUT_QUEUE_SHIFT & words.COLOR_BITS
        tiles["outputs"]["config"][mine, number] = word
        tiles["outputs"]["color"][mine, number] = color


def _used_colors(config: TileConfig | None, arch: Arch, everything: bool) -> set[int]:
    """Colors that a router may have something of: with a rule, the partner of a swap, a bank's."""
    if everything:
        return set(range(arch.router.colors))
    if config is None:
        return set()
    colors: set[int] = set()
    unused = (words.UNUSED.config_word(), *words.UNUSED.switch_words())
    for color in range(arch.router.colors):
        word = config.colors[color]
        if (word, *config.switches[4 * color : 4 * color + 4]) != unused:
            colors.add(color)
            if word >> 8 & 7:
                colors.add(color ^ 1)
    for bank, members in enumerate(arch.router.message_banks):
        if config.message_banks >> bank & 1:
            colors |= set(members)
    return colors


def _channel(color: int, config: TileConfig | None) -> Any:
    """A color's record at the start."""
    channel = np.zeros((), layout.dtype("Channel"))
    word = config.colors[color] if config else words.UNUSED.config_word()
    switch = config.switches[4 * color : 4 * color + 4] if config else words.UNUSED.switch_words()
    rule = words.ColorRule.from_words(word, switch)
    routes = [word & 0xFF, switch[0] & 0xFF, switch[1] & 0xFF, switch[1] >> 8]
    channel["color"], channel["lane"] = color, -1
    channel["routes"], channel["positions"] = routes, len(rule.positions)
    channel["swap"], channel["ring"] = word >> 8 & 7, rule.ring
    channel["pop"] = words.POP_MODES.index(rule.pop)
    for name in ("input_position", "next_position", "output_position"):
        channel[name] = rule.initial
    channel["stopped"] = layout.WRITTEN if word & words.TORN_DOWN else layout.RUNNING
    channel["message_port"] = layout.NO_PORT
    return channel


def _channels(built: Built, image: Image, tiles: Any, programs: Any) -> None:
    """The colors each tile uses, one record each, a tile's side by side."""
    configs = image.config.reshape(-1)
    whole = [p.configures_router for p in image.programs]
    kinds: dict[tuple[int, bool], Any] = {}
    everything = np.array([*whole, False])[programs]
    counts = np.zeros(len(tiles), np.int64)
    for config in (np.flatnonzero(np.bincount(configs + 1)) - 1).tolist():
        for flag in (False, True):
            mine = np.flatnonzero((configs == config) & (everything == flag))
            if len(mine):
                words_ = image.configs[config] if config >= 0 else None
                colors = sorted(_used_colors(words_, built.arch, flag))
                kinds[int(config), flag] = (mine, [_channel(c, words_) for c in colors])
                counts[mine] = len(colors)
    start = np.concatenate([[0], np.cumsum(counts)])
    total = int(start[-1])
    spare = 64
    channels = zeros(total + spare, layout.dtype("Channel"))
    for mine, records in kinds.values():
        for k, record in enumerate(records):
            channels[start[mine] + k] = record
            tiles["channels"][mine, int(record["color"])] = start[mine] + k
    storage = built.storage
    storage.set("channels", channels)
    built.free["channel"] = [(total, len(channels))]
    storage.set("lanes", np.zeros(16, layout.dtype("Lane")))
    built.free["lane"] = [(0, 16)]


def _registers(built: Built, image: Image, programs: Any, loop: Any) -> None:
    """What the loader writes into registers: initialised register arrays, overlays on them."""
    where, arch = built.storage.where, built.arch

    def poke(tiles: Any, address: int, values: Iterable[int]) -> None:
        for k, value in enumerate(values):
            if not _in_memory(arch, address + k):
                loop.poke(where, [int(t) for t in tiles], address + k, int(value))

    for number, program in enumerate(image.programs):
        for segment in program.data:
            if not _in_memory(arch, segment.address):
                poke(np.flatnonzero(programs == number), segment.address, segment.words)
    for overlay in image.overlays:
        if not _in_memory(arch, overlay.address):
            for y, x, row in zip(overlay.ys, overlay.xs, overlay.words, strict=True):
                poke([int(y) * image.width + int(x)], overlay.address, np.atleast_1d(row))


POOLS = ("page", "channel", "lane")


def divide(built: Built, threads: int) -> None:
    """Divide the rows among so many threads; their unused pool ranges are dealt out anew."""
    storage = built.storage
    old = storage.get("workers")
    for pool in POOLS:
        for worker in old:
            span = (int(worker[f"next_{pool}"]), int(worker[f"end_{pool}"]))
            if span[0] < span[1]:
                built.free[pool].append(span)
    width, height = storage["width"], storage["height"]
    levels = storage["levels"]
    least = 2 if levels == 1 else 2 * levels + 2  # rows a thread needs between its borders
    count = max(1, min(threads, height // least))
    workers = np.zeros(count, layout.dtype("Worker"))
    rows = [height * k // count for k in range(count + 1)]
    workers["number"] = range(count)
    workers["first"] = [width * r for r in rows[:-1]]
    workers["last"] = [width * r for r in rows[1:]]
    workers["last_active"] = old["last_active"].max() if len(old) else -1
    workers["visits"][0] = old["visits"].sum() if len(old) else 0
    storage.set("workers", workers)
    storage["worker_count"] = count
    most = width * storage["epoch"] * (1 + 2 * layout.COLOR_COUNT) if count > 1 else 1
    storage["mail_most"] = most
    storage.set("mail", np.zeros(2 * count * most, layout.dtype("Mail")))
    storage.set("events", np.zeros(count * storage["event_most"], layout.dtype("LogEntry")))
    for pool in POOLS:
        for k in range(count):
            refill(built, k, pool)


_AT_ONCE = {"page": 64, "channel": 64, "lane": 16}


def refill(built: Built, worker: int, pool: str) -> None:
    """Give a thread a new range of a pool, from what is free or by making the pool larger."""
    storage = built.storage
    fields = {"page": "pages", "channel": "channels", "lane": "lanes"}
    free = built.free[pool]
    least = _AT_ONCE[pool]
    start = storage.row("workers", worker)
    span = (int(start[f"next_{pool}"]), int(start[f"end_{pool}"]))
    if span[0] < span[1]:
        free.append(span)
    free.sort(key=lambda s: s[1] - s[0])
    if not free or free[-1][1] - free[-1][0] < least:
        unit = 1 << layout.PAGE_SHIFT if pool == "page" else 1
        size = storage.size(fields[pool]) // unit
        more = max(size // 2, least * storage["worker_count"] * 2)
        storage.grow(fields[pool], (size + more) * unit)
        if pool == "page" and storage["check"]:
            storage.grow("written", (size + more) * (unit >> 5))
        share = max(least, more // storage["worker_count"])
        free += [(s, min(s + share, size + more)) for s in range(size, size + more, share)]
    start_, end = free.pop()
    count = storage["worker_count"]
    if (end - start_) >= 2 * least * count > least and not span[0] < span[1]:
        # leave something for the other threads
        share = (end - start_) // count
        free.append((start_ + share, end))
        end = start_ + share
    storage.put("workers", worker, f"next_{pool}", start_)
    storage.put("workers", worker, f"end_{pool}", end)
