"""Pictures: well-formed, everything in them, small for large layouts."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitools.console import UserError
from paint.picture import write_picture
from paint.picture.looks import Band, folded
from tests.paint.layouts import lay, solved

HEAT = """
let right = color() let rightlink = color() let up = color() let uplink = color()
let box = rect(0 0 NX+2 NY+2)
box : paint(rightlink [CXR|R]) box : paint(right [L|LXC]) box : colorpair(right rightlink)
box : paint(uplink [CXU|U]) box : paint(up [D|DXC]) box : colorpair(up uplink)
let cells = rect(1 1 NX NY)
cells : code('cell [right:right up:up]) cells : name('cell)
define wall(x y w h) { code(rect(x y w h) 'wall [right:right up:up]) }
union(box cells wall(0 0 NX+2 1) wall(0 NY+1 NX+2 1) wall(0 1 1 NY) wall(NX+1 1 1 NY))
"""
SVG = "{http://www.w3.org/2000/svg}"


def drawn(text: str, path: Path, **settings: object) -> tuple[ElementTree.Element, str]:
    layout = lay(text, **settings)
    found = solved(layout)
    write_picture(str(path), layout, {c: found[c.label] for c in layout.colors}, "t.paint")
    svg = path.read_text()
    return ElementTree.fromstring(svg[svg.index("<svg") : svg.index("</svg>") + 6]), svg


def texts(root: ElementTree.Element) -> set[str]:
    return {text for element in root.iter(f"{SVG}text") if (text := element.text)}


def test_a_small_layout_is_drawn_tile_by_tile(tmp_path: Path) -> None:
    root, _ = drawn(HEAT, tmp_path / "a.svg", NX=2, NY=1)
    assert len(list(root.iter(f"{SVG}use"))) == 4 * 3
    shown = texts(root)
    assert {"t.paint: 4 x 3 PEs", "cell (2 PEs)", "wall (10 PEs)", "'cell", "x=3", "y=2"} <= {
        " ".join(t.split()) for t in shown
    }
    assert "right = 0 (pair of rightlink)" in {" ".join(t.split()) for t in shown}


def test_a_wafer_is_folded(tmp_path: Path) -> None:
    root, svg = drawn(HEAT, tmp_path / "a.svg", NX=748, NY=992)
    assert len(list(root.iter(f"{SVG}use"))) == 16
    assert {"+746", "+990 rows", "x=749", "y=993"} <= texts(root)
    assert len(svg) < 60_000


def test_an_irregular_layout_is_an_overview(tmp_path: Path) -> None:
    text = """let c = color()
        define line(k) { code(paint(rect(k k 1 1) c [L>R]) 'p) }
        define lines(k) { setif(k==70 rect(0 0 0 0) union(line(k) lines(k+1))) }
        lines(0)"""
    root, _ = drawn(text, tmp_path / "a.svg")
    assert "70 tiles " in texts(root) and "p  (70 PEs)" in texts(root)


def test_positions_swaps_sinks_and_banks(tmp_path: Path) -> None:
    text = """let a = color() let b = color() let d = color()
        let t = tile() t : mp(1) t : paint(a [LXCU ; DXC* ; ring]) t : paint(d [C>])
        t : paint(b [C>C]) t : colorpair(a b) t"""
    root, svg = drawn(text, tmp_path / "a.svg")
    assert {"0", "1", "mp 1", "switch positions; dashed: not the initial one"} <= texts(root)
    assert "stroke-dasharray" in svg and "[LXUC ; DXC* ; ring]" in svg
    assert "a sink: what comes is discarded" in texts(root)


def test_a_page_has_a_box_for_each_color(tmp_path: Path) -> None:
    root, html = drawn(HEAT, tmp_path / "a.html", NX=2, NY=1)
    assert html.count('type="checkbox"') == 4 and "<!doctype html>" in html
    assert len(list(root.iter(f"{SVG}use"))) == 12


def test_names_are_escaped(tmp_path: Path) -> None:
    root, _ = drawn("let t = tile() t : code('a<&b) t : name('c<&) t", tmp_path / "a.svg")
    assert "'c<&" in texts(root)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        drawn("tile()", tmp_path / "a.png")


def unfolded(lines: list) -> list[int]:
    found: list[int] = []
    for line in lines:
        found += range(line.first, line.first + line.count) if isinstance(line, Band) else [line]
    return found


@given(st.lists(st.integers(0, 2), max_size=40))
def test_folding_loses_no_line(ids: list[int]) -> None:
    lines = folded(ids)
    assert unfolded(lines) == list(range(len(ids)))
    for place, line in enumerate(lines):
        if isinstance(line, Band):
            pattern = line.count // line.repeats
            before = lines[place - pattern : place]
            for k in range(line.count):
                assert ids[line.first + k] == ids[before[k % pattern]]


def test_folding_finds_patterns() -> None:
    assert folded([7] * 100) == [0, Band(1, 98, 98), 99]
    assert folded([1, 2] * 10) == [0, 1, Band(2, 16, 8), 18, 19]
    assert folded([1, 2, 3]) == [0, 1, 2]
