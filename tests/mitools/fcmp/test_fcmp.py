import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitools.fcmp.command import main
from mitools.fcmp.compare import FORMATS, compare

INF, NAN = float("inf"), float("nan")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, values, type_: str = "<f4") -> None:
    np.array(values, type_).tofile(name)


@pytest.mark.parametrize(
    ("a", "b", "relative"),
    [
        (1.0, 1.0, 0),
        (0.0, -0.0, 0),
        (NAN, NAN, 0),
        (NAN, 1.0, INF),
        (1.0, NAN, INF),
        (INF, INF, 0),
        (INF, -INF, INF),
        (INF, 3e38, INF),
        (1.0, 2.0, 0.5),
        (-1.0, 1.0, 2.0),
        (0.0, 1e-45, 1.0),
    ],
)
def test_relative_difference(a, b, relative):
    result = compare(np.array([7, a], "<f4"), np.array([7, b], "<f4"))
    assert result.relative == relative
    assert result.unequal == (relative != 0)
    assert result.worst == (1 if relative else -1)


def test_nans_of_any_bits_are_equal():
    bits = np.array([0x7FC00000, 0xFFC00001], "<u4").view("<f4")
    assert compare(bits, bits[::-1]).unequal == 0


@given(st.sampled_from(sorted(FORMATS)), st.sampled_from(sorted(FORMATS)), st.integers(0, 999))
@settings(deadline=None, max_examples=60)
def test_every_pair_of_formats_compares(a, b, seed):
    small = np.random.default_rng(seed).integers(0, 100, 20)
    one, two = small.astype(FORMATS[a]), small.astype(FORMATS[b])
    assert compare(one, two).unequal == 0
    two[3] = 101
    result = compare(one, two)
    assert (result.unequal, result.worst, result.first) == (1, 3, 3)
    assert result.relative == pytest.approx((101 - small[3]) / 101)


def test_64_bits_are_compared_exactly():
    a = np.array([(1 << 63) - 1], "<u8")
    assert compare(a, np.array([(1 << 63) - 1], "<i8")).unequal == 0
    assert compare(a, np.array([(1 << 63) - 2], "<i8")).absolute == 1


def test_limit_is_the_status(capsys):
    write("a", [1.0, 2.0])
    write("b", [1.0, 2.002])
    assert main(["a=a", "b=b", "limit=1e-2"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["a=a", "b=b", "limit=1e-4"]) == 1
    captured = capsys.readouterr()
    assert "largest relative difference" in captured.err and "at number 1" in captured.err
    assert "2.0 and 2.002" in captured.out
    assert main(["a=a", "b=a", "limit=0"]) == 0


def test_without_a_limit_it_reports(capsys):
    write("a", [1.0, 2.0])
    write("b", [3, 2], "<i2")
    assert main(["a=a", "b=b", "aformat=sp", "bformat=xp"]) == 0
    assert "2 numbers, 1 differ" in capsys.readouterr().out
    assert main(["a=a", "b=b", "bformat=xp", "report=1", "limit=1"]) == 0
    assert "first difference at number 0: 1.0 and 3" in capsys.readouterr().out
    assert main(["a=a", "b=b", "bformat=xp", "report=0"]) == 0
    assert capsys.readouterr().out == ""


def test_empty_files_are_equal(capsys):
    write("a", [])
    assert main(["a=a", "b=a", "limit=0", "report=1"]) == 0
    assert "0 numbers, 0 differ" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ("a=a b=short", "`a` has 2 numbers, `short` has 1"),
        ("a=a b=odd", "5 bytes are no whole count of sp numbers of 4 bytes"),
        ("a=a b=gone", "cannot read `gone`"),
        ("a=a b=a aformat=fp", "is none of sp, hp"),
        ("a=a b=a limit=x", "limit=`x` is not a number"),
        ("a=a b=a limit=-1", "is not 0 or more"),
        ("a=a b=a limit=nan", "is not 0 or more"),
        ("a=a", "`b=` is missing"),
        ("a=a b=a tolerance=1", "fcmp has no key `tolerance=`"),
    ],
)
def test_mistakes(terms, reason, capsys):
    write("a", [1.0, 2.0])
    write("short", [1.0])
    with open("odd", "wb") as file:
        file.write(b"12345")
    assert main(terms.split()) == 1
    error = capsys.readouterr().err
    assert reason in error and "Traceback" not in error
