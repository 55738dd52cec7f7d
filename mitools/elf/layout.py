"""How an image lies in an ELF file: numbers, records and names.

ELF32, little-endian, type EXEC before a run and CORE after it. The machine number is not one that
the ELF registry gives out: it reads "WF". Byte addresses: program k of the image owns
[k << 16, (k + 1) << 16), and the word at address a of its PE is at (k << 16) + 2 a.

    .note.wafer         version of this layout and CRC-32 of the file (with the CRC as 0)
    .text.K             code of program K, in a PT_LOAD segment of its own
    .data.K.J           what the loader writes besides, likewise
    .wafer.directory    the image's directory (`mitools.image.encode`) without those words
    .wafer.KIND.N       array N of the image: tiles, configs, regions or overlays
    .symtab, .strtab    symbols and tasks of the programs, local, each program after its FILE symbol
    .shstrtab

`.wafer` sections use ELF's own compression (SHF_COMPRESSED) where it makes them smaller.
"""

import struct

MACHINE = 0x4657
VERSION = 1

HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
PROGRAM_HEADER = struct.Struct("<8I")
SECTION_HEADER = struct.Struct("<10I")
SYMBOL = struct.Struct("<IIIBBH")
COMPRESSION_HEADER = struct.Struct("<3I")
NOTE = struct.Struct("<3I8sII")

IDENT = b"\x7fELF\x01\x01\x01" + bytes(9)
NOTE_OWNER = b"wafer\0\0\0"
NOTE_TYPE = 1
NOTE_OFFSET = HEADER.size
CHECKSUM_OFFSET = NOTE_OFFSET + NOTE.size - 4

ET_EXEC, ET_CORE = 2, 4
PT_LOAD, PT_NOTE = 1, 4
PF_X, PF_W, PF_R = 1, 2, 4
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE = 1, 2, 3, 7
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_COMPRESSED = 1, 2, 4, 0x800
SHN_LORESERVE, SHN_ABS, SHN_XINDEX = 0xFF00, 0xFFF1, 0xFFFF
PN_XNUM = 0xFFFF
STT_OBJECT, STT_FUNC, STT_FILE = 1, 2, 4
ELFCOMPRESS_ZLIB = 1

MOST_PROGRAMS = 0x10000
LARGEST_FILE = 0xFFFFFFFF

NOTE_NAME = ".note.wafer"
DIRECTORY_NAME = ".wafer.directory"


def program_base(number: int) -> int:
    """Byte address of word 0 of a program's PE."""
    return number << 16


def code_name(program: int) -> str:
    """Name of the section of a program's code."""
    return f".text.{program}"


def data_name(program: int, segment: int) -> str:
    """Name of the section of one of a program's data segments."""
    return f".data.{program}.{segment}"


def array_name(kind: str, number: int) -> str:
    """Name of the section of an array."""
    return f".wafer.{kind}.{number}"
