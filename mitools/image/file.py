"""Image files: sealed files (`mitools.console.sealed`) of an image's parts.

The directory's "arrays" lists [kind, type, shape, packed, length] of the arrays, whose bytes
follow. The rest of it is described in `encode`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mitools.console.diagnostics import Place, UserError
from mitools.console.files import read_bytes, writing
from mitools.console.sealed import Form, seal, unseal
from mitools.image.parts import DamagedImage, Part, Parts

if TYPE_CHECKING:
    from mitools.image.model import Image

FORM = Form(b"\x89WFI\r\n\x1a\n", 1, "image", "build it again")


def write_parts(path: str, parts: Parts) -> None:
    """Write an image file. Raises UserError."""
    arrays = [[p.kind, p.type, list(p.shape), p.packed, len(p.data)] for p in parts.arrays]
    pieces = seal(FORM, {**parts.directory, "arrays": arrays}, [p.data for p in parts.arrays])
    with writing(path) as file:
        for piece in pieces:
            file.write(piece)


def read_parts(path: str) -> Parts:
    """The parts of an image file, arrays still packed. Raises UserError."""
    return parts_of_bytes(read_bytes(path), path)


def parts_of_bytes(data: bytes, path: str) -> Parts:
    """The parts of an image file's contents. Raises UserError; `path` is named in it."""
    if data[: len(FORM.magic)] != FORM.magic:
        message, remedy = _no_image(data)
        raise UserError(message, Place(path), remedy)
    directory, content = unseal(FORM, data, path)
    try:
        arrays, place = [], 0
        for kind, type_, shape, packed, length in directory.pop("arrays"):
            part = bytes(content[place : place + length])
            arrays.append(Part(kind, type_, tuple(shape), part, packed))
            arrays[-1].check()
            place += length
        if place != len(content):
            raise DamagedImage("its arrays have the wrong lengths")
        return Parts(directory, arrays)
    except DamagedImage as error:
        raise damaged(path, str(error)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"its directory is not of the form: {error}") from None


def damaged(path: str, reason: str) -> UserError:
    """The error for a file that was an image once."""
    return FORM.damaged(path, reason)


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
