"""The driver: stages as text, parameters, bindings, and the command over it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from carbide.command import main
from carbide.compiler import compile_program, compile_text
from carbide.isa.assembler import assemble
from carbide.isa.disassembler import object_text
from carbide.object_file import object_from_bytes, object_to_bytes, read_object
from mitools.console import Diagnostics, UserError
from tests.carbide.comparison import executed
from tests.carbide.random_programs import programs

ADD = """xp param N = 8;
sp param k = 1.5;
xp a[n=N], b[n=N], c[n=N];
sp y[m=N];
let i in [0, N);
∀i c[i] <- a[i] + b[i];
∀i y[i] <- c[i] * k;
"""
TALK = """socket rx, tx;
socket unused;
xp a[4];
∀i in [0,4) a[i] <- rx[];
∀i in [0,4) tx[] <- a[i];
"""


def build(text, **options):
    return compile_text(text, "t.w", diagnostics=Diagnostics(quiet=True), **options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.w").write_text(ADD)
    return tmp_path


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_the_text_of_each_stage_is_the_stage(text):
    """Assembly text makes the object that compiling makes; so does what `dis` prints of it."""
    try:
        object_ = build(text)
    except UserError:
        return
    assert assemble(build(text, stop="asm")) == object_
    assert assemble(object_text(object_)) == object_
    assert object_from_bytes(object_to_bytes(object_)) == object_
    again = build(build(text, stop="ast"))
    assert (again.code, again.data) == (object_.code, object_.data)


def test_parameters_are_text_or_numbers():
    sizes = [dict(build(ADD, parameters=p).symbols[0].dimensions) for p in ({"N": 5}, {"N": "5"})]
    assert sizes == [{"n": 5}, {"n": 5}]
    object_ = build(ADD, parameters={"k": 0.25, "N": 3})
    assert object_.parameters == (("N", "3"), ("k", "0.25"))


def test_the_same_program_gives_the_same_object():
    assert object_to_bytes(build(ADD)) == object_to_bytes(build(ADD))


def test_names_and_places():
    object_ = build(ADD)
    assert (object_.program, object_.source, object_.arch) == ("t", "t.w", "sdr")
    assert [s.name for s in object_.symbols] == ["a", "b", "c", "y"]
    lines = {place.line for place in object_.places}
    assert {6, 7} <= lines and all(place.file == "t.w" for place in object_.places)


def test_sockets_of_one_color_share_a_queue():
    text = "socket a, b; xp x[2]; x[0] <- a[]; x[1] <- b[];"
    apart = build(text, bindings={"a": "red", "b": "blue"})
    assert sorted(s.input_queue for s in apart.sockets) == [0, 1]
    together = build(text, bindings={"a": "red", "b": "red"})
    assert [s.input_queue for s in together.sockets] == [0, 0]
    assert [s.input_queue for s in build(text).sockets] == [0, 1]


@pytest.mark.parametrize(
    ("bindings", "message", "remedy"),
    [
        ({"rx": 1}, "nobody binds the socket `tx`", "code('t [tx:COLOR])"),
        ({"rx": 1, "tx": 2, "unusde": 3}, "has no socket `unusde`", "did you mean `unused`"),
        ({"color": 3}, "has no socket `color`", "`rx`, `tx`, `unused`"),
    ],
)
def test_bindings_that_do_not_fit(bindings, message, remedy):
    with pytest.raises(UserError) as caught:
        build(TALK, bindings=bindings)
    text = caught.value.render()
    assert message in text and remedy in text
    if "nobody" in message:
        assert text.startswith("t.w:1:12: error: ") and "|            ^^\n" in text


def test_a_socket_that_is_not_used_need_not_be_bound():
    assert build(TALK, bindings={"rx": 1, "tx": 2}).sockets


def test_imports_come_from_the_libraries(folder):
    (folder / "lib").mkdir()
    more = "xp const TWO = 2; function twice(xp v) { return v*TWO; }"
    (folder / "lib" / "more.w").write_text(more)
    (folder / "use.w").write_text("import more; xp a = 4; a = twice(a);")
    with pytest.raises(UserError, match=r"no `more\.w`"):
        compile_program("use.w")
    object_ = compile_program("use.w", libraries=["absent", "lib"])
    assert executed(object_)["a"] == [8]


def test_the_command_compiles(folder, capsys):
    assert main(["source=add.w", "object=add.obj", "set=N=3", "listing=add.json"]) == 0
    object_ = read_object("add.obj")
    assert object_ == compile_program("add.w", parameters={"N": 3})
    (program,) = json.loads((folder / "add.json").read_text())["programs"]
    assert program["parameters"] == {"N": "3"}
    mnemonics = {row["mnemonic"] for row in program["instructions"]}
    assert "add16" in mnemonics and "fmuls" in mnemonics
    (row,) = [row for row in program["instructions"] if row["mnemonic"] == "add16"]
    assert (row["file"], row["line"]) == ("add.w", 6)


@pytest.mark.parametrize("stage", ["ast", "ir", "asm"])
def test_the_command_prints_stages(folder, capsys, stage):
    assert main(["source=add.w", f"stop={stage}"]) == 0
    text = capsys.readouterr().out
    assert text.endswith("\n") and not text.endswith("\n\n")
    expected = {"ast": "∀i", "ir": "transfer add16", "asm": "add16 [DS"}
    assert expected[stage] in text
    assert sorted(p.name for p in folder.iterdir()) == ["add.w"]


def test_what_the_command_prints_assembles_to_the_object(folder, capsys):
    assert main(["source=add.w", "object=add.obj"]) == 0
    assert main(["source=add.w", "stop=asm"]) == 0
    (folder / "add.s").write_text(capsys.readouterr().out)
    assert main(["asm", "source=add.s", "object=again.obj"]) == 0
    assert read_object("again.obj") == read_object("add.obj")


def test_a_mistake_leaves_no_object(folder, capsys):
    (folder / "add.obj").write_text("old")
    (folder / "add.w").write_text("xp a; b <- a;\n")
    assert main(["source=add.w", "object=add.obj", "listing=add.json"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("add.w:1:7: error: ") and "Traceback" not in errors
    assert sorted(p.name for p in folder.iterdir()) == ["add.w"]
