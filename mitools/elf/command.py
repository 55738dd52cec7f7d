"""`mielf`: image to ELF. `elfmi`: ELF, or the core of a run, to image."""

from collections.abc import Sequence

from mitools.console.command import run
from mitools.console.terms import ARCH, Terms, check_arch, product, source

MIELF = Terms(
    "mielf",
    "makes an ELF of an image, for simfabric",
    source("image", "FILE", "the image", required=True),
    product("elf", "FILE", "the ELF to write", required=True),
    ARCH,
)
ELFMI = Terms(
    "elfmi",
    "makes an image of an ELF, or of the core that simfabric wrote",
    source("elf", "FILE", "the ELF or core", required=True),
    product("image", "FILE", "the image to write", required=True),
    ARCH,
)


def main_mielf(arguments: Sequence[str] | None = None) -> int:
    """The command `mielf`."""
    return run(_mielf, arguments)


def main_elfmi(arguments: Sequence[str] | None = None) -> int:
    """The command `elfmi`."""
    return run(_elfmi, arguments)


def _mielf(arguments: list[str]) -> None:
    from mitools.elf.writer import write_parts_as_elf
    from mitools.image.file import read_parts

    given = MIELF.parse(arguments)
    parts = read_parts(given.image)
    check_arch(given.arch, parts.directory.get("arch", ""), given.image)
    write_parts_as_elf(given.elf, parts)


def _elfmi(arguments: list[str]) -> None:
    from mitools.elf.reader import read_elf_parts
    from mitools.image.file import write_parts

    given = ELFMI.parse(arguments)
    parts = read_elf_parts(given.elf)
    check_arch(given.arch, parts.directory.get("arch", ""), given.elf)
    write_parts(given.image, parts)
