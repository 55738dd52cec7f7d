"""Reciprocal, roots and inverse roots by bits and Newton steps: to the bit, and in ulp."""

import numpy as np
import pytest

from tests.programs.bench import fma, fms, run, same_bits

F = np.float32


def bits(a):
    return np.asarray(a, F).view(np.uint32)


def reciprocal(a):
    g = (np.uint32(0x7EF311C7) - bits(a)).view(F)
    for _ in range(3):
        g = fma(g, g, fms(F(1), a, g))
    return g


def rsqrt(a):
    g = (np.uint32(0x5F3759DF) - (bits(a) >> 1)).view(F)
    h = F(0.5) * a
    for _ in range(3):
        g = fma(g, g, fms(F(0.5), h * g, g))
    return fma(g, F(0.5) * g, fms(F(1), a * g, g))


def sqrt(a):
    small = (bits(a) >> 23) < 63
    b = np.where(small, bits(a) + np.uint32(64 << 23), bits(a)).astype(np.uint32).view(F)
    g = rsqrt(b)
    s = b * g
    root = fma(s, F(0.5) * g, fms(b, s, s))
    root = np.where(small, bits(root) - np.uint32(32 << 23), bits(root)).astype(np.uint32).view(F)
    return np.where(a == 0, a, root)


def errors(found, exact):
    """Errors in units in the last place of the exact value, rounded to binary32."""
    nearest = exact.astype(F)
    return np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(nearest)).astype(np.float64)


def numbers(count):
    """Positive normal numbers below 2^126: all exponents alike, and the edges."""
    random = np.random.default_rng(7)
    exponents = random.integers(1, 253, count, dtype=np.uint32)
    x = (exponents << 23 | random.integers(0, 1 << 23, count, dtype=np.uint32)).view(F)
    edges = [1, 2, 4, 0.5, 3, 1 / 3, 2.0**-126, 2.0**125, np.nextafter(F(1), F(2)), 0.1, 10, 1e-30]
    x[: len(edges)] = edges
    return x


@pytest.mark.parametrize(
    ("w", "h", "k"),
    [(2, 2, 64), pytest.param(25, 20, 2000, marks=pytest.mark.slow)],
    ids=["256 values", "a million values"],
)
def test_to_the_bit_and_in_ulp(w, h, k, tmp_path):
    x = numbers(w * h * k).reshape(h, w, k)
    result = run("roots", tmp_path, {"pe.x": x}, W=w, H=h, K=k)
    exact = x.astype(np.float64)
    with np.errstate(over="ignore"):
        for name, mirror, truth, most in (
            ("rec", reciprocal, 1 / exact, 1.0),
            ("inv", rsqrt, 1 / np.sqrt(exact), 1.0),
            ("root", sqrt, np.sqrt(exact), 0.51),
        ):
            found = result.core.get(f"pe.{name}")
            same_bits(found, mirror(x), name)
            wrong = errors(np.asarray(found), truth)
            print(f"{name}: {wrong.max():.3f} ulp at most, {wrong.mean():.3f} in the mean")
            assert wrong.max() < most, name
