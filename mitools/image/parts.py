"""An image taken apart: a directory of plain values and arrays as packed bytes.

Image files and ELF files hold the same parts, so that tools which only move them from one to
the other need no arrays in memory. `encode` makes an image of them and back.
"""

import zlib
from typing import Any

from attrs import define, field, frozen

KINDS = ("tiles", "configs", "regions", "overlays")
"""What the arrays belong to; the ELF has a section of each array, named by kind."""
SMALLEST_PACKED = 256
"""Bytes below which an array is not worth packing."""
LEVEL = 1
"""zlib level: images are written more often than they are kept."""
TYPES = {"<i1": 1, "<i2": 2, "<i4": 4, "<u2": 2}
"""Element types of arrays, with their bytes."""


class DamagedImage(ValueError):
    """Parts that make no image; the message says why."""


@frozen
class Part:
    """One array in C order: `data` is its bytes, or their zlib stream when `packed`."""

    kind: str
    type: str
    shape: tuple[int, ...]
    data: bytes = field(repr=False)
    packed: bool = False

    @property
    def size(self) -> int:
        """Bytes of the array itself."""
        count = TYPES[self.type]
        for extent in self.shape:
            count *= extent
        return count

    def check(self) -> None:
        """Raise DamagedImage unless type, shape and length agree."""
        if self.kind not in KINDS or self.type not in TYPES:
            raise DamagedImage(f"an array of unknown kind {self.kind!r} or type {self.type!r}")
        if not all(type(n) is int and 0 <= n < 1 << 32 for n in self.shape):
            raise DamagedImage("an array with an impossible shape")
        if not self.packed and self.size != len(self.data):
            raise DamagedImage(f"an array of {self.size} bytes has {len(self.data)}")

    def contents(self) -> bytes:
        """The array's bytes, unpacked. Raises DamagedImage."""
        self.check()
        if not self.packed:
            return self.data
        stream = zlib.decompressobj()
        try:
            data = stream.decompress(self.data, self.size + 1)
        except zlib.error as error:
            raise DamagedImage(f"an array does not unpack: {error}") from None
        if len(data) != self.size or not stream.eof or stream.unused_data:
            raise DamagedImage(f"an array of {self.size} bytes unpacks to something else")
        return data


@define
class Parts:
    """A whole image: `directory` holds JSON values that refer to `arrays` by number."""

    directory: dict[str, Any]
    arrays: list[Part]


def pack(kind: str, type: str, shape: tuple[int, ...], data: bytes) -> Part:
    """A part of little-endian bytes, packed when that makes it smaller."""
    if len(data) >= SMALLEST_PACKED:
        packed = zlib.compress(data, LEVEL)
        if len(packed) < len(data):
            return Part(kind, type, shape, packed, True)
    return Part(kind, type, shape, data)


def swap_words(data: bytes) -> bytes:
    """Exchange the bytes of each 16-bit word: hexadecimal text of words is high byte first."""
    from array import array

    words = array("H", data)
    words.byteswap()
    return words.tobytes()
