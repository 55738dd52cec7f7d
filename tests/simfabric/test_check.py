"""`check=1`: reads of memory that was never written are found and named, and nothing else is."""

import json
import os

import numpy as np
import pytest

import simfabric
from mitools.elf import write_elf
from simfabric.command import main
from simfabric.mesh import Mesh
from tests.simfabric.layouts import build
from tests.simfabric.machine import Pe, grid
from tests.simfabric.mesh.probe import code
from tests.simfabric.test_running import LESSONS, lesson_image, run

LAYOUT = """
let first = rect(0 0 1 1)
let other = rect(1 0 1 1)
first : code('early)
first : name('first)
other : code('late)
other : name('other)
union(first other)
"""
EARLY = """xp a[n=3][m=4];
xp total;
{
    let i in [0, 3);
    let j in [0, 4);
    ∀i ∀j a[i][j] <- i + j;
    ∀i ∀j total <- total + a[i][j];
}
"""
LATE = """xp a[n=3][m=4] = {0};
sp b[n=8];
sp c[n=8];
{
    let i in [0, 2);
    ∀i b[i] <- 1.0;
    let k in [0, 3);
    ∀k c[k] <- 2.0 * b[k];
}
"""


def image(folder, early=EARLY, late=LATE):
    return build(folder, LAYOUT, {"early": early, "late": late})


def test_a_scalar_that_was_never_set(tmp_path):
    """The first read by cycle counts; an array of the same program is written before."""
    result = simfabric.run(image(tmp_path, late="xp a; { a = 1; }"), check=True)
    assert result.reason == "error" and result.error.kind == "unwritten read"
    assert (result.error.x, result.error.y) == (0, 0)
    assert ", total (address 0x" in result.error.text and "early.w:" in result.error.text


def test_the_whole_message(tmp_path, capsys):
    """PE, program, cycle, element, address, file and line; as data too."""
    elf, core = tmp_path / "x.elf", tmp_path / "x.core"
    write_elf(str(elf), image(tmp_path, early="xp a; { a = 1; }"))
    assert main([f"elf={elf}"]) == 0  # without check= it reads zeros
    capsys.readouterr()
    assert main([f"elf={elf}", f"core={core}", "check=1", "json=1"]) == 1
    captured = capsys.readouterr()
    error = json.loads(captured.out.splitlines()[-1])["error"]
    assert error["kind"] == "unwritten read" and (error["x"], error["y"]) == (1, 0)
    assert os.path.basename(error["file"]) == "late.w" and error["line"] == 8
    assert "read of memory that was never written at P1.0 (other) in cycle " in captured.err
    assert ", b[2] (address 0x" in captured.err and "late.w:8:" in captured.err
    assert core.exists()


def test_what_miset_set_is_written(tmp_path):
    late = image(tmp_path, early="xp a; { a = 1; }")
    late.set("other.b", np.arange(8, dtype=np.float32))
    result = simfabric.run(late, check=True)
    assert result.error is None
    assert result.core.get("other.c").ravel()[:3].tolist() == [2.0, 2.0, 4.0]


@pytest.mark.parametrize("lesson", LESSONS)
def test_lessons_read_only_what_is_there(tmp_path, lesson):
    """With inputs set, no lesson is accused, and check= changes no cycle of it."""
    made = lesson_image(tmp_path, lesson, **({"NSTEP": 5} if "heat" in lesson else {}))
    for symbol in made.symbols():
        values = made.get(symbol.name)
        made.set(symbol.name, np.arange(1, values.size + 1).reshape(values.shape) % 97)
    plain, checked = simfabric.run(made), simfabric.run(made, check=True, threads=2)
    assert checked.error is None
    assert (plain.cycles, plain.counters) == (checked.cycles, checked.counters)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("mov16 R0, [0x1000]", 0x1000),
        ("mov16 [0x1001], 1\nmov32 R0, [0x1000]", 0x1000),
        ("mov16 [0x1000], 1\nmov32 R0, [0x1000]", 0x1001),
        ("mov32 [0x1000], 1\nmov32 R0, [0x1000]\nmov16 R0, [0x1002]", 0x1002),
        ("ldds DS0, out\nldds DS1, in\nmov16 [DS0], [DS1]", 0x1200),
        ("ldds DS0, 0x1300", 0x1300),
        ("mov16 R1, 0x7000\nmov16 R0, [R1]", 0x7000),
        ("mov32 [0x1000], 1\nmov32 R0, [0x1000]\nmov16 R0, [0x7C46]\nmov16 R0, [main]", None),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_way_of_reading(text, address, threads):
    data = "out: .word 0, 0x1000, 4, 1\nin: .word 0, 0x1200, 4, 1"
    same = code(f"{text}\nterm", data)
    mesh = Mesh(grid({(y, 0): Pe(same) for y in range(8)}), check=True)
    mesh.run(1000, threads=threads)
    if address is None:
        assert mesh.error is None
        return
    error = mesh.error
    assert error.fault.name == "UNWRITTEN_READ" and (error.y, error.x) == (0, 0)
    assert error.details["address"] == address


def test_uncompiled_and_after_a_checkpoint(tmp_path):
    elf, kept = tmp_path / "x.elf", tmp_path / "kept"
    text = "mov16 [0x1000], 1\n" + "nop\n" * 50 + "mov16 R0, [0x1000]\nmov16 R0, [0x1001]\nterm"
    write_elf(str(elf), grid({(0, 0): Pe(code(text))}))
    said = []
    for pure in ("0", "1"):
        whole = run(f"elf={elf}", "check=1", WOLFRAMITE_PURE=pure)
        assert whole.returncode == 1
        said.append(whole.stdout.splitlines()[0])
        first = run(f"elf={elf}", "check=1", f"save=9,{kept}", "cycles=30", WOLFRAMITE_PURE=pure)
        assert first.returncode == 0
        then = run(f"elf={elf}", "check=1", f"resume={kept}", WOLFRAMITE_PURE=pure)
        assert then.returncode == 1
        said.append(then.stdout.splitlines()[0])
    assert "address 0x1001" in said[0]
    assert all(line == said[0] for line in said)
    assert run(f"elf={elf}", f"resume={kept}").returncode == 0
    assert run(f"elf={elf}", f"save=9,{kept}", "cycles=30").returncode == 0
    refused = run(f"elf={elf}", "check=1", f"resume={kept}")
    assert refused.returncode == 1
    assert "the checkpoint does not tell which memory was written" in refused.stderr
