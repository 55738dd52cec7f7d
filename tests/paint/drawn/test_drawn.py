"""A layout of many shapes: fans, funnels, moats with turned ends, rows of sensors."""

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

FOLDER = Path(__file__).parent
SIZES = [(1, 2), (3, 2), (4, 5)]


def drawn(w: int, h: int, tree: ast.Layout | None = None) -> Layout:
    tree = tree or parse_file(str(FOLDER / "sensors.paint"))
    done = evaluate(tree, {"W": str(w), "H": str(h)}, ARCH)
    return lay_out(done.region, done.colors, done.place)


class Frame:
    """Where the shapes stand: columns of funnels, rows from below."""

    def __init__(self, w: int, h: int):
        self.gap = 1 if w % 2 else 2
        self.width = w + (w - 1) * self.gap
        self.columns = [1 + k * (1 + self.gap) for k in range(w)]
        self.funnels = range(1, 1 + h)
        self.sensors = range(1 + h, 1 + 2 * h)
        self.fan = range(1 + 2 * h, 4 + 2 * h)


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_tiles_and_programs(w: int, h: int) -> None:
    layout, frame = drawn(w, h), Frame(w, h)
    inside = range(1, frame.width + 1)
    expected = {(x, 0): "sink" for x in frame.columns}
    expected |= {(x, y): f"sensor rows={h}" for x in frame.columns for y in frame.funnels}
    for k, y in enumerate(frame.sensors):
        for x in inside:
            expected[x, y] = f"row first={k * frame.width} id={10 - h + k} total=10"
    expected[0, frame.fan[-1]] = "feed N=3"
    assert programs(layout) == expected
    moat = {(x, y) for x in (0, frame.width + 1) for y in frame.sensors}
    fan = {(x, y) for x in inside for y in frame.fan}
    assert tiles(layout) == set(expected) | moat | fan


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_routes(w: int, h: int) -> None:
    layout, frame = drawn(w, h), Frame(w, h)
    inside, last = range(1, frame.width + 1), frame.width
    gather = {(x, 0): "[U>C]" for x in frame.columns}
    for x in frame.columns:
        gather |= {(x, y): "[C>D ; U>D ; pop=adv]" for y in frame.funnels}
        gather[x, frame.funnels[-1]] = "[C>D]"
    assert routes(layout, "gather") == gather
    east, around, back = {}, {}, {}
    for y in frame.sensors:
        for x in inside:
            source, outputs = "-" if x == 1 else "L", "C" if x == last else "RC"
            east[x, y] = f"[{source}>{outputs}]"
            around[x, y], back[x, y] = "[L>RC]", "[R>L]"
        around[0, y] = back[0, y] = "[RXR]"
        around[last + 1, y] = back[last + 1, y] = "[LXL]"
    assert routes(layout, "east") == east
    assert routes(layout, "around") == around and routes(layout, "back") == back
    low, middle, top = frame.fan
    spread = {(0, top): "[C>R]"}
    for x in inside:
        spread |= {(x, low): "[U>C]", (x, middle): "[U>DC]"}
        spread[x, top] = "[L>D]" if x == last else "[L>RD]"
    assert routes(layout, "spread") == spread


@pytest.mark.parametrize(("w", "h"), SIZES)
def test_names_banks_and_numbers(w: int, h: int) -> None:
    layout, frame = drawn(w, h), Frame(w, h)
    named = {
        name: list(zip(xs.tolist(), ys.tolist(), strict=True))
        for name, (ys, xs) in layout.names.items()
    }
    assert named["turn"] == [(x, y) for y in frame.sensors for x in (0, frame.width + 1)]
    assert named["column"] == [(x, y) for y in frame.funnels for x in frame.columns]
    assert set(named) == {"turn", "column", "sink", "sensor-row", "feeder"}
    assert {y for y in range(layout.height) if layout.banks[y].any()} == set(frame.sensors)
    found = numbers(problem(layout, ARCH))
    assert judge(layout, found) is None
    assert {c.label: n for c, n in found.items()} == {
        "spread": 0, "gather": 0, "east": 0, "around": 2, "back": 3,
    }  # fmt: skip


def test_printed_and_parsed_again_it_means_the_same() -> None:
    path = str(FOLDER / "sensors.paint")
    again = parse_text(layout_text(parse_file(path)), path)
    one, two = drawn(3, 4), drawn(3, 4, again)
    assert programs(one) == programs(two) and tiles(one) == tiles(two)
    for color in ("spread", "gather", "east", "around", "back"):
        assert routes(one, color) == routes(two, color)
