import numpy as np
import pytest

from carbide.object import Segment
from mitools.arch import load
from mitools.image.parts import Part, Parts
from mitools.weight.command import main
from mitools.weight.memory import MemoryUse, memory_faults, memory_use, tile_counts
from tests.mitools.images import grid, program

SDR = load("sdr")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_words_of_each_part():
    assert memory_use(program(), SDR) == MemoryUse(40, 0x140 - 40, 16, 0x5FF0 - 0x140)
    assert memory_faults(program(), SDR) == []


def test_the_table_has_a_line_for_each_program(capsys):
    image = grid(2, 3, program(), program("a longer name", ()))
    image.program[0] = 1
    image.save("bench.obj")
    assert main(["image=bench.obj", "arch=sdr"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "program        tiles  code  data  stack   free  used",
        "grid               3    40   280     16  24240  1.4%",
        "a longer name      3    40   280     16  24240  1.4%",
    ]


@pytest.mark.parametrize("count", [1, 200])
def test_tiles_are_counted_however_many_programs(count, capsys):
    image = grid(1, 1, *[program(f"p{k % 9}", ()) for k in range(min(count, 300))])
    image.programs = [image.programs[k % len(image.programs)] for k in range(count)]
    image.program[0, 0] = count - 1
    image.save("bench.obj")
    assert main(["image=bench.obj"]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()[1:]] == (
        ["0"] * (count - 1) + ["1"]
    )


def test_tiles_are_counted_with_numbers_of_any_width():
    for type_ in ("<i1", "<i2", "<i4"):
        numbers = np.array([[-1, 0, 100], [100, 7, 0]], type_)
        part = Part("tiles", type_, numbers.shape, numbers.tobytes())
        counts = tile_counts(Parts({"program": 0}, [part]))
        assert [counts[n] for n in (0, 7, 100, 5)] == [2, 1, 2, 0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"data_end": 0x6000}, "are 16 more than the 24576 words of main memory"),
        ({"data": (Segment(0x6100, (1,)),)}, "data at 0x6100 to 0x6100 is neither in main memory"),
        ({"code": Segment(0x5FFF, (1, 2))}, "code at 0x5fff to 0x6000 is neither in main memory"),
        ({"data": (Segment(39, (1, 2)),)}, "data and code overlap at 0x0027 to 0x0027"),
    ],
)
def test_what_does_not_fit_is_an_error(changes, reason, capsys):
    grid(1, 1, program(**changes)).save("bench.obj")
    assert main(["image=bench.obj"]) == 1
    captured = capsys.readouterr()
    assert reason in captured.err
    assert "program `grid` does not fit" in captured.err
    assert "its largest variables are routes" not in captured.err
    assert captured.out.startswith("program")


def test_an_image_for_an_unknown_machine(capsys):
    image = grid()
    image.arch = "sdx"
    image.save("bench.obj")
    assert main(["image=bench.obj"]) == 1
    assert "the machine `sdx` is not known here" in capsys.readouterr().err
    assert main(["image=bench.obj", "arch=sdr"]) == 1
    assert "is for the machine sdx, not for arch=sdr" in capsys.readouterr().err
