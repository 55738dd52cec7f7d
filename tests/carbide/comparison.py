"""Compiles programs and compares their memory after a run with what the interpreter says."""

import numpy as np

from carbide.compiler import compile_text
from carbide.object import Object
from carbide.syntax import parse_text
from mitools.arch.words import CORE, LEFT, RIGHT, UNUSED, ColorRule
from mitools.console import Diagnostics
from mitools.image.model import Image, TileConfig
from tests.carbide.interpreter import Interpreter, run_network
from tests.carbide.isa.executor import Executor


def compiled(text: str, **options) -> Object:
    return compile_text(text, "random.w", diagnostics=Diagnostics(quiet=True), **options)


def interpreted(text: str, **parameters) -> dict[str, list[int]]:
    """The 16-bit words of every global after the program."""
    interpreter = Interpreter(parse_text(text, "random.w"), parameters)
    interpreter.run()
    return interpreter.words()


def executed(object_: Object) -> dict[str, list[int]]:
    """The words of every symbol after the object ran in the tests' executor."""
    executor = Executor.of(object_)
    executor.run()
    return symbol_words(object_, executor.memory)


def simulated(object_: Object) -> dict[str, list[int]]:
    """The words of every symbol after the object ran alone in the simulator."""
    return _simulated([object_], {})[0]


COLORS = {"there": 0, "back": 1}
"""Color of each socket of a pair."""


def interpreted_pair(pair: tuple[str, str]) -> list[dict[str, list[int]]]:
    left, right = (parse_text(text, f"{k}.w") for k, text in enumerate(pair))
    links = [("left", "there", "right", "there"), ("right", "back", "left", "back")]
    machines = run_network({"left": left, "right": right}, links)
    return [machines[name].words() for name in ("left", "right")]


def simulated_pair(objects: list[Object]) -> list[dict[str, list[int]]]:
    """`there` goes right on color 0, `back` left on color 1."""
    there, back = ColorRule(((CORE, 1 << RIGHT),)), ColorRule(((RIGHT, 1 << CORE),))
    left = {0: there, 1: back}
    right = {0: ColorRule(((LEFT, 1 << CORE),)), 1: ColorRule(((CORE, 1 << LEFT),))}
    return _simulated(objects, {0: left, 1: right})


def _simulated(
    objects: list[Object], rules: dict[int, dict[int, ColorRule]]
) -> list[dict[str, list[int]]]:
    """Runs objects in a row, with the color rules of each."""
    import simfabric

    configs = [_config(o, rules.get(k, {})) for k, o in enumerate(objects)]
    grid = np.arange(len(objects), dtype=np.int32)[None, :]
    image = Image("sdr", grid, grid.copy(), list(objects), configs)
    for k in range(len(objects)):
        image.regions[f"pe{k}"] = (np.array([0], np.int32), np.array([k], np.int32))
    result = simfabric.run(image, cycles=10_000_000)
    assert result.error is None and result.reason == "quiet", str(result)
    return [
        {
            symbol.name: _words(result.core.get(f"pe{k}.{symbol.name}"))
            for symbol in object_.symbols
        }
        for k, object_ in enumerate(objects)
    ]


def _words(values: np.ndarray) -> list[int]:
    return [int(w) for w in np.ascontiguousarray(values).view(np.uint16).ravel()]


def _config(object_: Object, rules: dict[int, ColorRule]) -> TileConfig:
    colors = [rules.get(color, UNUSED) for color in range(24)]
    inputs, outputs = [0] * 16, [0] * 8
    for socket in object_.sockets:
        color = COLORS[socket.name]
        if socket.input_queue is not None:
            inputs[2 * socket.input_queue] = 0x8000 | color
        if socket.output_queue is not None:
            outputs[socket.output_queue] = color << 4
    return TileConfig(
        tuple(rule.config_word() for rule in colors),
        tuple(word for rule in colors for word in rule.switch_words()),
        tuple(inputs),
        tuple(outputs),
    )


def symbol_words(object_: Object, memory) -> dict[str, list[int]]:
    found = {}
    for symbol in object_.symbols:
        count = symbol.words
        for _, extent in symbol.dimensions:
            count *= extent
        found[symbol.name] = [int(w) for w in memory[symbol.address : symbol.address + count]]
    return found


def difference(expected: dict[str, list[int]], found: dict[str, list[int]]) -> str:
    """Empty when all is equal; one line for each symbol that is not."""
    lines = []
    for name, right in expected.items():
        got = found.get(name)
        if got != right:
            shown = "nothing" if got is None else " ".join(f"{w:04x}" for w in got)
            lines.append(f"{name}: {shown} instead of {' '.join(f'{w:04x}' for w in right)}")
    return "\n".join(lines)
