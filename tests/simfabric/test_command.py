"""The command: what it refuses, one screen and no traceback."""

import pytest

from simfabric.command import main


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (["fabric=fred"], "fabric=fred is not in this version"),
        (["fabric=torus"], "is none of mesh, fred"),
        (["debug=hwtiles"], "is none of hwtile, landing"),
        (["tiles=0,0,1"], "is not x0,y0,x1,y1"),
        (["tiles=3,0,1,2"], "holds no tile"),
        (["cycles=-1"], "is less than 0"),
        (["threads=0"], "is less than 1"),
        (["quiet=0"], "is less than 1"),
        (["cycle=100"], "did you mean `cycles`?"),
        (["json=yes"], "is none of 0, 1"),
    ],
)
def test_wrong_terms(tmp_path, capsys, terms, said):
    elf = tmp_path / "x.elf"
    elf.write_bytes(b"\x7fELF")
    assert main([f"elf={elf}", *terms]) == 1
    captured = capsys.readouterr()
    assert said in captured.err and "Traceback" not in captured.err
    assert captured.out == ""


def test_no_elf(capsys):
    assert main([]) == 1
    assert "`elf=` is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"\x7fELF" + bytes(200), b"text", bytes(4096)], ids=range(5)
)
def test_files_that_are_no_elf(tmp_path, capsys, data):
    elf, core = tmp_path / "x.elf", tmp_path / "x.core"
    elf.write_bytes(data)
    core.write_bytes(b"of an earlier run")
    assert main([f"elf={elf}", f"core={core}"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{elf}: error: ")
    assert not core.exists()


def test_help_and_version(capsys):
    assert main(["help"]) == 0
    assert "cycles=N" in capsys.readouterr().out
    assert main(["version"]) == 0
    assert capsys.readouterr().out.startswith("simfabric ")
