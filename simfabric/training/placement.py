"""Strategies mpX-dpY-ppZ, the groups of workers they make, and workers on NPUs.

Workers are numbered MP first, then PP, then DP (Fred, section 5.3). On Fred worker k is NPU k. On
a mesh four ways to walk the NPUs are tried and the one with the fastest MP groups taken, then PP,
then DP: the baseline favours MP (Fred, section 8.2; which walks: chosen).
"""

import re

import numpy as np
from attrs import frozen

from mitools.console import UserError

Groups = tuple[tuple[int, ...], ...]


@frozen
class Strategy:
    """Sizes of the model, data and pipeline dimension."""

    mp: int
    dp: int
    pp: int

    @property
    def workers(self) -> int:
        return self.mp * self.dp * self.pp

    @property
    def text(self) -> str:
        return f"mp{self.mp}-dp{self.dp}-pp{self.pp}"

    def worker(self, mp: int, dp: int, pp: int) -> int:
        return mp + self.mp * (pp + self.pp * dp)

    def groups(self, kind: str) -> Groups:
        """Workers that communicate: `mp`, `dp`, or `pp` (a pipeline of each MP rank)."""
        mp, dp, pp = range(self.mp), range(self.dp), range(self.pp)
        if kind == "mp":
            return tuple(tuple(self.worker(m, d, p) for m in mp) for d in dp for p in pp)
        if kind == "dp":
            return tuple(tuple(self.worker(m, d, p) for d in dp) for p in pp for m in mp)
        return tuple(tuple(self.worker(m, d, p) for p in pp) for d in dp for m in mp)


def parse_strategy(text: str) -> Strategy:
    """`mp3-dp3-pp2`, parts in any order, a missing one is 1. Raises ValueError."""
    sizes = {"mp": 1, "dp": 1, "pp": 1}
    seen = set()
    for part in text.lower().split("-"):
        match = re.fullmatch(r"(mp|dp|pp)\(?(\d{1,4})\)?", part)
        if not match or int(match[2]) < 1:
            raise ValueError("is not mpX-dpY-ppZ with numbers from 1 on")
        if match[1] in seen:
            raise ValueError(f"gives {match[1]} twice")
        seen.add(match[1])
        sizes[match[1]] = int(match[2])
    return Strategy(**sizes)


def strategies(workers: int) -> list[Strategy]:
    """All strategies with exactly so many workers, by MP, then DP."""
    return [
        Strategy(mp, dp, workers // mp // dp)
        for mp in range(1, workers + 1)
        if workers % mp == 0
        for dp in range(1, workers // mp + 1)
        if workers // mp % dp == 0
    ]


def walks(rows: int, columns: int) -> list[tuple[int, ...]]:
    """Orders of a mesh's NPUs: by rows, by rows to and fro, by columns, by columns to and fro."""
    grid = np.arange(rows * columns).reshape(rows, columns)
    out = []
    for lines in (grid, grid.T):
        snake = [line[::-1] if k % 2 else line for k, line in enumerate(lines)]
        out += [tuple(map(int, lines.flatten())), tuple(map(int, np.concatenate(snake)))]
    return out


def check_size(strategy: Strategy, npus: int) -> None:
    """Raises UserError when there are more workers than NPUs."""
    if strategy.workers > npus:
        raise UserError(
            f"{strategy.text} has {strategy.workers} workers, the fabric {npus} NPUs",
            None,
            "take a smaller strategy or a larger fabric",
        )
