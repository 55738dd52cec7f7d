"""Progress on a terminal for runs over two seconds; nothing when standard error is piped."""

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simfabric.runner import Run

AFTER_SECONDS = 2.0


class Progress:
    """Shows cycle, rate and, with a cycle limit, time left. Use as a context around the run."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._start = time.monotonic()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self) -> None:
        """Bring what is shown up to the run's cycle."""
        if not self._terminal or time.monotonic() - self._start < AFTER_SECONDS:
            return
        if self._bar is None:
            self._open()
        seconds = time.monotonic() - self._start
        rate = (self._run.cycle - self._run.began) / seconds
        left = ""
        if self._run.limit is not None and rate > 0:
            remaining = (self._run.limit - self._run.cycle) / rate
            left = f", at most {_duration(remaining)} left"
        self._bar.update(
            self._task,
            completed=self._run.cycle,
            description=f"cycle {self._run.cycle}, {rate:.0f} per second{left}",
        )

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=self._run.limit)
        self._bar.start()


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
