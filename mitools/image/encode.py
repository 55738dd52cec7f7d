"""Image to parts and back (see `parts`).

The directory:

    arch, facts, colors {number: [names]}, program [array, height, width] and config likewise,
    programs [object dictionaries], configs array, regions {name: tiles},
    overlays [[address, tiles, array]], flows [[color, operation, type, [[y, x], ...]]]

where `tiles` is [y, x, height, width] for a full rectangle in rows, or two array numbers.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from carbide.object import Object
from carbide.object_file import ObjectError, object_from_dict, object_to_dict
from mitools.image.model import Flow, Image, Overlay, TileConfig
from mitools.image.parts import DamagedImage, Part, Parts, pack

ADDRESSES = 0x8000
"""Words of a PE's address space."""
CONFIG_PARTS = ("colors", "switches", "input_queues", "output_queues")


class _Writer:
    def __init__(self) -> None:
        self.arrays: list[Part] = []
        self._tiles: dict[tuple[int, int], Any] = {}
        self._alive: list[Any] = []

    def array(self, kind: str, values: np.ndarray, type_: str = "<u2") -> int:
        if values.dtype != np.dtype(type_) and values.size:
            narrow = values.astype(type_)
            if not np.array_equal(narrow, values):
                raise ValueError(f"values of an array of kind {kind} do not fit {type_}")
            values = narrow
        data = np.ascontiguousarray(values, dtype=type_).tobytes()
        self.arrays.append(pack(kind, type_, values.shape, data))
        return len(self.arrays) - 1

    def tiles(self, kind: str, ys: np.ndarray, xs: np.ndarray) -> list[int]:
        key = (id(ys), id(xs))
        if key not in self._tiles:
            self._alive += [ys, xs]
            self._tiles[key] = rectangle(ys, xs) or [
                self.array(kind, ys, "<i4"),
                self.array(kind, xs, "<i4"),
            ]
        return self._tiles[key]


def rectangle(ys: np.ndarray, xs: np.ndarray) -> list[int] | None:
    """[y, x, height, width] if the tiles are a full rectangle, row by row."""
    if len(ys) == 0 or len(ys) != len(xs):
        return None
    y, x = int(ys[0]), int(xs[0])
    height, width = int(ys[-1]) - y + 1, int(xs[-1]) - x + 1
    if height < 1 or width < 1 or height * width != len(ys):
        return None
    rows, columns = np.asarray(ys).reshape(height, width), np.asarray(xs).reshape(height, width)
    if (rows == np.arange(y, y + height)[:, None]).all() and (
        columns == np.arange(x, x + width)
    ).all():
        return [y, x, height, width]
    return None


def to_parts(image: Image) -> Parts:
    """Take an image apart. Raises ValueError for an image that `check` refuses."""
    check(image)
    writer = _Writer()
    directory: dict[str, Any] = {
        "arch": image.arch,
        "facts": image.facts,
        "colors": {str(number): list(names) for number, names in image.colors.items()},
        "program": writer.array("tiles", image.program, _narrow(image.programs)),
        "config": writer.array("tiles", image.config, _narrow(image.configs)),
        "programs": [object_to_dict(p) for p in image.programs],
        "regions": {
            name: writer.tiles("regions", ys, xs) for name, (ys, xs) in image.regions.items()
        },
        "overlays": [
            [o.address, writer.tiles("overlays", o.ys, o.xs), writer.array("overlays", o.words)]
            for o in image.overlays
        ],
        "flows": [
            [f.color, f.operation, f.type, [list(t) for t in f.tiles]] for f in image.flows
        ],
    }
    directory["configs"], directory["config_parts"] = _configs_out(image.configs, writer)
    return Parts(directory, writer.arrays)


def _narrow(of: list[Any]) -> str:
    return "<i1" if len(of) <= 0x7F else "<i2" if len(of) <= 0x7FFF else "<i4"


def _configs_out(configs: list[TileConfig], writer: _Writer) -> tuple[int, list[int]]:
    """All configurations in one array; they have the same lengths, which are given once."""
    lengths = [len(getattr(configs[0], part)) for part in CONFIG_PARTS] if configs else [0] * 4
    rows = []
    for config in configs:
        words = [getattr(config, part) for part in CONFIG_PARTS]
        if [len(w) for w in words] != lengths:
            raise ValueError("tile configurations of different lengths")
        rows.append([word for part in words for word in part] + [config.message_banks])
    table = np.array(rows, dtype=np.int64).reshape(len(rows), sum(lengths) + 1)
    return writer.array("configs", table, "<u2"), lengths


class _Reader:
    def __init__(self, parts: Parts):
        self.directory = parts.directory
        self._parts = parts.arrays
        self._unpacked: dict[int, np.ndarray] = {}
        self._tiles: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}

    def array(self, number: Any, dimensions: int) -> np.ndarray:
        if type(number) is not int or not 0 <= number < len(self._parts):
            raise DamagedImage("an array is missing")
        part = self._parts[number]
        if len(part.shape) != dimensions:
            raise DamagedImage("an array has the wrong number of dimensions")
        if number not in self._unpacked:
            flat = np.frombuffer(part.contents(), dtype=part.type)
            self._unpacked[number] = flat.reshape(part.shape)
        return self._unpacked[number]

    def tiles(self, form: Any, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
        key = tuple(form)
        if key in self._tiles:
            return self._tiles[key]
        if len(key) == 4 and all(type(n) is int for n in key):
            y, x, rows, columns = key
            if not (0 <= y < y + rows <= height and 0 <= x < x + columns <= width):
                raise DamagedImage("tiles outside of the image")
            ys = np.repeat(np.arange(y, y + rows, dtype=np.int32), columns)
            xs = np.tile(np.arange(x, x + columns, dtype=np.int32), rows)
        elif len(key) == 2:
            ys, xs = (self.array(n, 1).astype(np.int32) for n in key)
        else:
            raise DamagedImage("a list of tiles of no known form")
        self._tiles[key] = ys, xs
        return ys, xs


def from_parts(parts: Parts) -> Image:
    """Put an image together. Raises DamagedImage when the parts make none."""
    try:
        image = _from_parts(parts)
        check(image)
    except DamagedImage:
        raise
    except KeyError as error:
        raise DamagedImage(f"its directory has no {error}") from None
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise DamagedImage(str(error)) from None
    return image


def _from_parts(parts: Parts) -> Image:
    reader = _Reader(parts)
    form = parts.directory
    program = reader.array(form["program"], 2).astype(np.int32)
    config = reader.array(form["config"], 2).astype(np.int32)
    height, width = program.shape
    return Image(
        arch=form["arch"],
        program=program,
        config=config,
        programs=[read_program(p) for p in form["programs"]],
        configs=_configs_in(reader.array(form["configs"], 2), form["config_parts"]),
        regions={
            str(name): reader.tiles(tiles, height, width)
            for name, tiles in dict(form["regions"]).items()
        },
        overlays=[
            Overlay(address, *reader.tiles(tiles, height, width), reader.array(words, 2))
            for address, tiles, words in form["overlays"]
        ],
        flows=[
            Flow(int(color), str(operation), str(type_), tuple((int(y), int(x)) for y, x in tiles))
            for color, operation, type_, tiles in form["flows"]
        ],
        colors={int(n): [str(name) for name in names] for n, names in form["colors"].items()},
        facts=dict(form["facts"]),
    )


def read_program(form: Any) -> Object:
    """A program of the directory. Raises DamagedImage."""
    try:
        return object_from_dict(form)
    except ObjectError as error:
        raise DamagedImage(f"in a program, {error}") from None


def _configs_in(table: np.ndarray, lengths: list[int]) -> list[TileConfig]:
    ends = [sum(lengths[:k]) for k in range(len(CONFIG_PARTS) + 1)]
    if table.shape[1] != ends[-1] + 1:
        raise DamagedImage("tile configurations of the wrong length")
    configs = []
    for row in table.tolist():
        colors, switches, inputs, outputs = (tuple(row[a:b]) for a, b in pairwise(ends))
        configs.append(TileConfig(colors, switches, inputs, outputs, row[-1]))
    return configs


def check(image: Image) -> None:
    """Raise DamagedImage (a ValueError) when the image's parts contradict each other."""
    if image.program.ndim != 2 or image.program.shape != image.config.shape:
        raise DamagedImage("the grids of programs and configurations have different shapes")
    height, width = image.program.shape
    if not isinstance(image.arch, str) or height < 1 or width < 1:
        raise DamagedImage("an image without tiles or machine")
    for what, grid, known in (
        ("program", image.program, image.programs),
        ("configuration", image.config, image.configs),
    ):
        if grid.min() < -1 or grid.max() >= len(known):
            raise DamagedImage(f"a tile names a {what} that is not there")
    for name, (ys, xs) in image.regions.items():
        _check_tiles(f"region {name}", ys, xs, height, width)
    for overlay in image.overlays:
        _check_tiles("a data layer", overlay.ys, overlay.xs, height, width)
        words = overlay.words
        if words.ndim != 2 or words.dtype != np.uint16 or len(words) != len(overlay.ys):
            raise DamagedImage("a data layer whose words do not match its tiles")
        if not 0 <= overlay.address <= ADDRESSES - words.shape[1]:
            raise DamagedImage("a data layer outside of the address space")


def _check_tiles(what: str, ys: np.ndarray, xs: np.ndarray, height: int, width: int) -> None:
    if ys.ndim != 1 or ys.shape != xs.shape:
        raise DamagedImage(f"{what} has rows and columns of different lengths")
    if len(ys) and (ys.min() < 0 or xs.min() < 0 or ys.max() >= height or xs.max() >= width):
        raise DamagedImage(f"{what} has tiles outside of the image")


def same(a: Image, b: Image) -> bool:
    """Whether two images are equal in every part."""
    plain = ("arch", "programs", "configs", "flows", "colors", "facts")
    if any(getattr(a, part) != getattr(b, part) for part in plain):
        return False
    arrays_a, arrays_b = _all_arrays(a), _all_arrays(b)
    return (
        list(a.regions) == list(b.regions)
        and [o.address for o in a.overlays] == [o.address for o in b.overlays]
        and all(np.array_equal(p, q) for p, q in zip(arrays_a, arrays_b, strict=True))
    )


def _all_arrays(image: Image) -> list[np.ndarray]:
    arrays = [image.program, image.config]
    for ys, xs in image.regions.values():
        arrays += [ys, xs]
    for overlay in image.overlays:
        arrays += [overlay.ys, overlay.xs, overlay.words]
    return arrays
