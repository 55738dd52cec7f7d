"""From a layout and its programs to the image: registers, sharing, names, mistakes."""

from pathlib import Path

import numpy as np
import pytest

from carbide.object import Object
from mitools.arch.words import ColorRule
from mitools.image.model import Image
from paint.command import main

SEND = "xp param N;\nsocket tx;\nxp a[n=N];\n{\n    let i in [0, N);\n    ∀i tx[] <- a[i];\n}\n"
RECV = "xp param N;\nsocket rx;\nxp a[n=N];\n{\n    let i in [0, N);\n    ∀i a[i] <- rx[];\n}\n"
STAGE = """xp param N;
socket r;
xp a[n=N];
{
    let i in [0, N);
    ∀i a[i] <- r[];
    ∀i r[] <- a[i] + 1;
}
"""
ROW = """let r = color()
let rp = color()
let row = rect(0 0 K+2 1)
row : paint(rp [CXR|R]) (* rp takes what the core sends on r and carries it right *)
row : paint(r [L|LXC]) (* r takes rp arriving from the left, for the core *)
row : colorpair(r rp)
let src = rect(0 0 1 1)
src : code('send [tx:r N:N])
src : name('send)
let stages = rect(1 0 K 1)
stages : code('stage [r:r N:N])
stages : name('stage)
let sink = rect(K+1 0 1 1)
sink : code('recv [rx:r N:N])
sink : name('recv)
union(row src stages sink)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("send", SEND), ("recv", RECV), ("stage", STAGE)):
        (tmp_path / f"{name}.w").write_text(text)
    (tmp_path / "bench.paint").write_text(ROW)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build(*terms: str) -> Image:
    assert main(["source=bench.paint", "image=bench.obj", "map=bench.map", *terms]) == 0
    return Image.open("bench.obj")


def rules(image: Image, y: int, x: int) -> dict[int, ColorRule]:
    """Rules by color number as the registers of a tile hold them."""
    config = image.configs[image.config[y, x]]
    found = {}
    for color, word in enumerate(config.colors):
        rule = ColorRule.from_words(word, config.switches[4 * color : 4 * color + 4])
        if rule != ColorRule():
            found[color] = rule
    return found


def socket_words(image: Image, y: int, x: int) -> dict[str, tuple[int | None, int | None]]:
    """(input, output) queue words of each socket of a tile's program."""
    program: Object = image.programs[image.program[y, x]]
    config = image.configs[image.config[y, x]]
    return {
        s.name: (
            None if s.input_queue is None else config.input_queues[2 * s.input_queue],
            None if s.output_queue is None else config.output_queues[s.output_queue],
        )
        for s in program.sockets
    }


@pytest.mark.parametrize("stages", [1, 3])
def test_the_second_step_of_the_notes(
    folder: Path, stages: int, capsys: pytest.CaptureFixture[str]
) -> None:
    image = build(f"set=K={stages}", "set=N=4", "arch=sdr", "lib=.", "lib=nowhere", "verbose",
                  "toolname", "w", "carbide", "toolname", "yeti", "carbide")  # fmt: skip
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "color r = 0, pair of rp" in shown.out and "color rp = 1, pair of r" in shown.out
    assert (image.height, image.width) == (1, stages + 2)
    assert [image.programs[k].program for k in image.program[0]] == [
        "send", *["stage"] * stages, "recv",
    ]  # fmt: skip
    swap = 0b111 << 8
    first, middle, last = (rules(image, 0, x) for x in (0, 1, stages + 1))
    # r at column 0 has no input, and still its outputs and swap bits.
    assert image.configs[image.config[0, 0]].colors[0] == 5 << 5 | 16 | swap
    assert middle[0].config_word() == 0 << 5 | 16 | swap
    assert middle[1].config_word() == 4 << 5 | 2 | swap
    assert last[1].config_word() == 4 << 5 | swap and last[0] == middle[0] and first[1] == middle[1]
    assert socket_words(image, 0, 0) == {"tx": (None, 0)}
    assert socket_words(image, 0, 1) == {"r": (0x8000, 0)}
    assert image.colors == {0: ["r"], 1: ["rp"]}
    ys, xs = image.regions["stage"]
    assert ys.tolist() == [0] * stages and xs.tolist() == list(range(1, stages + 1))
    assert len(image.configs) == (3 if stages else 2) and len(image.programs) == 3
    assert f"stage.a xp 0x{image.programs[1].symbols[0].address:04x} [y<1 x<{stages} n<4]" in (
        Path("bench.map").read_text()
    )


def test_switch_words_and_banks(folder: Path) -> None:
    Path("bench.paint").write_text(
        "let t = rect(-3 7 1 1)\nt : paint(color(3) [C>D ; U>D* ; L>C ; pop=adv ring])\n"
        "t : paint(color(12) [LHC])\nt : mp(0)\nlet s = rect(2 8 1 1)\nunion(t s)\n"
    )
    image = build()
    assert (image.height, image.width) == (2, 6)
    assert image.program.tolist() == [[-1] * 6] * 2
    assert image.config[0, 0] == 0 and image.config[1, 5] == -1
    config = image.configs[0]
    assert config.message_banks == 1
    assert config.colors[3] == 4 << 5 | 8 | 1 << 11
    assert config.switches[12:16] == (
        (2 << 5 | 8) | 1 << 12 | 2 << 13, (0 << 5 | 16) | 0xA0 << 8, 0, 0,
    )  # fmt: skip
    assert config.colors[12] == 0 << 5 | 16 | 1 << 9
    assert config.colors[0] == 0x00A0 and config.switches[:4] == (0x00A0, 0xA0A0, 0, 0)
    assert config.input_queues == (0,) * 16 and config.output_queues == (0,) * 8


def test_each_program_is_compiled_once_for_what_differs(folder: Path) -> None:
    Path("both.w").write_text(
        "socket a, b;\nxp x;\nxp y;\nx <- a[];\ny <- b[];\n"
    )
    Path("bench.paint").write_text(
        "let c = color() let d = color() let e = color()\n"
        "let one = code(tile() 'both [a:c b:d])\nlet two = code(tile() 'both [a:d b:e])\n"
        "let three = code(tile() 'both [a:c b:c])\n"
        "let four = code(tile() 'send [tx:c N:3]) let five = code(tile() 'send [tx:d N:3])\n"
        "let six = code(tile() 'send [N:4 tx:d])\n"
        "hstack(one two three four five six four)\n"
    )
    image = build()
    assert image.program.tolist() == [[0, 0, 1, 2, 2, 3, 2]]
    # One queue for two sockets on one color, two for two colors.
    assert len({s.input_queue for s in image.programs[1].sockets}) == 1
    assert len({s.input_queue for s in image.programs[0].sockets}) == 2
    number = {name: n for n, names in image.colors.items() for name in names}
    assert socket_words(image, 0, 1)["a"][0] == 0x8000 | number["d"]
    assert socket_words(image, 0, 4)["tx"][1] == number["d"] << 4


def test_params_keep_their_digits(folder: Path) -> None:
    Path("p.w").write_text("sp param Δt;\nxp param k;\nsp x = Δt;\nxp y = k;\n")
    Path("bench.paint").write_text("let t = tile()\nt : code('p [Δt:1e-3/4 k:7//2-5])\nt\n")
    image = build()
    assert image.programs[0].parameters == (("k", "-2"), ("Δt", "0.00025"))


def test_gaps_and_names(folder: Path) -> None:
    Path("bench.paint").write_text(
        "let c = color()\nlet t = code(tile() 'send [tx:c N:2])\nt : paint(c [C>])\nt : name('s)\n"
        "hstackrep(vstackrep(t 2 1) 3 2)\n"
    )
    image = build()
    assert image.program.shape == (3, 7)
    assert (image.program >= 0).sum() == 6
    assert np.array(image.get("s.a")).shape == (2, 3, 2)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(folder: Path, threads: int) -> None:
    build("set=K=2", "set=N=4", "threads=1")
    before = (Path("bench.obj").read_bytes(), Path("bench.map").read_bytes())
    build("set=K=2", "set=N=4", f"threads={threads}")
    assert (Path("bench.obj").read_bytes(), Path("bench.map").read_bytes()) == before


MISTAKES = [
    ("socket missing", ROW.replace("tx:r ", ""), "bench.paint:8:7", "`tx`", "send.w:2:8"),
    ("param missing", ROW.replace("[tx:r N:N]", "[tx:r]"), "bench.paint:8:7", "`N`", "send.w:1:10"),
    ("unknown key", ROW.replace("tx:r N:N", "tx:r N:N M:3"), "bench.paint:8:28", "`M`", "`N`"),
    ("unknown socket", ROW.replace("tx:r", "rx:r"), "bench.paint:8:19", "`rx`", "`tx`"),
    ("color for a param", ROW.replace("N:N", "N:r", 1), "bench.paint:8:24", "param", "send"),
    ("number for a socket", ROW.replace("tx:r", "tx:3"), "bench.paint:8:19", "a socket", "color"),
    ("no program", ROW.replace("'send [", "'sned ["), "bench.paint:8:7", "sned.w", "`send`"),
    ("text as param", ROW.replace("N:N", "N:'x", 1), "send.w:1:10", "bench.paint:8:7", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "says", "also"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES]
)
def test_mistakes_between_layout_and_program(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, place: str, says: str, also: str
) -> None:
    Path("bench.paint").write_text(text)
    Path("bench.obj").write_text("old")
    status = main(["source=bench.paint", "image=bench.obj", "map=bench.map", "set=N=4", "set=K=1"])
    shown = capsys.readouterr().err
    assert status == 1 and shown.startswith(f"{place}"), shown
    assert says in shown and also in shown, shown
    assert not Path("bench.obj").exists() and not Path("bench.map").exists()


def test_mistakes_of_a_program_have_their_own_place(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("stage.w").write_text(STAGE.replace("a[i] + 1", "b + 1"))
    Path("recv.w").write_text("xp param N;\nsocket rx\n")
    for threads in (1, 3):
        assert main(["source=bench.paint", "image=o", "map=m", "set=N=4", "set=K=1",
                     f"threads={threads}"]) == 1  # fmt: skip
        shown = capsys.readouterr().err
        assert shown.startswith("stage.w:7:15: error"), shown
        assert "bench.paint:11:10: note: the layout asks for this program here" in shown
        assert "recv.w:" in shown and "bench.paint:14:8: note" in shown


def test_nine_queues(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"socket s{k};\nxp a{k};\na{k} <- s{k}[];\n" for k in range(9))
    Path("many.w").write_text(text)
    sockets = " ".join(f"s{k}:color({k})" for k in range(9))
    Path("bench.paint").write_text(f"let t = tile()\nt : code('many [{sockets}])\nt\n")
    assert main(["source=bench.paint", "image=o"]) == 1
    shown = capsys.readouterr().err
    assert "many.w:25:8" in shown and "bench.paint:2:5" in shown and "8 input queues" in shown


def test_another_compiler(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = folder / "mycc"
    tool.write_text("#!/bin/sh\necho called \"$@\" >> log\nexec carbide \"$@\"\n")
    tool.chmod(0o755)
    image = build("set=K=1", "set=N=4", "toolname", "w", str(tool))
    assert len(image.programs) == 3
    assert Path("log").read_text().count("called source=") == 3
    tool.write_text("#!/bin/sh\necho went wrong >&2\nexit 3\n")
    assert main(["source=bench.paint", "image=o", "set=K=1", "set=N=4", "toolname", "w",
                 str(tool)]) == 1  # fmt: skip
    shown = capsys.readouterr().err
    assert "went wrong" in shown and "bench.paint:8:7" in shown
    assert main(["source=bench.paint", "image=o", "set=K=1", "set=N=4", "toolname", "w",
                 "nosuchtool"]) == 1  # fmt: skip
    assert "`nosuchtool` cannot be started" in capsys.readouterr().err


def test_flows_are_kept(folder: Path) -> None:
    Path("bench.paint").write_text(
        "let c = color()\nlet r = rect(0 0 2 2)\nr : flow(c 'max 'sp)\n"
        "r : code('send [tx:c N:1])\nr\n"
    )
    (flow,) = build().flows
    assert (flow.color, flow.operation, flow.type) == (0, "max", "sp")
    assert flow.tiles == ((0, 0), (0, 1), (1, 0), (1, 1))
