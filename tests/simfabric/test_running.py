"""Runs of the command as a process: interrupts, pipes, the uncompiled engine, Python's own way."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import simfabric
from mitools.elf import read_elf, write_elf
from mitools.image.model import Image
from paint.command import main as paint
from simfabric.command import main
from tests.simfabric.layouts import build
from tests.simfabric.machine import Pe, grid, program
from tests.simfabric.test_hangs import PAIR_LAYOUT, RECV, SEND

TUTORIAL = os.path.join(os.path.dirname(__file__), "..", "..", "tutorial")
ENDLESS = program(
    "endless", '.task 8 main active open\nmain: .line "e.w" 3 3\nadd16 R0, R0, 1\njmp main'
)


def run(*terms, **environment):
    words = [sys.executable, "-c", "from simfabric.command import main; exit(main())", *terms]
    variables = {**os.environ, **environment}
    return subprocess.run(words, env=variables, capture_output=True, text=True, check=False)


def test_ctrl_c_writes_core_and_explanation(tmp_path, monkeypatch, capsys):
    elf, core = tmp_path / "x.elf", tmp_path / "x.core"
    write_elf(str(elf), grid({(0, 0): Pe(ENDLESS)}))
    looks = []

    def interrupt_once(_):
        looks.append(1)
        if len(looks) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("simfabric.progress.Progress.show", interrupt_once)
    assert main([f"elf={elf}", f"core={core}", "json=1"]) == 130
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Interrupted after ") and json.loads(lines[-1])["cycles"] > 0
    assert read_elf(str(core)).facts["stopped"] == "interrupted"


def test_piped_runs_are_silent(tmp_path):
    elf = tmp_path / "x.elf"
    write_elf(str(elf), grid({(0, 0): Pe(ENDLESS)}))
    done = run(f"elf={elf}", "cycles=20000000")
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "not compiled" not in line] == []
    assert "Stopped after 20000000 cycles, the limit" in done.stdout


LESSONS = ["01-add", "02-parameters", "03-send", "04-relay", "05-pipeline", "06-heat", "07-torus"]


def lesson_image(folder, lesson, **values):
    """A lesson's image with the values of the first row of its test.rc, or those given."""
    place = os.path.join(TUTORIAL, lesson)
    with open(os.path.join(place, "test.rc"), encoding="utf-8") as rows:
        row = next(line for line in rows if line.strip() and not line.startswith("#"))
    pairs = dict(word.split("=", 1) for word in row.split() if "=" in word)
    pairs.pop("ARCH", None)
    pairs |= {name: str(value) for name, value in values.items()}
    sets = [f"set={name}={value}" for name, value in pairs.items()]
    path = folder / "bench.obj"
    assert not paint([f"source={place}/bench.paint", f"lib={place}", f"image={path}", *sets])
    return Image.open(str(path))


@pytest.mark.parametrize("lesson", LESSONS)
def test_compiled_and_uncompiled_agree(tmp_path, lesson):
    """Cores and cycles, on every lesson. Without a compiler both runs are uncompiled."""
    elf = tmp_path / "bench.elf"
    image = lesson_image(tmp_path, lesson, **({"NSTEP": 5} if "heat" in lesson else {}))
    for symbol in image.symbols():
        values = image.get(symbol.name)
        image.set(symbol.name, np.arange(1, values.size + 1).reshape(values.shape) % 97)
    write_elf(str(elf), image)
    cores, summaries = [], []
    for pure in ("0", "1"):
        core = tmp_path / f"{pure}.core"
        done = run(f"elf={elf}", f"core={core}", "json=1", WOLFRAMITE_PURE=pure)
        assert done.returncode == 0, done.stderr
        summaries.append(json.loads(done.stdout.splitlines()[-1]))
        cores.append(core.read_bytes())
        assert summaries[-1]["compiled"] or "not compiled" in done.stderr
    assert not summaries[1]["compiled"]
    assert cores[0] == cores[1] and summaries[0]["cycles"] == summaries[1]["cycles"]
    assert summaries[0]["counters"] == summaries[1]["counters"]


def test_threads_change_nothing(tmp_path):
    heat = lesson_image(tmp_path, "06-heat", NX=5, NY=6, NSTEP=10)
    heat.set("cell.u", np.random.default_rng(1).random((6, 5), np.float32))
    cores = []
    for threads in (1, 2, 3, 9):
        result = simfabric.run(heat, threads=threads)
        path = tmp_path / "x.core"
        write_elf(str(path), result.core, core=True)
        cores.append((path.read_bytes(), result.cycles, result.counters))
    assert all(core == cores[0] for core in cores)


def test_debug_records_are_in_order_and_do_not_depend_on_threads(tmp_path):
    elf = tmp_path / "x.elf"
    write_elf(str(elf), lesson_image(tmp_path, "06-heat", NX=3, NY=3, NSTEP=7))
    logs = []
    for threads in (1, 2):
        done = run(f"elf={elf}", "debug=hwtile,landing", f"threads={threads}")
        logs.append([line for line in done.stdout.splitlines() if line.startswith("@")])
    assert logs[0] == logs[1] and logs[0][0] == "@0 dimX=5, dimY=5"
    cycles = [int(line[1:].split()[0]) for line in logs[0]]
    assert cycles == sorted(cycles) and cycles[-1] > 256
    bounded = run(f"elf={elf}", "debug=hwtile,landing", "tiles=1,1,1,2", "from=50", "to=60").stdout
    inside = [
        line
        for line in logs[0][1:]
        if 50 <= int(line[1:].split()[0]) <= 60 and line.split()[1].rstrip(":") in ("P1.1", "P1.2")
    ]

    def plain(lines):  # a wavelet's number depends on what the selection shows of its way
        return [line.split("ident=")[0] for line in lines if line.startswith("@")][1:]

    assert plain(bounded.splitlines()) == plain(["@0 ", *inside])


def test_every_step_costs_the_same(tmp_path):
    """Machine page, section 4: cycles grow linearly with steps, whatever the grid."""
    cycles = {
        (size, steps): simfabric.run(
            lesson_image(tmp_path, "06-heat", NX=size, NY=size, NSTEP=steps)
        ).cycles
        for size in (3, 6)
        for steps in (10, 20, 30)
    }
    for size in (3, 6):
        once = cycles[size, 20] - cycles[size, 10]
        assert cycles[size, 30] - cycles[size, 20] == once > 0
    assert cycles[3, 30] == cycles[6, 30]


def test_timing_files_change_a_run(tmp_path, capsys):
    """Slower links cost the transfer, impossible ones are refused."""
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=5, TAKEN=5)
    elf, timing = tmp_path / "x.elf", tmp_path / "slow.toml"
    write_elf(str(elf), image)
    cycles = {}
    for hop in (2, 5):
        timing.write_text(f"hop = {hop}\n")
        capsys.readouterr()
        assert main([f"elf={elf}", f"timing={timing}", "json=1"]) == 0
        cycles[hop] = json.loads(capsys.readouterr().out.splitlines()[-1])["cycles"]
    assert cycles[5] >= cycles[2] + 3
    timing.write_text("hop = 1000\n")
    assert main([f"elf={elf}", f"timing={timing}"]) == 1
    assert "timing hop is 1000" in capsys.readouterr().err


def test_python_api(tmp_path):
    image = build(
        tmp_path,
        "let one = tile() one : code('add) one : name('add) one",
        {"add": "xp a[n=4] = {1, 2, 3, 4}; xp b[n=4]; { let i in [0, 4); ∀i b[i] <- a[i] + 1; }"},
    )
    result = simfabric.run(image, cycles=1000)
    assert result.core.get("add.b").ravel().tolist() == [2, 3, 4, 5]
    assert image.get("add.b").ravel().tolist() == [0, 0, 0, 0]
    assert result.reason == "quiet" and result.error is None and result.explanation.clean
    assert str(result).splitlines()[-1].startswith(f"{result.cycles} cycles, 1 tiles, ")
    assert result.counters["work"] > 0 and result.counter_maps["work"].shape == (1, 1)
    assert simfabric.run(image, cycles=3).reason == "limit"
