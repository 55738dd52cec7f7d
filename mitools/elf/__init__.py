"""Image to ELF (`write_elf`) and back (`read_elf`); `layout` says how an image lies in the file."""

from mitools.elf.reader import read_elf, read_elf_parts
from mitools.elf.writer import write_elf, write_parts_as_elf

__all__ = ["read_elf", "read_elf_parts", "write_elf", "write_parts_as_elf"]
