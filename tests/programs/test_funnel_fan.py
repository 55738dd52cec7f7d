"""Streams merged by switches with `pop=adv` and dealt out by counter filters, through FIFOs."""

import numpy as np
import pytest

from tests.programs.bench import run, same_bits


@pytest.mark.parametrize(
    ("n", "q", "s"),
    [(2, 1, 0), (2, 3, 4), (3, 2, 1), (4, 5, 2), (5, 3, 6), (7, 1, 3), (11, 4, 5), (16, 3, 0),
     (16, 7, 2)],
)  # fmt: skip
def test_nothing_is_lost_and_all_is_in_order(n, q, s, tmp_path):
    counts = [(5 * k + s) % 7 for k in range(n)]
    values = np.arange(8 * n, dtype=np.float32).reshape(1, n, 8) + np.float32(0.5)
    result = run("funnel-fan", tmp_path, {"send.a": values}, N=n, Q=q, S=s)
    assert result.explanation.clean, str(result)

    # The router nearest to the collector takes its own core's values first.
    stream = [values[0, k, m] for k in reversed(range(n)) for m in range(counts[k])]
    dealt = [[] for _ in range(n)]
    for place, value in enumerate(stream):
        dealt[place // q % n].append(value)
    got = np.asarray(result.core.get("take.got")).reshape(n, -1)
    for k, mine in enumerate(dealt):
        same_bits(got[k, : len(mine)], np.array(mine, np.float32), f"taker {k}")
        assert not got[k, len(mine) :].any()
