"""The command line of paint, and what it prints."""

import json
from pathlib import Path

import pytest

from paint.command import main

LAYOUT = """let a = color()
let b = color()
let row = rect(0 0 W 2)
row : paint(a [L|L>R|R])
row : paint(b [R>L ; C>L* ; pop=adv])
row : name('row)
setif(W>3 union(row rect(0 4 1 1)) row)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bench.paint").write_text(LAYOUT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *terms: str) -> str:
    assert main(["source=bench.paint", *terms]) == 0
    return capsys.readouterr().out


def test_dump_routes(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "set=W=3", "dump=routes") == (
        "color a = 0\n"
        "    (0, 0) 1x2 [->R]\n"
        "    (1, 0) 1x2 [L>R]\n"
        "    (2, 0) 1x2 [L>]\n"
        "color b = 1\n"
        "    (0, 0) 3x2 [R>L ; C>L* ; pop=adv]\n"
    )


def test_dump_tiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "set=W=4", "dump=tiles") == (
        "layout 4x5\n"
        "name 'row: (0, 0) 4x2\n"
        "2 tiles: (0, 0) 1x2\n"
        "    a = 0 [->R]\n"
        "    b = 1 [R>L ; C>L* ; pop=adv]\n"
        "4 tiles: (1, 0) 2x2\n"
        "    a = 0 [L>R]\n"
        "    b = 1 [R>L ; C>L* ; pop=adv]\n"
        "2 tiles: (3, 0) 1x2\n"
        "    a = 0 [L>]\n"
        "    b = 1 [R>L ; C>L* ; pop=adv]\n"
        "1 tile: (0, 4)\n"
    )


def test_dump_colors(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "set=W=3", "dump=colors") == (
        "color a = 0 (bench.paint:1:9)\ncolor b = 1 (bench.paint:2:9)\n"
    )


def test_settings(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bench.paint").write_text("let t = tile()\nt : code('p [w:W f:F n:N])\nt\n")
    assert "'p [f:0.5 n:abc w:16]" in printed(
        capsys, "set=W=0x10", "set=F=0.50", "set=N=abc", "set=UNUSED=1", "set=X=", "dump=tiles"
    )
    assert main(["source=bench.paint", "set=W=", "dump=tiles"]) == 1
    assert "the name `W` is not known" in capsys.readouterr().err


def test_includes(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "lib").mkdir()
    Path("lib/colors.paint").write_text("let c = color()\n")
    Path("lib/lane.paint").write_text(
        'include "colors.paint"\ndefine lane(w) { paint(rect(0 0 w 1) c [L>R]) }\n'
    )
    Path("bench.paint").write_text(
        'include "lane.paint" include "colors.paint"\nunion(lane(2) paint(rect(0 1 1 1) c [C>R]))\n'
    )
    assert printed(
        capsys, "lib=lib", "dump=routes"
    ) == "color c = 0\n    (0, 0) 2x1 [L>R]\n    (0, 1) [C>R]\n"
    assert main(["source=bench.paint", "dump=routes"]) == 1
    shown = capsys.readouterr().err
    assert "bench.paint:1:9: error: there is no layout `lane.paint`" in shown
    Path("lib/colors.paint").write_text("let c = colr()\n")
    assert main(["source=bench.paint", "dump=routes", "lib=lib"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("lib/colors.paint:1:9: error") and "included here" in shown
    Path("lib/colors.paint").write_text('include "lane.paint"')
    assert main(["source=bench.paint", "dump=routes", "lib=lib"]) == 1
    assert "includes itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        (["set=W=3"], "nothing to make"),
        (["set=W=3", "dump=route"], "routes"),
        (["set=W=3", "imag=x"], "did you mean `image`"),
        (["dump=tiles"], "`W` is not known"),
        (["set=W=3", "toolname", "w"], "toolname EXT TOOL"),
        (["set=W=3", "arch=wse3", "image=x"], "sdr"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], terms: list[str], says: str) -> None:
    assert main(["source=bench.paint", *terms]) == 1
    assert says in capsys.readouterr().err


def test_flags_of_another_compiler_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["source=bench.paint", "set=W=3", "image=x", "toolflag", "w",
                 "liveness recharge ra_max_attempts=20"]) == 0  # fmt: skip
    assert "ra_max_attempts=20" in capsys.readouterr().err


def test_listing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.w").write_text("xp a[n=4];\nxp b[n=4];\n{ let i in [0,4); ∀i a[i] <- a[i] + b[i]; }\n")
    Path("bench.paint").write_text("code(rect(0 0 2 2) 'p)\n")
    assert main(["source=bench.paint", "listing=l.json"]) == 0
    listing = json.loads(Path("l.json").read_text())
    assert [one["program"] for one in listing["programs"]] == ["p"]
    assert any(row["mnemonic"] == "add16" for row in listing["programs"][0]["instructions"])


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    for term in ("source=", "image=", "map=", "lib=", "set=", "arch=", "threads=", "toolname",
                 "toolflag", "listing=", "dump=", "verbose"):  # fmt: skip
        assert term in shown
    assert main(["version"]) == 0
    assert capsys.readouterr().out.startswith("paint ")
