import struct
import subprocess
import zlib

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carbide.object import Segment
from mitools.console import UserError
from mitools.elf import layout, read_elf, write_elf
from mitools.elf.reader import elf_parts_of_bytes
from mitools.image.encode import same
from tests.mitools.images import damage, grid, images, program

FIXTURES = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def readelf(path: str) -> str:
    """What binutils says of a file; its complaints fail the test."""
    done = subprocess.run(["readelf", "-a", "-W", path], capture_output=True)
    assert done.stderr == b""
    assert done.returncode == 0
    text = done.stdout.decode("utf-8", "replace")
    assert "arning" not in text and "<corrupt" not in text
    return text


@given(images(), st.booleans())
@FIXTURES
def test_what_is_written_is_read(tmp_path, image, core):
    path = str(tmp_path / "a.elf")
    write_elf(path, image, core)
    assert same(read_elf(path), image)


@given(images(), st.integers(0, 1 << 30))
@FIXTURES
def test_damage_of_any_kind_is_an_error_with_a_reason(tmp_path, image, seed):
    path = tmp_path / "a.elf"
    write_elf(str(path), image)
    path.write_bytes(damage(path.read_bytes(), seed))
    with pytest.raises(UserError) as caught:
        read_elf(str(path))
    assert str(path) in caught.value.render()


@given(images(), st.booleans())
@settings(FIXTURES, max_examples=12)
def test_readelf_has_no_complaint(tmp_path, image, core):
    path = str(tmp_path / "a.elf")
    write_elf(path, image, core)
    readelf(path)


def test_readelf_shows_programs_memory_and_symbols(tmp_path):
    path = str(tmp_path / "a.elf")
    image = grid(2, 3, program(), program("other"))
    write_elf(path, image)
    text = readelf(path)
    assert "EXEC (Executable file)" in text
    assert ".text.1" in text and ".data.1.0" in text
    assert "LOAD           0x" in text
    assert "00010200    12 OBJECT  LOCAL  DEFAULT    6 a" in text
    assert "FILE    LOCAL  DEFAULT  ABS other.w" in text
    assert "00010008     0 FUNC    LOCAL  DEFAULT    5 task8" in text
    write_elf(path, image, core=True)
    assert "CORE (Core file)" in readelf(path)


def test_segments_hold_the_programs_words(tmp_path):
    path = str(tmp_path / "a.elf")
    image = grid(1, 1, program(), program("other"))
    write_elf(path, image)
    with open(path, "rb") as file:
        loaded = [s for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]
        found = {s["p_vaddr"]: s.data() for s in loaded}
    for number, one in enumerate(image.programs):
        for segment in (one.code, *one.data):
            words = struct.pack(f"<{len(segment.words)}H", *segment.words)
            assert found.pop((number << 16) + 2 * segment.address) == words
    assert not found


def test_the_code_of_the_image_is_what_the_segments_hold(tmp_path):
    """The words are in the segments only: change one there and the image's program changes."""
    path = tmp_path / "a.elf"
    write_elf(str(path), grid())
    data = bytearray(path.read_bytes())
    with open(path, "rb") as file:
        place = ELFFile(file).get_section_by_name(".text.0")["sh_offset"]
    data[place : place + 2] = b"\x34\x12"
    data[layout.CHECKSUM_OFFSET : layout.CHECKSUM_OFFSET + 4] = bytes(4)
    checksum = struct.pack("<I", zlib.crc32(data))
    data[layout.CHECKSUM_OFFSET : layout.CHECKSUM_OFFSET + 4] = checksum
    path.write_bytes(data)
    assert read_elf(str(path)).programs[0].code.words[0] == 0x1234


def test_an_elf_of_this_computer_is_for_another_machine():
    with open("/usr/bin/readelf", "rb") as file:
        data = file.read()
    with pytest.raises(UserError, match="for another machine"):
        elf_parts_of_bytes(data, "readelf")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\x89WFI\r\n\x1a\n", "this is an image, not an ELF"),
        (b"text", "not an ELF file"),
        (b"\x7fELF", "it ends within its header"),
        (b"\x7fELF\x01\x01" + bytes(100), "for another machine"),
    ],
)
def test_other_files_are_named(data, reason):
    with pytest.raises(UserError, match=reason):
        elf_parts_of_bytes(data, "a.elf")


def resealed(data: bytearray) -> bytes:
    """Damaged contents under a right checksum."""
    data[layout.CHECKSUM_OFFSET : layout.CHECKSUM_OFFSET + 4] = bytes(4)
    checksum = struct.pack("<I", zlib.crc32(data))
    data[layout.CHECKSUM_OFFSET : layout.CHECKSUM_OFFSET + 4] = checksum
    return bytes(data)


@given(st.integers(0, 1 << 30))
@FIXTURES
def test_damage_under_a_right_checksum_never_escapes_as_another_error(tmp_path, seed):
    path = tmp_path / "a.elf"
    write_elf(str(path), grid())
    random = np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    for _ in range(int(random.integers(1, 6))):
        data[int(random.integers(len(data)))] = int(random.integers(256))
    path.write_bytes(resealed(data))
    try:
        read_elf(str(path))
    except UserError as error:
        assert str(path) in error.render()


def test_more_sections_and_segments_than_16_bits_count(tmp_path):
    path = str(tmp_path / "a.elf")
    segments = tuple(Segment(k, (k,)) for k in range(0, 22000))
    image = grid(1, 3, *(program(f"p{k}", (), data=segments) for k in range(3)))
    write_elf(path, image)
    done = subprocess.run(["readelf", "-h", "-W", path], capture_output=True, text=True)
    assert done.stderr == ""
    assert "65535 (66004)" in done.stdout
    assert "Number of section headers:         0 (" in done.stdout
    with open(path, "rb") as file:
        elf = ELFFile(file)
        assert elf.num_segments() == 66004
        assert elf.get_section(elf.num_sections() - 1).name == ".shstrtab"
