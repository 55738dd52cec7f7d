"""Values as text, and text as values."""

from collections.abc import Iterator

import numpy as np

from mitools.console.diagnostics import UserError, visible
from mitools.image.map import map_line
from mitools.image.values import Located, convert, to_values
from mitools.transfer.order import Order

_QUIET_NAN = {"<f2": 0x7E00, "<f4": 0x7FC00000}
MOST_DIGITS = 60


def text_lines(located: Located, order: Order, words: np.ndarray) -> Iterator[str]:
    """The line of the map, then a line for each row of the innermost dimension.

        grid.a sp 0x0120 [y<1 x<1 n<3 _word<2]
        y=0 x=0: 1.5 0.1 nan

    Floats are the shortest text that reads back as the same bits. Structs, and values whose
    words the order takes apart, are words in hexadecimal.
    """
    yield map_line(located.info)
    if located.scalar_type and order.words_last:
        names = order.without_words()
        rows = order.elements_to_file(np.asarray(to_values(located, words)))
        if located.info.type == "wv":
            rows = rows.astype("<u4")
    else:
        names = order.names
        rows = order.to_file(words)
    hexadecimal = not (located.scalar_type and order.words_last) or located.info.type == "wv"
    outer = rows.shape[:-1]
    for place in np.ndindex(*outer):
        row = rows[place] if names else rows.reshape(1)
        head = " ".join(f"{n}={k}" for n, k in zip(names, place, strict=False))
        yield f"{head}{': ' if head else ''}{' '.join(element_texts(row, hexadecimal))}"


def element_texts(row: np.ndarray, hexadecimal: bool = False) -> list[str]:
    """The texts of a one-dimensional array."""
    if hexadecimal:
        digits = 2 * row.dtype.itemsize
        return [f"0x{value:0{digits}x}" for value in row.tolist()]
    if row.dtype.kind != "f":
        return [str(value) for value in row.tolist()]
    texts = [str(value) for value in row]
    type_ = f"<f{row.dtype.itemsize}"
    if np.isnan(row).any():
        bits = np.ascontiguousarray(row, type_).view(f"<u{row.dtype.itemsize}")
        for k in np.flatnonzero(np.isnan(row)):
            if bits[k] != _QUIET_NAN[type_]:
                texts[k] = f"nan:0x{bits[k]:x}"
    return texts


def parse_values(text: str, located: Located) -> np.ndarray:
    """The numbers of `value=`, blanks or commas between, as the symbol's type (words of a struct).

    Raises UserError for what is no number or does not fit.
    """
    items = text.replace(",", " ").replace("{", " ").replace("}", " ").split()
    if not items:
        raise UserError("value= has no number")
    target = np.dtype(located.scalar_type or "<u2")
    bits = np.dtype(f"<u{target.itemsize}")
    values = np.zeros(len(items), target)
    for k, item in enumerate(items):
        if target.kind == "f" and item.casefold().startswith("nan:0x"):
            values.view(bits)[k] = _whole(item[4:], bits)
        else:
            number = np.array([_number(item)])
            values[k] = convert(located.info.name, number, target)[0]
    return values


def _whole(item: str, bits: np.dtype) -> int:
    try:
        value = int(item, 16)
    except ValueError:
        value = -1
    if not 0 <= value < 1 << 8 * bits.itemsize:
        raise UserError(f"value= has `{visible(item)}`, which are no {8 * bits.itemsize} bits")
    return value


def _number(item: str) -> int | float:
    digits = item.lstrip("+-").casefold()
    try:
        if len(item) > MOST_DIGITS or "_" in item or not item.isascii():
            raise ValueError
        if digits.startswith("0x"):
            return _bounded(int(item, 16))
        if digits.isdigit():
            return _bounded(int(item))
        return float(item)
    except ValueError:
        raise UserError(f"value= has `{visible(item[:MOST_DIGITS])}`, which is no number") from None


def _bounded(value: int) -> int | float:
    """A number that numpy takes; larger ones fit no type but floats."""
    return value if -(1 << 63) <= value < 1 << 64 else float(value)
