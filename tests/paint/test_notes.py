"""The swap steps of the Architecture Notes, painted unchanged and run."""

from pathlib import Path

import numpy as np
import pytest

from mitools.image.model import Image
from paint.command import main
from simfabric import run
from tests.paint.build.test_build import RECV, ROW, SEND, STAGE

STEP1 = """let a = color()
let b = color()
let send = rect(0 0 1 1)
send : code('send [tx:a N:N])
send : paint(a [C>R])
send : name('send)
let recv = rect(1 0 1 1)
recv : code('recv [rx:b N:N])
recv : paint(b [LHC]) (* b takes a from the left, for the core *)
recv : paint(a [LHC]) (* a takes b, so it does not also claim a *)
recv : name('recv)
let row = rect(0 0 2 1)
row : colorpair(a b)
union(row send recv)
"""
STEP4 = """(* The last cell sends; its data turns around at the right end, passes the cells, turns
   again at the left end, and comes to the cells from there. *)
let c0 = color()  let c0x = color()
let grid = rect(1 0 K 1)
grid : paint(c0x [R>L])
grid : colorpair(c0 c0x)
let takers = rect(1 0 K-1 1)
takers : code('recv [rx:c0 N:N])  takers : paint(c0 [L>RC|R])  takers : name('recv)
let last = rect(K 0 1 1)
last : code('send [tx:c0 N:N])  last : paint(c0 [C>R])  last : name('send)
let right = rect(K+1 0 1 1)
right : paint(c0x [LXL])  right : paint(c0 [LXL])
let left = hflip(right)
left : place(0-K-1 0)
union(grid takers last left right)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("send", SEND), ("recv", RECV), ("stage", STAGE)):
        (tmp_path / f"{name}.w").write_text(text)
    monkeypatch.chdir(tmp_path)


def ran(text: str, *terms: str) -> tuple[str, Image, str]:
    """(explanation's lines, core, warnings) of a layout whose sender has 10, 20, 30, 40."""
    Path("bench.paint").write_text(text)
    assert main(["source=bench.paint", "image=bench.obj", "set=N=4", *terms]) == 0
    image = Image.open("bench.obj")
    image.set("send.a", np.array([10, 20, 30, 40]))
    result = run(image, cycles=5000)
    return str(result), result.core, result.reason


def test_step_1_a_swap_on_the_way(capsys: pytest.CaptureFixture[str]) -> None:
    log, core, reason = ran(STEP1)
    assert capsys.readouterr().err == ""
    assert reason == "quiet" and "All router state is clean" in log
    assert core.get("recv.a").ravel().tolist() == [10, 20, 30, 40]


def test_step_1_without_the_partner_stalls(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in STEP1.splitlines() if not line.startswith("recv : paint(a")]
    log, core, reason = ran("\n".join(lines))
    assert "the fabric stalls" in capsys.readouterr().err
    assert core.get("recv.a").ravel().tolist() == [0, 0, 0, 0]
    assert reason == "quiet" and "All router state is clean" not in log


def test_step_1_misread_cannot_land(capsys: pytest.CaptureFixture[str]) -> None:
    log, _, reason = ran(STEP1.replace("paint(b [LHC])", "paint(b [L>C])"))
    assert "it cannot land" in capsys.readouterr().err
    assert reason == "error" and "arriving wavelet could not land" in log


@pytest.mark.parametrize("stages", [1, 3, 17])
def test_step_2_one_socket_for_a_row(stages: int, capsys: pytest.CaptureFixture[str]) -> None:
    log, core, reason = ran(ROW, f"set=K={stages}")
    assert capsys.readouterr().err == ""
    assert reason == "quiet" and "All router state is clean" in log
    assert core.get("recv.a").ravel().tolist() == [v + stages for v in (10, 20, 30, 40)]


@pytest.mark.parametrize("cells", [2, 5])
def test_step_4_turns_around(cells: int, capsys: pytest.CaptureFixture[str]) -> None:
    log, core, reason = ran(STEP4, f"set=K={cells}")
    assert capsys.readouterr().err == ""
    assert reason == "quiet" and "All router state is clean" in log
    got = np.asarray(core.get("recv.a")).reshape(cells - 1, 4)
    assert got.tolist() == [[10, 20, 30, 40]] * (cells - 1)
