"""Files that know whether they are whole: a checked header, a directory of JSON values, blocks.

    0   8 bytes   magic, which line-end conversion and 7-bit transfer destroy
    8   u32       version
    12  u32       CRC-32 of everything from byte 16 on
    16  u64       length of the file
    24  u32       length of the directory
    28  u32       0
    32  directory, as zlib of JSON
    ..  the blocks' bytes, one after the other; the directory tells their lengths

Integers are little-endian. Image files and checkpoints are such files.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from mitools.console.diagnostics import Place, UserError

HEADER = struct.Struct("<8sIIQII")
CHECKED_FROM = 16
LARGEST_DIRECTORY = 1 << 30
"""Bytes a directory may unpack to."""


class Damaged(ValueError):
    """Contents that nothing can be made of; the message says why."""


@frozen
class Form:
    """One kind of file: `noun` is what messages call it, `again` how a user gets a new one."""

    magic: bytes
    version: int
    noun: str
    again: str

    def damaged(self, path: str, reason: str) -> UserError:
        """The error for a file that was whole once."""
        return UserError(f"the {self.noun} is damaged: {reason}", Place(path), self.again)


def directory_bytes(directory: dict[str, Any]) -> bytes:
    """A directory as packed JSON."""
    text = json.dumps(directory, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def directory_from_bytes(data: bytes | memoryview) -> dict[str, Any]:
    """Raises Damaged."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, LARGEST_DIRECTORY)
        directory = json.loads(text.decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError, RecursionError) as error:
        raise Damaged(f"its directory is not readable: {error}") from None
    if not stream.eof or not isinstance(directory, dict):
        raise Damaged("its directory is not whole")
    return directory


def seal(form: Form, directory: dict[str, Any], blocks: Sequence[Any]) -> list[Any]:
    """The file in pieces, header first; `blocks` are bytes or anything with a flat byte buffer."""
    packed = directory_bytes(directory)
    length = HEADER.size + len(packed) + sum(len(block) for block in blocks)
    rest = struct.pack("<QII", length, len(packed), 0)
    checksum = zlib.crc32(packed, zlib.crc32(rest))
    for block in blocks:
        checksum = zlib.crc32(block, checksum)
    return [struct.pack("<8sII", form.magic, form.version, checksum) + rest + packed, *blocks]


def unseal(form: Form, data: bytes, path: str) -> tuple[dict[str, Any], memoryview]:
    """The directory, and the bytes of all blocks. `data` starts with the magic.

    Raises UserError for another version or a damaged file; `path` is named in it.
    """
    try:
        _, version, checksum, length, directory_length, _ = HEADER.unpack_from(data)
    except struct.error:
        raise form.damaged(path, "it ends within its header") from None
    if version != form.version:
        raise UserError(
            f"this {form.noun} has format version {version};"
            f" these tools read version {form.version}",
            Place(path),
            f"{form.again} with this version of the tools",
        )
    if length != len(data):
        raise form.damaged(path, f"it should have {length} bytes, and has {len(data)}")
    view = memoryview(data)
    if zlib.crc32(view[CHECKED_FROM:]) != checksum:
        raise form.damaged(path, "its checksum differs")
    end = HEADER.size + directory_length
    try:
        return directory_from_bytes(view[HEADER.size : end]), view[end:]
    except Damaged as error:
        raise form.damaged(path, str(error)) from None
