import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from carbide.object import Segment, Symbol
from mitools.console import UserError
from mitools.image.values import NamedArray
from tests.mitools.images import SYMBOLS, UNUSED, grid, program, tiles


def test_initial_values_come_from_the_program():
    image = grid()
    a = image.get("grid.a")
    assert a.dims == ("y", "x", "n")
    assert a.shape == (2, 3, 3)
    assert a.dtype == np.float32
    assert a[1, 2].tolist() == [1.0, 2.0, 0.0]
    assert image.get("routes")[0, 0, :3].tolist() == [0xA0, 0xA1, 0xA0]


def test_registers_show_the_configuration_under_the_program():
    symbols = (Symbol("ids", "u16", 0x7C45, 1, (("n", 2),)), Symbol("q", "u16", 0x7B80, 1))
    image = grid(2, 3, program(symbols=symbols))
    image.configs = [evolve(UNUSED, output_queues=(0x30,) + (0,) * 7)]
    assert image.get("ids")[1, 2].tolist() == [1, 2]
    assert (image.get("q") == 0x30).all()


def test_structs_are_words():
    params = grid().get("grid.params")
    assert params.dims == ("y", "x", "_word")
    assert params.shape == (2, 3, 14)
    assert params.dtype == np.uint16


@given(st.permutations(["y", "x", "n", "m"]), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_what_is_set_in_any_order_is_got(order, seed):
    image = grid()
    extents = {"y": 2, "x": 3, "n": 2, "m": 3}
    shape = [extents[d] for d in order]
    values = np.random.default_rng(seed).normal(size=shape).astype(np.float16)
    image.set("grid.h", values, order)
    got = image.get("grid.h", order)
    assert got.dims == tuple(order)
    assert np.array_equal(got, values)
    assert np.array_equal(image.get("grid.h"), values.transpose(np.argsort(_axes(order))))


def _axes(order):
    return [["y", "x", "n", "m"].index(d) for d in order]


def test_setting_again_does_not_make_the_image_grow():
    image = grid()
    for k in range(5):
        image.set("grid.a", k)
        image.set("grid.b", k)
    assert len(image.overlays) == 2
    assert (image.get("grid.a") == 4).all()


def test_a_layer_under_another_is_not_changed():
    wide = Symbol("wide", "u16", 0x100, 1, (("w", 32),))
    image = grid(2, 3, program(symbols=(*SYMBOLS, wide)))
    image.set("grid.a", 1.0)
    image.set("grid.wide", 7)
    image.set("grid.a", 2.0)
    assert (image.get("grid.a") == 2.0).all()
    assert (image.get("grid.wide")[..., 6:] == 7).all()


def test_x_and_y_count_the_regions_own_rows_and_columns():
    image = grid(4, 9)
    ys, xs = tiles(1, 1, 2, 2)
    image.regions = {"r": (ys + (ys > 1), xs * 3)}
    image.set("b", np.arange(36).reshape(4, 9))
    assert image.get("r.b").tolist() == [[12, 15], [30, 33]]


def test_tiles_without_the_symbol_are_gaps():
    image = grid(3, 3, program(), program("other", ()))
    image.program[1] = 1
    image.set("grid.b", np.array([[1, 2, 3], [4, 5, 6]]))
    assert image.get("b").tolist() == [[1, 2, 3], [4, 5, 6]]
    assert image.get("grid.b").shape == (2, 3)


def test_missing_tiles_read_zero_and_are_passed_over_in_writing():
    image = grid(2, 2, program(), program("other", ()))
    image.program[0, 1] = 1
    image.set("grid.b", np.array([[1, 2], [3, 4]]))
    assert image.get("grid.b").tolist() == [[1, 0], [3, 4]]
    assert sum(len(o.ys) for o in image.overlays) == 3


def test_programs_of_one_region_may_differ_in_address_and_extent():
    far = program("far", (Symbol("a", "sp", 0x200, 2, (("n", 5),)),))
    image = grid(1, 3, program(), far)
    image.program[0, 1] = 1
    values = np.arange(15, dtype=np.float32).reshape(1, 3, 5)
    image.set("grid.a", values)
    assert image.get("grid.a").tolist() == [
        [[0, 1, 2, 0, 0], [5, 6, 7, 8, 9], [10, 11, 12, 0, 0]]
    ]
    assert sorted(o.address for o in image.overlays) == [0x100, 0x200]


def test_symbols_declared_differently_need_a_region():
    other = program("other", (Symbol("a", "xp", 0x100, 1, (("m", 5),)),))
    image = grid(1, 2, program(), other)
    image.program[0, 1] = 1
    image.regions = {"l": tiles(0, 0, 1, 1), "r": tiles(0, 1, 1, 1)}
    with pytest.raises(UserError, match=r"sp a\[n=3\] and xp a\[m=5\]"):
        image.get("a")
    assert image.get("l.a").dims == ("y", "x", "n")
    assert image.get("r.a").dims == ("y", "x", "m")


def test_dimensions_that_hide_y_x_or_repeat_are_numbered():
    symbol = Symbol("s", "xp", 0x100, 1, (("x", 2), ("n", 3), ("n", 4), ("_word", 1)))
    image = grid(1, 1, program(symbols=(symbol,)))
    assert image.get("s").dims == ("y", "x", "n0", "n", "n2", "n3")


def test_registers_are_written_as_layers():
    image = grid()
    image.set("grid.routes", 0x83)
    assert [o.address for o in image.overlays] == [0x7C00]
    assert (image.get("grid.routes") == 0x83).all()


def test_regions_with_dots_and_nested_names():
    image = grid()
    image.regions = {"mup": tiles(0, 0, 1, 1), "mup.mupterm": tiles(1, 0, 1, 3)}
    image.set("mup.mupterm.b", 5)
    assert image.get("b").tolist() == [[0, 0, 0], [5, 5, 5]]
    assert image.get("mup.b").tolist() == [[0]]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("grid.z", "there is no symbol `grid.z`"),
        ("gird.a", "did you mean `grid.a`?"),
        ("grid.parms", "did you mean `grid.params`?"),
        ("far.away.a", "regions with a name: grid"),
        ("", "there is no symbol ``"),
    ],
)
def test_unknown_names(name, reason):
    with pytest.raises(UserError) as caught:
        grid().get(name)
    assert reason in caught.value.render()


def test_a_region_whose_programs_lack_the_symbol():
    image = grid(1, 2, program(), program("other", ()))
    image.program[0, 1] = 1
    image.regions["r"] = tiles(0, 1, 1, 1)
    with pytest.raises(UserError, match="no program of region `r` has a symbol `a`"):
        image.get("r.a")


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("grid.b", 65536, "65536 does not fit `grid.b`, whose elements have 16 bits"),
        ("grid.b", -32769, "-32769 does not fit"),
        ("grid.b", 1.5, "a value is a fraction"),
        ("grid.b", float("nan"), "not finite"),
        ("grid.b", "x", "are not numbers"),
        ("grid.a", [1, 2], r"shape \(2,\) do not fit `grid.a`, which has shape \(2, 3, 3\)"),
        ("grid.params", 1 << 16, "does not fit"),
    ],
)
def test_values_that_do_not_fit(name, values, reason):
    image = grid()
    with pytest.raises(UserError, match=reason):
        image.set(name, values)
    assert not image.overlays


@pytest.mark.parametrize(
    ("type_", "words", "values"),
    [
        ("xp", 1, [-32768, -1, 0, 32767]),
        ("i16", 1, [-32768, 32767]),
        ("u16", 1, [0, 65535]),
        ("i32", 2, [-(1 << 31), -1, (1 << 31) - 1]),
        ("u32", 2, [0, (1 << 32) - 1]),
        ("wv", 2, [0x09409249]),
        ("u64", 4, [0, (1 << 64) - 1]),
        ("hp", 1, [1.5, -0.0, 65504, 5.96e-08]),
        ("sp", 2, [0.1, -0.0, 1e-45, 3.4028235e38, float("inf")]),
    ],
)
def test_every_type_keeps_its_extremes(type_, words, values):
    symbol = Symbol("v", type_, 0x100, words, (("n", len(values)),))
    image = grid(1, 1, program(symbols=(symbol,), data=(Segment(0x100, (0xFFFF,) * 20),)))
    wanted = np.array(values, image.get("v").dtype)
    image.set("v", wanted)
    assert image.get("v")[0, 0].tobytes() == wanted.tobytes()
    assert image.overlays[0].words.tobytes() == wanted.tobytes()


def test_unsigned_values_wrap_into_signed_types():
    image = grid()
    image.set("b", 0xFFE0)
    assert image.get("b")[0, 0] == -32


def test_order_must_name_the_dimensions():
    with pytest.raises(UserError, match="the dimensions of `b` are y x"):
        grid().get("b", ["x"])


def test_names_of_dimensions_follow_the_array():
    array = NamedArray(np.zeros((2, 3)), ("y", "x"))
    assert (array + 1).dims == ("y", "x")
    assert array[0].dims == ()
