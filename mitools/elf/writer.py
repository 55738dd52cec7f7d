"""Image to ELF. Written here; read with pyelftools (`reader`) and checked against readelf."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from attrs import define

from mitools.console.diagnostics import Place, UserError
from mitools.console.files import writing
from mitools.elf import layout as elf
from mitools.image.parts import Part, Parts, pack, swap_words

if TYPE_CHECKING:
    from mitools.image.model import Image


@define
class _Section:
    name: str
    type: int
    flags: int
    data: bytes
    address: int = 0
    align: int = 1
    link: int = 0
    info: int = 0
    entry_size: int = 0
    offset: int = 0


class _Strings:
    """A string table; equal strings stand once."""

    def __init__(self) -> None:
        self.data = bytearray(b"\0")
        self._places: dict[str, int] = {"": 0}

    def add(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self.data)
            self.data += text.replace("\0", "\ufffd").encode("utf-8", "replace") + b"\0"
        return self._places[text]


def write_elf(path: str, image: Image, core: bool = False) -> None:
    """Write an image as an executable ELF, or as a core. Raises UserError."""
    from mitools.image.encode import to_parts

    write_parts_as_elf(path, to_parts(image), core)


def write_parts_as_elf(path: str, parts: Parts, core: bool = False) -> None:
    """The same for the parts of an image, without unpacking them. Raises UserError."""
    chunks = elf_chunks(parts, core, path)
    with writing(path) as file:
        for chunk in chunks:
            file.write(chunk)


def elf_chunks(parts: Parts, core: bool, path: str = "ELF") -> list[bytes]:
    """The bytes of the ELF file, in pieces. Raises UserError when it does not fit an ELF32."""
    programs = parts.directory["programs"]
    if len(programs) > elf.MOST_PROGRAMS:
        raise UserError(
            f"{len(programs)} different programs; an ELF holds {elf.MOST_PROGRAMS}",
            Place(path),
            "give tiles what differs by miset instead of by parameters",
        )
    sections = [_Section("", 0, 0, b""), _note_section()]
    memory, bare = _memory_sections(programs)
    sections += memory
    sections.append(_directory_section(parts, bare))
    for number, part in enumerate(parts.arrays):
        sections.append(_array_section(elf.array_name(part.kind, number), part))
    sections += _symbol_sections(programs, sections)
    return _laid_out(sections, core, path, _entry(programs))


def _note_section() -> _Section:
    note = elf.NOTE.pack(6, 8, elf.NOTE_TYPE, elf.NOTE_OWNER, elf.VERSION, 0)
    return _Section(elf.NOTE_NAME, elf.SHT_NOTE, 0, note, align=4)


def _memory_sections(programs: list[dict[str, Any]]) -> tuple[list[_Section], list[Any]]:
    """Sections of code and data, and the program dictionaries with counts instead of words."""
    sections, bare = [], []
    code_flags = elf.SHF_ALLOC | elf.SHF_EXECINSTR
    data_flags = elf.SHF_ALLOC | elf.SHF_WRITE
    for number, program in enumerate(programs):
        base = elf.program_base(number)
        segments = [(elf.code_name(number), code_flags, program["code"])]
        for place, segment in enumerate(program["data"]):
            segments.append((elf.data_name(number, place), data_flags, segment))
        counted = []
        for name, flags, segment in segments:
            data = swap_words(bytes.fromhex(segment["words"]))
            address = base + 2 * segment["address"]
            sections.append(_Section(name, elf.SHT_PROGBITS, flags, data, address, 2))
            counted.append({"address": segment["address"], "words": len(data) // 2})
        bare.append({**program, "code": counted[0], "data": counted[1:]})
    return sections, bare


def _directory_section(parts: Parts, programs: list[Any]) -> _Section:
    arrays = [[p.kind, p.type, list(p.shape), p.packed] for p in parts.arrays]
    directory = {**parts.directory, "programs": programs, "arrays": arrays}
    text = json.dumps(directory, ensure_ascii=False, separators=(",", ":"))
    data = text.encode("utf-8", "surrogatepass")
    return _array_section(elf.DIRECTORY_NAME, pack("tiles", "<i1", (len(data),), data))


def _array_section(name: str, part: Part) -> _Section:
    if not part.packed:
        return _Section(name, elf.SHT_PROGBITS, 0, part.data)
    header = elf.COMPRESSION_HEADER.pack(elf.ELFCOMPRESS_ZLIB, part.size, 1)
    return _Section(name, elf.SHT_PROGBITS, elf.SHF_COMPRESSED, header + part.data, align=4)


def _symbol_sections(programs: list[Any], before: list[_Section]) -> list[_Section]:
    names = _Strings()
    where: dict[str, int] = {s.name: index for index, s in enumerate(before)}
    symbols = [elf.SYMBOL.pack(0, 0, 0, 0, 0, 0)]
    for number, program in enumerate(programs):
        base = elf.program_base(number)
        file = names.add(program["source"])
        symbols.append(elf.SYMBOL.pack(file, 0, 0, elf.STT_FILE, 0, elf.SHN_ABS))
        spans = [(elf.code_name(number), program["code"])]
        spans += [(elf.data_name(number, k), s) for k, s in enumerate(program["data"])]

        def section_of(address: int, spans: list[Any] = spans) -> int:
            for name, segment in spans:
                if 0 <= address - segment["address"] < len(segment["words"]) // 4:
                    index = where[name]
                    return index if index < elf.SHN_LORESERVE else elf.SHN_ABS
            return elf.SHN_ABS

        for name, _, address, words, dimensions in program["symbols"]:
            size = 2 * words
            for _, extent in dimensions:
                size *= extent
            value = base + 2 * address
            place = names.add(name)
            symbols.append(
                elf.SYMBOL.pack(place, value, size, elf.STT_OBJECT, 0, section_of(address))
            )
        for task, entry, _, _ in program["tasks"]:
            place = names.add(f"task{task}")
            symbols.append(
                elf.SYMBOL.pack(place, base + 2 * entry, 0, elf.STT_FUNC, 0, section_of(entry))
            )
    table = _Section(".symtab", elf.SHT_SYMTAB, 0, b"".join(symbols), align=4)
    table.link = len(before) + 1
    table.info = len(symbols)
    table.entry_size = elf.SYMBOL.size
    return [table, _Section(".strtab", elf.SHT_STRTAB, 0, bytes(names.data))]


def _entry(programs: list[Any]) -> int:
    active = [entry for p in programs[:1] for _, entry, active, _ in p["tasks"] if active]
    return 2 * active[0] if active else 0


def _laid_out(sections: list[_Section], core: bool, path: str, entry: int) -> list[bytes]:
    """Header, note, program headers, the other sections, section headers."""
    names = _Strings()
    places = [names.add(s.name) for s in sections] + [names.add(".shstrtab")]
    sections.append(_Section(".shstrtab", elf.SHT_STRTAB, 0, bytes(names.data)))
    loaded = [s for s in sections if s.flags & elf.SHF_ALLOC and s.data]
    loaded.sort(key=lambda s: s.address)
    segments_offset = elf.NOTE_OFFSET + elf.NOTE.size
    segment_count = 1 + len(loaded)
    offset = segments_offset + segment_count * elf.PROGRAM_HEADER.size
    sections[1].offset = elf.NOTE_OFFSET
    body: list[bytes] = []
    for section in sections[2:]:
        padding = -offset % section.align
        body += [bytes(padding), section.data]
        section.offset = offset + padding
        offset = section.offset + len(section.data)
    padding = -offset % 4
    body.append(bytes(padding))
    headers_offset = offset + padding
    if headers_offset + len(sections) * elf.SECTION_HEADER.size > elf.LARGEST_FILE:
        raise UserError("the image is larger than an ELF32 can be, 4 GB", Place(path))
    body.append(_section_headers(sections, places, segment_count))
    header = elf.HEADER.pack(
        elf.IDENT,
        elf.ET_CORE if core else elf.ET_EXEC,
        elf.MACHINE,
        1,
        entry,
        segments_offset,
        headers_offset,
        0,
        elf.HEADER.size,
        elf.PROGRAM_HEADER.size,
        min(segment_count, elf.PN_XNUM),
        elf.SECTION_HEADER.size,
        len(sections) if len(sections) < elf.SHN_LORESERVE else 0,
        len(sections) - 1 if len(sections) - 1 < elf.SHN_LORESERVE else elf.SHN_XINDEX,
    )
    segments = [_segment(elf.PT_NOTE, elf.PF_R, sections[1])]
    for section in loaded:
        access = elf.PF_X if section.flags & elf.SHF_EXECINSTR else elf.PF_W
        segments.append(_segment(elf.PT_LOAD, elf.PF_R | access, section))
    chunks = [header, sections[1].data, *segments, *body]
    checksum = 0
    for chunk in chunks:
        checksum = zlib.crc32(chunk, checksum)
    chunks[1] = sections[1].data[:-4] + struct.pack("<I", checksum)
    return chunks


def _segment(type_: int, flags: int, section: _Section) -> bytes:
    size = len(section.data)
    address = section.address
    return elf.PROGRAM_HEADER.pack(
        type_, section.offset, address, address, size, size, flags, section.align
    )


def _section_headers(sections: list[_Section], places: list[int], segments: int) -> bytes:
    count = len(sections)
    first = sections[0]
    size = count if count >= elf.SHN_LORESERVE else 0
    first.link = count - 1 if count - 1 >= elf.SHN_LORESERVE else 0
    first.info = segments if segments >= elf.PN_XNUM else 0
    first.align = 0
    rows = []
    for section, place in zip(sections, places, strict=True):
        rows.append(
            elf.SECTION_HEADER.pack(
                place,
                section.type,
                section.flags,
                section.address,
                section.offset,
                len(section.data) if section is not first else size,
                section.link,
                section.info,
                section.align,
                section.entry_size,
            )
        )
    return b"".join(rows)
