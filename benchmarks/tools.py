"""How long the tools take: their start, the pipeline of one PE, paint of a grid."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Figure, command, median, seconds


def start() -> Iterator[Figure]:
    """`carbide version`, the start of a command that does nothing."""
    yield Figure("carbide version", seconds(["carbide", "version"], times=9), "s", most=0.15)


def pipeline() -> Iterator[Figure]:
    """Every tool once, for lesson 01: one PE."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in (ROOT / "tutorial" / "01-add").iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        command(["python", "check.py", "inputs"], folder)
        steps = [
            "paint source=bench.paint arch=sdr verbose toolname w carbide toolname yeti carbide"
            " image=bench.obj map=bench.map",
            "milink image=bench.obj arch=sdr",
            "weight image=bench.obj map=bench.map arch=sdr",
            "miset image=bench.obj out=bench.img map=bench.map symbol=add.a data=a.bin",
            "miset image=bench.img out=bench.img map=bench.map symbol=add.b data=b.bin",
            "mielf image=bench.img elf=bench.elf",
            "simfabric elf=bench.elf core=bench.elf-core json=0",
            "elfmi image=bench-sim.core elf=bench.elf-core",
            "miget image=bench-sim.core map=bench.map symbol=add.c data=c.bin",
        ]

        def all_tools() -> None:
            for step in steps:
                command(step.split(), folder)

        all_tools()
        yield Figure("all tools, one PE", median(all_tools, 5), "s", most=2.0)


def paint() -> Iterator[Figure]:
    """Paint and compile of lesson 06 at 32 by 32 cells."""
    with TemporaryDirectory() as name:
        lesson = ROOT / "tutorial" / "06-heat"
        words = (
            f"paint source={lesson}/bench.paint lib={lesson} arch=sdr set=NX=32 set=NY=32"
            " set=NSTEP=50 toolname w carbide image=bench.obj map=bench.map"
        ).split()
        yield Figure("paint, 34 x 34 heat", seconds(words, Path(name), 5), "s", most=1.5)
