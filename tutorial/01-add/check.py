"""What lesson 01 has to give: inputs for miset, and the sum that miget must bring back."""

import sys

import numpy as np

a = np.array([1, 2, 3, -4, 500, 32767, -32768, 12345], np.int16)
b = np.array([10, 20, 30, 40, -5000, 1, -1, 12345], np.int16)

if sys.argv[1] == "inputs":
    a.tofile("a.bin")
    b.tofile("b.bin")
else:
    c = np.fromfile("c.bin", np.int16)
    print("a    ", *a)
    print("b    ", *b)
    print("a + b", *c)
    sys.exit(0 if np.array_equal(c, a + b) else "wrong: expected " + str(a + b))
