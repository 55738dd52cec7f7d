"""The image: what a rectangle of tiles holds before or after a run.

Tiles with equal contents share them: a tile has a program number and a configuration number;
what differs from tile to tile (data written by `miset`, memory after a run) is kept as overlays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from carbide.object import Object

if TYPE_CHECKING:  # numpy is slow to import, and some tools need none of the arrays
    import numpy as np

    from mitools.image.values import NamedArray, SymbolInfo


@frozen
class TileConfig:
    """Router and queue configuration words of a tile, as the registers hold them.

    `colors` are the 24 color config words, `switches` four words for each color, `input_queues`
    two words for each input queue, `output_queues` one word for each output queue;
    `message_banks` is a mask of enabled banks.
    """

    colors: tuple[int, ...]
    switches: tuple[int, ...]
    input_queues: tuple[int, ...]
    output_queues: tuple[int, ...]
    message_banks: int = 0


@frozen
class Flow:
    """An in-network collective: all PEs in `tiles` (y, x) reduce and receive on `color`."""

    color: int
    operation: str
    type: str
    tiles: tuple[tuple[int, int], ...]


@define(eq=False)
class Overlay:
    """Private words of tiles: a data layer over the program's own memory.

    `words[k]` (uint16, shape tiles x n) start at `address` of tile (ys[k], xs[k]); a tile stands in
    `ys`, `xs` (int32) at most once. Addresses are main memory, registers or the data cache.
    """

    address: int
    ys: np.ndarray
    xs: np.ndarray
    words: np.ndarray


@define(eq=False)
class Image:
    """`program` and `config` are int32 grids (height, width) of indices, -1 where there is none.

    Rows grow southward (row 0 is the north row); `regions` maps a region's name to the (ys, xs)
    of its tiles in the region's own order (rows, then columns, ascending paint coordinates).
    Later overlays win over earlier ones and over the program's own contents. `facts` are small
    JSON values about the image's origin (tool version, layout source, cycles of the run, ...).
    `colors` are the names of solved colors by number, for explanations.
    """

    arch: str
    program: np.ndarray
    config: np.ndarray
    programs: list[Object] = field(factory=list)
    configs: list[TileConfig] = field(factory=list)
    regions: dict[str, tuple[np.ndarray, np.ndarray]] = field(factory=dict)
    overlays: list[Overlay] = field(factory=list)
    flows: list[Flow] = field(factory=list)
    colors: dict[int, list[str]] = field(factory=dict)
    facts: dict[str, object] = field(factory=dict)

    @property
    def height(self) -> int:
        return self.program.shape[0]

    @property
    def width(self) -> int:
        return self.program.shape[1]

    @classmethod
    def open(cls, path: str) -> Image:
        """The image in a file. Raises UserError."""
        from mitools.image.file import read_image

        return read_image(path)

    def save(self, path: str) -> None:
        """Write the image to a file, whole or not at all. Raises UserError."""
        from mitools.image.file import write_image

        write_image(path, self)

    def symbols(self) -> list[SymbolInfo]:
        """What `get` and `set` can name, as the map lists it."""
        from mitools.image.values import symbols

        return symbols(self)

    def get(self, name: str, order: Sequence[str] | None = None) -> NamedArray:
        """Values of `region.symbol`, or of `symbol` on every tile that has it.

        The array has the symbol's type (words and a dimension `_word` for a struct) and `.dims`,
        by default y, x and the symbol's own. Raises UserError for unknown names.
        """
        from mitools.image.values import get

        return get(self, name, order)

    def set(self, name: str, values: Any, order: Sequence[str] | None = None) -> None:
        """Write values: an array as `get` gives it, or what numpy broadcasts to one.

        Raises UserError for unknown names and for shapes and values that do not fit.
        """
        from mitools.image.values import set_values

        set_values(self, name, values, order)
