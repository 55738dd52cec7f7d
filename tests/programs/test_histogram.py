"""A program of handlers: data with an index, control wavelets by task, two dispatchers at once."""

import numpy as np
import pytest

from tests.programs.bench import run


@pytest.mark.parametrize(("n", "k", "m"), [(2, 3, 10), (4, 5, 40), (9, 2, 60)])
def test_counts(n, k, m, tmp_path):
    random = np.random.default_rng(13)
    bins = random.integers(0, n * k, m).astype(np.int16)
    amounts = random.integers(-50, 50, m).astype(np.int16)
    inputs = {
        "client.bin": bins.reshape(1, 1, m),
        "client.amount": amounts.reshape(1, 1, m),
        "client.gain": np.array([[[3, -2]]], np.int16),
    }
    result = run("histogram", tmp_path, inputs, N=n, K=k, M=m)
    counts = np.asarray(result.core.get("counter.count")).reshape(n, k)

    assert np.all(np.asarray(result.core.get("counter.changes")) == 1)
    assert np.all(np.asarray(result.core.get("counter.mark")) == 0x000B0005)
    assert np.all(np.asarray(result.core.get("counter.gain")) == -2)
    strangers = np.asarray(result.core.get("counter.strangers")).reshape(n)
    assert strangers.tolist() == [int(np.sum(bins // k != pe)) for pe in range(n)]

    # Requests and settings come on two colors, and requests may wait in queues while a setting goes
    # past, so which request first meets a new gain is the hardware's affair; but there is one.
    def counted(pe, second, third):
        place = np.arange(m)
        gain = np.where(place < second, 1, np.where(place < third, 3, -2))
        mine = bins // k == pe
        return np.bincount(bins[mine] % k, (amounts * gain)[mine], k).astype(int).tolist()

    for pe in range(n):
        assert counts[pe].tolist() in [
            counted(pe, second, third) for third in range(m + 1) for second in range(third + 1)
        ]

    # The reports: every counter's bins, strangers and name, the nearest to the sink first.
    got = np.asarray(result.core.get("sink.got")).reshape(n, k + 2)
    for place, pe in enumerate(reversed(range(n))):
        assert got[place].tolist() == [*counts[pe].tolist(), strangers[pe], pe]
