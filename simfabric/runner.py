"""Running an image: `run(image, …)` for programs, `Run` for the command, which follows it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from mitools.arch import load
from mitools.console.diagnostics import Place, Problem, UserError

if TYPE_CHECKING:
    import numpy as np

    from mitools.arch.model import Arch
    from mitools.image.model import Image
    from simfabric.explain import Explanation
    from simfabric.profile import LineTime

CHUNK_SECONDS = 0.1
FIRST_CHUNK = 256
NO_LIMIT = 1 << 62
FIRST_PROFILED, MOST_PROFILED = 8, 4096
"""Cycles between two looks of a profile, at first and at most."""


@frozen
class RunError:
    """What ended a run with an error: where, when, and what it says to the user."""

    kind: str
    cycle: int
    y: int
    x: int
    text: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    details: dict[str, int] = field(factory=dict)

    def problem(self) -> Problem:
        """The message on standard error."""
        place = None
        if self.file is not None:
            place = Place(self.file, self.line or 0, self.column or 0)
        return Problem("error", self.text, place)

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "cycle": self.cycle,
            "x": self.x,
            "y": self.y,
            "text": self.text,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "details": self.details,
        }


@frozen
class Result:
    """What a run left. `reason` is "quiet", "limit", "error" or "interrupted".

    `core` is the image after the run; `counters` are totals by name; `counter_maps` the same by PE,
    (height, width); `traffic` wavelets that left routers, (height, width, color, port). `tiles`
    counts the grid, `quiet` the quiet cycles that end a run. `profile` is there if asked for.
    """

    core: Image
    cycles: int
    reason: str
    explanation: Explanation
    error: RunError | None
    counters: dict[str, int]
    counter_maps: dict[str, np.ndarray]
    tiles: int
    seconds: float
    quiet: int
    threads: int
    compiled: bool
    traffic: np.ndarray
    profile: tuple[LineTime, ...] = ()

    def __str__(self) -> str:
        from simfabric.summary import closing_lines

        return "\n".join(closing_lines(self))


class _Interrupts:
    """Ctrl-C asks the run to end; the second one interrupts at once."""

    def __init__(self) -> None:
        self.asked = False
        self._old: Any = None

    def __enter__(self) -> _Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._old = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, self._old)

    def _ask(self, *_: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self._old)


class Run:
    """One run, in pieces, so that somebody can look in between.

    `cycles` None runs until nothing moves; `quiet` None is the machine's own number of quiet
    cycles; `arch` replaces the machine table of the image. `save` is (cycles, file): a checkpoint
    goes there every so many cycles, and when the run ends by limit or interrupt; `resume` is the
    checkpoint to go on from. `check` makes a read of memory that was never written an error.
    """

    def __init__(
        self,
        image: Image,
        cycles: int | None = None,
        threads: int = 1,
        quiet: int | None = None,
        arch: Arch | None = None,
        profile: bool = False,
        save: tuple[int, str] | None = None,
        resume: str | None = None,
        check: bool = False,
    ) -> None:
        try:
            from simfabric import mesh
        except ImportError as error:  # compiled modules of another version, or none that load
            raise UserError(str(error)) from error

        self.image = image
        self.limit = cycles
        self.threads = threads
        self.arch = arch or load(image.arch)
        self.quiet = self.arch.timing.quiet_cycles if quiet is None else quiet
        self.compiled: bool = mesh.COMPILED
        try:
            self.mesh = mesh.Mesh(image, arch=self.arch, quiet=self.quiet, check=check)
        except mesh.Unsupported as error:
            raise UserError(f"this machine cannot be simulated: {error}") from error
        self._profile: Any = None
        if profile:
            from simfabric.profile import Profile

            self._profile = Profile(image)
        self._seconds = 0.0
        self._save = save
        self._saved = -1
        self._checkpoints: Any = None
        if save is not None or resume is not None:
            from simfabric.checkpoint import Checkpoints

            self._checkpoints = Checkpoints(image, self.arch, check)
        if resume is not None:
            self._resume(resume)
        self.began = self.cycle
        """The cycle that this process started from."""

    def _resume(self, path: str) -> None:
        self._seconds = self._checkpoints.load(path, self.mesh)
        self._saved = self.cycle
        if self.limit is not None and self.limit < self.cycle:
            raise UserError(
                f"the checkpoint is of cycle {self.cycle}, beyond cycles={self.limit}",
                Place(path),
                "give more cycles, or run from the start",
            )

    @property
    def cycle(self) -> int:
        """Cycles run so far."""
        return self.mesh.cycles

    def finish(self, each: Callable[[], object] = lambda: None) -> Result:
        """Run to the end; `each` is called several times a second and once at the end.

        An interrupt (Ctrl-C) ends the run; what there is then is the result.
        """
        with _Interrupts() as interrupts:
            reason = self._run(each, interrupts)
            if reason in ("limit", "interrupted"):
                self._keep(ends=True)
        each()
        return self._result(reason)

    def _run(self, each: Callable[[], object], interrupts: _Interrupts) -> str:
        from simfabric.mesh.state import Stop

        limit = NO_LIMIT if self.limit is None else self.limit
        chunk = FIRST_PROFILED if self._profile else FIRST_CHUNK
        while True:
            start = time.perf_counter()
            until = min(limit, self.cycle + chunk)
            if self._save is not None:
                until = min(until, (self.cycle // self._save[0] + 1) * self._save[0])
            try:
                stop = self.mesh.run(cycles=until, threads=self.threads)
            finally:
                taken = time.perf_counter() - start
                self._seconds += taken
            if stop is not Stop.LIMIT or self.cycle >= limit:
                return str(stop.value)
            if interrupts.asked:
                return "interrupted"
            each()
            if self._save is not None and self.cycle % self._save[0] == 0:
                self._keep()
            if self._profile:
                self._profile.look(self.mesh)
                chunk = min(chunk * 9 // 8 + 1, MOST_PROFILED)
            elif taken < CHUNK_SECONDS / 2:
                chunk *= 2
            elif taken > CHUNK_SECONDS * 2:
                chunk = max(1, chunk // 2)

    def _keep(self, ends: bool = False) -> None:
        """Write a checkpoint, if that is asked for and not done in this cycle already.

        A run is not lost for a checkpoint that cannot be written: that is a warning, but for the
        first one, which shows at once that the name is no good.
        """
        if self._save is None or self._saved == self.cycle:
            return
        try:
            self._checkpoints.save(self._save[1], self.mesh, self._seconds)
        except UserError as error:
            if self._saved < 0 and not ends:
                raise
            from mitools.console.diagnostics import show

            show([Problem("warning", problem.message, problem.place) for problem in error.problems])
        self._saved = self.cycle

    def _result(self, reason: str) -> Result:
        from simfabric.core import core_image
        from simfabric.explain import explain
        from simfabric.faults import run_error
        from simfabric.snapshot import MeshSnapshot

        snapshot = MeshSnapshot(self.mesh, self.image, self.arch, reason)
        error = None
        if self.mesh.error is not None:
            error = run_error(self.mesh.error, snapshot)
        maps = self.mesh.counters()
        maps["off_grid"] = maps.pop("outside")
        return Result(
            core=core_image(self.mesh, self.image, reason),
            cycles=self.cycle,
            reason=reason,
            explanation=explain(snapshot, error.text if error else None),
            error=error,
            counters={name: int(values.sum()) for name, values in maps.items()},
            counter_maps=maps,
            tiles=self.image.width * self.image.height,
            seconds=self._seconds,
            quiet=self.quiet,
            threads=self.threads,
            compiled=self.compiled,
            traffic=self.mesh.traffic(),
            profile=tuple(self._profile.lines()) if self._profile else (),
        )


def run(
    image: Image,
    cycles: int | None = None,
    threads: int = 1,
    quiet: int | None = None,
    arch: Arch | None = None,
    check: bool = False,
) -> Result:
    """Run an image to the end and return what it left; the image itself is not changed.

    Waiting PEs are no error, and errors of the machine are in `Result.error`. Raises UserError for
    an image that cannot be loaded. `check` makes a read of memory that was never written an error.
    """
    return Run(image, cycles, threads, quiet, arch, check=check).finish()
