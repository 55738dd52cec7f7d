"""The core image: what every PE holds after a run, as data layers over the image that ran."""

from typing import Any

import numpy as np

from carbide.object import Object
from mitools.arch.model import Arch
from mitools.image.model import Image, Overlay

Range = tuple[int, int]
"""First address and count of words."""


def core_image(mesh: Any, image: Image, reason: str) -> Image:
    """The image after the run. Programs, configurations and regions are shared with `image`.

    Memory and data cache are in layers of whole pages, for the PEs that wrote into them. Registers
    are there for programs that have a symbol on them, and the routers' for programs that
    configure them.
    """
    overlays = [
        Overlay(
            address,
            (tiles // image.width).astype(np.int32),
            (tiles % image.width).astype(np.int32),
            words,
        )
        for address, tiles, words in mesh.changed()
    ]
    for number, program in enumerate(image.programs):
        ranges = register_ranges(program, mesh.arch)
        if ranges:
            overlays += _registers(mesh, image, number, ranges)
    return Image(
        arch=image.arch,
        program=image.program,
        config=image.config,
        programs=image.programs,
        configs=image.configs,
        regions=image.regions,
        overlays=overlays,
        flows=image.flows,
        colors=image.colors,
        facts={**image.facts, "cycles": mesh.cycles, "stopped": reason},
    )


def register_ranges(program: Object, arch: Arch) -> list[Range]:
    """The registers that a program's symbols stand on, joined where they meet."""
    memory, registers = arch.memory, arch.registers
    ranges = []
    for symbol in program.symbols:
        words = symbol.words
        for _, extent in symbol.dimensions:
            words *= extent
        first = max(symbol.address, memory.config_start)
        last = min(symbol.address + words, memory.config_end)
        if first < last:
            ranges.append((first, last))
    if program.configures_router:
        colors, positions = arch.router.colors, arch.router.positions
        ranges.append((registers.color_config, registers.color_config + colors))
        ranges.append((registers.switch_config, registers.switch_config + colors * positions))
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][0] + joined[-1][1]:
            start = joined[-1][0]
            joined[-1] = start, max(joined[-1][1], last - start)
        else:
            joined.append((first, last - first))
    return joined


def _registers(mesh: Any, image: Image, number: int, ranges: list[Range]) -> list[Overlay]:
    ys, xs = np.nonzero(image.program == number)
    found = []
    for address, count in ranges:
        words = np.empty((len(ys), count), np.uint16)
        for k, (y, x) in enumerate(zip(ys.tolist(), xs.tolist(), strict=True)):
            words[k] = mesh.memory(y, x, address, count)
        found.append(Overlay(address, ys.astype(np.int32), xs.astype(np.int32), words))
    return found
