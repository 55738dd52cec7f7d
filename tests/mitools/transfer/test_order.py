import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitools.console import UserError
from mitools.image.values import get_words, locate
from mitools.transfer.order import Order, parse_order
from tests.mitools.images import grid

DIMS = ["y", "x", "n", "_word"]


def order(text: str | None, name: str = "grid.a", image=None) -> Order:
    names = None if text is None else parse_order(text)
    return Order(locate(image or grid(), name), names)


@pytest.mark.parametrize(
    "text",
    ["y x n _word", "y,x,n,_word", " y, x  n,,_word ", "[y<2 x<3 n<3 _word<2]", "y<2 x n<3 _word"],
)
def test_names_stand_between_blanks_or_commas_and_may_be_the_maps_bracket(text):
    assert order(text).names == DIMS
    assert order(text).shape == (2, 3, 3, 2)


def test_the_default_is_rows_columns_array_words():
    assert order(None).names == DIMS
    assert order(None, "grid.b").names == ["y", "x"]


@given(st.permutations(DIMS))
@settings(deadline=None, max_examples=24)
def test_the_last_name_runs_fastest(names):
    image = grid()
    random = np.random.default_rng(1)
    image.set("grid.a", random.normal(size=(2, 3, 3)).astype(np.float32))
    located = locate(image, "grid.a")
    words = get_words(image, located)
    laid_out = order(" ".join(names), image=image)
    flat = laid_out.to_file(words).ravel()
    extents = dict(zip(DIMS, (2, 3, 3, 2), strict=True))
    for place, index in enumerate(np.ndindex(*(extents[d] for d in names))):
        at = dict(zip(names, index, strict=True))
        assert flat[place] == words[tuple(at[d] for d in DIMS)]
    assert np.array_equal(laid_out.from_file(flat), words)


def test_dimensions_of_extent_one_may_be_left_out():
    one = grid(1, 3)
    assert order("x n _word", image=one).shape == (3, 3, 2)
    assert order("c", "grid.routes", grid(1, 1)).shape == (24,)
    assert order("x y", "grid.b").shape == (3, 2)
    assert order("x y _word", "grid.b").shape == (3, 2, 1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("y x n", "leaves out _word of 2"),
        ("y _word", "leaves out x of 3, n of 3"),
        ("", "leaves out y of 2"),
    ],
)
def test_longer_dimensions_may_not_be_left_out(text, reason):
    with pytest.raises(UserError, match=reason) as caught:
        order(text).require_all()
    assert caught.value.remedy.startswith('order="')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("y x x n _word", "names `x` twice"),
        ("y x n m _word", "has no dimension `m`; it has y x n _word"),
        ("y x n word", "did you mean `_word`"),
        ("y<3 x n _word", "bounds `y` by 3; in `grid.a` it is 2"),
        ("y<x x n _word", "`y<x`, which is no dimension"),
        ("y<99999999999999999999", "no dimension"),
        ("[y x n _word", "no dimension"),
    ],
)
def test_mistakes(text, reason):
    with pytest.raises(UserError) as caught:
        order(text)
    assert reason in caught.value.render()
