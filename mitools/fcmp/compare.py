"""Two files of numbers, compared value by value.

Equal are numbers of one value (+0 and -0 too), infinities of one sign, and any two NaNs. A NaN or
an infinity beside anything else differs by infinity. The relative difference is |a - b| divided by
the larger magnitude.
"""

from typing import Any

import numpy as np
from attrs import frozen

FORMATS = {
    "sp": "<f4",
    "hp": "<f2",
    "dp": "<f8",
    "xp": "<i2",
    "i16": "<i2",
    "u16": "<u2",
    "i32": "<i4",
    "u32": "<u4",
    "i64": "<i8",
    "u64": "<u8",
    "wv": "<u4",
}
"""numpy's types of the formats; all little-endian."""


@frozen
class Comparison:
    """`worst` and `farthest` are the places of the largest relative and absolute difference.

    They are -1 when all values are equal.
    """

    count: int
    unequal: int
    relative: float
    absolute: float
    worst: int
    farthest: int
    first: int


def compare(a: np.ndarray, b: np.ndarray) -> Comparison:
    """Compare two arrays of one length and any numeric types."""
    unequal = a != b
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        unequal &= ~(np.isnan(a) & np.isnan(b))
    places = np.flatnonzero(unequal)
    if not len(places):
        return Comparison(len(a), 0, 0.0, 0.0, -1, -1, -1)
    absolute, relative = _differences(a[places], b[places])
    worst, farthest = int(np.argmax(relative)), int(np.argmax(absolute))
    return Comparison(
        count=len(a),
        unequal=len(places),
        relative=float(relative[worst]),
        absolute=float(absolute[farthest]),
        worst=int(places[worst]),
        farthest=int(places[farthest]),
        first=int(places[0]),
    )


def _differences(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Absolute and relative differences of unequal values, as longdouble where 64 bits need it."""
    wide: Any = np.longdouble if 8 in (a.dtype.itemsize, b.dtype.itemsize) else np.float64
    x, y = a.astype(wide), b.astype(wide)
    with np.errstate(all="ignore"):
        absolute = np.abs(x - y)
        relative = absolute / np.maximum(np.abs(x), np.abs(y))
    odd = ~(np.isfinite(x) & np.isfinite(y))
    absolute[odd] = relative[odd] = np.inf
    return absolute, relative
