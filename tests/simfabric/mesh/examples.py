"""Images that use much of the machine, and a digest of how a run of them ends.

`python -m tests.simfabric.mesh.examples` prints the digests of all, so that an uncompiled engine
can be compared with a compiled one.
"""

import hashlib
import json
import random
import sys
from collections.abc import Callable

import numpy as np
from attrs import frozen

from mitools.arch.words import PORTS, STEP
from mitools.image.model import Image
from simfabric.mesh import COMPILED, Mesh
from tests.simfabric.mesh.probe import Pe, code, grid

CELL = """
mov16 R40, {steps}
loop:
mov32.u0 OQ0, [c]
mov32.u1 OQ1, [c]
mov32.u2 OQ2, [c]
mov32.u3 OQ3, [c]
mov32.u4 [l], IQ0
mov32.u5 [r], IQ1
mov32.u6 [u], IQ2
mov32.u7 [d], IQ3
mov16 [n], R40
susp 9, 0xFF
mov32 R0, [c]
mov32 R2, [l]
mov32 R4, [r]
mov32 R6, [u]
mov32 R8, [d]
fadds R2, R2, R4
fadds R2, R2, R6
fadds R2, R2, R8
fmss R2, R0, 4.0, R2
fmacs R0, R2, 0.1, R0
mov32 [c], R0
mov16 R40, [n]
sub16 R40, R40, 1
jnz16 R40, loop
term
"""
CELL_DATA = """
n: .word 0
.align 2
c: .word 0, 0x3f80
l: .word 0, 0
r: .word 0, 0
u: .word 0, 0
d: .word 0, 0
"""
WALL = """
dtask 0, h0, 0
dtask 1, h1, 0
dtask 2, h2, 0
dtask 3, h3, 0
term
h0: mov32.t OQ1, 0.0
h1: mov32.t OQ0, 0.0
h2: mov32.t OQ3, 0.0
h3: mov32.t OQ2, 0.0
"""


def heat(width: int, height: int, steps: int) -> Image:
    """Cells that exchange with four neighbours over swapped pairs, inside reactive walls."""
    cell, wall = code(CELL.format(steps=steps), CELL_DATA), code(WALL)
    queues = {0: 0, 1: 2, 2: 4, 3: 6}
    pes = {}
    for y in range(height):
        for x in range(width):
            left, right, up, down = x > 0, x < width - 1, y < height - 1, y > 0
            rules = {
                0: "[LXC]" if left else "[XC]",
                1: "[CXR]" if right else "[CX]",
                2: "[RXC]" if right else "[XC]",
                3: "[CXL]" if left else "[CX]",
                4: "[DXC]" if down else "[XC]",
                5: "[CXU]" if up else "[CX]",
                6: "[UXC]" if up else "[XC]",
                7: "[CXD]" if down else "[CX]",
            }
            inside = left and right and up and down
            pes[y, x] = Pe(cell if inside else wall, rules, inputs=queues, outputs=queues)
    return grid(pes)


@frozen
class Stream:
    """One color from one source to some PEs; `words` what is sent."""

    color: int
    source: tuple[int, int]
    routes: dict[tuple[int, int], tuple[int, int]]
    takers: tuple[tuple[int, int], ...]
    words: tuple[int, ...]


def streams(seed: int, size: int, colors: int, most: int) -> list[Stream]:
    """Random trees of routes, at most eight streams into and out of each PE."""
    draw = random.Random(seed)
    found = []
    sends: dict[tuple[int, int], int] = {}
    takes: dict[tuple[int, int], int] = {}
    for color in draw.sample(range(24), colors):
        used: set[tuple[int, int]] = set()
        for _ in range(3):
            free = [
                (y, x)
                for y in range(size)
                for x in range(size)
                if (y, x) not in used and sends.get((y, x), 0) < 4
            ]
            if not free:
                break
            source = draw.choice(free)
            tree = {source: [4, 0]}
            for _ in range(draw.randrange(1, 2 * size)):
                y, x = draw.choice(list(tree))
                port = draw.randrange(4)
                dx, dy = STEP[port]
                place = (y + dy, x + dx)
                inside = 0 <= place[0] < size and 0 <= place[1] < size
                if inside and place not in used and place not in tree:
                    tree[y, x][1] |= 1 << port
                    tree[place] = [port ^ 1, 0]
            takers = []
            for place, rule in tree.items():
                wants = rule[1] == 0 or draw.random() < 0.4
                if wants and takes.get(place, 0) < 8 and (place != source or draw.random() < 0.2):
                    rule[1] |= 16
                    takes[place] = takes.get(place, 0) + 1
                    takers.append(place)
            used |= set(tree)
            sends[source] = sends.get(source, 0) + 1
            words = tuple(draw.randrange(1 << 32) for _ in range(draw.randrange(1, most)))
            routes = {place: (rule[0], rule[1]) for place, rule in tree.items()}
            found.append(Stream(color, source, routes, tuple(takers), words))
    return found


def traffic(seed: int, size: int = 5, colors: int = 9, most: int = 40) -> tuple[Image, list]:
    """Every stream is sent by a microthread and taken by others that start at random times.

    Returns the image and (taker, address, words) of what must have arrived.
    """
    draw = random.Random(seed + 1)
    rules: dict[tuple[int, int], dict[int, str]] = {}
    out: dict[tuple[int, int], list] = {}
    into: dict[tuple[int, int], list] = {}
    expected = []
    for stream in streams(seed, size, colors, most):
        for place, (source, outputs) in stream.routes.items():
            names = "".join(PORTS[p] for p in range(5) if outputs >> p & 1)
            rules.setdefault(place, {})[stream.color] = f"[{PORTS[source]}>{names}]"
        out.setdefault(stream.source, []).append(stream)
        for taker in stream.takers:
            into.setdefault(taker, []).append(stream)
    pes = {}
    for y in range(size):
        for x in range(size):
            place = (y, x)
            starts, data = [], []
            for number, stream in enumerate(out.get(place, [])):
                count = len(stream.words)
                rows = ", ".join(f"{w & 0xFFFF}, {w >> 16}" for w in stream.words)
                data.append(f"o{number}: .word 3, {number}, {count}, 0")
                data.append(f"f{number}: .word 0, w{number}, {count}, 2")
                data.append(f".align 2\nw{number}: .word {rows}")
                starts.append((f"o{number}", f"f{number}"))
            for number, stream in enumerate(into.get(place, [])):
                count, address = len(stream.words), 0x2000 + 0x200 * number
                data.append(f"i{number}: .word 2, {number}, {count}, 0")
                data.append(f"t{number}: .word 0, 0x{address:x}, {count}, 2")
                starts.append((f"t{number}", f"i{number}"))
                expected.append((place, address, stream.words))
            draw.shuffle(starts)
            text = []
            for slot, (to, source) in enumerate(starts):
                text += ["nop"] * draw.choice([0, 0, 3, 40])
                text += [f"ldds DS{slot}, {to}", f"ldds DS{slot + 12}, {source}"]
                text.append(f"umov32.u{slot} [DS{slot}], [DS{slot + 12}]")
            pes[place] = Pe(
                code("\n".join([*text, "term"]), "\n".join(data)),
                rules.get(place, {}),
                inputs={n: s.color for n, s in enumerate(into.get(place, []))},
                outputs={n: s.color for n, s in enumerate(out.get(place, []))},
            )
    return grid(pes), expected


EXAMPLES: dict[str, Callable[[], Image]] = {
    "heat": lambda: heat(5, 7, 4),
    "traffic": lambda: traffic(1)[0],
    "dense traffic": lambda: traffic(2, 4, 14, 60)[0],
}


def digest(mesh: Mesh) -> str:
    """Everything a run left: cycles, error, memory, counters, departures, state of each PE."""
    total = hashlib.sha256()
    total.update(f"{mesh.cycles} {mesh.error}".encode())
    total.update(mesh.words(0, 0x6000).tobytes())
    for name, values in mesh.counters().items():
        total.update(name.encode() + np.asarray(values, np.int64).tobytes())
    total.update(np.asarray(mesh.traffic(), np.int64).tobytes())
    for y in range(mesh.height):
        for x in range(mesh.width):
            total.update(repr(mesh.tile(y, x)).encode())
    return f"{mesh.cycles} {total.hexdigest()}"


def digests(threads: int = 1) -> dict[str, str]:
    found = {}
    for name, image in EXAMPLES.items():
        mesh = Mesh(image())
        mesh.run(3000, threads=threads)
        found[name] = digest(mesh)
    return found


if __name__ == "__main__":
    json.dump({"compiled": bool(COMPILED), "digests": digests()}, sys.stdout)
