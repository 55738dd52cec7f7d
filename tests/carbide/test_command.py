"""The `carbide` command: its words, its errors, and what stands in its listing."""

import json
import subprocess
import sys

import pytest

from carbide.command import main
from carbide.listing import listing_text
from carbide.object_file import read_object
from mitools.version import VERSION

TEXT = """        .program "a" "a.w" "sdr"
        .param "N" "4"
        .task 8 main active open
main:
        .line "a.w" 3 5
        fmacs [DS0], [DS1], R2, -1.5
        .line "a.w" 4 1
        mov16.u3.t [DS3], IQ0
        .word 0x0042
        term
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.s").write_text(TEXT)
    return tmp_path


def test_version_and_help(capsys):
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"carbide {VERSION} (wolframite)\n"
    assert main(["help"]) == 0
    text = capsys.readouterr().out
    for term in ("source=", "object=", "lib=", "set=", "arch=", "listing=", "stop=", "asm", "dis"):
        assert term in text


def test_version_imports_nothing_heavy():
    """Start-up time is made of imports; which ones is exact where a clock is not."""
    program = (
        "import sys; from carbide.command import main; main(['version']);"
        "print(sorted({'attrs', 'attr', 'numpy', 'lark', 'rich', 'json', 'pathlib',"
        "'hashlib', 'difflib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1] == "[]"


def test_assemble_and_disassemble(folder, capsys):
    assert main(["asm", "source=a.s", "object=a.obj"]) == 0
    assert main(["dis", "object=a.obj"]) == 0
    text = capsys.readouterr().out
    (folder / "b.s").write_text(text)
    assert main(["object=b.obj", "source=b.s", "asm"]) == 0
    assert read_object("a.obj") == read_object("b.obj")


def test_the_listing(folder):
    assert main(["asm", "source=a.s", "object=a.obj", "listing=a.json"]) == 0
    text = (folder / "a.json").read_text()
    (program,) = json.loads(text)["programs"]
    head = {key: program[key] for key in ("program", "source", "arch", "parameters")}
    assert head == {"program": "a", "source": "a.w", "arch": "sdr", "parameters": {"N": "4"}}
    first, second, third, fourth = program["instructions"]
    assert first == {
        "address": 0,
        "encoding": ["5300", "4041", "0271", "0000", "bfc0"],
        "mnemonic": "fmacs",
        "flags": [],
        "operands": ["[DS0]", "[DS1]", "R2", "-1.5"],
        "file": "a.w",
        "line": 3,
        "column": 5,
    }
    assert (second["address"], second["flags"], second["line"]) == (5, ["u3", "t"], 4)
    assert (third["mnemonic"], third["encoding"]) == (".word", ["0042"])
    assert fourth["address"] == 8 and fourth["operands"] == []
    (line,) = [line for line in text.splitlines() if '"fmacs"' in line]
    assert '"line": 3' in line, "users search the listing line by line"
    assert listing_text([]) == '{"version": 1, "programs": [\n ]}\n'
    assert len(json.loads(listing_text([read_object("a.obj")] * 2))["programs"]) == 2


WRONG = [
    (["asm", "source=b.s", "object=a.obj"], "cannot read `b.s`"),
    (["asm", "source=a.s"], "`object=` is missing"),
    (["asm", "source=a.s", "object=a.obj", "stop=ir"], "`stop"),
    (["asm", "source=a.s", "object=a.obj", "arch=wse9"], "no machine we know"),
    (["dis", "object=a.s"], "no object file"),
    (["dis", "object=none.obj"], "cannot read `none.obj`"),
    (["dis"], "`object=` is missing"),
    (["sysroot", "lib=x"], "no key `lib=`"),
    (["object=a.obj"], "`source=` is missing"),
    (["source=a.w", "stop=asmm"], "did you mean `asm`"),
    (["source=a.w", "objekt=a.obj"], "did you mean `object`"),
    (["source=a.w"], "nothing to make"),
    (["source=a.w", "stop=ir", "object=a.obj"], "makes no file"),
    (["source=a.w", "object=a.obj", "set=N"], "NAME=VALUE"),
    (["disassemble", "object=a.obj"], "no word `disassemble`"),
]


@pytest.mark.parametrize(("terms", "reason"), WRONG, ids=lambda value: " ".join(value))
def test_mistakes(folder, capsys, terms, reason):
    (folder / "a.obj").write_text("old")
    before = (folder / "a.s").read_text()
    assert main(terms) == 1
    errors = capsys.readouterr().err
    assert reason in errors and "Traceback" not in errors
    assert (folder / "a.s").read_text() == before


def test_a_mistake_in_assembly_shows_its_place_and_leaves_no_object(folder, capsys):
    (folder / "a.s").write_text("nop\n        fadd R0, R2, R4\n")
    (folder / "a.obj").write_text("old")
    assert main(["asm", "source=a.s", "object=a.obj"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("a.s:2:9: error: no instruction is called 'fadd'; is 'fadds' meant?\n")
    assert "    2 |         fadd R0, R2, R4\n      |         ^^^^\n" in errors
    assert not (folder / "a.obj").exists()
