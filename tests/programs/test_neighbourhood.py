"""Particles whose neighbours are found by a marching multicast, against numpy, to the bit."""

import numpy as np
import pytest

from tests.programs.bench import fma, run, same_bits

F = np.float32
NT = 24


def world(w, h):
    """Positions and speeds of one particle a cell, a table of splines, and constants."""
    random = np.random.default_rng(12)
    y, x = np.mgrid[0:h, 0:w]
    r = np.stack([x, y, np.zeros_like(x)], -1) + random.uniform(-0.4, 0.4, (h, w, 3))
    v = random.uniform(-0.1, 0.1, (h, w, 3))
    table = random.uniform(-1, 1, (NT, 4))
    return r.astype(F), v.astype(F), table.astype(F)


def step(r, v, table, radius, cut, dt, scale):
    h, w, _ = r.shape
    big = np.full((h + 2 * radius, w + 2 * radius, 3), 1e6, F)
    big[radius : radius + h, radius : radius + w] = r
    force, met = np.zeros_like(r), np.zeros((h, w), np.int16)
    size = 2 * radius + 1
    for y in range(h):
        for x in range(w):
            flat = big[y : y + size, x : x + size].reshape(-1, 3)
            squares = np.zeros(size * size, F)
            for d in range(3):
                delta = flat[:, d] - r[y, x, d]
                squares = fma(squares, delta, delta)
            near = [c for c in range(size * size) if squares[c] < cut and c != size * size // 2]
            met[y, x] = len(near)
            total = np.zeros(3, F)
            for c in near:
                u = F(squares[c] * scale)
                row = table[int(u)]
                u = F(u - F(int(u)))
                s = F(row[3] * u)
                for coefficient in (row[2], row[1]):
                    s = F(F(s + coefficient) * u)
                s = F(s + row[0])
                for d in range(3):
                    total[d] = fma(total[d], s, F(flat[c, d] - r[y, x, d]))[()]
            force[y, x] = total
    v = fma(v, F(dt), force)
    return fma(r, F(dt), v), v, met


@pytest.mark.parametrize(
    ("w", "h", "radius", "steps"),
    [(4, 3, 1, 3), (5, 5, 2, 2), (7, 4, 3, 2), (6, 7, 2, 3), (3, 9, 4, 2),
     pytest.param(16, 16, 2, 5, marks=pytest.mark.slow),
     pytest.param(16, 12, 7, 2, marks=pytest.mark.slow)],
)  # fmt: skip
def test_forces_of_near_particles(w, h, radius, steps, tmp_path):
    r, v, table = world(w, h)
    cut, dt = F(min(radius, 2) ** 2 * 0.9), F(0.03125)
    scale = F(NT / cut * F(0.99))
    everywhere = np.ones((h, w), F)
    inputs = {
        "cell.r⃗": r, "cell.v⃗": v, "cell.rcut²": everywhere * cut, "cell.Δt": everywhere * dt,
        "cell.scale": everywhere * scale,
        "cell.table": np.broadcast_to(table.view(np.uint16), (h, w, NT, 8)).copy(),
    }  # fmt: skip
    result = run(
        "neighbourhood", tmp_path, inputs, W=w, H=h, R=radius, NT=NT, STEPS=steps,
    )  # fmt: skip
    assert result.explanation.clean, str(result)
    found = np.asarray(result.core.get("cell.met"))
    for number in range(steps):
        r, v, met = step(r, v, table, radius, cut, dt, scale)
        assert np.array_equal(found[..., number], met), number
    assert met.max() > 1
    same_bits(result.core.get("cell.v⃗"), v, "v⃗")
    same_bits(result.core.get("cell.r⃗"), r, "r⃗")
