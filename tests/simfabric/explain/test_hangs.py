"""Ten kinds of hang and four faults, each a small program, and what the log says about it.

`UPDATE=1 pytest tests/simfabric/explain/test_hangs.py` writes the reports anew; read them before
you keep them.
"""

import os
from pathlib import Path

import pytest

from mitools.elf import write_elf
from mitools.image.model import Image
from paint.command import main as paint
from simfabric.command import main as simfabric

HANGS = Path(__file__).parent / "hangs"


def report(name: str, folder: Path, capsys: pytest.CaptureFixture[str], *terms: str) -> str:
    """The end of the log without its clock."""
    assert paint(["source=bench.paint", "lib=.", f"image={folder}/bench.obj"]) == 0
    write_elf(f"{folder}/bench.elf", Image.open(f"{folder}/bench.obj"))
    capsys.readouterr()
    status = simfabric([f"elf={folder}/bench.elf", f"core={folder}/bench.core", *terms])
    *lines, quote = capsys.readouterr().out.splitlines()
    assert "cycles per second" in quote
    return "\n".join([*lines, f"exit status {status}", ""])


@pytest.mark.parametrize("name", sorted(f.name for f in HANGS.iterdir() if f.is_dir()))
def test_report(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(HANGS / name)
    text = report(name, tmp_path, capsys)
    assert report(name, tmp_path, capsys, "threads=2") == text
    golden = HANGS / name / "report.txt"
    if os.environ.get("UPDATE") == "1":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
