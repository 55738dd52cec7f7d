import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carbide.object import Symbol
from mitools.console import UserError
from mitools.image.values import get_words, locate
from mitools.transfer.order import Order, parse_order
from mitools.transfer.text import parse_values, text_lines
from tests.mitools.images import grid, program


def lines(image, name: str, order: str | None = None) -> list[str]:
    located = locate(image, name)
    names = None if order is None else parse_order(order)
    return list(text_lines(located, Order(located, names), get_words(image, located)))


def test_rows_are_labelled_by_the_outer_dimensions():
    image = grid(1, 2)
    image.set("grid.h", np.arange(12).reshape(1, 2, 2, 3) / 4)
    assert lines(image, "grid.h") == [
        "grid.h hp 0x0130 [y<1 x<2 n<2 m<3]",
        "y=0 x=0 n=0: 0.0 0.25 0.5",
        "y=0 x=0 n=1: 0.75 1.0 1.25",
        "y=0 x=1 n=0: 1.5 1.75 2.0",
        "y=0 x=1 n=1: 2.25 2.5 2.75",
    ]
    assert lines(image, "grid.h", "m,n x")[1] == "m=0 n=0: 0.0 1.5"


def test_a_single_value_needs_no_label():
    assert lines(grid(1, 1), "grid.b", "")[1:] == ["0"]


def test_structs_and_words_out_of_order_are_hexadecimal():
    image = grid(1, 1)
    image.set("grid.params", np.arange(14))
    assert lines(image, "grid.params")[1].startswith("y=0 x=0: 0x0000 0x0001 0x0002")
    assert lines(image, "grid.a", "_word n")[1:] == [
        "_word=0: 0x0000 0x0000 0x0000",
        "_word=1: 0x3f80 0x4000 0x0000",
    ]


def one(type_: str, words: int, count: int = 1):
    return grid(1, 1, program(symbols=(Symbol("v", type_, 0x100, words, (("n", count),)),)))


def test_wavelets_are_hexadecimal():
    image = one("wv", 2)
    image.set("v", 0x09409249)
    assert lines(image, "v")[1] == "y=0 x=0: 0x09409249"


@given(st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_floats_read_back_as_the_same_bits(bits):
    image = one("sp", 2, len(bits))
    values = np.array(bits, np.uint32).view(np.float32)
    image.set("v", values)
    text = lines(image, "v")[1].removeprefix("y=0 x=0: ")
    again = parse_values(text, locate(image, "v"))
    assert again.tobytes() == values.tobytes()


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=20))
@settings(max_examples=30, deadline=None)
def test_half_floats_too(bits):
    image = one("hp", 1, len(bits))
    values = np.array(bits, np.uint16).view(np.float16)
    image.set("v", values)
    text = lines(image, "v")[1].removeprefix("y=0 x=0: ")
    assert parse_values(text, locate(image, "v")).tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1 2,3", [1, 2, 3]),
        ("{0xFFE0, -1}", [-32, -1]),
        ("65535", [-1]),
        ("2.0", [2]),
    ],
)
def test_integers(text, values):
    assert parse_values(text, locate(one("xp", 1), "v")).tolist() == values


@pytest.mark.parametrize(
    ("type_", "text", "reason"),
    [
        ("xp", "1.5", "fraction"),
        ("xp", "70000", "70000 does not fit `v`"),
        ("xp", "x", "`x`, which is no number"),
        ("xp", "1_000", "no number"),
        ("xp", "", "has no number"),
        ("xp", "nan", "not finite"),
        ("sp", "1.5.2", "no number"),
        ("sp", "nan:0x1ffffffff", "no 32 bits"),
        ("sp", "nan:0xq", "no 32 bits"),
        ("sp", "9" * 5000, "no number"),
        ("sp", "١", "no number"),
    ],
)
def test_what_is_no_number_of_the_type(type_, text, reason):
    with pytest.raises(UserError) as caught:
        parse_values(text, locate(one(type_, 1 if type_ == "xp" else 2), "v"))
    assert reason in caught.value.render()
