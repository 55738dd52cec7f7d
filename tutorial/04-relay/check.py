"""What lesson 04 has to give: every value plus 1, and as many wavelets as the packing rule says."""

import re
import sys
from pathlib import Path

import numpy as np

what, n = sys.argv[1], int(sys.argv[2])
a = np.arange(-3, n - 3).astype(np.int16)

if what == "inputs":
    a.tofile("a.bin")
    sys.exit()

apart = sys.argv[3] != "0"
out = np.fromfile("out.bin", np.int16)
print("received", out[:10])
if not np.array_equal(out, a + np.int16(1)):
    sys.exit(f"wrong: expected {a + 1}")

# "@18 P1.0 (hwtile) landing C0 from link W, ..., half=0, ...": in the router of PE 1, from the west
landed = {"whole": {1: 0, 2: 0}, "half": {1: 0, 2: 0}}
for line in Path(sys.argv[4]).read_text().splitlines():
    record = re.match(r"@\d+ P(\d)\.0 \(hwtile\) landing C\d+ from link W, .*half=(\d)", line)
    if record:
        landed["half" if record[2] == "1" else "whole"][int(record[1])] += 1
packed = {"whole": n // 2, "half": n % 2}
expected = {1: {"whole": 0, "half": n} if apart else packed, 2: packed}
for pe, name in ((1, "add"), (2, "recv")):
    got = {kind: landed[kind][pe] for kind in ("whole", "half")}
    print(f"to {name}: {got['whole']} whole wavelets, {got['half']} half-wavelets")
    if got != expected[pe]:
        sys.exit(f"wrong: expected {expected[pe]}")
