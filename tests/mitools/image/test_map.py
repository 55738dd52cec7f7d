import re

import numpy as np
import pytest

from carbide.object import Symbol
from mitools.console import UserError
from mitools.image.map import map_text, read_map
from tests.mitools.images import SYMBOLS, grid, program, tiles


def test_lines_are_name_type_address_and_one_bracket():
    assert map_text(grid()).splitlines() == [
        "grid.a sp 0x0100 [y<2 x<3 n<3 _word<2]",
        "grid.b xp 0x0110 [y<2 x<3]",
        "grid.params paramstruct 0x0120 [y<2 x<3 _word<14]",
        "grid.h hp 0x0130 [y<2 x<3 n<2 m<3]",
        "grid.routes u16 0x7c00 [y<2 x<3 c<24]",
    ]


def test_tiles_without_a_region_are_listed_by_symbol_alone():
    image = grid(1, 3, program(symbols=SYMBOLS[:2]))
    image.regions = {"r": tiles(0, 0, 1, 1)}
    assert map_text(image).splitlines() == [
        "r.a sp 0x0100 [y<1 x<1 n<3 _word<2]",
        "r.b xp 0x0110 [y<1 x<1]",
        "a sp 0x0100 [y<1 x<3 n<3 _word<2]",
        "b xp 0x0110 [y<1 x<3]",
    ]


def test_no_line_has_two_blanks_in_a_row_or_a_type_of_two_words():
    image = grid(1, 1, program(symbols=(Symbol("p", "struct params", 0, 14),)))
    line = map_text(image)
    assert re.fullmatch(r"grid\.p \S+ 0x0000 \[y<1 x<1 _word<14\]\n", line)


def test_a_map_is_read_back(tmp_path):
    image = grid()
    image.regions = {"a region": image.regions["grid"], "core00": tiles(0, 0, 1, 1)}
    path = tmp_path / "bench.map"
    path.write_text(map_text(image))
    lines = read_map(str(path))
    assert list(lines) == [s.name for s in image.symbols()]
    assert lines["core00.b"] == "core00.b xp 0x0110 [y<1 x<1]"


@pytest.mark.parametrize("line", ["x", "a sp 0x01 [y<1]", "a sp 0x0100 y<1", "a sp 0x0100 [y]"])
def test_what_is_no_map_is_placed(tmp_path, line):
    path = tmp_path / "bench.map"
    path.write_text("b xp 0x0110 [y<2 x<3]\n" + line + "\n")
    with pytest.raises(UserError, match="not a line of a map") as caught:
        read_map(str(path))
    assert caught.value.place.line == 2


def test_an_image_without_programs_has_an_empty_map():
    image = grid()
    image.program = np.full_like(image.program, -1)
    assert map_text(image) == ""
