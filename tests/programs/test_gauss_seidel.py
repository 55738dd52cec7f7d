"""Gauss–Seidel sweeps forward and backward over aliased arrays, against numpy, to the bit."""

import json

import numpy as np
import pytest

from tests.programs.bench import HERE, fma, run, same_bits

F = np.float32


def system(width, n):
    random = np.random.default_rng(9)
    a = np.zeros((width, n + 2), F)
    b = np.zeros((width, n + 1), F)
    a[:, 2:n] = random.uniform(-1, 1, (width, n - 2))
    b[:, 1:n] = random.uniform(-1, 1, (width, n - 1))
    d = random.uniform(4, 6, (width, n)).astype(F)
    f = random.standard_normal((width, n)).astype(F)
    return a, b, d, f


def division(values):
    """1/d, correctly rounded; the program's division is within one unit in the last place of it."""
    return (1 / values.astype(np.float64)).astype(F)


def mirror(a, b, d, f, inv, sweeps):
    """x, the residuals, and r of one PE."""
    n = d.size
    padded = np.zeros(n + 4, F)
    residuals = []

    def row(i, order):
        rest = f[i]
        for coefficient, place in order:
            rest = F(rest - F(coefficient * padded[place]))
        padded[i + 2] = F(rest * inv[i])

    for _ in range(sweeps):
        for i in range(n):
            row(i, ((a[i], i), (b[i], i + 1), (b[i + 1], i + 3), (a[i + 2], i + 4)))
        for i in reversed(range(n)):
            row(i, ((a[i + 2], i + 4), (b[i + 1], i + 3), (b[i], i + 1), (a[i], i)))
        r = f - d * padded[2 : n + 2]
        for coefficient, start in ((b[:n], 1), (b[1:], 3), (a[:n], 0), (a[2:], 4)):
            r = r - coefficient * padded[start : start + n]
        total = F(0)
        for value in r:
            total = fma(total, value, value)[()]
        residuals.append(total)
        padded[3 : n + 3] = padded[2 : n + 2].copy()
        padded[2 : n + 2] = padded[3 : n + 3].copy()
    return padded[2 : n + 2], np.array(residuals, F), r


@pytest.mark.parametrize(("width", "n", "sweeps"), [(1, 2, 3), (2, 7, 5), (3, 64, 8)])
def test_sweeps_keep_their_order(width, n, sweeps, tmp_path):
    a, b, d, f = system(width, n)
    inputs = {"pe.a": a[None], "pe.b": b[None], "pe.d": d[None], "pe.f": f[None]}
    core = run("gauss-seidel", tmp_path, inputs, W=width, N=n, SWEEPS=sweeps).core
    inv = np.asarray(core.get("pe.inv"))[0]
    assert np.all(np.abs(inv - division(d)) <= np.spacing(inv))
    for pe in range(width):
        x, residuals, r = mirror(a[pe], b[pe], d[pe], f[pe], inv[pe], sweeps)
        same_bits(np.asarray(core.get("pe.x"))[0, pe], x, "x")
        same_bits(np.asarray(core.get("pe.r"))[0, pe], r, "r")
        same_bits(np.asarray(core.get("pe.residual"))[0, pe], residuals, "residual")
        assert residuals[-1] < residuals[0]


def test_the_residual_is_vectors_and_the_sweeps_are_not(tmp_path):
    run("gauss-seidel", tmp_path, {}, W=1, N=8, SWEEPS=1)
    listing = json.loads((tmp_path / "bench-listing.json").read_text())
    source = (HERE / "gauss-seidel/sweep.w").read_text().splitlines()
    found: dict[str, list[str]] = {}
    for one in listing["programs"][0]["instructions"]:
        found.setdefault(source[one["line"] - 1].strip(), []).append(one["mnemonic"])
    for line in ("r[i] <- r[i] - b[i]*below[i]", "r[i] <- r[i] - a[i+2]*padded[i+4]"):
        assert [m for m in found[f"∀i {line};"] if m != "ldds"] == ["fmuls", "fsubs"]
    assert [m for m in found["∀i residual[s] = ∑ r[i]*r[i];"] if m != "ldds"] == ["dots"]
    assert "ldds" not in found["x[i] <- rest*inv[i];"]
