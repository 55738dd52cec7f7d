"""Every mistake about routes that the page lists, and what is no mistake."""

import pytest

from tests.paint.layouts import checked

TWO = """let c = color()
let a = tile()
a : code('a [tx:c])
a : paint(c {one})
let b = tile()
b : code('b [rx:c])
b : paint(c {two})
hstack(a b)
"""
SWAP = """let a = color()
let b = color()
let send = tile()
send : code('send [tx:a])
send : paint(a [C>R])
let recv = rect(1 0 1 1)
recv : code('recv [rx:b])
{rules}
recv : colorpair(a b)
union(send recv)
"""
ROW = """let r = color()
let rp = color()
let row = rect(0 0 K+2 1)
row : paint(rp [CXR|R])
row : paint(r {route})
row : colorpair(r rp)
let src = rect(0 0 1 1)
src : code('send [tx:r])
let stages = rect(1 0 K 1)
stages : code('stage [r:r])
let sink = rect(K+1 0 1 1)
sink : code('recv [rx:r])
union(row src stages sink)
"""


def two(one: str, two: str) -> tuple[list[str], str]:
    return checked(TWO.format(one=one, two=two))


def test_a_route_that_is_taken() -> None:
    assert two("[C>R]", "[L>C]") == ([], "")
    assert two("[C>R]", "[R>C ; L>C]")[1] == ""


@pytest.mark.parametrize("rule", ["[R>C]", "[U>C]", "[C>R]", "[>C]"])
def test_a_route_that_nobody_takes(rule: str) -> None:
    _, shown = two("[C>R]", rule)
    assert shown.startswith("t.paint:4:13: error: tile (0, 0) sends color `c` to the right"), shown
    assert "to tile (1, 0), where no rule takes it from the left" in shown
    assert "t.paint:7:13: note: the rule of `c` there" in shown


def test_a_route_to_a_tile_without_rules() -> None:
    _, shown = checked("let c = color()\nlet a = code(tile() 'a [tx:c])\na : paint(c [C>R])\n"
                       "hstack(a tile())")  # fmt: skip
    assert "t.paint:3:13: error: tile (0, 0) sends color `c`" in shown


def test_a_route_into_a_gap() -> None:
    _, shown = checked("let c = color()\nlet a = code(tile() 'a [tx:c rx:c])\n"
                       "a : paint(c [C>R ; L>C])\nhstackrep(a 2 1)")  # fmt: skip
    assert "t.paint:3:13: error" in shown and "is a gap of the layout" in shown


def test_every_bad_route_is_told_once() -> None:
    text = ("let c = color() let d = color()\nlet a = code(tile() 'a [tx:c tx2:d])\n"
            "a : paint(c [C>R])\na : paint(d [C>U])\nhstackrep(vstackrep(a 5) 7)")  # fmt: skip
    _, shown = checked(text)
    assert shown.count("error:") == 2
    assert "tile (0, 0)" in shown and "t.paint:3:13" in shown and "t.paint:4:13" in shown


def test_routes_that_carry_nothing_are_not_judged() -> None:
    warnings, shown = checked(
        "let c = color()\nlet a = paint(tile() c [L>R])\nlet b = tile()\nunion(place(a 1 0) b "
        "place(b 2 0))"
    )
    assert (warnings, shown) == ([], "")


def test_leaving_and_coming_from_outside_are_warnings() -> None:
    warnings, shown = checked(
        "let c = color()\nlet a = rect(0 0 3 2)\na : paint(c [L>RC])\na : code('a [rx:c])\na"
    )
    assert shown == ""
    assert warnings == [
        "3:13 color `c` comes from outside the layout, from the left"
        " (on 2 tiles, the first (0, 0))",
        "3:13 color `c` leaves the layout to the right (on 2 tiles, the first (2, 0))",
    ]
    assert checked("let c = color()\nlet a = rect(0 0 3 2)\na : paint(c [L|L>RC|R])\na") == ([], "")


def test_the_first_step_of_the_notes() -> None:
    assert checked(SWAP.format(rules="recv : paint(b [LHC])\nrecv : paint(a [LHC])")) == ([], "")


def test_a_color_without_rule_reads_what_its_partner_takes() -> None:
    warnings, shown = checked(SWAP.format(rules="recv : paint(b [LHC])\n"))
    assert shown == ""
    assert warnings == [
        "5:16 `a` reads its own wavelets too where they come from the left, and has no input there:"
        " the fabric stalls (on tile (1, 0))"
    ]


def test_a_swap_whose_partner_does_not_swap() -> None:
    warnings, shown = checked(SWAP.format(rules="recv : paint(b [L>C])\nrecv : paint(a [LHC])"))
    assert shown == ""
    assert any("no color reads `a` as it comes from the left" in w for w in warnings)


def test_the_partner_takes_nothing_without_a_swap() -> None:
    _, shown = checked(SWAP.format(rules="recv : paint(b [L>C])\n"))
    assert "t.paint:5:16: error: tile (0, 0) sends color `a`" in shown
    assert "the rule of `b` there is [L>C]" in shown


@pytest.mark.parametrize("stages", [0, 1, 5])
def test_the_second_step_of_the_notes(stages: int) -> None:
    assert checked(ROW.format(route="[L|LXC]"), K=stages) == ([], "")


def test_the_second_step_with_the_wrong_swap() -> None:
    warnings, shown = checked(ROW.format(route="[L|LHC]"), K=1)
    assert shown == ""
    assert any("8:7 what socket `tx` sends goes nowhere: `r` reads it too" in w for w in warnings)


def test_turning_a_route_around() -> None:
    """The notes' step 4: what arrives on c0 goes back on c0x, and the other moat sends it again."""
    text = """let c0 = color() let c0x = color()
        let all = rect(0 0 K+2 1)
        all : colorpair(c0 c0x)
        let grid = rect(1 0 K 1)
        grid : code('cell [tx:c0 rx2:c0])
        grid : paint(c0x [R>L])
        grid : paint(c0 [C>R ; L>RC])
        let right = rect(K+1 0 1 1) right : paint(c0x [LXL]) right : paint(c0 [LXL])
        let left = rect(0 0 1 1) left : paint(c0 [RXR]) left : paint(c0x [RXR])
        union(all grid right left)"""
    assert checked(text, K=1) == ([], "") and checked(text, K=4) == ([], "")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("", "what socket `tx` sends reaches nobody: no rule takes `c` from the core"),
        ("a : paint(c [L>R])", "what socket `tx` sends reaches nobody: no rule takes"),
        ("a : paint(c [C>])", None),
        ("a : paint(c [C>R|R])", None),
        ("a : paint(c [C>C])", None),
    ],
)
def test_a_socket_that_reaches_nobody(rule: str, says: str | None) -> None:
    core = "rx2:c" if "C>C" in rule else ""
    warnings, shown = checked(f"let c = color()\nlet a = code(tile() 'a [tx:c {core}])\n{rule}\na")
    assert shown == ""
    found = [w for w in warnings if "socket" in w]
    assert found == [] if says is None else (says in found[0] and found[0].startswith("2:9"))


def test_a_socket_whose_route_ends_at_cores_that_do_not_receive() -> None:
    warnings, _ = checked(TWO.replace("rx:c", "N:1").format(one="[C>R]", two="[L>C]"))
    assert warnings == [
        "3:5 what socket `tx` sends reaches nobody: `c` comes to no core that receives it"
        " (on tile (0, 0))"
    ]


def test_a_socket_that_receives_from_nobody() -> None:
    text = "let c = color()\nlet a = code(rect(0 0 2 1) 'a [rx:c])\n{}\na"
    (warning,) = checked(text.format(""))[0]
    assert warning == (
        "2:9 socket `rx` receives from nobody: no rule brings `c` to the core"
        " (on 2 tiles, the first (0, 0))"
    )
    warnings = checked(text.format("a : paint(c [C>C])"))[0]
    assert [w for w in warnings if "nothing feeds `c` there" in w]
    assert checked(text.format("a : paint(c [L|L>C])"))[0] != []


def test_an_edge_that_the_layout_cuts_is_meant() -> None:
    text = "let c = color()\nlet a = code(rect(0 0 2 1) 'a [rx:c tx:c])\na : paint(c {})\na"
    assert checked(text.format("[L|L>C ; C>R|R]")) == ([], "")


def test_programs_that_set_routes_are_exempt() -> None:
    for name in ("a", "config"):
        text = (f"let c = color()\nlet d = color()\nlet a = code(tile() '{name} [tx:c rx:d])\n"
                "let b = code(tile() 'b [tx:d])\nb : paint(d [C>L])\nhstack(a b)")  # fmt: skip
        warnings, shown = checked(text)
        if name == "config":
            assert (warnings, shown) == ([], "")
        else:
            assert warnings == [] and "t.paint:5:13: error" in shown


def test_message_colors_are_exempt() -> None:
    text = "let m = color(18)\nlet a = code(tile() 'a [tx:m rx:m])\na : mp(0)\na"
    assert checked(text) == ([], "")


def test_flows_are_exempt() -> None:
    text = "let c = color()\nlet a = code(rect(0 0 2 2) 'a [tx:c rx:c])\na : flow(c 'add 'sp)\na"
    assert checked(text) == ([], "")


def test_a_dead_rule_beyond_a_fed_one_of_the_same_kind() -> None:
    """Kinds of tiles are alike, their feeding is not: only tiles that are fed count."""
    text = """let c = color()
        let cell = rect(0 0 4 1)
        cell : paint(c [L|L>R|R])
        let one = place(cell 1 0)
        let lone = place(cell 1 1)
        let src = code(tile() 'a [tx:c]) src : paint(c [C>R])
        let end = code(rect(5 0 1 1) 'b [rx:c]) end : paint(c [L>C])
        union(src paint(rect(1 0 4 1) c [L>R]) end paint(rect(1 1 4 1) c [L>R]) rect(5 1 1 1)
              rect(0 1 1 1))"""
    assert checked(text) == ([], "")
