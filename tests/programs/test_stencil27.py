"""A 27-point product with eight neighbours' streams, against numpy; its cycles per point in z."""

import numpy as np
import pytest

from tests.programs.bench import cycles, fma, large, run, same_bits

f = np.float32

ORDER = [(0, 0), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
"""The columns (y, x) of a row of A, in the program's order."""

SIZES = [(3, 3, 3), (4, 5, 8), (4, 4, 32), (4, 4, 96), large(8, 8, 32), large(8, 8, 96)]


def mirror(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Every product fused with its addition, column by column, from +0."""
    ny, nx, nz = x.shape
    ring = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    y = np.zeros_like(x)
    at = 0
    for z in range(nz):
        reach = [d for d in (-1, 0, 1) if 0 <= z + d < nz]
        total = np.zeros((ny, nx), f)
        for dy, dx in ORDER:
            column = ring[1 + dy : 1 + dy + ny, 1 + dx : 1 + dx + nx]
            for d in reach:
                total = fma(total, A[..., at], column[..., z + d])
                at += 1
        y[..., z] = total
    return y


@pytest.mark.parametrize("nx, ny, nz", SIZES)
def test_product(nx, ny, nz, tmp_path):
    random = np.random.default_rng(27)
    A = random.standard_normal((ny, nx, 9 * (3 * nz - 2))).astype(f)
    x = random.standard_normal((ny, nx, nz)).astype(f)
    result = run("stencil27", tmp_path, {"grid.A": A, "grid.x": x}, NX=nx, NY=ny, Z=nz)
    same_bits(result.core.get("grid.y"), mirror(A, x), "y")

    took = cycles(result.core.get("grid.begin"), result.core.get("grid.end"))
    print(f"{nx}x{ny}, Z={nz}: {took.max() / nz:.1f} cycles per point")
    if nz >= 32:
        # 37.9 published. All of it, start-up included.
        assert took.max() <= 43 * nz + 60
