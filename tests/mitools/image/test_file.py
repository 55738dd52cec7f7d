import struct
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mitools import Image
from mitools.console import UserError
from mitools.console.sealed import HEADER, directory_bytes
from mitools.image.encode import same, to_parts
from mitools.image.file import FORM, parts_of_bytes, write_parts
from mitools.image.model import Overlay
from tests.mitools.images import damage, grid, images, program, tiles

FIXTURES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(images())
@FIXTURES
def test_what_is_saved_is_opened(tmp_path, image):
    path = str(tmp_path / "a.img")
    image.save(path)
    assert same(Image.open(path), image)


@given(images(), st.integers(0, 1 << 30))
@FIXTURES
def test_damage_of_any_kind_is_an_error_with_a_reason(tmp_path, image, seed):
    path = tmp_path / "a.img"
    image.save(str(path))
    path.write_bytes(damage(path.read_bytes(), seed))
    with pytest.raises(UserError) as caught:
        Image.open(str(path))
    assert str(path) in caught.value.render()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\x7fELF" + bytes(100), "this is an ELF, not an image"),
        (b"carbide-object 1 2 3\n", "an object of carbide"),
        (b"core00.a sp 0x0120 [y<2]\n", "this is not an image"),
        (FORM.magic, "it ends within its header"),
        (HEADER.pack(FORM.magic, 9, 0, 32, 0, 0), "version 9; these tools read version 1"),
        (HEADER.pack(FORM.magic, 1, 0, 32, 0, 0), "its checksum differs"),
    ],
)
def test_other_files_are_named(data, reason):
    with pytest.raises(UserError, match=reason):
        parts_of_bytes(data, "a.img")


def forge(directory: dict, content: bytes = b"") -> bytes:
    """A file with a right checksum around any directory."""
    packed = directory_bytes(directory)
    rest = struct.pack("<QII", HEADER.size + len(packed) + len(content), len(packed), 0)
    body = rest + packed + content
    return struct.pack("<8sII", FORM.magic, 1, zlib.crc32(body)) + body


def whole() -> dict:
    parts = to_parts(grid(1, 1))
    arrays = [[p.kind, p.type, list(p.shape), p.packed, len(p.data)] for p in parts.arrays]
    return {**parts.directory, "arrays": arrays}


FORGERIES = [
    {"arrays": 3},
    {"arrays": [["tiles", "<i9", [1], False, 0]]},
    {"arrays": [["tiles", "<i1", [1 << 40], False, 0]]},
    {"arrays": [["tiles", "<i1", [-1], False, 0]]},
    {"arrays": []},
    {"program": None},
    {"program": 99},
    {"programs": [{}]},
    {"programs": []},
    {"programs": 7},
    {"configs": "x"},
    {"config_parts": [1, 2]},
    {"regions": {"grid": [0, 0, 9, 9]}},
    {"regions": {"grid": []}},
    {"regions": 3},
    {"overlays": [[0x8000, [0, 0, 1, 1], 0]]},
    {"overlays": [["x", [0, 0, 1, 1], 0]]},
    {"overlays": [1]},
    {"flows": [[1]]},
    {"colors": {"x": []}},
    {"colors": []},
    {"facts": 3},
    {"arch": 3},
]


@pytest.mark.parametrize("change", FORGERIES, ids=str)
def test_a_directory_that_makes_no_image_is_an_error(tmp_path, change):
    path = tmp_path / "a.img"
    image = grid(1, 1)
    image.save(str(path))
    content = b"".join(p.data for p in to_parts(image).arrays)
    path.write_bytes(forge(whole(), content))
    assert same(Image.open(str(path)), image)
    path.write_bytes(forge({**whole(), **change}, content))
    with pytest.raises(UserError, match="damaged"):
        Image.open(str(path))


def test_equal_tiles_are_shared(tmp_path):
    image = grid(994, 750)
    path = tmp_path / "a.img"
    image.save(str(path))
    assert path.stat().st_size < 50_000
    assert same(Image.open(str(path)), image)


def layer(address: int, words: np.ndarray) -> Overlay:
    return Overlay(address, *tiles(0, 0, 1, 1), words)


def test_tile_lists_that_are_shared_stand_once(tmp_path):
    image = grid(1, 4)
    odd = np.array([0, 0], np.int32), np.array([3, 1], np.int32)
    for address in range(0, 800, 8):
        image.overlays.append(Overlay(address, *odd, np.ones((2, 8), np.uint16)))
    parts = to_parts(image)
    assert len({tuple(o[1]) for o in parts.directory["overlays"]}) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda i: i.program.__setitem__((0, 0), 5), "names a program"),
        (lambda i: i.config.__setitem__((0, 0), -2), "names a configuration"),
        (lambda i: i.regions.update(r=tiles(0, 0, 3, 3)), "region r has tiles outside"),
        (
            lambda i: i.overlays.append(layer(0x7FFF, np.zeros((1, 2), "u2"))),
            "outside of the address space",
        ),
        (
            lambda i: i.overlays.append(layer(0, np.zeros((2, 2), "u2"))),
            "do not match its tiles",
        ),
    ],
)
def test_a_contradictory_image_is_not_saved(tmp_path, change, reason):
    image = grid()
    change(image)
    with pytest.raises(ValueError, match=reason):
        image.save(str(tmp_path / "a.img"))
    assert not list(tmp_path.iterdir())


def test_many_programs_need_wider_numbers(tmp_path):
    small = [program(f"p{k}", ()) for k in range(300)]
    image = grid(1, 300, *small)
    image.program[0] = np.arange(300)
    path = str(tmp_path / "a.img")
    image.save(path)
    assert same(Image.open(path), image)


def test_parts_are_moved_without_unpacking(tmp_path):
    image = grid(50, 50)
    one, two = str(tmp_path / "a.img"), str(tmp_path / "b.img")
    image.save(one)
    with open(one, "rb") as file:
        data = file.read()
    write_parts(two, parts_of_bytes(data, one))
    with open(two, "rb") as file:
        assert file.read() == data
