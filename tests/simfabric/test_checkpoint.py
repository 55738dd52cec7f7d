"""Checkpoints: runs of the command that are killed and go on, and files that must be refused."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mitools.elf import read_elf, write_elf
from mitools.image.model import Image
from simfabric.command import main
from simfabric.mesh import Mesh
from simfabric.runner import Run
from tests.simfabric.machine import Pe, grid, program
from tests.simfabric.mesh.probe import code
from tests.simfabric.test_running import lesson_image, run

WORDS = [sys.executable, "-c", "from simfabric.command import main; exit(main())"]


@pytest.fixture(scope="module")
def heat(tmp_path_factory):
    """The ELF of lesson 06 and its core and log without interruption."""
    folder = tmp_path_factory.mktemp("heat")
    image = lesson_image(folder, "06-heat", NX=12, NY=18, NSTEP=400)
    image.set("cell.u", np.random.default_rng(1).random((18, 12), np.float32))
    elf, core = folder / "x.elf", folder / "x.core"
    write_elf(str(elf), image)
    done = run(f"elf={elf}", f"core={core}")
    assert done.returncode == 0
    return elf, core.read_bytes(), closing(done.stdout)


def closing(text: str) -> list[str]:
    """A log without the line that has the seconds."""
    return text.splitlines()[:-1]


def kill_after(terms: list[str], checkpoint, seconds: float, **environment) -> None:
    """Kill a run with SIGKILL some time after its first checkpoint."""
    running = subprocess.Popen(
        [*WORDS, *terms], stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    while not checkpoint.exists():
        assert running.poll() is None, "the run ended before its first checkpoint"
        time.sleep(0.005)
    time.sleep(seconds)
    running.kill()
    assert running.wait() == -signal.SIGKILL


@pytest.mark.parametrize(("threads", "then"), [(1, 1), (2, 2), (1, 2)])
def test_a_killed_run_goes_on(tmp_path, heat, threads, then):
    elf, core, log = heat
    kept, written = tmp_path / "kept", tmp_path / "x.core"
    terms = [f"elf={elf}", f"save=500,{kept}", f"threads={threads}"]
    kill_after(terms, kept, random.uniform(0, 0.15))
    done = run(f"elf={elf}", f"core={written}", f"resume={kept}", f"threads={then}")
    assert done.returncode == 0, done.stderr
    assert written.read_bytes() == core
    assert closing(done.stdout) == log


def test_compiled_and_uncompiled_take_each_others_checkpoints(tmp_path):
    image = lesson_image(tmp_path, "06-heat", NX=3, NY=3, NSTEP=30)
    elf, kept = tmp_path / "x.elf", tmp_path / "kept"
    write_elf(str(elf), image)
    cores = []
    for first, second in (("0", "1"), ("1", "0"), ("0", "0")):
        core = tmp_path / f"{first}{second}.core"
        done = run(f"elf={elf}", f"save=700,{kept}", "cycles=1000", WOLFRAMITE_PURE=first)
        assert done.returncode == 0, done.stderr
        done = run(f"elf={elf}", f"core={core}", f"resume={kept}", WOLFRAMITE_PURE=second)
        assert done.returncode == 0, done.stderr
        cores.append((core.read_bytes(), closing(done.stdout)))
    whole = tmp_path / "whole.core"
    done = run(f"elf={elf}", f"core={whole}")
    cores.append((whole.read_bytes(), closing(done.stdout)))
    assert all(core == cores[0] for core in cores)


def test_a_checkpoint_of_every_cycle_gives_the_same_end(tmp_path):
    """Whatever is on its way in some cycle of a run: the run that goes on from there agrees."""
    image = lesson_image(tmp_path, "05-pipeline")
    whole = Run(image).finish()
    path = str(tmp_path / "kept")
    for cycle in range(1, whole.cycles, 7):
        Run(image, cycles=cycle, save=(1 << 40, path)).finish()
        result = Run(image, resume=path).finish()
        assert (result.cycles, result.reason) == (whole.cycles, whole.reason)
        assert result.counters == whole.counters
        for symbol in image.symbols():
            assert np.array_equal(result.core.get(symbol.name), whole.core.get(symbol.name))


CHANGES = """
    mov16 R5, patch
    add16 R5, R5, 2
    mov16 R0, 0
    again: add16 R0, R0, 1
    mov16 [R5], R0
    patch: mov16 R1, 0x1234
    add16 R3, R3, R1
    mov16 [0x1000], R3
    mov16 R6, 20
    jne16 R0, R6, again
    mov16 R2, 0xB100
    sub16 R5, R5, 2
    mov16 [R5], R2
    jmp patch
"""
"""Counts in the immediate of an instruction of its own, then makes it a `term`."""


def test_code_that_changes_itself():
    """A PE's own code is in the checkpoint, decoded as it was; its neighbour's is not."""
    same = code(CHANGES)
    image = grid({(0, 0): Pe(same), (0, 1): Pe(same), (1, 0): Pe(code("term"))})
    whole = Mesh(image)
    assert whole.run(100_000).value == "quiet"
    assert whole.memory(0, 1, 0x1000, 1)[0] == 210
    for cycle in range(5, whole.cycles, 9):
        first, then = Mesh(image), Mesh(image)
        first.run(cycle)
        numbers, arrays = first.state()
        then.restore(json.loads(json.dumps(numbers)), b"".join(map(bytes, arrays)))
        assert then.run(100_000).value == "quiet" and then.cycles == whole.cycles
        assert then.memory(0, 0, 0, 0x1001).tolist() == whole.memory(0, 0, 0, 0x1001).tolist()
        assert then.memory(0, 1, 0x1000, 1)[0] == 210


ENDLESS = program(
    "endless", '.task 8 main active open\nmain: .line "e.w" 3 3\nadd16 R0, R0, 1\njmp main'
)


@pytest.fixture
def saved(tmp_path):
    """An ELF and a checkpoint of its cycle 600."""
    elf, kept = tmp_path / "x.elf", tmp_path / "kept"
    write_elf(str(elf), grid({(0, 0): Pe(ENDLESS)}))
    assert main([f"elf={elf}", f"save=200,{kept}", "cycles=600"]) == 0
    return elf, kept


def refused(capsys, *terms) -> str:
    capsys.readouterr()
    assert main(list(terms)) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "Traceback" not in captured.err
    assert "internal error" not in captured.err
    return captured.err


def test_damaged_checkpoints_are_refused(tmp_path, capsys, saved):
    elf, kept = saved
    data = kept.read_bytes()
    chance = random.Random(5)
    for _ in range(40):
        place = chance.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        kept.write_bytes(changed if chance.random() < 0.6 else data[:place])
        said = refused(capsys, f"elf={elf}", f"resume={kept}")
        assert "checkpoint" in said and str(kept) in said
    kept.write_bytes(data + b"x")
    assert "the checkpoint is damaged" in refused(capsys, f"elf={elf}", f"resume={kept}")


def test_foreign_files_are_refused(tmp_path, capsys, saved):
    elf, kept = saved
    assert "this is not a checkpoint" in refused(capsys, f"elf={elf}", f"resume={elf}")
    assert "cannot read" in refused(capsys, f"elf={elf}", f"resume={tmp_path}/nothing")
    other = tmp_path / "other.elf"
    text = '.task 8 main active open\nmain: .line "e.w" 3 3\nadd16 R0, R0, 2\njmp main'
    write_elf(str(other), grid({(0, 0): Pe(program("endless", text))}))
    said = refused(capsys, f"elf={other}", f"resume={kept}")
    assert "the checkpoint is of another program" in said
    write_elf(str(other), grid({(0, 0): Pe(ENDLESS), (0, 1): Pe(ENDLESS)}))
    said = refused(capsys, f"elf={other}", f"resume={kept}")
    assert "the checkpoint is of a grid of 1 by 1 PEs, the program's has 2 by 1" in said
    timing = tmp_path / "slow.toml"
    timing.write_text("hop = 3\n")
    said = refused(capsys, f"elf={elf}", f"resume={kept}", f"timing={timing}")
    assert "a machine with other timings" in said
    said = refused(capsys, f"elf={elf}", f"resume={kept}", "cycles=500")
    assert "the checkpoint is of cycle 600, beyond cycles=500" in said


def test_other_inputs_are_another_program(tmp_path, capsys):
    image = lesson_image(tmp_path, "01-add")
    elf, kept = tmp_path / "x.elf", tmp_path / "kept"
    write_elf(str(elf), image)
    assert main([f"elf={elf}", f"save=5,{kept}", "cycles=20"]) == 0
    image.set("add.a", np.ones_like(image.get("add.a")))
    write_elf(str(elf), image)
    assert "or of other inputs" in refused(capsys, f"elf={elf}", f"resume={kept}")


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("save=100", "is not CYCLES,FILE"),
        ("save=100,", "is not CYCLES,FILE"),
        ("save=x,file", "is not CYCLES,FILE"),
        ("save=0,file", "does not start with a number of cycles from 1 on"),
        ("save=1,{folder}/x.elf", "save= and elf= name the same file"),
        ("save=10,{folder}/no/kept", "cannot write"),
    ],
)
def test_wrong_terms(tmp_path, capsys, saved, term, said):
    elf, _ = saved
    assert said in refused(capsys, f"elf={elf}", "cycles=100", term.format(folder=tmp_path))
    assert elf.exists()


def test_limits_and_interrupts_leave_a_checkpoint(tmp_path, saved, monkeypatch):
    elf, kept = saved
    core = tmp_path / "x.core"
    assert main([f"elf={elf}", f"resume={kept}", f"save=1000000,{kept}", "cycles=650"]) == 0
    looks = []

    def interrupt_once(_):
        looks.append(1)
        if len(looks) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("simfabric.progress.Progress.show", interrupt_once)
    terms = [f"elf={elf}", f"core={core}", f"resume={kept}", f"save=1000000000,{kept}"]
    assert main(terms) == 130
    cycles = read_elf(str(core)).facts["cycles"]
    assert cycles > 650
    assert main([f"elf={elf}", f"resume={kept}", f"cycles={cycles}"]) == 0
    assert main([f"elf={elf}", f"resume={kept}", f"cycles={cycles - 1}"]) == 1


def test_debug_records_go_on_where_the_checkpoint_was(tmp_path):
    """What issued before and executes after it included; only a wavelet's number starts anew."""
    elf, kept = tmp_path / "x.elf", tmp_path / "kept"
    write_elf(str(elf), lesson_image(tmp_path, "06-heat", NX=3, NY=3, NSTEP=7))
    records = "debug=hwtile,landing"

    def lines(*terms):
        found = run(f"elf={elf}", records, *terms).stdout.splitlines()
        return [line.split("ident=")[0] for line in found if line.startswith("@")][1:]

    whole = lines()
    first = lines("cycles=300", f"save=1000,{kept}")
    assert first + lines(f"resume={kept}") == whole


@pytest.mark.slow
def test_ten_million_cycles_and_a_kill_end_with_the_same_core(tmp_path):
    image: Image = lesson_image(tmp_path, "06-heat", NX=2, NY=2, NSTEP=60000)
    elf, kept = tmp_path / "x.elf", tmp_path / "kept"
    write_elf(str(elf), image)
    cores = []
    for name in ("whole", "killed"):
        core = tmp_path / name
        terms = [f"elf={elf}", "cycles=10000000"]
        if name == "killed":
            kill_after([*terms, f"save=200000,{kept}"], kept, random.uniform(0, 10))
            terms.append(f"resume={kept}")
        done = run(*terms, f"core={core}")
        assert done.returncode == 0, done.stderr
        cores.append((core.read_bytes(), closing(done.stdout)))
    assert cores[0] == cores[1]
