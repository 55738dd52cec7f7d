"""A machine's state between two runs as plain numbers and arrays, and a machine made from them.

The state is what the image does not say: the records of the tiles and their channels, memory, what
was decoded since the start. It is the same compiled and uncompiled and whatever the threads.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from simfabric.mesh import layout
from simfabric.mesh.build import POOLS, Built, divide
from simfabric.mesh.storage import zeros

if TYPE_CHECKING:
    from simfabric.mesh.machine import Mesh

ARRAYS = (
    *("tiles", "wake", "row_wake", "channels", "lanes", "input_words", "output_words"),
    *("page_table", "pages", "written"),
)
"""Fields of `Machine` that are kept. Instructions and programs are decoded again instead."""


def state_of(mesh: "Mesh", built: Built, events: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """Numbers that JSON can hold, and the bytes of arrays; copies only of what is uncompiled.

    `events` are records of the event log whose cycle has not come yet.
    """
    storage = built.storage
    workers = storage.get("workers")
    free = {pool: list(built.free[pool]) for pool in POOLS}
    for worker in workers:
        for pool in POOLS:
            span = (int(worker[f"next_{pool}"]), int(worker[f"end_{pool}"]))
            if span[0] < span[1]:
                free[pool].append(span)
    numbers = {
        "layout": layout.LAYOUT,
        "now": storage["now"],
        "last_active": int(workers["last_active"].max()),
        "visits": int(workers["visits"].sum()),
        "free": free,
        "fetched": [
            [number, what if isinstance(what, int) else [int(word) for word in what]]
            for number, what in built.fetched
        ],
        "events": [list(map(int, event)) for event in events],
        "sizes": {name: storage.size(name) for name in ARRAYS},
    }
    return numbers, [storage.get(name).view(np.uint8) for name in ARRAYS]


def restore(mesh: "Mesh", built: Built, numbers: dict[str, Any], arrays: Any) -> list[Any]:
    """Put a state into a machine at cycle 0 of the same image; returns the pending events.

    `arrays` is the bytes of all arrays, one after the other. Raises ValueError for what is no
    state of this machine.
    """
    if numbers["layout"] != layout.LAYOUT:
        raise ValueError("it was saved by another version of the simulator")
    storage = built.storage
    content, found, place = memoryview(arrays), {}, 0
    for name in ARRAYS:
        count, type_ = int(numbers["sizes"][name]), storage.dtype(name)
        end = place + count * type_.itemsize
        part = content[place:end]
        if count < storage.size(name) or len(part) != end - place:
            raise ValueError(f"its {name} have the wrong length")
        found[name] = zeros(count, type_)
        found[name][:] = np.frombuffer(part, type_)
        place = end
    if place != len(content):
        raise ValueError("it is longer than the state of this machine")
    for number, what in numbers["fetched"]:
        if isinstance(what, int):
            mesh.decode(number, what)
        else:
            mesh.add_code(what, number)
    if not storage["check"]:
        found["written"] = np.zeros(1, np.uint32)
    for name in ARRAYS:
        storage.set(name, found.pop(name))
    storage["now"] = mesh.cycles = numbers["now"]
    built.free.update({pool: [(a, b) for a, b in numbers["free"][pool]] for pool in POOLS})
    worker = np.zeros(1, layout.dtype("Worker"))
    worker["last_active"], worker["visits"] = numbers["last_active"], numbers["visits"]
    storage.set("workers", worker)
    divide(built, 1)
    return [tuple(event) for event in numbers["events"]]
