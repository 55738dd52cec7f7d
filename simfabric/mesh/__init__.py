"""The cycle-level machine.

    mesh = Mesh(image)                          # mitools.image.Image; arch=… to override the table
    reason = mesh.run(cycles=100_000, threads=2)    # Stop.QUIET, LIMIT, ERROR or INTERRUPTED
    mesh.cycles, mesh.error
    mesh.tile(y, x)                             # TileState: threads, queues, colors, tasks
    mesh.survey()                               # where threads wait, wavelets are held, …
    mesh.router_clean()                         # all FIFOs and lanes empty
    mesh.counters()                             # name -> (height, width) array
    mesh.memory(y, x, start, count)             # uint16 words
    mesh.words(start, count)                    # of all PEs: (height, width, count)
    mesh.log(tiles=(x0, y0, x1, y1), first=0, last=1000)   # before run; then mesh.events()

`COMPILED` tells whether the hot modules run compiled. The environment variable
`WOLFRAMITE_PURE=1` selects their uncompiled source; both give the same results.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

HOT = (
    "arithmetic rooms links messages queues router memory tasks transfers compute visit loop"
).split()
"""The modules that `setup.py` compiles."""


class _Uncompiled(MetaPathFinder):
    """Finds the source of the hot modules even where a compiled one stands beside it."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        package, _, module = name.rpartition(".")
        if package != __name__ or module not in HOT:
            return None
        return spec_from_file_location(name, Path(__file__).with_name(f"{module}.py"))


if os.environ.get("WOLFRAMITE_PURE") == "1":
    sys.meta_path.insert(0, _Uncompiled())

from simfabric.mesh.layout import LAYOUT  # noqa: E402
from simfabric.mesh import loop  # noqa: E402
COMPILED: bool = loop.COMPILED
if getattr(loop, "MADE_FOR", 0) != LAYOUT:
    raise ImportError(
        "the compiled simulator is older than its source; install the package again,"
        " or set WOLFRAMITE_PURE=1"
    )

from simfabric.mesh.machine import Mesh, Unsupported  # noqa: E402
from simfabric.mesh.state import (  # noqa: E402
    ColorState,
    Event,
    Fault,
    MachineError,
    Queue,
    Stop,
    TaskState,
    Thread,
    TileState,
    Wait,
    Wavelet,
)


__all__ = [
    "COMPILED",
    "ColorState",
    "Event",
    "Fault",
    "MachineError",
    "Mesh",
    "Queue",
    "Stop",
    "TaskState",
    "Thread",
    "TileState",
    "Unsupported",
    "Wait",
    "Wavelet",
]
