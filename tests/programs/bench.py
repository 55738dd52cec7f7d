"""Whole programs on the mesh: a folder with its `.w` files and `bench.paint`, run from Python.

    result = run("shallow-water", {"grid.η": η}, NX=4, NY=4, NSTEP=50)
    result.core.get("grid.η")

`WOLFRAMITE_LARGE=1` runs the large sizes too, which take minutes.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simfabric
from mitools.image.model import Image
from paint.command import main as paint

HERE = Path(__file__).parent
LARGE = bool(os.environ.get("WOLFRAMITE_LARGE"))


def large(*values: Any) -> Any:
    """A parameter of a test that only the slow suite runs."""
    return pytest.param(*values, marks=pytest.mark.skipif(not LARGE, reason="WOLFRAMITE_LARGE"))


def build(program: str, folder: Path, **values: object) -> Image:
    """The image of a folder's layout; `bench-listing.json` lies in `folder` afterwards."""
    source = HERE / program
    words = [f"set={name}={value}" for name, value in values.items()]
    status = paint(
        [
            f"source={source}/bench.paint",
            f"lib={source}",
            f"image={folder}/bench.obj",
            f"listing={folder}/bench-listing.json",
            *words,
        ]
    )
    assert status == 0
    return Image.open(f"{folder}/bench.obj")


def run(
    program: str,
    folder: Path,
    inputs: Mapping[str, Any] | None = None,
    cycles: int = 10_000_000,
    waits: bool = False,
    **values: object,
) -> simfabric.Result:
    """Build, set inputs by their symbols' names, and run until nothing moves.

    Fails the test for errors, at the cycle limit, and, unless `waits`, if a PE still waits
    outside a handler.
    """
    image = build(program, folder, **values)
    for symbol, array in (inputs or {}).items():
        image.set(symbol, array)
    result = simfabric.run(image, cycles=cycles, threads=2 if LARGE else 1)
    assert result.error is None, result.error
    assert result.reason == "quiet", str(result)
    if not waits:
        assert not result.explanation.causes, str(result)
    return result


def same_bits(found: Any, expected: Any, what: str = "") -> None:
    """Equal to the last bit: −0.0 is not +0.0, and a NaN is itself."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    assert found.dtype == expected.dtype, (what, found.dtype, expected.dtype)
    kind = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[found.dtype.itemsize]
    wrong = found.view(kind) != expected.view(kind)
    if wrong.any():
        first = tuple(np.argwhere(wrong)[0])
        raise AssertionError(
            f"{what}: {wrong.sum()} of {wrong.size} differ; the first, {first}: "
            f"{found[first]!r}, expected {expected[first]!r}"
        )


def cycles(start: Any, end: Any) -> np.ndarray:
    """Cycles between two readings of the 48-bit counter, (…, 3) words each."""
    places = np.array([1, 1 << 16, 1 << 32])
    return (np.asarray(end).astype(np.int64) - np.asarray(start).astype(np.int64)) @ places


def fma(a: Any, b: Any, c: Any) -> np.ndarray:
    """a + b * c of binary32 numbers with one rounding.

    The product is exact in binary64; the sum is rounded to odd there (the last bit is set when
    anything was cut off), after which rounding to binary32 is the rounding of the exact sum.
    """
    a, b, c = (np.asarray(value, np.float32).astype(np.float64) for value in (a, b, c))
    product = b * c
    total = np.asarray(a + product)
    part = total - a
    cut = (a - (total - part)) + (product - part)
    bits = total.view(np.int64)
    toward = np.where((cut > 0) == (total > 0), 1, -1)
    bits = np.where((cut != 0) & (bits & 1 == 0), bits + toward, bits)
    return bits.view(np.float64).astype(np.float32)


def fms(a: Any, b: Any, c: Any) -> np.ndarray:
    """a - b * c with one rounding."""
    return fma(a, -np.asarray(b, np.float32), c)
