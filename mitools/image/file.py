"""Image files.

    0   8 bytes   magic, which line-end conversion and 7-bit transfer destroy
    8   u32       version
    12  u32       CRC-32 of everything from byte 16 on
    16  u64       length of the file
    24  u32       length of the directory
    28  u32       0
    32  directory, as zlib of JSON; its "arrays" lists [kind, type, shape, packed, length]
    ..  the arrays' bytes, one after the other

Integers are little-endian. The directory is described in `encode`.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from mitools.console.diagnostics import Place, UserError
from mitools.console.files import read_bytes, writing
from mitools.image.parts import DamagedImage, Part, Parts

if TYPE_CHECKING:
    from mitools.image.model import Image

MAGIC = b"\x89WFI\r\n\x1a\n"
VERSION = 1
HEADER = struct.Struct("<8sIIQII")
CHECKED_FROM = 16
LARGEST_DIRECTORY = 1 << 30
"""Bytes a directory may unpack to."""


def directory_bytes(directory: dict[str, Any]) -> bytes:
    """A directory as packed JSON."""
    text = json.dumps(directory, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def directory_from_bytes(data: bytes) -> dict[str, Any]:
    """Raises DamagedImage."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, LARGEST_DIRECTORY)
        directory = json.loads(text.decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError, RecursionError) as error:
        raise DamagedImage(f"its directory is not readable: {error}") from None
    if not stream.eof or not isinstance(directory, dict):
        raise DamagedImage("its directory is not whole")
    return directory


def write_parts(path: str, parts: Parts) -> None:
    """Write an image file. Raises UserError."""
    arrays = [[p.kind, p.type, list(p.shape), p.packed, len(p.data)] for p in parts.arrays]
    directory = directory_bytes({**parts.directory, "arrays": arrays})
    length = HEADER.size + len(directory) + sum(len(p.data) for p in parts.arrays)
    rest = struct.pack("<QII", length, len(directory), 0)
    checksum = zlib.crc32(directory, zlib.crc32(rest))
    for part in parts.arrays:
        checksum = zlib.crc32(part.data, checksum)
    with writing(path) as file:
        file.write(struct.pack("<8sII", MAGIC, VERSION, checksum) + rest + directory)
        for part in parts.arrays:
            file.write(part.data)


def read_parts(path: str) -> Parts:
    """The parts of an image file, arrays still packed. Raises UserError."""
    return parts_of_bytes(read_bytes(path), path)


def parts_of_bytes(data: bytes, path: str) -> Parts:
    """The parts of an image file's contents. Raises UserError; `path` is named in it."""
    if data[: len(MAGIC)] != MAGIC:
        message, remedy = _no_image(data)
        raise UserError(message, Place(path), remedy)
    try:
        _, version, checksum, length, directory_length, _ = HEADER.unpack_from(data)
    except struct.error:
        raise damaged(path, "it ends within its header") from None
    if version != VERSION:
        raise UserError(
            f"this image has format version {version}; these tools read version {VERSION}",
            Place(path),
            "build it again with this version of the tools",
        )
    if length != len(data):
        raise damaged(path, f"it should have {length} bytes, and has {len(data)}")
    if zlib.crc32(memoryview(data)[CHECKED_FROM:]) != checksum:
        raise damaged(path, "its checksum differs")
    try:
        return _split(data, directory_length)
    except DamagedImage as error:
        raise damaged(path, str(error)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"its directory is not of the form: {error}") from None


def _split(data: bytes, directory_length: int) -> Parts:
    place = HEADER.size + directory_length
    directory = directory_from_bytes(data[HEADER.size : place])
    arrays = []
    for kind, type_, shape, packed, length in directory.pop("arrays"):
        arrays.append(Part(kind, type_, tuple(shape), data[place : place + length], packed))
        arrays[-1].check()
        place += length
    if place != len(data):
        raise DamagedImage("its arrays have the wrong lengths")
    return Parts(directory, arrays)


def damaged(path: str, reason: str) -> UserError:
    """The error for a file that was an image once."""
    return UserError(f"the image is damaged: {reason}", Place(path), "build it again")


def _no_image(data: bytes) -> tuple[str, str]:
    if data[:4] == b"\x7fELF":
        return "this is an ELF, not an image", "elfmi makes an image of it"
    if data[:14] == b"carbide-object":
        return "this is an object of carbide, not an image", "paint makes images"
    if not data:
        return "the file is empty, not an image", "build it again"
    return "this is not an image", "give a file that paint, miset, milink or elfmi wrote"


def write_image(path: str, image: Image) -> None:
    """Write an image, whole or not at all. Raises UserError."""
    from mitools.image.encode import to_parts

    write_parts(path, to_parts(image))


def read_image(path: str) -> Image:
    """Read an image. Raises UserError for anything that is none, or a damaged one."""
    return image_of_parts(read_parts(path), path)


def image_of_parts(parts: Parts, path: str) -> Image:
    """The image of parts that came from `path`. Raises UserError."""
    from mitools.image.encode import from_parts

    try:
        image = from_parts(parts)
    except DamagedImage as error:
        raise damaged(path, str(error)) from None
    check_machine(image.arch, path)
    return image


def check_machine(name: str, path: str) -> None:
    """Raise UserError for a file that was made for a machine unknown here."""
    from mitools.arch import NAMES

    if name not in NAMES:
        remedy = f"known machines: {', '.join(NAMES)}"
        raise UserError(f"the machine `{name}` is not known here", Place(path), remedy)
