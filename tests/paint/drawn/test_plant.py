"""A layout with every kind of rule and shape, against what a reader of it expects on each tile."""

from pathlib import Path

import pytest

from mitools.arch.sdr import ARCH
from paint.colors.problem import problem
from paint.colors.solve import numbers
from paint.evaluate.evaluate import evaluate
from paint.evaluate.layout import Layout, lay_out
from paint.syntax import ast
from paint.syntax.parse import parse_file, parse_text
from paint.syntax.print import layout_text
from tests.paint.colors.checker import judge
from tests.paint.layouts import programs, routes, tiles

PATH = str(Path(__file__).parent / "plant.paint")
SIZES = [(5, 3), (3, 1), (6, 4)]
COLORS = ["parcel", "parcellink", "return", "deal", "ticket", "gather", "count", "arm", "probe"]
X0, Y0 = 1, 4
"""Where the lower left tile of the fan is: the bins are one to the left of the origin."""


def plant(w: int, h: int, tree: ast.Layout | None = None) -> Layout:
    done = evaluate(tree or parse_file(PATH), {"W": str(w), "H": str(h)}, ARCH)
    return lay_out(done.region, done.colors, done.place)


def outputs(word: str, gone: set[str]) -> str:
    return "".join(side for side in word if side not in gone)


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_rows_to_and_fro(w: int, h: int) -> None:
    layout = plant(w, h)
    link, parcel, back, placed = {}, {}, {}, {}
    for k in range(h):
        ahead, behind = ("R", "L") if k % 2 == 0 else ("L", "R")
        y = Y0 + 2 * k
        for i in range(w):
            x = X0 + 1 + (i if k % 2 == 0 else w - 1 - i)
            link[x, y] = f"[CX{ahead}]" if i < w - 1 else "[CX]"
            parcel[x, y] = f"[{behind if i else '-'}XC]"
            taken = ahead if i < w - 1 else "-"
            back[x, y] = f"[{taken}>{behind if i else ''}C]"
            if i == 0:
                placed[x, y] = f"source N={10 + k}"
            elif i == w - 1:
                placed[x, y] = "exit"
            else:
                placed[x, y] = f"stage N={10 + k} share=0.25 Δx⁻¹=4.0"
    assert routes(layout, "parcellink") == link
    assert routes(layout, "parcel") == parcel
    assert routes(layout, "return") == back
    here = {at: what for at, what in programs(layout).items() if at in placed}
    assert here == placed
    assert {(x, y) for y in range(layout.height) for x in range(layout.width)
            if layout.banks[y, x] & 2} == set(placed)  # fmt: skip


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_fan_and_funnel(w: int, h: int) -> None:
    layout, rows = plant(w, h), 2 * h - 1
    deal, ticket, gather, placed = {}, {}, {}, {}
    for k in range(rows):
        second = "*" if k % 2 else ""
        deal[X0, Y0 + k] = f"[D>U ; D>R{second} ; D>RU ; pop=adv ring]"
        ticket[X0, Y0 + k] = "[C>]"
        placed[X0, Y0 + k] = f"dealer id={k}"
        above = "U" if k < rows - 1 else "-"
        gather[X0 + 1 + w, Y0 + k] = f"[C>D ; {above}>D ; pop=always]"
        placed[X0 + 1 + w, Y0 + k] = f"collector first={rows // 2} rows={rows}"
    assert routes(layout, "deal") == deal
    assert routes(layout, "ticket") == ticket
    assert routes(layout, "gather") == gather
    assert {at: what for at, what in programs(layout).items() if at in placed} == placed


def test_counters_and_bins() -> None:
    layout = plant(5, 3)
    kinds = ["", " ; pop=always", " ; pop=adv", "* ; pop=adv-nop ring"]
    count = {
        (X0 + k + 5 * copy, 0): f"[L>C ; L>R{kinds[k]}]" for copy in range(2) for k in range(4)
    }
    assert routes(layout, "count") == count
    here = programs(layout)
    assert all(here[x, 0] == f"counter kind={(x - X0) % 5}" for x, _ in count)
    for k in range(3):
        assert here[0, k] == f"bin first={5 + k} label=bin last={10 * k}"


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_arms_end_at_every_edge(w: int, h: int) -> None:
    layout, low = plant(w, h), 2 * h - 1 + 5
    arm, probe = {}, {}
    for copy in range(2):
        for side, first in enumerate((0, 4)):
            for x in range(3):
                for y in range(2):
                    at = (X0 + 9 * copy + first + x, low + y)
                    west, east = (x == 0, x == 2)
                    south, north = (y == 0, y == 1)
                    if side == 0:
                        gone = {"R"} if east else set()
                        arm[at] = f"[{'-' if west else 'L'}>{outputs('RC', gone)}]"
                        gone = {"U"} if north else set()
                        probe[at] = f"[{'-' if south else 'D'}>{outputs('UC', gone)}]"
                    else:
                        gone = {"L"} if west else set()
                        arm[at] = f"[{'-' if east else 'R'}>{outputs('LC', gone)}]"
                        gone = {"D"} if south else set()
                        probe[at] = f"[{'-' if north else 'U'}>{outputs('DC', gone)}]"
    assert routes(layout, "arm") == arm
    assert routes(layout, "probe") == probe


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_numbers_and_names(w: int, h: int) -> None:
    layout = plant(w, h)
    found = numbers(problem(layout, ARCH))
    assert judge(layout, found) is None
    by_name = {color.label: number for color, number in found.items()}
    assert by_name["deal"] == 20 and by_name["ticket"] == 12
    assert by_name["parcel"] == by_name["parcellink"] ^ 1
    assert set(layout.names) == {"counters", "fan", "stage", "funnel", "frames"} - (
        {"stage"} if w < 3 else set()
    )
    assert all(
        layout.member[y, x] for name in layout.names.values() for y, x in zip(*name, strict=True)
    )
    empty = {(x, y) for x, y in tiles(layout) if (x, y) not in programs(layout)}
    frames = {(x, y) for x, y in tiles(layout) if layout.banks[y, x] & 1}
    assert empty == frames and len(frames) == 24


def test_printed_and_parsed_again_it_means_the_same() -> None:
    again = parse_text(layout_text(parse_file(PATH)), PATH)
    one, two = plant(5, 3), plant(5, 3, again)
    assert programs(one) == programs(two) and tiles(one) == tiles(two)
    for color in COLORS:
        assert routes(one, color) == routes(two, color)
