"""Lowered programs do what the tests' interpreter of the syntax tree does, bit for bit."""

from hypothesis import HealthCheck, assume, given, settings

from carbide.check import check
from carbide.ir.text import parse, show
from carbide.ir.verify import verify
from carbide.lower import lower
from carbide.syntax import parse_text
from mitools.console import Diagnostics, UserError
from tests.carbide.interpreter import Interpreter
from tests.carbide.lower.ir_interpreter import WIDTH, Machine
from tests.carbide.random_programs import programs


def lowered(text: str, **parameters: str):
    tree = parse_text(text, "t.w")
    return verify(lower(check(tree, parameters, Diagnostics(quiet=True))))


def cells(machine: Machine, name: str, type_: str) -> list[int]:
    words = machine.words(name)
    if type_ in ("xp", "i16", "u16", "hp"):
        return words
    return [low | high << 16 for low, high in zip(words[::2], words[1::2], strict=True)]


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_same_as_the_interpreter(text):
    try:
        program = lowered(text)
    except UserError as error:
        assert error.message == "a constant is divided by zero", error.render()
        assume(False)
    assert parse(show(program)) == program
    machine = Machine(program)
    machine.run()
    reference = Interpreter(parse_text(text, "t.w"))
    reference.run()
    for name, (type_, expected) in reference.globals().items():
        assert cells(machine, name, type_) == expected, f"{name}\n{text}\n{show(program)}"


def test_widths_are_those_of_the_ir():
    assert set(WIDTH) == {"i16", "u16", "i32", "u32", "h", "s"}
