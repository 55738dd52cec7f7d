"""Running commands several times and keeping the median."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent


@frozen
class Figure:
    """One measured value. `least` or `most` is the goal, None where there is none."""

    name: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def good(self) -> bool:
        """Whether the goal is met."""
        return (self.least is None or self.value >= self.least) and (
            self.most is None or self.value <= self.most
        )


class CommandFailed(Exception):
    """A command of a benchmark ended with another status than 0."""


def command(words: Sequence[str], folder: Path | None = None) -> str:
    """Run a command and return its standard output."""
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    done = subprocess.run(
        list(words), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CommandFailed(f"{' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def seconds(words: Sequence[str], folder: Path | None = None, times: int = 5) -> float:
    """Median wall-clock seconds of a command."""
    return median(lambda: command(words, folder), times)


def median(work: Callable[[], object], times: int = 5) -> float:
    """Median wall-clock seconds of a call."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def middle(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)
