"""What lesson 02 has to give, in binary32: every operation rounds, in the order of the source."""

import sys

import numpy as np

what, rows, cols, scale = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), np.float32(sys.argv[4])
table = np.random.default_rng(2).normal(size=(rows, cols)).astype(np.float32)

if what == "inputs":
    table.tofile("table.bin")
    sys.exit()

scaled = scale * table
total = np.zeros(rows, np.float32)
for column in range(cols):
    total += scaled[:, column]

got_scaled = (
    np.fromfile("scaled.bin", np.float32).reshape(cols, rows).T
)  # was read column by column
got_total = np.fromfile("total.bin", np.float32)
got_last = np.fromfile("last.bin", np.float32)
print("scaled:", got_scaled, "total:", got_total, sep="\n")
for name, got, expected in (
    ("scaled", got_scaled, scaled),
    ("total", got_total, total),
    ("last", got_last, scaled[:, -1]),
):
    if not np.array_equal(got.view(np.uint32), expected.view(np.uint32)):
        sys.exit(f"{name} is wrong: expected\n{expected}")
