"""Images for machine tests, made by hand: assembly programs, routes as a layout writes them.

    grid({(0, 0): Pe(SENDER, {1: "[C>R]"}, outputs={0: 1}),
          (0, 1): Pe(RECEIVER, {1: "[L>C]"}, inputs={0: 1})})

Coordinates are (y, x), row 0 in the north.
"""

from collections.abc import Mapping

import numpy as np
from attrs import field, frozen

from carbide.isa.assembler import assemble
from carbide.object import Object
from mitools.arch.words import (
    NO_INPUT,
    PORTS,
    SWAP_CORE,
    SWAP_HORIZONTAL,
    SWAP_VERTICAL,
    ColorRule,
)
from mitools.image.model import Image, TileConfig

SWAPS = {
    ">": 0,
    "H": SWAP_HORIZONTAL,
    "V": SWAP_VERTICAL,
    "X": SWAP_HORIZONTAL | SWAP_VERTICAL | SWAP_CORE,
}


def program(name: str, text: str) -> Object:
    """An assembly program; `.line` directives without a file are not needed for messages."""
    return assemble(f'.program "{name}" "{name}.w" "sdr"\n{text}', name, f"{name}.w")


def rule(text: str) -> ColorRule:
    """`[L>R ; C*>R ; pop=adv ring]`: positions, the initial one starred, then options."""
    positions, swap, initial, ring, pop = [], 0, 0, False, "no"
    for part in text.strip("[] ").split(";"):
        part = part.strip()
        if any(letter in part for letter in "=g"):
            for option in part.split():
                ring = ring or option == "ring"
                pop = option[4:] if option.startswith("pop=") else pop
            continue
        if "*" in part:
            initial = len(positions)
        part = part.replace("*", "")
        letter = next(c for c in part if c in SWAPS)
        source, outputs = part.split(letter)
        swap |= SWAPS[letter]
        port = PORTS.index(source) if source else NO_INPUT
        positions.append((port, sum(1 << PORTS.index(p) for p in outputs)))
    return ColorRule(tuple(positions), swap, initial, ring, pop)


@frozen
class Pe:
    """A program (or None: a router alone), rules by color, colors by queue."""

    program: Object | None = None
    rules: Mapping[int, str] = field(factory=dict)
    inputs: Mapping[int, int] = field(factory=dict)
    outputs: Mapping[int, int] = field(factory=dict)
    banks: int = 0

    def config(self) -> TileConfig:
        rules = [rule(self.rules.get(c, "[>]")) for c in range(24)]
        inputs = [
            word
            for q in range(8)
            for word in (self.inputs[q] | 0x8000 if q in self.inputs else 0, 0)
        ]
        return TileConfig(
            tuple(r.config_word() for r in rules),
            tuple(word for r in rules for word in r.switch_words()),
            tuple(inputs),
            tuple(self.outputs.get(q, 0) << 4 for q in range(8)),
            self.banks,
        )


def grid(pes: Mapping[tuple[int, int], Pe], colors: Mapping[int, str] | None = None) -> Image:
    """An image just large enough; equal programs and configurations are shared."""
    height = 1 + max(y for y, _ in pes)
    width = 1 + max(x for _, x in pes)
    image = Image(
        "sdr", np.full((height, width), -1, np.int32), np.full((height, width), -1, np.int32)
    )
    numbers: dict[int, int] = {}
    configs: dict[TileConfig, int] = {}
    for place, pe in pes.items():
        if pe.program is not None:
            if id(pe.program) not in numbers:
                numbers[id(pe.program)] = len(image.programs)
                image.programs.append(pe.program)
            image.program[place] = numbers[id(pe.program)]
        config = pe.config()
        if config not in configs:
            configs[config] = len(image.configs)
            image.configs.append(config)
        image.config[place] = configs[config]
    image.colors = {c: [name] for c, name in (colors or {}).items()}
    return image
