"""Layouts, and the types of mixed operations."""

import pytest

from carbide.check.types import (
    HP,
    I32,
    SCALARS,
    SP,
    U16,
    U32,
    WV,
    XP,
    Array,
    Struct,
    common,
    lay_out,
)


def struct(kind: str, *members) -> Struct:
    made = Struct(kind, "t")
    lay_out(made, members)
    return made


def test_32_bit_members_stand_at_even_offsets():
    made = struct("struct", ("a", XP), ("r", SP), ("b", XP))
    assert [(f.name, f.offset) for f in made.fields] == [("a", 0), ("r", 2), ("b", 4)]
    assert (made.words, made.align) == (6, 2)


def test_a_struct_of_words_is_not_padded():
    made = struct("struct", ("a", XP), ("v", Array(XP, (("n0", 2),))))
    assert (made.words, made.align) == (3, 1)


def test_members_of_a_union_share_their_place():
    made = struct("union", ("u", U32), ("w", Array(XP, (("n0", 2),))))
    assert [f.offset for f in made.fields] == [0, 0]
    assert made.words == 2


def test_members_of_anonymous_inner_ones():
    inner = struct("union", ("u", U32), ("w", Array(XP, (("n0", 2),))))
    made = struct("struct", ("a", XP), ("", inner), ("z", XP))
    assert made.find("w").offset == 2
    assert made.names() == ["a", "u", "w", "z"]
    assert made.find("missing") is None


def test_arrays():
    array = Array(SP, (("n", 4), ("m", 3)))
    assert array.words == 24
    assert array.inner == Array(SP, (("m", 3),))
    assert array.inner.inner is SP
    assert str(array) == "sp[4][3]"


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (XP, XP, "xp"), (XP, SCALARS["i16"], "xp"), (XP, U16, "u16"), (XP, I32, "i32"),
        (U16, I32, "i32"), (XP, U32, "u32"), (I32, U32, "u32"), (SP, I32, "sp"), (HP, SP, "sp"),
        (HP, XP, "hp"), (HP, U32, "hp"), (WV, XP, "u32"), (I32, WV, "u32"),
    ],
)  # fmt: skip
def test_mixed_operations(left, right, result):
    assert common(left, right).ir == SCALARS[result].ir
    assert common(right, left).ir == SCALARS[result].ir
