"""The numpy mirrors of lessons round a fused multiply-add once, as exact arithmetic says."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from lessons import LESSONS


def fused_of(lesson: str) -> Callable[..., np.ndarray]:
    source = (LESSONS / lesson / "check.py").read_text()
    names: dict = {"np": np}
    exec(source[source.index("def fused") : source.index("def picture")], names)
    return names["fused"]


MIRRORS = [fused_of("06-heat"), fused_of("07-torus")]

floats = st.floats(-(2.0**40), 2.0**40, width=32)


def nearest(exact: Fraction) -> np.float32:
    """The binary32 number nearest to an exact one, ties to even."""
    near = np.float32(float(exact))
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    return min(around, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(np.uint32)) & 1))


@settings(max_examples=300, deadline=None)
@given(a=floats, b=floats, c=floats, cancel=st.booleans())
def test_fused(a: float, b: float, c: float, cancel: bool) -> None:
    if cancel:
        a = float(-np.float32(b) * np.float32(c))
    expected = nearest(Fraction(a) + Fraction(b) * Fraction(c))
    for fused in MIRRORS:
        assert fused(*(np.array([x], np.float32) for x in (a, b, c)))[0] == expected
