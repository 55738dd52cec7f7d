"""A distributed dot product whose programs set up and tear down the routes themselves."""

import numpy as np
import pytest

from tests.programs.bench import cycles, fma, run, same_bits

F = np.float32


def mirror(a, b, rounds):
    """(the sums of all rounds, a at the end), in the order in which values meet."""
    a, sums = a.copy(), []
    height, width, depth = a.shape
    for _ in range(rounds):
        partial = np.zeros((height, width), F)
        for z in range(depth):
            partial = fma(partial, a[..., z], b[..., z])
        rows = np.zeros(height, F)
        for x in range(width):  # the nearest cell's comes first
            rows = rows + partial[:, x]
        total = F(0)
        for y in range(height):
            total = F(total + rows[y])
        sums.append(total)
        a = fma(a, F(total * F(0.0009765625)), b)
    return np.array(sums, F), a


@pytest.mark.parametrize(
    ("w", "h", "z", "rounds"),
    [(1, 1, 4, 2), (2, 2, 5, 3), (5, 3, 16, 6), (3, 6, 1, 4), (8, 8, 96, 5)],
)
def test_every_round_to_the_bit(w, h, z, rounds, tmp_path):
    random = np.random.default_rng(11)
    a, b = (random.standard_normal((h, w, z)).astype(F) for _ in range(2))
    inputs = {"grid.a": a, "grid.b": b}
    result = run("dot", tmp_path, inputs, W=w, H=h, Z=z, ROUNDS=rounds)
    assert result.explanation.clean, str(result)
    sums, final = mirror(a, b, rounds)
    same_bits(np.asarray(result.core.get("corner.sums")).reshape(-1), sums, "sums")
    same_bits(result.core.get("grid.got"), np.broadcast_to(sums, (h, w, rounds)).copy(), "got")
    same_bits(result.core.get("grid.a"), final, "a")

    # Everybody saw every teardown.
    assert np.all(np.asarray(result.core.get("grid.torn")) == rounds)
    assert np.all(np.asarray(result.core.get("corner.torn")) == rounds)

    # Stamps of the cycle counter: rounds take their time, and all but the first the same.
    stamps = np.asarray(result.core.get("corner.stamps")).reshape(rounds, 3).view(np.uint16)
    took = cycles(stamps[:-1], stamps[1:])
    assert np.all(took > 0) and np.unique(took[1:]).size <= 1, took
