"""ELF to image, with pyelftools for the structure of the file."""

from __future__ import annotations

import io
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from mitools.console.diagnostics import Place, UserError
from mitools.console.files import read_bytes
from mitools.elf import layout as elf
from mitools.image.parts import DamagedImage, Part, Parts, swap_words

if TYPE_CHECKING:
    from mitools.image.model import Image


def read_elf(path: str) -> Image:
    """The image in an ELF or an ELF core. Raises UserError for anything that holds none."""
    from mitools.image.file import image_of_parts

    return image_of_parts(read_elf_parts(path), path)


def read_elf_parts(path: str) -> Parts:
    """The parts of the image, arrays still packed. Raises UserError."""
    return elf_parts_of_bytes(read_bytes(path), path)


def elf_parts_of_bytes(data: bytes, path: str) -> Parts:
    """The same from a file's contents; `path` is named in errors."""
    _check_whole(data, path)
    try:
        return _parts(data)
    except (DamagedImage, zlib.error, struct.error) as error:
        raise damaged(path, str(error)) from None
    except (KeyError, TypeError, ValueError, IndexError, RecursionError) as error:
        raise damaged(path, f"its directory is not of the form: {error}") from None


def damaged(path: str, reason: str) -> UserError:
    """The error for a file that was our ELF once."""
    return UserError(f"the ELF is damaged: {reason}", Place(path), "make it again with mielf")


def _check_whole(data: bytes, path: str) -> None:
    """Raise UserError unless these are the bytes that the writer wrote."""
    if data[:4] != b"\x7fELF":
        if data[1:4] == b"WFI":
            raise UserError("this is an image, not an ELF", Place(path), "mielf makes an ELF of it")
        what = "this is not an ELF file" if data else "the file is empty, not an ELF"
        raise UserError(what, Place(path), "give a file that mielf or simfabric wrote")
    if len(data) < elf.NOTE_OFFSET + elf.NOTE.size:
        raise damaged(path, "it ends within its header")
    ident, kind, machine, *_ = elf.HEADER.unpack_from(data)
    if machine != elf.MACHINE or ident[4:6] != elf.IDENT[4:6]:
        raise UserError(
            f"this ELF is for another machine (machine number {machine})",
            Place(path),
            "give a file that mielf or simfabric wrote",
        )
    note = elf.NOTE.unpack_from(data, elf.NOTE_OFFSET)
    if note[3] != elf.NOTE_OWNER or kind not in (elf.ET_EXEC, elf.ET_CORE):
        raise damaged(path, "it does not start as mielf starts it")
    if note[4] != elf.VERSION:
        raise UserError(
            f"this ELF has layout version {note[4]}; these tools read version {elf.VERSION}",
            Place(path),
            "make it again with this version of the tools",
        )
    checksum = zlib.crc32(data[: elf.CHECKSUM_OFFSET])
    checksum = zlib.crc32(bytes(4), checksum)
    checksum = zlib.crc32(memoryview(data)[elf.CHECKSUM_OFFSET + 4 :], checksum)
    if checksum != note[5]:
        raise damaged(path, "its checksum differs")


def _sections(data: bytes) -> dict[str, Any]:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        return {s.name: s for s in ELFFile(io.BytesIO(data)).iter_sections()}
    except ELFError as error:
        raise DamagedImage(str(error)) from None


def _parts(data: bytes) -> Parts:
    sections = _sections(data)

    def contents(name: str) -> tuple[bytes, bool]:
        """A section's bytes, and whether they are packed; the packing's header is left out."""
        if name not in sections:
            raise DamagedImage(f"it has no section {name}")
        header = sections[name].header
        start, end = header["sh_offset"], header["sh_offset"] + header["sh_size"]
        if end > len(data):
            raise DamagedImage(f"section {name} reaches past its end")
        packed = bool(header["sh_flags"] & elf.SHF_COMPRESSED)
        return data[start + elf.COMPRESSION_HEADER.size * packed : end], packed

    text, packed = contents(elf.DIRECTORY_NAME)
    text = zlib.decompress(text) if packed else text
    directory = json.loads(text.decode("utf-8", "surrogatepass"))
    for number, program in enumerate(directory["programs"]):
        _put_words(program["code"], contents(elf.code_name(number))[0])
        for place, segment in enumerate(program["data"]):
            _put_words(segment, contents(elf.data_name(number, place))[0])
    arrays = []
    for number, (kind, type_, shape, is_packed) in enumerate(directory.pop("arrays")):
        content, packed = contents(elf.array_name(kind, number))
        if packed != is_packed:
            raise DamagedImage(f"array {number} is not packed as its directory says")
        arrays.append(Part(kind, type_, tuple(shape), content, packed))
        arrays[-1].check()
    return Parts(directory, arrays)


def _put_words(segment: dict[str, Any], data: bytes) -> None:
    if len(data) != 2 * segment["words"]:
        raise DamagedImage("a segment has the wrong length")
    segment["words"] = swap_words(data).hex()
