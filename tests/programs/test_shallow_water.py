"""One PE per cell, two exchange phases and 61 scalar sp operations a step, against numpy."""

import numpy as np
import pytest

from tests.programs.bench import cycles, fms, large, run, same_bits

f = np.float32

PUBLISHED = 355
"""Cycles a step of a published program of this kind, with 49 operations."""

SIZES = [
    (4, 4, 50),
    (5, 5, 50),
    (6, 4, 50),
    (8, 8, 50),
    large(32, 32, 50),
    large(32, 32, 1000),
]


def shifted(a: np.ndarray, dy: int, dx: int) -> np.ndarray:
    """The neighbour's values at (y + dy, x + dx); 0 from the walls."""
    ring = np.pad(a, 1)
    height, width = a.shape
    return ring[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]


def basin(nx: int, ny: int) -> tuple[np.ndarray, np.ndarray]:
    """A rough surface (ny, nx) and the constants (ny, nx, 13)."""
    η = np.random.default_rng(5).random((ny, nx)).astype(f) * f(0.2)
    k = np.zeros((ny, nx, 13), f)
    k[..., :7] = [0.05, 0.06, 0.1, 0.11, 0.01, 0.001, 1.0]
    k[..., 7:11] = 1
    k[:, -1, 7] = k[:, 0, 8] = k[-1, :, 9] = k[0, :, 10] = 0
    k[..., 11:] = [0.02, 0.5]
    return η, k


def mirror(h: np.ndarray, k: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What cells compute, fused where a, b and c of `a - b*c` are plain variables."""
    gx, gy, rx, ry, spin, drag, depth, east, west, south, north, ε, half = np.moveaxis(k, -1, 0)
    u, v, zero = np.zeros_like(h), np.zeros_like(h), f(0)
    for _ in range(steps):
        hE, hW, hS, hN = shifted(h, 0, 1), shifted(h, 0, -1), shifted(h, 1, 0), shifted(h, -1, 0)
        u = ((u - gx * (hE - h)) + spin * v) * east
        v = ((v - gy * (hS - h)) - spin * u) * south
        u = fms(u, drag, u)
        v = fms(v, drag, v)
        fE = (np.maximum(u, zero) * (depth + h) + np.minimum(u, zero) * (depth + hE)) * east
        fS = (np.maximum(v, zero) * (depth + h) + np.minimum(v, zero) * (depth + hS)) * south
        lap = (hE - h) * east + (hW - h) * west + (hS - h) * south + (hN - h) * north
        fW, fN, vE, uS = (
            shifted(fE, 0, -1),
            shifted(fS, -1, 0),
            shifted(v, 0, 1),
            shifted(u, 1, 0),
        )
        h = ((h - rx * fms(fE, fW, west)) - ry * fms(fS, fN, north)) + ε * lap
        u = u + ((ε * half) * (uS - u)) * south
        v = v + ((ε * half) * (vE - v)) * east
    return h, u, v


@pytest.mark.parametrize("nx, ny, steps", SIZES)
def test_every_bit_and_every_step_alike(nx, ny, steps, tmp_path):
    η, k = basin(nx, ny)
    inputs = {"grid.η": η, "grid.k": k}
    result = run("shallow-water", tmp_path, inputs, NX=nx, NY=ny, NSTEP=steps)

    for name, expected in zip(("η", "u", "v"), mirror(η, k, steps), strict=True):
        same_bits(result.core.get(f"grid.{name}"), expected, name)

    # The counter's low word at the end of each step. Cells beside a wall wait longest, for its
    # answer; their pace reaches the middle with the steps, so the slowest cell counts.
    begin = np.asarray(result.core.get("grid.begin"))
    stamps = np.asarray(result.core.get("grid.stamps")).view(np.uint16)
    took = np.diff(stamps, axis=-1).astype(int)  # wraps as the counter does
    slowest = (stamps[..., :1] + np.cumsum(took, axis=-1)).max(axis=(0, 1))
    step = np.unique(np.diff(slowest)[2:])
    assert step.size == 1, step
    assert 200 <= step[0] <= PUBLISHED
    whole = cycles(begin, result.core.get("grid.end")).max()
    print(f"{nx}x{ny}: {step[0]} cycles a step, {whole - step[0] * steps} once")
