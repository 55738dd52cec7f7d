"""What lesson 06 has to give, bit for bit: heat in a closed box, in binary32.

The cells' source says where a product and a sum round once (both operands plain variables or
constants: `sum - neighbours * u` and `u + K * flow`) and where each operation rounds (the sum of
the four neighbours). This mirror does the same.
"""

import sys

import numpy as np

what, nx, ny, steps = sys.argv[1], *map(int, sys.argv[2:5])
K = np.float32(0.2)


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


# A warm box with a hot spot off the middle.
y, x = np.mgrid[0:ny, 0:nx]
start = np.float32(10) + np.float32(90) * (
    (x - nx // 3) ** 2 + (y - ny // 3) ** 2 <= (min(nx, ny) // 4) ** 2
).astype(np.float32)
start += np.random.default_rng(6).random((ny, nx), np.float32)

if what == "inputs":
    start.tofile("start.bin")
    sys.exit()

neighbours = np.full((ny, nx), 4, np.float32)
for edge in (neighbours[0], neighbours[-1], neighbours[:, 0], neighbours[:, -1]):
    edge -= 1

u = start
for _ in range(steps):
    ring = np.pad(u, 1)  # the walls answer zero
    fromleft, fromright = ring[1:-1, :-2], ring[1:-1, 2:]
    frombelow, fromabove = ring[:-2, 1:-1], ring[2:, 1:-1]
    total = ((fromleft + fromright) + frombelow) + fromabove
    u = fused(u, K, fused(total, -neighbours, u))

end = np.fromfile("end.bin", np.float32).reshape(ny, nx)
got_neighbours = np.fromfile("neighbours.bin", np.float32).reshape(ny, nx)

width = 2 * nx + 2
if width <= 36:
    print(f"{'start':{width}}    after {steps} steps")
    for left, right in zip(picture(start, 101), picture(end, 101), strict=True):
        print(left, right, sep="    ")
print(f"heat in the box: {start.sum(dtype=np.float64):.3f}, then {end.sum(dtype=np.float64):.3f}")
print(f"hottest cell:    {start.max():.3f}, then {end.max():.3f}")
wrong = end.view(np.uint32) != u.view(np.uint32)
if (got_neighbours != neighbours).any():
    sys.exit("a cell does not know its neighbours:\n" + str(got_neighbours))
if wrong.any():
    row, column = np.argwhere(wrong)[0]
    sys.exit(
        f"{wrong.sum()} cells differ; the first, (x {column}, y {row}), "
        f"is {end[row, column]!r}, expected {u[row, column]!r}"
    )
print(f"all {nx * ny} cells equal to the last bit")
