"""Several images as one: each at its offset, tiles of no two at one place."""

import numpy as np

from mitools.console.diagnostics import Place, UserError
from mitools.image.model import Flow, Image, Overlay


def join(images: list[Image], offsets: list[tuple[int, int]], paths: list[str]) -> Image:
    """The image of all; `offsets` are (x, y) of each one's north-west tile.

    Equal programs and configurations are shared, regions of one name become one.
    Raises UserError where tiles overlap or machines differ.
    """
    for image, path in zip(images, paths, strict=True):
        if image.arch != images[0].arch:
            raise UserError(
                f"this image is for the machine {image.arch}; `{paths[0]}` is for {images[0].arch}",
                Place(path),
            )
    width = max(x + image.width for image, (x, _) in zip(images, offsets, strict=True))
    height = max(y + image.height for image, (_, y) in zip(images, offsets, strict=True))
    owner = np.full((height, width), -1, np.int32)
    joined = Image(
        images[0].arch,
        np.full((height, width), -1, np.int32),
        np.full((height, width), -1, np.int32),
        facts=dict(images[0].facts),
    )
    for number, (image, offset) in enumerate(zip(images, offsets, strict=True)):
        _take_tiles(joined, image, offset, owner, number, paths)
        _take_rest(joined, image, offset)
    joined.regions = {name: _sorted(ys, xs) for name, (ys, xs) in joined.regions.items()}
    return joined


def _take_tiles(
    joined: Image,
    image: Image,
    offset: tuple[int, int],
    owner: np.ndarray,
    number: int,
    paths: list[str],
) -> None:
    x, y = offset
    window = (slice(y, y + image.height), slice(x, x + image.width))
    used = (image.program >= 0) | (image.config >= 0)
    clash = np.argwhere(used & (owner[window] >= 0))
    if len(clash):
        row, column = (int(n) for n in clash[0])
        other = paths[owner[window][row, column]]
        raise UserError(
            f"{len(clash)} of its tiles overlap `{other}`; the first is x={x + column} y={y + row}",
            Place(paths[number]),
            "place it elsewhere with at=x,y",
        )
    owner[window][used] = number
    for grid, target, known, add in (
        (image.program, joined.program, joined.programs, image.programs),
        (image.config, joined.config, joined.configs, image.configs),
    ):
        numbers = np.array([*_shared(known, add), -1], np.int32)
        target[window][used] = numbers[grid][used]


def _shared(known: list, add: list) -> list[int]:
    """Numbers of `add` in `known`, which takes those it does not have."""
    places = {item: k for k, item in reversed(list(enumerate(known)))}
    numbers = []
    for item in add:
        if item not in places:
            places[item] = len(known)
            known.append(item)
        numbers.append(places[item])
    return numbers


def _take_rest(joined: Image, image: Image, offset: tuple[int, int]) -> None:
    x, y = offset
    for name, (ys, xs) in image.regions.items():
        old = joined.regions.get(name, (np.zeros(0, np.int32), np.zeros(0, np.int32)))
        joined.regions[name] = (np.append(old[0], ys + y), np.append(old[1], xs + x))
    for overlay in image.overlays:
        shifted = Overlay(overlay.address, overlay.ys + y, overlay.xs + x, overlay.words)
        joined.overlays.append(shifted)
    for flow in image.flows:
        tiles = tuple((ty + y, tx + x) for ty, tx in flow.tiles)
        joined.flows.append(Flow(flow.color, flow.operation, flow.type, tiles))
    for number, names in image.colors.items():
        known = joined.colors.setdefault(number, [])
        known += [name for name in names if name not in known]


def _sorted(ys: np.ndarray, xs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.lexsort((xs, ys))
    return ys[order].astype(np.int32), xs[order].astype(np.int32)
