"""Route texts."""

import pytest

from mitools.console import Place, UserError
from paint.syntax.rules import parse_rule, rule_text


def rule(text: str):
    return parse_rule(text, lambda start, end: Place("t", 1, start + 1, end + 1))


@pytest.mark.parametrize(
    ("text", "source", "modifier", "outputs", "before", "after"),
    [
        ("[L>C]", "L", ">", "C", "", ""),
        ("[C>LRUD]", "C", ">", "LRUD", "", ""),
        ("[L>CRU]", "L", ">", "RUC", "", ""),
        ("[C>]", "C", ">", "", "", ""),
        ("[>C]", "", ">", "C", "", ""),
        ("[LXC]", "L", "X", "C", "", ""),
        ("[LHR]", "L", "H", "R", "", ""),
        ("[LVR]", "L", "V", "R", "", ""),
        ("[CXR|R]", "C", "X", "R", "", "R"),
        ("[L|LXC]", "L", "X", "C", "L", ""),
        ("[D>UL|U]", "D", ">", "LU", "", "U"),
        ("[L|U|L>R|R|D]", "L", ">", "R", "LU", "RD"),
        ("[ L | L X C ]", "L", "X", "C", "L", ""),
        ("[LXL]", "L", "X", "L", "", ""),
    ],
)
def test_one_position(
    text: str, source: str, modifier: str, outputs: str, before: str, after: str
) -> None:
    (position,) = rule(text).positions
    assert (position.input, position.modifier, position.outputs) == (source, modifier, outputs)
    assert (position.before, position.after) == (before, after)


@pytest.mark.parametrize(
    ("text", "count", "initial", "pop", "ring"),
    [
        ("[L>R ; C>R]", 2, 0, "no", False),
        ("[C>D ; U>D ; pop=adv ring]", 2, 0, "adv", True),
        ("[C>D;U>D*;ring]", 2, 1, "no", True),
        ("[C>D ; U>D* ; L>D ; R>D ; pop=adv-nop]", 4, 1, "adv-nop", False),
        ("[C>D ; pop=always]", 1, 0, "always", False),
        ("[C>D* ; U>D ; pop=no ; ring]", 2, 0, "no", True),
    ],
)
def test_positions_and_options(text: str, count: int, initial: int, pop: str, ring: bool) -> None:
    found = rule(text)
    assert (len(found.positions), found.initial) == (count, initial)
    assert (found.pop, found.ring) == (pop, ring)
    assert rule(rule_text(found)) == found


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("[C>R ; C>R ; C>R ; C>R ; C>R]", 1, "up to 4"),
        ("[CXR ; CHR]", 8, "modifier `H`"),
        ("[CL>R]", 2, "one input"),
        ("[Q>R]", 2, "no side"),
        ("[c>R]", 2, "capitals"),
        ("[W>C]", 2, "L is the one meant"),
        ("[C>RR]", 5, "twice"),
        ("[C>R|C]", 6, "no edge"),
        ("[C>R|]", 5, "needs a side"),
        ("[|C>R]", 2, "needs a side"),
        ("[C>>R]", 4, "second"),
        ("[>]", 2, "without input and outputs"),
        ("[C>R ; ]", 7, "empty"),
        ("[C>R* ; L>R*]", 1, "two positions"),
        ("[C>R ; pop=avd]", 8, "adv"),
        ("[C>R ; rign]", 8, "ring"),
        ("[ring ; C>R]", 8, "last"),
        ("[ring]", 1, "no position"),
        ("[1 2]", 1, "neither a route nor a map"),
        ("[C>R pop=adv]", 6, "`;` of their own"),
        ("[>C ; L>C]", 2, "needs an input"),
    ],
)
def test_mistakes(text: str, column: int, says: str) -> None:
    with pytest.raises(UserError) as caught:
        rule(text)
    assert caught.value.place is not None and caught.value.place.column == column, caught.value
    assert says in caught.value.render()
