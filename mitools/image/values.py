"""Values of symbols across tiles: what miset, miget and `Image.get`/`set` are made of.

A name is `region.symbol`, or `symbol` alone for every tile that has it. The tiles of a name are
those whose program has the symbol; y and x count their rows and columns in order, gaps skipped.
Where these tiles are no full rectangle, the missing ones read as 0 and are passed over in writing;
so are elements that a tile's array is too short for.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from carbide.object import Symbol
from mitools.console.closest import suggestion
from mitools.console.diagnostics import UserError
from mitools.image.memory import numbers_in, read_words, write_words
from mitools.image.model import Image

WORD = "_word"
"""The dimension that walks the words of one element."""
TYPES = {
    "xp": "<i2",
    "i16": "<i2",
    "u16": "<u2",
    "i32": "<i4",
    "u32": "<u4",
    "u64": "<u8",
    "hp": "<f2",
    "sp": "<f4",
    "wv": "<u4",
}
"""numpy's types of the language's; other types are shown as words."""


class NamedArray(np.ndarray):
    """An array whose dimensions have names, `dims`, outermost first.

    Results of indexing and arithmetic are plain values of numpy where the names no longer fit.
    """

    dims: tuple[str, ...] = ()

    def __new__(cls, values: Any, dims: Sequence[str]) -> "NamedArray":
        array = np.asarray(values).view(cls)
        array.dims = tuple(dims)
        return array

    def __array_finalize__(self, source: Any) -> None:
        dims = getattr(source, "dims", ())
        self.dims = dims if len(dims) == self.ndim else ()


@frozen
class SymbolInfo:
    """A line of the map: dims are (name, extent), outermost first, `_word` last if there are more.

    `address` is that of the first tile; programs may differ in it.
    """

    name: str
    type: str
    address: int
    dims: tuple[tuple[str, int], ...]


@frozen
class Holding:
    """Tiles whose programs have the symbol at one address with one shape."""

    symbol: Symbol
    ys: np.ndarray
    xs: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


@frozen
class Located:
    """A name with everything needed to read or write it. `shape` belongs to `info.dims`."""

    info: SymbolInfo
    words: int
    rank: int
    holdings: tuple[Holding, ...]

    @property
    def dims(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.info.dims)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(extent for _, extent in self.info.dims)

    @property
    def scalar_type(self) -> str | None:
        """numpy's type of one element; None when it is seen as words."""
        type_ = TYPES.get(self.info.type)
        return type_ if type_ and np.dtype(type_).itemsize == 2 * self.words else None


def dimension_names(symbol: Symbol) -> tuple[str, ...]:
    """Names of the array's dimensions; one that repeats or is y, x or _word is n and its place."""
    names: list[str] = []
    for place, (name, _) in enumerate(symbol.dimensions):
        taken = {"y", "x", WORD, *names}
        names.append(f"n{place}" if name in taken else name)
    return tuple(names)


def split_name(image: Image, name: str) -> tuple[str | None, str]:
    """(region, symbol) of a name; the region is None when the symbol stands alone."""
    for region in sorted(image.regions, key=len, reverse=True):
        if name.startswith(f"{region}."):
            return region, name[len(region) + 1 :]
    return None, name


def locate(image: Image, name: str) -> Located:
    """Find a name. Raises UserError with a suggestion for one that is not there."""
    region, bare = split_name(image, name)
    numbers = {n: s for n, p in enumerate(image.programs) for s in p.symbols if s.name == bare}
    known = np.zeros(len(image.programs) + 1, bool)
    known[list(numbers)] = True
    if region is None:
        ys, xs = np.nonzero(known[image.program])
    else:
        ys, xs = image.regions[region]
        here = known[image.program[ys, xs]]
        if not here.all():
            ys, xs = ys[here], xs[here]
    if not len(ys):
        raise _unknown(image, name, region, bare)
    return _located(image, name, numbers, ys, xs)


def _located(
    image: Image, name: str, numbers: dict[int, Symbol], ys: np.ndarray, xs: np.ndarray
) -> Located:
    ys, xs = np.asarray(ys, np.int32), np.asarray(xs, np.int32)
    (height, rows), (width, columns) = _counted(ys), _counted(xs)
    programs = image.program[ys, xs]
    groups: dict[Symbol, list[int]] = {}
    for number in numbers_in(programs):
        groups.setdefault(numbers[number], []).append(number)
    first = numbers[int(programs[0])]
    names = dimension_names(first)
    for symbol in groups:
        if (symbol.type, symbol.words, dimension_names(symbol)) != (first.type, first.words, names):
            raise UserError(
                f"`{name}` is not the same on all its tiles: {_shown(first)} and {_shown(symbol)}",
                remedy="name a region, as in region.symbol, whose programs declare it alike",
            )
    extents = [max(s.dimensions[k][1] for s in groups) for k in range(len(names))]
    dims = [("y", height), ("x", width), *zip(names, extents, strict=True)]
    if first.words != 1:
        dims.append((WORD, first.words))
    holdings: list[Holding] = []
    for symbol, members in groups.items():
        if len(groups) == 1:
            holdings.append(Holding(symbol, ys, xs, rows, columns))
            continue
        here = np.isin(programs, members)
        holdings.append(Holding(symbol, ys[here], xs[here], rows[here], columns[here]))
    info = SymbolInfo(name, first.type, first.address, tuple(dims))
    return Located(info, first.words, len(names), tuple(holdings))


def _counted(coordinates: np.ndarray) -> tuple[int, np.ndarray]:
    """How many different coordinates there are, and for each tile the place of its own."""
    present = np.bincount(coordinates) > 0
    return int(present.sum()), (np.cumsum(present) - 1)[coordinates]


def _shown(symbol: Symbol) -> str:
    bounds = "".join(f"[{n}={e}]" for n, e in symbol.dimensions)
    return f"{symbol.type} {symbol.name}{bounds}"


def _unknown(image: Image, name: str, region: str | None, bare: str) -> UserError:
    names = [s.name for s in symbols(image)]
    bares = {s.name for p in image.programs for s in p.symbols}
    remedy = suggestion(name, [*names, *sorted(bares)])
    if region is None and "." in name and bare.rpartition(".")[2] in bares:
        regions = ", ".join(sorted(image.regions)) or "none"
        remedy = remedy or f"regions with a name: {regions}"
    if region is not None and bare in bares:
        return UserError(f"no program of region `{region}` has a symbol `{bare}`", remedy=remedy)
    return UserError(
        f"there is no symbol `{name}`", remedy=remedy or "`miget image=… list` shows what there is"
    )


def symbols(image: Image) -> list[SymbolInfo]:
    """Every name, by region in the image's order and then by address.

    Tiles of no region come last, with their symbols' names alone; symbols that programs
    declare differently are left out there, since no name finds them.
    """
    found: list[SymbolInfo] = []
    unnamed = image.program >= 0
    for region, (ys, xs) in image.regions.items():
        unnamed[ys, xs] = False
        found += _symbols_of(image, image.program[ys, xs], f"{region}.")
    return found + _symbols_of(image, image.program[unnamed], "")


def _symbols_of(image: Image, programs: np.ndarray, prefix: str) -> list[SymbolInfo]:
    names: dict[str, int] = {}
    for number in numbers_in(programs):
        for symbol in image.programs[number].symbols:
            names.setdefault(symbol.name, symbol.address)
    found = []
    for name, _ in sorted(names.items(), key=lambda item: (item[1], item[0])):
        try:
            found.append(locate(image, prefix + name).info)
        except UserError:
            continue
    return found


def get_words(image: Image, located: Located) -> np.ndarray:
    """All words of a name: uint16, y, x, the symbol's dimensions, then the words of an element."""
    extents = located.shape[: 2 + located.rank]
    result = np.zeros((*extents, located.words), np.uint16)
    for holding in located.holdings:
        own = [extent for _, extent in holding.symbol.dimensions]
        count = int(np.prod(own, dtype=np.int64)) * located.words
        words = read_words(image, holding.ys, holding.xs, holding.symbol.address, count)
        index: Any = (holding.rows, holding.columns, *(slice(0, e) for e in own))
        result[index] = words.reshape(len(holding.ys), *own, located.words)
    return result


def set_words(image: Image, located: Located, words: np.ndarray) -> None:
    """Write what `get_words` gives."""
    for holding in located.holdings:
        own = [extent for _, extent in holding.symbol.dimensions]
        index: Any = (holding.rows, holding.columns, *(slice(0, e) for e in own))
        flat = np.ascontiguousarray(words[index].reshape(len(holding.ys), -1), np.uint16)
        write_words(image, holding.ys, holding.xs, holding.symbol.address, flat)


def to_values(located: Located, words: np.ndarray) -> NamedArray:
    """Words as values of the symbol's type, without `_word`; as they are for other types."""
    dims = located.dims[: 2 + located.rank]
    if located.scalar_type is None:
        return NamedArray(words if located.words != 1 else words[..., 0], located.dims)
    little = np.ascontiguousarray(words, "<u2")
    return NamedArray(little.view(located.scalar_type)[..., 0], dims)


def to_words(located: Located, values: np.ndarray) -> np.ndarray:
    """Values in the order of `to_values` as words."""
    if located.scalar_type is None:
        return values.reshape(*values.shape[: 2 + located.rank], located.words).astype("<u2")
    typed = np.ascontiguousarray(values, located.scalar_type)
    return typed[..., None].view("<u2")


def get(image: Image, name: str, order: Sequence[str] | None = None) -> NamedArray:
    """See `Image.get`."""
    located = locate(image, name)
    values = to_values(located, get_words(image, located))
    if order is None:
        return values
    axes = _axes(name, values.dims, order)
    return NamedArray(np.asarray(values).transpose(axes), [values.dims[k] for k in axes])


def set_values(
    image: Image, name: str, values: Any, order: Sequence[str] | None = None
) -> None:
    """See `Image.set`."""
    located = locate(image, name)
    typed = located.scalar_type is not None
    dims = located.dims[: 2 + located.rank] if typed else located.dims
    shape = located.shape[: len(dims)]
    axes = _axes(name, dims, order) if order is not None else tuple(range(len(dims)))
    wanted = tuple(shape[k] for k in axes)
    given = np.asarray(values)
    try:
        given = np.broadcast_to(given, wanted)
    except ValueError:
        raise UserError(
            f"values of shape {given.shape} do not fit `{name}`, which has shape {wanted}"
        ) from None
    target = np.dtype(located.scalar_type or "<u2")
    converted = convert(name, given, target)
    set_words(image, located, to_words(located, converted.transpose(np.argsort(axes))))


def convert(name: str, values: np.ndarray, target: np.dtype) -> np.ndarray:
    """Values as the type of a symbol. Integers may be written signed or unsigned.

    Raises UserError for values out of range, fractions in integers, and things that are no numbers.
    """
    if values.dtype == target:
        return values
    if values.dtype.kind not in "biuf":
        try:
            values = np.array(values.tolist(), object).astype(np.float64)
        except (ValueError, TypeError):
            raise UserError(f"values for `{name}` are not numbers") from None
    if target.kind == "f":
        with np.errstate(over="ignore"):
            return values.astype(target)
    bits = 8 * target.itemsize
    if values.dtype.kind == "f" and values.size and not (np.floor(values) == values).all():
        raise UserError(f"`{name}` holds whole numbers, and a value is a fraction or not finite")
    if values.size:
        least, most = int(values.min()), int(values.max())
        if least < -(1 << bits - 1) or most >= 1 << bits:
            raise UserError(
                f"{least if least < -(1 << bits - 1) else most} does not fit `{name}`,"
                f" whose elements have {bits} bits"
            )
    if values.dtype.kind == "f":
        values = values.astype(np.int64 if values.size and values.min() < 0 else np.uint64)
    unsigned = values.astype(np.int64).view(np.uint64) if values.dtype.kind in "bi" else values
    return unsigned.astype(f"<u{target.itemsize}").view(target)


def _axes(name: str, dims: tuple[str, ...], order: Iterable[str]) -> tuple[int, ...]:
    wanted = tuple(order)
    if sorted(wanted) != sorted(dims):
        raise UserError(
            f"the dimensions of `{name}` are {' '.join(dims)}; the order names {' '.join(wanted)}"
        )
    return tuple(dims.index(d) for d in wanted)
