"""What lesson 03 has to give: what was sent, unchanged."""

import sys

import numpy as np

what, n = sys.argv[1], int(sys.argv[2])
a = np.random.default_rng(3).normal(size=n).astype(np.float32)

if what == "inputs":
    a.tofile("a.bin")
else:
    out = np.fromfile("out.bin", np.float32)
    print("sent    ", a[:8])
    print("received", out[:8])
    sys.exit(0 if np.array_equal(a.view(np.uint32), out.view(np.uint32)) else "wrong")
