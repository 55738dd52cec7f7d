"""The instructions that the kernels of three programs become, beside golden files.

`UPDATE=1` writes the golden files anew; look at the difference before you keep it. What is
vector code in them has to stay so: `VECTORS` says it line by line of the source.
"""

import json
import os
import re
from pathlib import Path

import pytest

from tests.programs.bench import HERE, build

PROGRAMS = {
    "shallow-water": ("cell", {"NX": 4, "NY": 4, "NSTEP": 50}),
    "stencil27": ("cell", {"NX": 4, "NY": 4, "Z": 32}),
    "neighbourhood": ("cell", {"W": 4, "H": 4, "R": 2, "NT": 24, "STEPS": 2}),
}
VECTORS = {
    "stencil27": {"dots"},
    "neighbourhood": {"fmuls", "fadds", "fsubs", "fmacs", "stoi16", "i16tos"},
}


def listing(program: str, folder: Path) -> list[tuple[str, str]]:
    """(source line, instruction) of a program, addresses left out."""
    name, values = PROGRAMS[program]
    build(program, folder, **values)
    programs = json.loads((folder / "bench-listing.json").read_text())["programs"]
    (found,) = [p for p in programs if p["program"] == name][:1]
    rows = []
    for one in found["instructions"]:
        source = Path(one["file"]).read_text().splitlines()[one["line"] - 1].strip()
        flags = "".join(f".{flag}" for flag in one["flags"])
        operands = re.sub(r"0x[0-9a-f]+", "@", ", ".join(one["operands"]))
        rows.append((source, f"{one['mnemonic']}{flags} {operands}".rstrip()))
    return rows


def text_of(rows: list[tuple[str, str]]) -> str:
    lines, before = [], None
    for source, instruction in rows:
        if source != before:
            lines.append(source)
            before = source
        lines.append(f"    {instruction}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_listing_is_the_golden_one(program: str, tmp_path: Path) -> None:
    golden = HERE / program / "cell.listing"
    text = text_of(listing(program, tmp_path))
    if os.environ.get("UPDATE") == "1":
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("program", VECTORS)
def test_kernels_are_vector_code(program: str, tmp_path: Path) -> None:
    vectors = {
        instruction.split()[0].split(".")[0]
        for _, instruction in listing(program, tmp_path)
        if "[DS" in instruction
    }
    assert vectors >= VECTORS[program]
