"""One result, whatever runs it: threads, pieces, compiled or not; and nothing lost on the way."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simfabric.mesh
from simfabric.mesh import COMPILED, Mesh, Stop, layout
from tests.simfabric.mesh.examples import EXAMPLES, digest, digests, heat, traffic

ROOT = Path(__file__).parents[3]


def test_compiled_and_uncompiled_agree():
    if not COMPILED:
        pytest.skip("nothing is compiled here")
    environment = os.environ | {"WOLFRAMITE_PURE": "1"}
    command = [sys.executable, "-m", "tests.simfabric.mesh.examples"]
    output = subprocess.run(
        command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    other = json.loads(output)
    assert not other["compiled"] and other["digests"] == digests()


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(threads):
    assert digests(threads) == digests()


def test_a_run_in_pieces_with_changing_threads_is_the_same_run():
    whole = Mesh(heat(6, 8, 5))
    assert whole.run(10_000) is Stop.QUIET
    pieces = Mesh(heat(6, 8, 5))
    for k in range(1, 1000):
        if pieces.run(7 * k, threads=1 + k % 4) is Stop.QUIET:
            break
    assert digest(pieces) == digest(whole)


@pytest.mark.parametrize("seed", range(12))
def test_no_wavelet_is_lost_doubled_or_reordered(seed):
    image, expected = traffic(seed, size=3 + seed % 4, colors=4 + seed, most=50)
    mesh = Mesh(image)
    assert mesh.run(20_000, threads=1 + seed % 2) is Stop.QUIET and mesh.error is None
    for place, address, words in expected:
        got = mesh.memory(*place, address, 2 * len(words)).view(np.uint32)
        assert tuple(int(w) for w in got) == words
    assert mesh.router_clean()


def test_heat_is_what_numpy_computes():
    width, height, steps = 7, 6, 9
    mesh = Mesh(heat(width, height, steps))
    assert mesh.run(100_000) is Stop.QUIET
    field = np.zeros((height, width), np.float32)
    field[1:-1, 1:-1] = 1
    with np.errstate(all="ignore"):
        for _ in range(steps):
            total = field[1:-1, :-2] + field[1:-1, 2:]
            total = (total + field[:-2, 1:-1]) + field[2:, 1:-1]
            inner = field[1:-1, 1:-1]
            # both fused: products of 24 bits are exact in binary64
            change = (total.astype(np.float64) - 4.0 * inner).astype(np.float32)
            step = change.astype(np.float64) * np.float64(np.float32(0.1))
            field[1:-1, 1:-1] = (step + inner).astype(np.float32)
    words = mesh.words(0, 0x200).reshape(height, width, -1)
    program = mesh.image.programs[1]
    start = program.code.address + len(program.code.words)
    at = start + 1 + (start + 1) % 2
    got = words[1:-1, 1:-1, at : at + 2].copy().view(np.float32)[..., 0]
    assert np.array_equal(got, field[1:-1, 1:-1])


def test_time_leaps_while_everything_sleeps():
    mesh = Mesh(heat(6, 6, 3))
    assert mesh.run(100_000) is Stop.QUIET
    visits = int(mesh._storage.get("workers")["visits"].sum())
    assert visits < 36 * mesh.cycles / 2


def test_progress_may_interrupt_and_the_run_goes_on():
    mesh, whole = Mesh(heat(6, 6, 8)), Mesh(heat(6, 6, 8))
    seen = []
    stop = mesh.run(100_000, progress=lambda c: seen.append(c) or len(seen) == 3, every=50)
    assert stop is Stop.INTERRUPTED and seen == [50, 100, 150] and mesh.cycles == 150
    assert mesh.run(100_000) is whole.run(100_000) is Stop.QUIET
    assert digest(mesh) == digest(whole)


def test_the_declarations_are_those_of_the_layout():
    text = Path(layout.__file__).with_suffix(".pxd").read_text()
    assert text == layout.declarations(), "run python -m simfabric.mesh.layout"


def test_setup_compiles_every_hot_module():
    compiled = runpy.run_path(str(ROOT / "setup.py"))["COMPILED"]
    assert compiled == tuple(f"simfabric.mesh.{name}" for name in simfabric.mesh.HOT)


def test_every_example_is_deterministic():
    for image in EXAMPLES.values():
        first, second = Mesh(image()), Mesh(image())
        first.run(2000)
        second.run(2000)
        assert digest(first) == digest(second)
