"""Words of tiles' memory in an image: the program's own contents under the data layers."""

import numpy as np

from carbide.object import Object
from mitools.image.model import Image, Overlay


def program_words(program: Object, address: int, count: int) -> np.ndarray:
    """`count` words (uint16) from `address` on, as the loader writes them; 0 where it does not."""
    words = np.zeros(count, np.uint16)
    for segment in (program.code, *program.data):
        first = max(address, segment.address)
        last = min(address + count, segment.address + len(segment.words))
        if first < last:
            start = segment.address
            words[first - address : last - address] = segment.words[first - start : last - start]
    return words


def numbers_in(grid: np.ndarray) -> list[int]:
    """The different numbers of a grid of -1 or more, ascending, without -1."""
    return np.flatnonzero(np.bincount(grid.ravel() + 1)[1:]).tolist()


def read_words(image: Image, ys: np.ndarray, xs: np.ndarray, address: int, n: int) -> np.ndarray:
    """Words (uint16, tiles x n) from `address` on of the tiles (ys[k], xs[k])."""
    words = np.zeros((len(ys), n), np.uint16)
    programs = image.program[ys, xs]
    for number in numbers_in(programs):
        words[programs == number] = program_words(image.programs[number], address, n)
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
