"""Fabrics between NPUs: links with capacities, and the links that data takes.

Two kinds: the baseline mesh with X-Y routing, and trees of Fred switches with any number of levels
(Fred, sections 6.1 and 7.1). Capacities are bytes a second, of each direction.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from attrs import field, frozen

from mitools.console import UserError, closest
from simfabric.training.constants import constants

GIGA = 1e9


@frozen(eq=False)
class Links:
    """Links being collected: names, capacities and numbers by name."""

    names: list[str] = field(factory=list)
    capacities: list[float] = field(factory=list)
    numbers: dict[str, int] = field(factory=dict)

    def add(self, name: str, capacity: float) -> None:
        self.numbers[name] = len(self.names)
        self.names.append(name)
        self.capacities.append(capacity)


class Mesh:
    """`rows` × `columns` NPUs, numbered row by row; I/O controllers around the border.

    Each side has a controller for each of its NPUs, so corners have two.
    """

    in_network = False

    def __init__(
        self, rows: int, columns: int, bandwidth: float, io: float, latency: float = 0.0,
        name: str = "mesh",
    ) -> None:  # fmt: skip
        if rows < 1 or columns < 1:
            raise UserError(f"a mesh of {rows} by {columns} NPUs is none", None, "1 or more each")
        self.name, self.rows, self.columns, self.latency = name, rows, columns, latency
        self.npus = rows * columns
        links = Links()
        for npu in range(self.npus):
            for other in self._neighbours(npu):
                links.add(f"{npu}>{other}", bandwidth)
        self.sides = (
            [("top", c) for c in range(columns)]
            + [("bottom", c) for c in range(columns)]
            + [("left", r) for r in range(rows)]
            + [("right", r) for r in range(rows)]
        )
        for number in range(len(self.sides)):
            links.add(f"io{number}", io)
        self.channels = [self._border(side, place) for side, place in self.sides]
        self.names, self.capacities, self._numbers = links.names, links.capacities, links.numbers

    def _neighbours(self, npu: int) -> list[int]:
        row, column = divmod(npu, self.columns)
        near = [(row, column + 1), (row, column - 1), (row + 1, column), (row - 1, column)]
        return [
            r * self.columns + c for r, c in near if 0 <= r < self.rows and 0 <= c < self.columns
        ]

    def _border(self, side: str, place: int) -> int:
        row = {"top": 0, "bottom": self.rows - 1}.get(side, place)
        column = {"left": 0, "right": self.columns - 1}.get(side, place)
        return row * self.columns + column

    def path(self, source: int, target: int) -> tuple[int, ...]:
        """X first, then Y (Fred, section 7.2)."""
        links = []
        at = source
        while at != target:
            row, column = divmod(at, self.columns)
            to_row, to_column = divmod(target, self.columns)
            if column != to_column:
                step = at + (1 if to_column > column else -1)
            else:
                step = at + (self.columns if to_row > row else -self.columns)
            links.append(self._numbers[f"{at}>{step}"])
            at = step
        return tuple(links)

    def spread(self, source: int, targets: Sequence[int]) -> tuple[int, ...]:
        """The union of the X-Y paths: routers copy where paths part."""
        return tuple(sorted({link for target in targets for link in self.path(source, target)}))

    def stream(self, channel: int) -> tuple[int, ...]:
        """Channels above and below go vertically first, those at the sides horizontally first.

        Only so is the most loaded link crossed (2N-1) times (Fred, section 3.2.1).
        """
        side = self.sides[channel][0]
        row, column = divmod(self.channels[channel], self.columns)
        used = [self._numbers[f"io{channel}"]]
        vertical = side in ("top", "bottom")
        if vertical:
            used += self._line(row, column, vertical=True)
            for r in range(self.rows):
                used += self._line(r, column, vertical=False)
        else:
            used += self._line(row, column, vertical=False)
            for c in range(self.columns):
                used += self._line(row, c, vertical=True)
        return tuple(used)

    def _line(self, row: int, column: int, *, vertical: bool) -> list[int]:
        """Links from an NPU outwards along its column or its row."""
        step = self.columns if vertical else 1
        before, after = (row, self.rows - 1 - row) if vertical else (
            column, self.columns - 1 - column)  # fmt: skip
        at = row * self.columns + column
        out = [self._numbers[f"{at - k * step}>{at - (k + 1) * step}"] for k in range(before)]
        return out + [self._numbers[f"{at + k * step}>{at + (k + 1) * step}"] for k in range(after)]


class Tree:
    """Fred switches in levels: `levels[0]` NPUs under an L1, `levels[1]` L1 under an L2, …

    `bandwidths[k]` is that of the link from a node of level k (0: NPU) upwards. I/O controllers
    hang on the L1 switches, as evenly as it goes, the first ones with one more.
    """

    def __init__(
        self, levels: Sequence[int], bandwidths: Sequence[float], io: float, controllers: int,
        in_network: bool, latency: float = 0.0, name: str = "tree",
    ) -> None:  # fmt: skip
        if not levels or len(levels) != len(bandwidths) or min(levels) < 1:
            raise UserError(
                f"levels={','.join(map(str, levels))} with {len(bandwidths)} bandwidths",
                None,
                "one bandwidth for each level, and 1 or more below each switch",
            )
        self.name, self.levels, self.latency = name, tuple(levels), latency
        self.in_network = in_network
        self.sizes = [1]
        for arity in levels:
            self.sizes.append(self.sizes[-1] * arity)
        self.npus = self.sizes[-1]
        links = Links()
        for level, bandwidth in enumerate(bandwidths):
            for node in range(self.npus // self.sizes[level]):
                links.add(f"{self._node(level, node)}^", bandwidth)
                links.add(f"{self._node(level, node)}v", bandwidth)
        for number in range(controllers):
            links.add(f"io{number}", io)
        low = self.npus // levels[0]
        self.channels = sorted(number % low for number in range(controllers))
        self.names, self.capacities, self._numbers = links.names, links.capacities, links.numbers

    @staticmethod
    def _node(level: int, node: int) -> str:
        return f"npu{node}" if level == 0 else f"L{level}.{node}"

    def _link(self, level: int, node: int, way: str) -> int:
        return self._numbers[f"{self._node(level, node)}{way}"]

    def path(self, source: int, target: int) -> tuple[int, ...]:
        """Up to the lowest switch above both, and down."""
        return self.flow([source], [target]) if source != target else ()

    def spread(self, source: int, targets: Sequence[int]) -> tuple[int, ...]:
        return self.flow([source], [t for t in targets if t != source])

    def flow(self, inputs: Sequence[int], outputs: Sequence[int]) -> tuple[int, ...]:
        """Links of a reduction of `inputs` that is broadcast to `outputs` (Fred, section 6.1).

        Each switch reduces what comes from below before it goes up, and broadcasts downwards.
        """
        top = 1
        while len({npu // self.sizes[top] for npu in (*inputs, *outputs)}) > 1:
            top += 1
        links = []
        for level in range(top):
            size = self.sizes[level]
            links += [self._link(level, node, "^") for node in sorted({n // size for n in inputs})]
            links += [self._link(level, node, "v") for node in sorted({n // size for n in outputs})]
        return tuple(links)

    def stream(self, channel: int) -> tuple[int, ...]:
        """In the network a broadcast tree; without, a chain through all NPUs from the own L1 on."""
        low = self.channels[channel]
        first = low * self.levels[0]
        io = self._numbers[f"io{channel}"]
        if not self.in_network:
            order = [(first + k) % self.npus for k in range(self.npus)]
            links = [io, self._link(0, first, "v")]
            for a, b in pairwise(order):
                links += self.path(a, b)
            return tuple(links)
        links = [io]
        for level in range(len(self.levels)):
            above = low * self.levels[0] // self.sizes[level]
            for node in range(self.npus // self.sizes[level]):
                if level == 0 or node != above:
                    links.append(self._link(level, node, "v"))
            if level:
                links.append(self._link(level, above, "^"))
        return tuple(links)


def fabric(name: str, **changes: Any) -> Mesh | Tree:
    """A fabric of constants.toml by name, with entries replaced.

    `changes`: rows, columns, bandwidth, levels, bandwidths, in_network, io (GB/s), controllers,
    latency (ns). Raises UserError for a name or a change that the fabric does not have.
    """
    table = constants()
    known = table["fabric"]
    if name not in known:
        near = closest(name, known)
        raise UserError(
            f"there is no fabric `{name}`", None,
            f"did you mean {near}?" if near else f"one of {', '.join(known)}",
        )  # fmt: skip
    entry = dict(known[name])
    kind = entry.pop("kind")
    entry |= {"io": table["io"]["bandwidth"], "latency": table["npu"]["latency"]}
    if kind == "tree":
        entry["controllers"] = table["io"]["controllers"]
    for key, value in changes.items():
        if key not in entry:
            raise UserError(f"the fabric {name} has no `{key}`", None, f"it has {', '.join(entry)}")
        entry[key] = value
    entry["io"] *= GIGA
    entry["latency"] *= 1e-9
    if kind == "mesh":
        entry["bandwidth"] *= GIGA
        return Mesh(**entry, name=name)
    entry["bandwidths"] = [b * GIGA for b in entry["bandwidths"]]
    return Tree(**entry, name=name)
