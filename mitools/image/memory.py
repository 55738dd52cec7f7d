"""Words of tiles' memory in an image, as the loader writes them.

Lowest is the tile's configuration in its registers, over it the program's own contents, over them
the data layers.
"""

import numpy as np

from carbide.object import Object
from mitools.arch import load
from mitools.image.model import Image, Overlay, TileConfig


def put_program(words: np.ndarray, program: Object, address: int) -> None:
    """Put what the program holds over `words` (uint16, tiles x n), which begin at `address`."""
    for segment in (program.code, *program.data):
        first = max(address, segment.address)
        last = min(address + words.shape[1], segment.address + len(segment.words))
        if first < last:
            start = segment.address
            words[:, first - address : last - address] = segment.words[first - start : last - start]


def put_registers(
    words: np.ndarray, image: Image, ys: np.ndarray, xs: np.ndarray, address: int
) -> None:
    """Put routes, queues and coordinates of the tiles over `words`, which begin at `address`."""
    registers = load(image.arch).registers

    def put(rows: np.ndarray, start: int, values: np.ndarray) -> None:
        first = max(address, start)
        last = min(address + words.shape[1], start + values.shape[-1])
        if first < last:
            part = values[..., first - start : last - start]
            words[rows, first - address : last - address] = part

    everywhere = np.ones(len(ys), bool)
    put(everywhere, registers.row_id, ys[:, None])
    put(everywhere, registers.column_id, xs[:, None])
    configs = image.config[ys, xs]
    for number in numbers_in(configs):
        config: TileConfig = image.configs[number]
        here = configs == number
        for start, values in (
            (registers.color_config, config.colors),
            (registers.switch_config, config.switches),
            (registers.input_queue, config.input_queues),
            (registers.output_queue, config.output_queues),
        ):
            put(here, start, np.array(values, np.uint16))


def numbers_in(grid: np.ndarray) -> list[int]:
    """The different numbers of a grid of -1 or more, ascending, without -1."""
    return np.flatnonzero(np.bincount(grid.ravel() + 1)[1:]).tolist()


def read_words(image: Image, ys: np.ndarray, xs: np.ndarray, address: int, n: int) -> np.ndarray:
    """Words (uint16, tiles x n) from `address` on of the tiles (ys[k], xs[k])."""
    words = np.zeros((len(ys), n), np.uint16)
    memory = load(image.arch).memory
    if address < memory.config_end and memory.config_start < address + n:
        put_registers(words, image, ys, xs, address)
    programs = image.program[ys, xs]
    for number in numbers_in(programs):
        here = programs == number
        part = words[here]
        put_program(part, image.programs[number], address)
        words[here] = part
    slots = None
    for overlay in image.overlays:
        first = max(address, overlay.address)
        last = min(address + n, overlay.address + overlay.words.shape[1])
        if first >= last:
            continue
        if slots is None:
            slots = np.full(image.program.shape, -1, np.int32)
            slots[ys, xs] = np.arange(len(ys), dtype=np.int32)
        target = slots[overlay.ys, overlay.xs]
        here = target >= 0
        part = overlay.words[:, first - overlay.address : last - overlay.address]
        if here.all():
            words[target, first - address : last - address] = part
        else:
            words[target[here], first - address : last - address] = part[here]
    return words


def write_words(
    image: Image, ys: np.ndarray, xs: np.ndarray, address: int, words: np.ndarray
) -> None:
    """Put words (uint16, tiles x n) over what the tiles hold from `address` on.

    A layer of the same tiles and addresses is replaced when nothing lies over it, so that setting
    a symbol again and again does not make the image grow.
    """
    n = words.shape[1]
    if not n or not len(ys):
        return
    for overlay in reversed(image.overlays):
        if overlay.address == address and overlay.words.shape[1] == n:
            if np.array_equal(overlay.ys, ys) and np.array_equal(overlay.xs, xs):
                overlay.words = words
                return
            break
        if overlay.address < address + n and address < overlay.address + overlay.words.shape[1]:
            break
    image.overlays.append(Overlay(address, ys, xs, words))
