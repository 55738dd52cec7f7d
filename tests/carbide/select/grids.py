"""Tungsten programs on small grids, run on the mesh: routes and bindings stand beside the text.

    run({(0, 0): Tile(SEND, {"tx": 0}, {0: "[C>R]"}), (0, 1): Tile(RECV, {"rx": 0}, {0: "[L>C]"})})
"""

from collections.abc import Mapping

import numpy as np
from attrs import field, frozen

import simfabric
from carbide.compiler import compile_text
from carbide.object import Object
from mitools.console import Diagnostics
from mitools.image.memory import read_words
from tests.simfabric.machine import Pe, grid


@frozen
class Tile:
    """A program's text, the color of each of its sockets, the rules of the router."""

    text: str
    colors: Mapping[str, int] = field(factory=dict)
    rules: Mapping[int, str] = field(factory=dict)
    parameters: Mapping[str, int | float] = field(factory=dict)


def compiled(text: str, colors: Mapping[str, int] | None = None, **parameters) -> Object:
    return compile_text(
        text,
        "tile.w",
        parameters=parameters,
        bindings=colors,
        diagnostics=Diagnostics(quiet=True),
    )


@frozen
class Ran:
    result: simfabric.Result
    programs: Mapping[tuple[int, int], Object]

    def words(self, place: tuple[int, int], symbol: str) -> list[int]:
        """The 16-bit words of a symbol at (y, x)."""
        found = next(s for s in self.programs[place].symbols if s.name == symbol)
        count = found.words
        for _, extent in found.dimensions:
            count *= extent
        at = np.array([place[0]]), np.array([place[1]])
        words = read_words(self.result.core, *at, found.address, count)
        return [int(w) for w in words.ravel()]

    def values(self, place: tuple[int, int], symbol: str, type_="<i2") -> list:
        words = np.array(self.words(place, symbol), "<u2")
        return words.view(type_).tolist()

    @property
    def cycles(self) -> int:
        return self.result.cycles


def run(tiles: Mapping[tuple[int, int], Tile], cycles: int = 200_000) -> Ran:
    """Compile and run until nothing moves. Raises AssertionError for an error of the machine."""
    pes, programs = {}, {}
    for place, tile in tiles.items():
        program = compiled(tile.text, tile.colors, **tile.parameters)
        inputs = {u.input_queue: tile.colors[u.name] for u in program.sockets
                  if u.input_queue is not None}  # fmt: skip
        outputs = {u.output_queue: tile.colors[u.name] for u in program.sockets
                   if u.output_queue is not None}  # fmt: skip
        pes[place] = Pe(program, tile.rules, inputs, outputs)
        programs[place] = program
    result = simfabric.run(grid(pes), cycles=cycles)
    assert result.error is None, result.error
    assert result.reason == "quiet", result.explanation
    return Ran(result, programs)
