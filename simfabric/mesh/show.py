"""The machine's records as the plain values of `state`."""

from typing import Any

import numpy as np

from mitools.arch import words
from mitools.image.model import Image
from simfabric.mesh import layout
from simfabric.mesh.build import Built
from simfabric.mesh.state import (
    ColorState,
    Event,
    Queue,
    TaskState,
    Thread,
    TileState,
    Wait,
    Wavelet,
)

_WAITS = {
    layout.AT_RECEIVE: Wait.RECEIVE,
    layout.AT_SEND: Wait.SEND,
    layout.AT_EMPTY: Wait.FIFO_EMPTY,
    layout.AT_FULL: Wait.FIFO_FULL,
    layout.AT_WAIT: Wait.MICROTHREADS,
    layout.AT_SLOT: Wait.SLOT,
}
_KINDS = {layout.DATA: "data", layout.HALF: "half", layout.CONTROL: "control"}
_EVENTS = {
    layout.EVENT_ISSUE: "issue",
    layout.EVENT_EXECUTE: "execute",
    layout.EVENT_LAND: "land",
    layout.EVENT_DEPART: "depart",
    layout.EVENT_TASK: "task",
}
_STOPPED = {layout.RUNNING: "", layout.TORN: "torn", layout.WRITTEN: "written"}


class Shown:
    def __init__(self, built: Built, image: Image) -> None:
        self.built, self.storage, self.image = built, built.storage, image
        self.width = image.width

    def wavelet(self, word: int) -> Wavelet:
        word = int(word)
        tile = word >> layout.ORIGIN_SHIFT
        site = word >> layout.SITE_SHIFT & layout.NO_SITE
        code = self.built.codes[self.storage.number("tiles", tile, "program_code")]
        address = code.sites[site] if site < min(len(code.sites), layout.NO_SITE) else None
        kind = _KINDS[word >> layout.KIND_SHIFT & 3]
        return Wavelet(kind, word & layout.M32, divmod(tile, self.width), address)

    def _ring(
        self, name: str, start: int, depth: int, head: int, count: int
    ) -> tuple[Wavelet, ...]:
        part = self.storage.part(name, start, start + depth)
        return tuple(self.wavelet(part[(head + k) % depth]) for k in range(count))

    def tile(self, index: int) -> TileState:
        row = self.storage.row("tiles", index)
        y, x = divmod(index, self.width)
        return TileState(
            y=y,
            x=x,
            program=int(row["program"]),
            task=None if row["task"] == layout.NO_TASK else int(row["task"]),
            threads=self._threads(row),
            tasks=self._tasks(row),
            inputs=self._inputs(row, index),
            outputs=self._outputs(row, index),
            colors=tuple(
                self._color(row, int(number)) for number in row["channels"] if number >= 0
            ),
            arriving=self._arriving(row),
        )

    def _threads(self, row: Any) -> tuple[Thread, ...]:
        threads = []
        task = None if row["task"] == layout.NO_TASK else int(row["task"])
        if row["main"] != layout.AT_REST:
            if row["slots"][0]["state"] != layout.AT_REST:
                threads.append(self._transfer(row, 0, int(row["main"]), task))
            else:
                pc = int(row["pc"])
                address = int(self.storage.row("ops", pc)["address"]) if pc >= 0 else 0
                mask = 0
                if row["main"] == layout.AT_WAIT:
                    mask = int(row["wait_mask"])
                elif row["main"] == layout.AT_SLOT:
                    mask = 1 << int(row["main_queue"]) - 1
                wait = _WAITS.get(int(row["main"]))
                threads.append(Thread(0, address, task, wait, mask=mask))
        for slot in range(1, layout.SLOT_COUNT):
            if row["busy_slots"] >> slot & 1:
                state = int(row["slots"][slot]["state"])
                if row["runnable"] >> slot & 1:
                    state = layout.AT_WORK
                threads.append(self._transfer(row, slot, state, None))
        return tuple(threads)

    def _transfer(self, row: Any, slot: int, state: int, task: int | None) -> Thread:
        this = row["slots"][slot]
        address = int(self.storage.row("ops", int(this["op"]))["address"])
        queue = color = record = None
        if state in (layout.AT_RECEIVE, layout.AT_SEND):
            queue = int(this["queue"])
            side = "inputs" if state == layout.AT_RECEIVE else "outputs"
            color = int(row[side][queue]["color"])
        elif state in (layout.AT_EMPTY, layout.AT_FULL):
            record = int(this["operands"][int(this["queue"])]["low"])
        left = None if this["endless"] else int(this["left"])
        return Thread(slot, address, task, _WAITS.get(state), queue, color, 0, record, left)

    def _tasks(self, row: Any) -> tuple[TaskState, ...]:
        tasks = []
        active = int(row["active"])
        if row["teardowns"]:
            active |= 1 << self.built.arch.tasks.teardown
        for number in range(layout.TASK_COUNT):
            bit = 1 << number
            known = bool(int(row["known"]) & bit)
            if not known and not active & bit:
                continue
            is_active = bool(active & bit)
            if not is_active and int(row["data_tasks"]) & bit and number < layout.QUEUE_COUNT:
                queue = row["inputs"][number]
                waiting = queue["count"] and not queue["held"]
                is_active = bool(waiting and not int(row["control_heads"]) & bit)
            blocked = bool(int(row["blocked"]) & bit)
            mask = int(row["masks"][number]) if int(row["masked"]) & bit else 0
            ready = known and is_active and not blocked and not (mask << 1) & int(row["busy_slots"])
            entry = int(row["entries"][number]) if known else None
            tasks.append(TaskState(number, entry, is_active, blocked, ready, mask))
        return tuple(tasks)

    def _inputs(self, row: Any, index: int) -> tuple[Queue, ...]:
        storage, queues = self.storage, []
        for number, queue in enumerate(row["inputs"]):
            start = index * storage["input_places"] + int(storage["input_start"][number])
            depth = int(storage["input_depth"][number])
            ring = self._ring("input_words", start, depth, int(queue["head"]), int(queue["count"]))
            half = bool(queue["half_taken"])
            queues.append(Queue(number, int(queue["color"]), bool(queue["enabled"]), ring, half))
        return tuple(queues)

    def _outputs(self, row: Any, index: int) -> tuple[Queue, ...]:
        storage, queues = self.storage, []
        for number, queue in enumerate(row["outputs"]):
            start = index * storage["output_places"] + int(storage["output_start"][number])
            depth = int(storage["output_depth"][number])
            ring = self._ring("output_words", start, depth, int(queue["head"]), int(queue["count"]))
            if row["ramp"] and row["ramp_color"] == queue["color"] and row["last_output"] == number:
                ring = (self.wavelet(row["ramp"]), *ring)
            queues.append(Queue(number, int(queue["color"]), True, ring))
        return tuple(queues)

    def _color(self, row: Any, number: int) -> ColorState:
        storage = self.storage
        channel = storage.row("channels", number)
        depth = storage["fifo_depth"]
        head, count = int(channel["head"]), int(channel["count"])
        fifo = tuple(self.wavelet(channel["fifo"][(head + k) % depth]) for k in range(count))
        lanes: dict[int, tuple[Wavelet, ...]] = {}
        if channel["lane"] >= 0:
            lane = storage.row("lanes", int(channel["lane"]))
            for side in range(5):
                waiting = [
                    self.wavelet(lane["words"][side * layout.FIFO_MOST + k % layout.FIFO_MOST])
                    for k in range(lane["head"][side], lane["head"][side] + lane["count"][side])
                ]
                if waiting:
                    lanes[side] = tuple(waiting)
        held = None if channel["message_port"] == layout.NO_PORT else int(channel["message_port"])
        left = None if channel["message_left"] == layout.MESSAGE_OPEN else channel["message_left"]
        return ColorState(
            color=int(channel["color"]),
            routes=tuple(
                words.split_route(int(r)) for r in channel["routes"][: int(channel["positions"])]
            ),
            swap=int(channel["swap"]) << 8,
            input_position=int(channel["input_position"]),
            output_position=int(channel["output_position"]),
            stopped=_STOPPED[int(channel["stopped"])],
            fifo=fifo,
            done=int(channel["done"]),
            lanes=lanes,
            room=tuple(int(r) & 15 for r in channel["room"]),
            message_port=held,
            message_left=None if held is None or left is None else int(left),
            message_holds=held is not None and self._holds(row, int(channel["color"]), held),
        )

    def _holds(self, row: Any, color: int, port: int) -> bool:
        """Whether the message on a bank's color holds an output."""
        bank = int(self.storage["bank_of"][color])
        return int(row["holders"][5 * bank + port]) == color

    def _arriving(self, row: Any) -> tuple[tuple[int, int, Wavelet], ...]:
        now = self.storage["now"]
        found = []
        for ahead in range(layout.LINK_SLOTS):
            slot = now + ahead & layout.LINK_SLOTS - 1
            for side in range(4):
                word = row["link"][4 * slot + side]
                if word:
                    found.append((now + ahead, side, self.wavelet(word)))
        return tuple(found)

    def survey(self) -> dict[str, Any]:
        """By name, whether each tile: "waits" (a thread does), has a ready or active task that is
        "blocked", "holds" wavelets in its router, queues or links, has data "handlers" open."""
        tiles = self.storage.get("tiles")
        slots = np.arange(layout.SLOT_COUNT)
        busy = tiles["busy_slots"][:, None] >> slots & 1
        busy &= ~(tiles["runnable"][:, None] >> slots) & 1
        main = tiles["main"]
        active = tiles["active"] | np.where(
            tiles["teardowns"] > 0, np.uint32(1 << self.built.arch.tasks.teardown), np.uint32(0)
        )
        numbers = np.arange(layout.QUEUE_COUNT)
        at_head = (tiles["inputs"]["count"] > 0) & (tiles["inputs"]["held"] == 0)
        at_head &= (tiles["control_heads"][:, None] >> numbers & 1) == 0
        data = tiles["data_tasks"] & (at_head << numbers).sum(axis=1).astype(np.uint32)
        open_ = tiles["data_tasks"] & tiles["known"] & ~tiles["blocked"]
        holds = (tiles["occupied"] != 0) | (tiles["laned"] != 0) | (tiles["arrivals"] != 0)
        holds |= (tiles["sending"] != 0) | (tiles["ramp"] != 0)
        holds |= (tiles["inputs"]["count"] > 0).any(axis=1)
        found = {
            "waits": (main > layout.AT_WORK) | busy.any(axis=1),
            "blocked": ((active | data) & tiles["known"] & tiles["blocked"]) != 0,
            "holds": holds,
            "handlers": open_ != 0,
        }
        return {k: v.reshape(self.image.height, self.width) for k, v in found.items()}

    def router_clean(self) -> bool:
        column = self.storage.column
        return not (column("tiles", "occupied").any() or column("tiles", "laned").any())

    def counters(self, now: int) -> dict[str, Any]:
        tiles = self.storage.get("tiles")
        shape = (self.image.height, self.width)
        spent = tiles["spent"].copy()
        # what has been going on since each tile's last visit
        rest = np.maximum(now - tiles["since"], 0)
        spent[np.arange(len(tiles)), tiles["accounted"]] += rest
        names = ("work", "send", "receive", "idle")
        counters = {name: spent[:, k].reshape(shape) for k, name in enumerate(names)}
        counters["outside"] = tiles["outside"].reshape(shape).copy()
        return counters

    def traffic(self) -> Any:
        channels = self.storage.get("channels")
        at = self.storage.get("tiles")["channels"]
        counts = channels["traffic"][at]
        counts[at < 0] = 0
        return counts.reshape(self.image.height, self.width, layout.COLOR_COUNT, 5)

    def words(self, start: int, count: int) -> Any:
        size = 1 << layout.PAGE_SHIFT
        table = self.storage.get("page_table").reshape(-1, layout.PAGE_TABLE)
        pages = self.storage.get("pages").reshape(-1, size)
        found = np.empty((len(table), count), np.uint16)
        for page in range(start // size, (start + count - 1) // size + 1):
            first, last = max(start, page * size), min(start + count, (page + 1) * size)
            found[:, first - start : last - start] = pages[
                table[:, page], first - page * size : last - page * size
            ]
        return found.reshape(self.image.height, self.width, count)

    def changed(self) -> list[tuple[int, Any, Any]]:
        size = 1 << layout.PAGE_SHIFT
        table = self.storage.get("page_table").reshape(-1, layout.PAGE_TABLE)
        pages = self.storage.get("pages").reshape(-1, size)
        found = []
        for page in range(layout.PAGE_TABLE):
            own = np.flatnonzero(table[:, page] >= self.storage["shared_pages"])
            if len(own):
                found.append((page * size, own, pages[table[own, page]]))
        return found

    def event(self, row: tuple[int, ...]) -> Event:
        """An event from a `LogEntry` as a tuple."""
        cycle, word, tile, address, number, slot, task, color, port = row
        y, x = divmod(tile, self.width)
        kind = _EVENTS[number]
        if number in (layout.EVENT_LAND, layout.EVENT_DEPART):
            return Event(cycle, y, x, kind, None, None, None, color, port, self.wavelet(word))
        running = None if task == layout.NO_TASK else task
        return Event(cycle, y, x, kind, address, slot, running)
