"""What lesson 07 has to give, bit for bit: the nine-point heat equation on a torus, in binary32.

As in lesson 06, a product and a sum round once where all three are plain variables or constants:
`4.0*edges + corners`, `around - 20.0*u` and `u + K*flow`.
"""

import sys

import numpy as np

what, nx, ny, steps = sys.argv[1], *map(int, sys.argv[2:5])
K, FOUR, TWENTY = np.float32(0.04), np.float32(4), np.float32(20)


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a + b * c of binary32 numbers with one rounding.

    The product is exact in binary64; the sum is rounded to odd there (the last bit is set when
    anything was cut off), after which rounding to binary32 is the rounding of the exact sum.
    """
    product = b.astype(np.float64) * c.astype(np.float64)
    a = a.astype(np.float64)
    total = a + product
    part = total - a
    cut = (a - (total - part)) + (product - part)
    bits = total.view(np.int64)
    toward = np.where((cut > 0) == (total > 0), 1, -1)
    bits = np.where((cut != 0) & (bits & 1 == 0), bits + toward, bits)
    return bits.view(np.float64).astype(np.float32)


def picture(u: np.ndarray, top: float) -> list[str]:
    shades = " .:-=+*#%@"
    levels = np.minimum((u / top * len(shades)).astype(int), len(shades) - 1)
    return ["|" + "".join(2 * shades[level] for level in row) + "|" for row in levels]


# A hot spot in the corner, which on a torus is no corner.
y, x = np.mgrid[0:ny, 0:nx]
far = np.minimum(x, nx - x) ** 2 + np.minimum(y, ny - y) ** 2
start = np.float32(10) + np.float32(90) * (far <= (min(nx, ny) // 3) ** 2).astype(np.float32)
start += np.random.default_rng(7).random((ny, nx), np.float32)

if what == "inputs":
    start.tofile("start.bin")
    sys.exit()


def shifted(u: np.ndarray, row: int, column: int) -> np.ndarray:
    """What each cell hears from the one (row, column) away, around the torus."""
    return np.roll(u, (-row, -column), (0, 1))


u = start
for _ in range(steps):
    beside = shifted(u, 0, -1) + shifted(u, 0, 1)
    edges = beside + (shifted(u, -1, 0) + shifted(u, 1, 0))
    corners = shifted(beside, -1, 0) + shifted(beside, 1, 0)
    around = fused(corners, FOUR[None, None], edges)
    flow = fused(around, -TWENTY[None, None], u)
    u = fused(u, K[None, None], flow)

end = np.fromfile("end.bin", np.float32).reshape(ny, nx)
width = 2 * nx + 2
if width <= 36:
    print(f"{'start':{width}}    after {steps} steps")
    for one, other in zip(picture(start, 101), picture(end, 101), strict=True):
        print(one, other, sep="    ")
print(f"heat on the torus: {start.sum(dtype=np.float64):.3f}, then {end.sum(dtype=np.float64):.3f}")
print(f"hottest cell:      {start.max():.3f}, then {end.max():.3f}")
wrong = end.view(np.uint32) != u.view(np.uint32)
if wrong.any():
    row, column = np.argwhere(wrong)[0]
    sys.exit(
        f"{wrong.sum()} cells differ; the first, (x {column}, y {row}), "
        f"is {end[row, column]!r}, expected {u[row, column]!r}"
    )
print(f"all {nx * ny} cells equal to the last bit")
