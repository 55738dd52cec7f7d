"""What lesson 05 has to give: each stage holds what it received, the sink K more than was sent."""

import sys

import numpy as np

what, n, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
a = np.arange(100, 100 + n).astype(np.int16)

if what == "inputs":
    a.tofile("a.bin")
    sys.exit()

out = np.fromfile("out.bin", np.int16)
stages = np.fromfile("stages.bin", np.int16).reshape(k, n)
print("sent    ", a[:8])
print("received", out[:8], "after", k, "stages")
if not np.array_equal(out, a + np.int16(k)):
    sys.exit(f"wrong: expected {a + k}")
if not np.array_equal(stages, a + np.arange(k, dtype=np.int16)[:, None]):
    sys.exit(f"a stage received something wrong: {stages}")
