"""Regions: what each operation of the page makes of tiles and of what they carry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paint.evaluate.layout import Layout
from tests.paint.layouts import lay, mistake, programs, routes, solved, tiles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tile()", {(0, 0)}),
        ("rect(3 -4 2 1)", {(0, 0), (1, 0)}),
        ("union(tile() rect(2 1 1 1))", {(0, 0), (2, 1)}),
        ("hstack(tile() tile() rect(7 1 1 1))", {(0, 0), (1, 0), (2, 1)}),
        ("vstack(tile() rect(2 9 1 1))", {(0, 0), (2, 1)}),
        ("hstack(rect(5 0 1 1) tile())", {(0, 0), (1, 0)}),
        ("hstackrep(rect(0 0 2 1) 2 1)", {(0, 0), (1, 0), (3, 0), (4, 0)}),
        ("vstackrep(tile() 3)", {(0, 0), (0, 1), (0, 2)}),
        ("hstackrep(union(tile() rect(1 1 1 1)) 2)", {(0, 0), (1, 1), (2, 0), (3, 1)}),
        ("vstackrep(tile() 2 2)", {(0, 0), (0, 3)}),
        ("union(tile() place(rect(2 0 1 1) 0 1))", {(0, 0), (2, 1)}),
        ("union(tile() place(tile() -1 -1))", {(0, 0), (1, 1)}),
        ("hstack(tile() rect(0 0 0 3) tile())", {(0, 0), (1, 0)}),
        ("union(tile() hstackrep(tile() 0))", {(0, 0)}),
        ("union(tile() hflip(rect(0 0 0 0)) vstack())", {(0, 0)}),
        ("hflip(union(rect(0 0 1 2) rect(1 0 2 1)))", {(2, 0), (2, 1), (0, 0), (1, 0)}),
        ("vflip(union(rect(0 0 1 2) rect(1 0 2 1)))", {(0, 0), (0, 1), (1, 1), (2, 1)}),
        ("setif(2>1 tile() rect(0 0 2 2))", {(0, 0)}),
        ("setif(0 x tile())", {(0, 0)}),
        ("arrayplace(rect(0 0 1 2) range(0 2))", {(0, 0), (0, 1), (0, 2), (0, 3)}),
        ("union(tile() arrayplace(tile() range(3 3)))", {(0, 0)}),
        ("let a = tile() a : place(1 0) union(tile() a)", {(0, 0), (1, 0)}),
    ],
)
def test_tiles(text: str, expected: set[tuple[int, int]]) -> None:
    assert tiles(lay(text)) == expected


def test_coinciding_tiles_merge_what_they_carry() -> None:
    layout = lay(
        "let c = color() let d = color() "
        "let a = tile() a : code('p [N:1]) a : paint(c [L>R]) a : name('a) "
        "let b = tile() b : code('p [N:1]) b : paint(d [R>L]) b : name('b) b : paint(c [L>R]) "
        "union(a b)"
    )
    assert programs(layout) == {(0, 0): "p N=1"}
    assert routes(layout, "c") == {(0, 0): "[L>R]"} and routes(layout, "d") == {(0, 0): "[R>L]"}
    assert set(layout.names) == {"a", "b"}


def test_values_stay_values() -> None:
    layout = lay(
        "let a = tile() let b = a a : code('p) let d = place(a 1 0) d : code('p) union(b d)"
    )
    assert programs(layout) == {(1, 0): "p"}


def test_functions_keep_their_names_to_themselves() -> None:
    layout = lay(
        "let n = 1 define f(w) { let n = w+1 let r = rect(0 0 n 1) r : code('p [n:n]) r } "
        "let r = f(2) r : place(n 0) r"
    )
    assert programs(layout) == {(x, 0): "p n=3" for x in range(3)}


def test_functions_may_call_themselves() -> None:
    text = "define row(n) { setif(n==0 rect(0 0 0 0) hstack(tile() row(n-1))) } row(K)"
    assert len(tiles(lay(text, K=5))) == 5


def test_flips_turn_routes() -> None:
    text = "let c = color() let a = rect(0 0 2 2) a : paint(c [L|L>UC|U ; D>C]) {}(a)"
    assert routes(lay(text.format("union")), "c") == {
        (0, 0): "[->UC ; D>C]", (1, 0): "[L>UC ; D>C]", (0, 1): "[->C ; D>C]",
        (1, 1): "[L>C ; D>C]",
    }  # fmt: skip
    assert routes(lay(text.format("hflip")), "c") == {
        (1, 0): "[->UC ; D>C]", (0, 0): "[R>UC ; D>C]", (1, 1): "[->C ; D>C]",
        (0, 1): "[R>C ; D>C]",
    }  # fmt: skip
    assert routes(lay(text.format("vflip")), "c")[1, 1] == "[L>DC ; U>C]"


def test_boundaries_belong_to_the_painted_region() -> None:
    layout = lay(
        "let c = color() let d = color() let a = rect(0 0 3 2) "
        "a : paint(c [L|LXRU|R|U]) a : paint(d [C>LRUD|R]) "
        "let b = rect(3 0 1 2) union(a b)"
    )
    assert routes(layout, "c") == {
        (0, 0): "[-XRU]", (1, 0): "[LXRU]", (2, 0): "[LXU]",
        (0, 1): "[-XR]", (1, 1): "[LXR]", (2, 1): "[LX]",
    }  # fmt: skip
    assert routes(layout, "d")[2, 0] == "[C>LUD]" and routes(layout, "d")[1, 0] == "[C>LRUD]"


def test_a_boundary_behind_the_rule_is_for_all_positions() -> None:
    layout = lay("let c = color() let a = tile() a : paint(c [C>R ; L|L>RC|R]) a")
    assert routes(layout, "c") == {(0, 0): "[C> ; ->C]"}
    layout = lay("let c = color() let a = tile() a : paint(c [C>R|R ; L>RC]) a")
    assert routes(layout, "c") == {(0, 0): "[C> ; L>RC]"}


@pytest.mark.parametrize(
    ("one", "two", "merged"),
    [
        ("[C>]", "[C>R]", "[C>R]"),
        ("[C>]", "[>R]", "[C>R]"),
        ("[>C]", "[LXC]", "[LXC]"),
        ("[C>]", "[C>]", "[C>]"),
        ("[>C]", "[>C]", "[>C]"),
        ("[C>R]", "[C>R]", "[C>R]"),
        ("[C>]", "[C>R ; pop=always]", "[C>R ; pop=always]"),
    ],
)
def test_open_ends_merge(one: str, two: str, merged: str) -> None:
    for first, second in ((one, two), (two, one)):
        text = f"let c = color() let t = tile() union(paint(t c {first}) paint(t c {second}))"
        assert routes(lay(text), "c") == {(0, 0): merged}


@pytest.mark.parametrize(
    ("one", "two"),
    [("[C>]", "[L>R]"), ("[>C]", "[L>CR]"), ("[C>R]", "[C>L]"), ("[C>R]", "[CXR]"),
     ("[C>]", "[C>R ; L>R]"), ("[>C]", "[>R]"), ("[C>R]", "[C>R ; L>R]")],
)  # fmt: skip
def test_two_rules_that_disagree(one: str, two: str) -> None:
    text = f"let c = color()\nlet t = rect(3 2 2 1)\nt : paint(c {one})\nt : paint(c {two})\nt"
    shown = mistake(text)
    assert shown.startswith("t.paint:4:13: error: two rules for color `c` on tile (0, 0)"), shown
    assert "t.paint:3:13: note: the other one" in shown


def test_two_programs_on_a_tile() -> None:
    text = "let a = rect(0 0 2 2)\na : code('p [N:1])\nlet b = rect(1 1 2 2)\nb : code('p [N:2])\n"
    shown = mistake(text + "union(a b)")
    assert shown.startswith("t.paint:4:5: error: two programs on tile (1, 1)"), shown
    assert "'p [N:1] and 'p [N:2]" in shown and "t.paint:2:5: note" in shown


def test_conflicts_between_many_small_rectangles() -> None:
    text = "let c = color() let a = vstackrep(hstackrep(tile() 3 1) 3 1) a : paint(c [L>R])\n"
    shown = mistake(text + "let b = rect(4 2 1 1) b : paint(c [R>L])\nunion(a b)")
    assert "two rules for color `c` on tile (4, 2)" in shown


def test_names_list_their_tiles_by_rows() -> None:
    layout = lay(
        "let a = tile() a : name('core) let b = hstackrep(vstackrep(a 2 1) 2 1) "
        "union(place(b 1 1) rect(0 0 1 1))"
    )
    ys, xs = layout.names["core"]
    assert list(zip(ys.tolist(), xs.tolist(), strict=True)) == [(1, 1), (1, 3), (3, 1), (3, 3)]


def test_elements_of_lists_reach_the_params() -> None:
    layout = lay(
        "let a = rect(0 0 2 1) a : code('p [i:@k j:@j*10+1 N:3]) "
        "arrayplace(a range(0 3) [k:range(5 8) j:range(0 3)])"
    )
    assert programs(layout) == {
        (x, y): f"p N=3 i={5 + y} j={10 * y + 1}" for x in range(2) for y in range(3)
    }


def test_elements_of_one_list_without_a_map() -> None:
    layout = lay("let a = tile() a : code('p [i:@k]) arrayplace(a range(2 5))")
    assert programs(layout) == {(0, y): f"p i={y + 2}" for y in range(3)}


def test_lists_inside_lists() -> None:
    layout = lay(
        "let a = tile() a : code('p [i:@k j:@j]) "
        "let row = arrayplace(a range(0 2) [k:range(0 2)]) "
        "arrayplace(row range(0 2) [j:range(7 9)])"
    )
    assert programs(layout) == {(0, y): f"p i={y % 2} j={7 + y // 2}" for y in range(4)}


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("rect(0 0 1)", "1:1", "rect(x y width height)"),
        ("rect(0 0 1 1//0)", "1:12", "by zero"),
        ("rect(0 0 -1 1)", "1:10", "less than 0"),
        ("rect(0 0 7/2 1)", "1:10", "`//` divides"),
        ("rect(0 0 'a 1)", "1:10", "whole number as width"),
        ("rect(0 0 99999999 1)", "1:10", "far larger"),
        ("rect(0 0 5000 1)", "1:1", "4096"),
        ("hstackrep(tile() 99999)", "1:1", "4096"),
        ("rct(0 0 1 1)", "1:1", "did you mean `rect`"),
        ("hstack(tile() 3)", "1:15", "a region, and this is the number 3"),
        ("let aa = tile()\nhstack(aaa)", "2:8", "did you mean `aa`"),
        ("let a = tile()\nhstack(rect)", "2:8", "is an operation"),
        ("let a = 1", "1:5", "no expression"),
        ("3", "1:1", "not a region"),
        ("rect(0 0 0 1)", "1:1", "no tiles"),
        ("", "1:1", "no expression"),
        ("let a = tile()\na : paint(3 [L>C])\na", "2:11", "color(3)"),
        ("let c = color()\nlet a = tile()\na : paint(c [x:1])\na", "3:13", "[L>C]"),
        ("let c = color(24)", "1:15", "0 to 23"),
        ("let a = tile()\na : name('b 'c)\na", "2:5", "3 arguments"),
        ('let a = tile()\na : name("b c")\na', "2:10", "no blanks"),
        ("let a = tile()\na : code('p [i:@k])\na", "2:14", "no arrayplace"),
        ("place(tile() @k 1)", "1:14", "in the map of a code"),
        ("arrayplace(tile() 3)", "1:19", "a list"),
        ("arrayplace(tile() range(0 2) [k:3])", "1:31", "should be a list"),
        ("arrayplace(tile() range(0 2) [k:range(0 3)])", "1:31", "3 elements for 2"),
        ("let a = tile()\na : code('p [N:1 N:2])\na", "2:18", "twice"),
        ("let a = tile()\na : code('p [N:tile()])\na", "2:14", "a region"),
        ("terminal(tile() 'a 'data CENTER c 1)", "1:1", "does not build"),
        ("transport('a.t 'b.t 'n)", "1:1", "does not build"),
        ("let c = color()\nlet a = tile()\na : colorpair(c c)\na", "3:5", "own partner"),
        ("let a = tile()\na : mp(2)\na", "2:8", "no message passing bank"),
        ("define f(a) { a }\nf()", "2:1", "f(a)"),
        ("define f(n) { f(n+1) }\nf(0)", "1:15", "deeper than"),
        ("define f() { }\nf()", "2:1", "no statement with a value"),
        ("define f() { define g() { 1 } }\nf()", "1:21", "function inside"),
        ("let c = color() flow(tile() c 'sum 'sp)", "1:31", "'add, 'max, 'min"),
        ("setif(tile() 1 2)", "1:7", "a number as condition"),
    ],
)
def test_mistakes(text: str, place: str, says: str) -> None:
    shown = mistake(text)
    assert shown.startswith(f"t.paint:{place}: error:"), shown
    assert says in shown, shown


def test_mistakes_in_functions_tell_who_called() -> None:
    shown = mistake("define f(w) {\n  rect(0 0 w 1)\n}\nf('a)")
    assert shown.startswith("t.paint:2:12: error:"), shown
    assert "t.paint:4:1: note: in `f`, called here" in shown


def test_unknown_names_of_unset_settings() -> None:
    assert "set=K= leaves it unset" in mistake("rect(0 0 K 1)", K="")
    assert "set=K=…" in mistake("rect(0 0 K 1)")


# Laws of the operations, on layouts of random shapes with routes.

shapes = st.tuples(st.integers(-2, 3), st.integers(-2, 3), st.integers(0, 3), st.integers(0, 3))
RULES = ["[L>R]", "[L|L>RC|R]", "[C>LU|U]", "[D|DXC ; L>U|R]"]


@st.composite
def regions(draw: st.DrawFn, depth: int = 2) -> str:
    """A region's expression; region p of a color p never meets another rule of it."""
    if depth and draw(st.booleans()):
        kind = draw(st.sampled_from(["union", "hstack", "vstack", "rep", "flip", "place"]))
        one = draw(regions(depth=depth - 1))
        if kind == "rep":
            name = draw(st.sampled_from(["hstackrep", "vstackrep"]))
            return f"{name}({one} {draw(st.integers(0, 3))} {draw(st.integers(0, 2))})"
        if kind == "flip":
            return f"{draw(st.sampled_from(['hflip', 'vflip']))}({one})"
        if kind == "place":
            return f"place({one} {draw(st.integers(-3, 3))} {draw(st.integers(-3, 3))})"
        return f"{kind}({one} {draw(regions(depth=depth - 1))})"
    x, y, w, h = draw(shapes)
    number = draw(st.integers(0, len(RULES) - 1))
    return f"paint(name(rect({x} {y} {w} {h}) 'n{number}) color() {RULES[number]})"


def meaning(text: str) -> object:
    """What a layout means, independent of how its region came about; None without tiles."""
    try:
        layout: Layout = lay(f"union({text} tile())")
    except Exception as error:
        return str(error)
    rules = [
        (color.order, color.label, sorted(_rules(layout, color).items())) for color in layout.grids
    ]
    names = {name: (ys.tolist(), xs.tolist()) for name, (ys, xs) in layout.names.items()}
    return tiles(layout), sorted(rules), names


def _rules(layout: Layout, color: object) -> dict[tuple[int, int], str]:
    grid = layout.grids[color]  # type: ignore[index]
    ys, xs = np.nonzero(grid.ids >= 0)
    return {
        (int(x) + grid.x, int(y) + grid.y): str(grid.rules[grid.ids[y, x]][0])
        for y, x in zip(ys, xs, strict=True)
    }


@settings(max_examples=60, deadline=None)
@given(regions())
def test_flipping_twice_is_the_identity(text: str) -> None:
    expected = meaning(text)
    for flip in ("hflip", "vflip"):
        twice = meaning(f"{flip}({flip}({text}))")
        assert _without_places(twice) == _without_places(expected)


@settings(max_examples=60, deadline=None)
@given(regions(depth=1), regions(depth=1), regions(depth=1))
def test_union_is_associative(a: str, b: str, c: str) -> None:
    left = meaning(f"union(union({a} {b}) {c})")
    right = meaning(f"union({a} union({b} {c}))")
    assert _without_places(left) == _without_places(right)


@settings(max_examples=60, deadline=None)
@given(regions(), st.integers(-5, 5), st.integers(-5, 5))
def test_moving_a_layout_changes_no_number(text: str, dx: int, dy: int) -> None:
    try:
        here = lay(text)
    except Exception:
        return
    there = lay(f"place({text} {dx} {dy})")
    assert sorted(solved(here).values()) == sorted(solved(there).values())
    assert [g.ids.tolist() for g in here.grids.values()] == [
        g.ids.tolist() for g in there.grids.values()
    ]


def _without_places(meaning_: object) -> object:
    """Labels of colors without names hold places, which differ between two texts."""
    if isinstance(meaning_, str):
        return meaning_.partition("tile")[0]
    all_tiles, rules, names = meaning_  # type: ignore[misc]
    return all_tiles, [(order, where) for order, _, where in rules], names


def test_many_names_of_scattered_tiles() -> None:
    """Each name has tiles of two arrays, joined for it alone."""
    members = [
        f"name(union(hstackrep(rect(0 {k} 1 1) 3 1) hstackrep(rect(9 {k} 2 1) 2 {k})) 'n{k})"
        for k in range(30)
    ]
    layout = lay(f"union({' '.join(members)})")
    for k in range(30):
        ys, xs = layout.names[f"n{k}"]
        assert set(ys.tolist()) == {k}
        assert xs.tolist() == [0, 2, 4, 9, 10, 11 + k, 12 + k]
