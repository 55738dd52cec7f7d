"""How fast the simulator runs grids; PE-cycles count every PE in every cycle."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Figure, command, middle


def heat_elf(folder: Path, cells: int, steps: int) -> Path:
    """Lesson 06 at so many cells each way, started from the lesson's own state."""
    lesson = ROOT / "tutorial" / "06-heat"
    goal = [
        "make", "-s", "-f", f"{lesson}/Makefile", "-C", str(folder), f"VPATH={lesson}",
        f"NX={cells}", f"NY={cells}", f"NSTEP={steps}", "ARCH=sdr", "bench.elf",
    ]  # fmt: skip
    command(goal)
    return folder / "bench.elf"


def program_elf(folder: Path, program: Path, **values: int) -> Path:
    """A layout with its programs, without inputs."""
    words = ["paint", f"source={program}/bench.paint", f"lib={program}", "image=bench.img"]
    command([*words, *(f"set={name}={value}" for name, value in values.items())], folder)
    command(["mielf", "image=bench.img", "elf=bench.elf"], folder)
    return folder / "bench.elf"


def runs(elf: Path, threads: int = 1, times: int = 5) -> list[dict]:
    """Summaries of several runs of one ELF."""
    core = elf.with_suffix(".elf-core")
    words = ["simfabric", f"elf={elf}", f"core={core}", "json=1", f"threads={threads}"]
    return [json.loads(command(words).splitlines()[-1]) for _ in range(times)]


def heat() -> Iterator[Figure]:
    """Lesson 06 at 32 by 32 cells: 34 by 34 PEs, 50 steps."""
    with TemporaryDirectory() as folder:
        elf = heat_elf(Path(folder), 32, 50)
        found = runs(elf)
        rate = middle([run["tile_cycles_per_second"] for run in found])
        yield Figure("heat 34 x 34, 1 thread", rate / 1e6, "million PE-cycles/s", least=4.0)
        yield Figure("heat 34 x 34, cycles", float(found[0]["cycles"]), "cycles")


def shallow() -> Iterator[Figure]:
    """Shallow water, 32 by 32 cells in a ring of walls: two exchanges a step."""
    program = ROOT / "tests" / "programs" / "shallow-water"
    cycles = []
    with TemporaryDirectory() as folder:
        for steps in (100, 200):
            found = runs(program_elf(Path(folder), program, NX=32, NY=32, NSTEP=steps), 1, 3)
            cycles.append(found[0]["cycles"])
        rate = middle([run["tile_cycles_per_second"] for run in found])
        yield Figure("shallow water 34 x 34", rate / 1e6, "million PE-cycles/s", least=10.0)
        yield Figure("shallow water, one step", (cycles[1] - cycles[0]) / 100, "cycles")


def large() -> Iterator[Figure]:
    """The same at 126 by 126 cells, with one thread and with two."""
    with TemporaryDirectory() as folder:
        elf = heat_elf(Path(folder), 126, 20)
        one = runs(elf, 1, 3)
        two = runs(elf, 2, 3)
        if {run["cycles"] for run in one} != {run["cycles"] for run in two}:
            raise AssertionError("the number of threads changes the number of cycles")
        rates = [middle([run["tile_cycles_per_second"] for run in some]) for some in (one, two)]
        yield Figure("heat 128 x 128, 1 thread", rates[0] / 1e6, "million PE-cycles/s")
        yield Figure("heat 128 x 128, 2 threads", rates[1] / rates[0], "times one thread")
