"""`miset` writes values of a symbol into an image, `miget` reads them out."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mitools.console.command import run
from mitools.console.diagnostics import Diagnostics, UserError
from mitools.console.files import read_bytes, write_bytes, writing
from mitools.console.terms import ARCH, Given, Terms, check_arch, key, product, source, word

if TYPE_CHECKING:
    from mitools.image.model import Image
    from mitools.image.values import Located

SYMBOL = "region.symbol, or a symbol alone for every tile that has it"
ORDER = key("order", "DIMS", "dimensions, outermost first; else y, x, the array's and _word")
MISET = Terms(
    "miset",
    "writes values of a symbol into an image",
    source("image", "FILE", "the image", required=True),
    product("out", "FILE", "the image to write; the image itself when not given"),
    source("map", "FILE", "the map that came with the image"),
    key("symbol", "NAME", SYMBOL + "; with value=, `*` for any text", required=True),
    ORDER,
    source("data", "FILE", "the values, as raw little-endian 16-bit words in that order"),
    key("value", "NUMBERS", "one number for all, or a list: of one tile's values, or of all"),
    ARCH,
)
MIGET = Terms(
    "miget",
    "reads values of a symbol out of an image, or out of a core that elfmi made",
    source("image", "FILE", "the image", required=True),
    source("map", "FILE", "the map that came with the image"),
    key("symbol", "NAME", SYMBOL + "; `*` for any text"),
    ORDER,
    product("data", "FILE", "write the values as raw little-endian 16-bit words in that order"),
    product("npy", "FILE", "write the values as a numpy file"),
    word("text", "print the values"),
    word("list", "print the symbols with their dimensions"),
    ARCH,
)


def main_miset(arguments: Sequence[str] | None = None) -> int:
    """The command `miset`."""
    return run(_miset, arguments)


def main_miget(arguments: Sequence[str] | None = None) -> int:
    """The command `miget`."""
    return run(_miget, arguments)


def _miset(arguments: list[str]) -> None:
    given = MISET.parse(arguments)
    if (given.data is None) == (given.value is None):
        raise UserError("give either data= or value=", remedy="data=FILE, or value=1.5")
    image = _open(given)
    names = [given.symbol] if given.data is not None else _matching(image, given.symbol)
    for located in _locate(image, names, given):
        _set(image, located, given)
    image.save(given.out or given.image)


def _set(image: Image, located: Located, given: Given) -> None:
    import numpy as np

    from mitools.image.values import set_words, to_words
    from mitools.transfer.order import Order, parse_order
    from mitools.transfer.text import parse_values

    order = Order(located, None if given.order is None else parse_order(given.order))
    if given.data is not None:
        order.require_all()
        data = read_bytes(given.data)
        count = int(np.prod(order.shape, dtype=np.int64))
        if len(data) != 2 * count:
            bounds = " ".join(f"{n}<{e}" for n, e in zip(order.names, order.shape, strict=True))
            raise UserError(
                f"`{given.data}` has {len(data)} bytes; `{located.info.name}` [{bounds}]"
                f" takes {2 * count} bytes ({count} words)"
            )
        set_words(image, located, order.from_file(np.frombuffer(data, "<u2")))
        return
    values = parse_values(given.value, located)
    elements = located.shape[: 2 + located.rank]
    if located.scalar_type is None and len(values) > 1:
        _set_listed_words(image, located, order, values)
        return
    count, each = int(np.prod(elements, dtype=np.int64)), int(np.prod(elements[2:], dtype=np.int64))
    if len(values) == count:
        typed = order.elements_from_file(values)
    elif len(values) in (1, each):
        one_tile = values.reshape(elements[2:]) if len(values) == each else values
        typed = np.broadcast_to(one_tile, elements)
    else:
        raise _wrong_count(located, len(values), each, count)
    if located.scalar_type is None:
        typed = np.broadcast_to(typed[..., None], (*elements, located.words))
    set_words(image, located, to_words(located, typed))


def _set_listed_words(image: Image, located: Located, order: Any, values: Any) -> None:
    """A list for a type that is seen as words: all words, or those of one tile."""
    import numpy as np

    from mitools.image.values import set_words

    shape = (*located.shape[: 2 + located.rank], located.words)
    count, each = int(np.prod(shape, dtype=np.int64)), int(np.prod(shape[2:], dtype=np.int64))
    if len(values) == count:
        set_words(image, located, order.from_file(values))
    elif len(values) == each:
        set_words(image, located, np.broadcast_to(values.reshape(shape[2:]), shape))
    else:
        raise _wrong_count(located, len(values), each, count)


def _wrong_count(located: Located, given: int, each: int, count: int) -> UserError:
    sizes = " or ".join(str(n) for n in sorted({1, each, count}))
    return UserError(f"value= has {given} numbers; `{located.info.name}` takes {sizes}")


def _miget(arguments: list[str]) -> None:
    given = MIGET.parse(arguments)
    if not (given.list or given.text or given.data or given.npy):
        remedy = "say text, data=FILE, npy=FILE or list"
        raise UserError("nothing is to be done with the values", remedy=remedy)
    if given.symbol is None and not given.list:
        raise UserError("`symbol=` is missing", remedy="`list` shows the symbols")
    image = _open(given)
    if given.list:
        _list(image, given)
    if given.text or given.data or given.npy:
        names = _matching(image, given.symbol or "*")
        _get(image, _locate(image, names, given), given)


def _list(image: Image, given: Given) -> None:
    from mitools.image.map import map_line

    names = None if given.symbol is None else set(_matching(image, given.symbol))
    for info in image.symbols():
        if names is None or info.name in names:
            print(map_line(info))


def _get(image: Image, found: list[Located], given: Given) -> None:
    import numpy as np

    from mitools.image.values import get_words, to_values
    from mitools.transfer.order import Order, parse_order
    from mitools.transfer.text import text_lines

    names = None if given.order is None else parse_order(given.order)
    files = []
    if given.npy and len(found) > 1:
        raise UserError(f"npy= holds one symbol, and {len(found)} match `{given.symbol}`")
    for located in found:
        order = Order(located, names)
        words = get_words(image, located)
        if given.text:
            sys.stdout.writelines(line + "\n" for line in text_lines(located, order, words))
        if given.data:
            files.append(np.ascontiguousarray(order.to_file(words), "<u2").tobytes())
        if given.npy:
            if located.scalar_type and order.words_last:
                values = order.elements_to_file(np.asarray(to_values(located, words)))
            else:
                values = order.to_file(words)
            with writing(given.npy) as file:
                np.save(file, np.ascontiguousarray(values))
    if given.data:
        write_bytes(given.data, b"".join(files))


def _open(given: Given) -> Image:
    from mitools.image.file import read_image

    image = read_image(given.image)
    check_arch(given.arch, image.arch, given.image)
    return image


def _matching(image: Image, pattern: str) -> list[str]:
    """The names that a pattern with `*` matches, in the order of the map."""
    if "*" not in pattern:
        return [pattern]
    parts = pattern.split("*")
    escaped = "*".join(part.replace("[", "[[]").replace("?", "[?]") for part in parts)
    found = [s.name for s in image.symbols() if fnmatch.fnmatchcase(s.name, escaped)]
    if not found:
        raise UserError(
            f"no symbol matches `{pattern}`", remedy="`miget image=… list` shows what there is"
        )
    return found


def _locate(image: Image, names: list[str], given: Given) -> list[Located]:
    from mitools.image.map import map_line, read_map
    from mitools.image.values import locate

    found = [locate(image, name) for name in names]
    lines = read_map(given.map) if given.map else {}
    for located in found if given.map else ():
        line = lines.get(located.info.name)
        if line != map_line(located.info):
            has = f"has `{line}`" if line else f"does not have `{located.info.name}`"
            Diagnostics().warning(
                f"`{given.map}` {has}, the image has `{map_line(located.info)}`",
                remedy="the map is of another build; the image counts",
            )
    return found
