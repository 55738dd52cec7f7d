"""Assembly text: what it means, objects through text, and errors with their places."""

import pytest

from carbide.isa.assembler import AssemblyError, assemble, read_assembly
from carbide.isa.assembly import (
    Align,
    Assembly,
    Label,
    LayoutError,
    Origin,
    SourceLine,
    Space,
    SymbolAt,
    TaskAt,
    Words,
    link,
)
from carbide.isa.disassembler import assembly_text, object_text, operation_text
from carbide.isa.operands import Immediate, Reference, Register, operation
from carbide.object import Control, Filter, Segment, SocketUse, SourcePlace, Symbol, Task

PROGRAM = """
; a program with one of everything
        .program "höhe" "höhe.w" "sdr"
        .param "N" "4"
        .param "Δt" "0.5:sp"
        .socket "rx" none IQ0 none 3 4
        .socket "tx" "sp" none OQ1 3 8
        .symbol "h" "sp" h 2 "x" 3 "y" 1
        .symbol "col" "xp" 0x7c46 1
        .task 8 main active open
        .task 0 main+2 idle blocked
        .filter IQ0 3 1 2 data
        .control any any none
        .control IQ2 63 9
        .stack 0x5ff0
        .router
        .note "a \\"note\\""
main:   .line "höhe.w" 3 5
        fmacs [DS0], [DS1], R2, -1.5 ; fused
        .line "höhe.w" 4 1
        mov16.u3.t [DS3], IQ0
.again1: jne16 R4, -1, .again1
        add32 R0, R2, h+2
        mov16 R0, [R5-4]
        mov32 [h], 0x12345678
        mov16 none, [R5+h+2]
        faddh R0, R1, 0.1
        sums.keep.noload none, [DS2]
        call R20, main
        ldds DS3, record
        .data
        .align 2
h:      .space 6
record: .word 0, h, 3, 2
        .org 0x7c05
        .word 0x00a0, -1
"""


@pytest.fixture
def program():
    return assemble(PROGRAM)


def test_an_object_from_text(program):
    code = len(program.code.words)
    h = code + code % 2
    assert program.program == "höhe" and program.source == "höhe.w"
    assert program.parameters == (("N", "4"), ("Δt", "0.5:sp"))
    assert program.code.address == 0
    assert program.symbols == (
        Symbol("h", "sp", h, 2, (("x", 3), ("y", 1))),
        Symbol("col", "xp", 0x7C46, 1),
    )
    assert program.data == (
        Segment(h + 6, (0, h, 3, 2)),
        Segment(0x7C05, (0x00A0, 0xFFFF)),
    )
    assert program.data_end == h + 10
    assert program.stack_start == 0x5FF0
    assert program.sockets == (
        SocketUse("rx", None, 0, None, 3, 4),
        SocketUse("tx", "sp", None, 1, 3, 8),
    )
    assert program.tasks == (Task(8, 0, True, False), Task(0, 2, False, True))
    assert program.filters == (Filter(0, 3, 1, True, False, 2),)
    assert program.controls == (Control(None, None, None), Control(2, 63, 9))
    assert program.places == (SourcePlace(0, "höhe.w", 3, 5), SourcePlace(5, "höhe.w", 4, 1))
    assert program.configures_router
    assert program.notes == ('a "note"',)


def test_an_object_survives_its_text(program):
    text = object_text(program)
    assert assemble(text) == program
    assert object_text(assemble(text)) == text


def test_assembly_survives_its_text():
    assembly = read_assembly(PROGRAM)
    assert read_assembly(assembly_text(assembly)) == assembly


def test_an_assembly_by_hand():
    assembly = Assembly("stage", "stage.w")
    assembly.code += [
        Label("main"),
        SourceLine("stage.w", 1, 2),
        operation("mov16", Register(1), Immediate(Reference("table") + 1)),
        operation("jmp", Immediate(Reference("main"))),
    ]
    assembly.data += [Align(4), Label("table"), Words((1, Reference("main"))), Space(2)]
    assembly.symbols.append(SymbolAt("table", "xp", Reference("table"), 1, (("n", 2),)))
    assembly.tasks.append(TaskAt(8, Reference("main"), active=True, blocked=False))
    object_ = link(assembly, 0x10)
    assert object_.code == Segment(0x10, (0x0100, 0x0170, 0x19, 0xA000, 0x7073, 0x10))
    assert object_.data == (Segment(0x18, (1, 0x10)),)
    assert object_.data_end == 0x1C and object_.stack_start == 0x6000
    assert object_.symbols[0].address == 0x18
    assert object_.tasks == (Task(8, 0x10, True, False),)


def test_origin_in_code_fills_with_nop():
    assert assemble("term\n.org 3\nterm").code.words == (0xB100, 0xB000, 0xB000, 0xB100)
    assert assemble(".org 0x20\nterm").code == Segment(0x20, (0xB100,))


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("1.5", 0x3FC00000),
        ("-0.0", 0x80000000),
        ("1e-45", 0x00000001),
        ("0.1", 0x3DCCCCCD),
        ("16777216.0", 0x4B800000),
        ("3.4028235e38", 0x7F7FFFFF),
        ("0x7fc00000", 0x7FC00000),
    ],
)
def test_float_immediates(text, bits):
    object_ = assemble(f"fadds R0, R2, {text}")
    assert object_.code.words[-2:] == (bits & 0xFFFF, bits >> 16)
    assert assemble(object_text(object_)) == object_


def test_text_of_operations():
    texts = [
        "mov16 R0, -5",
        "mov16.u0 [DS1], [R5+0x0120]",
        "umov32.u11.t.flip OQ3, [DS2]",
        "jeq16 R1, 255, 0x0010",
        "mov32 R2, 0x12345678",
        "fmulh [DS1], R2, 0.5",
        "lts R0, R2, 1.0",
        "dots.keep R0, [DS1], [DS2]",
        "nop",
    ]
    for text in texts:
        (op,) = read_assembly(text).code
        assert operation_text(op) == text


WRONG = [
    ("fadd R0, R2, R4", 1, 1, "is 'fadds' meant"),
    ("nop\n  add16 R0, R1", 2, 3, "takes 3 operands, not 2"),
    ("add16 R0, R1, R2, R3", 1, 19, "takes 3 operands"),
    ("add16 R0 R1, R2", 1, 10, "',' is wanted"),
    ("mov16 R0, DS1", 1, 11, "the vector"),
    ("mov16 R0, [DS1", 1, 15, "']' is wanted"),
    ("mov16 R0, [IQ1]", 1, 12, "a register, a descriptor or an address"),
    ("mov16 R64, R1", 1, 1, "R0 to R63"),
    ("mov32 R1, R2", 1, 1, "odd register R1"),
    ("mov16 R0, 70000", 1, 1, "does not fit"),
    ("fmulh R0, R1, 1e9", 1, 15, "binary16 number"),
    ("mov16.q R0, R1", 1, 1, "'.q' is no flag"),
    ("mov16.t.t R0, R1", 1, 1, "stands twice"),
    ("mov16.u12 [DS0], [DS1]", 1, 1, "no slot 13"),
    ("jmp nowhere", 1, 1, "no label 'nowhere'"),
    (".word nowhere", 1, 1, "no label 'nowhere'"),
    ("a: nop\na: nop", 2, 1, "stands twice"),
    ("R5: nop", 1, 1, "cannot be a label"),
    (".wrod 5", 1, 1, "no directive '.wrod'"),
    (".read 5", 1, 1, "no directive '.read'"),
    (".word 0x10000", 1, 1, "does not fit"),
    (".word", 1, 6, "a number is wanted"),
    (".line 3 4", 1, 7, "a text in quotes"),
    (".line \"a\\q\" 3 4", 1, 7, "valid escapes"),
    ("term\nterm\n.org 1", 3, 1, "goes back"),
    ("mov16 R0, 'x'", 1, 11, "no label"),
    ("mov16 R0, \"", 1, 11, "cannot stand here"),
    ("mov16 R0, [70000]", 1, 12, "0 to 0xffff"),
    (".align 0", 1, 1, "at least 1"),
    (".task 8 main running open", 1, 14, "active or idle"),
    (".task 31 main active open", 1, 7, "0 to 30"),
    (".task 8 0x10000 active open", 1, 9, "0 to 0xffff"),
    (".symbol \"a\" \"xp\" -1 1", 1, 18, "0 to 0xffff"),
    (".socket \"a\" none IQ8 none 1 1", 1, 18, "IQ0 to IQ7"),
    (".program \"a\" \"a.w\" \"wse9\"", 1, 1, "no arch 'wse9'"),
    (".socket \"a\" none OQ1 none 1 1", 1, 18, "IQ and a number"),
    ("nop nop", 1, 5, "takes 0 operands"),
    (".code 5", 1, 7, "the end of the line"),
    (".space 0x8000\n.space 0x8001", 1, 1, "end of the address space"),
    ("nop\n.space 2\nnop", 1, 1, "put reserved words into .data"),
]


@pytest.mark.parametrize(("text", "line", "column", "reason"), WRONG)
def test_errors_name_their_place(text, line, column, reason):
    with pytest.raises(AssemblyError) as caught:
        assemble(text)
    error = caught.value
    assert reason in error.reason
    assert line == error.line
    if "no label" not in reason or text.startswith((".", "jmp")):
        assert column == error.column


def test_layout_errors_of_objects():
    assembly = Assembly("a", "a.w")
    assembly.tasks.append(TaskAt(8, Reference("main"), True, False))
    with pytest.raises(LayoutError, match="task 8 stands at the label 'main', which is nowhere"):
        link(assembly)
    assembly = Assembly("a", "a.w", code=[operation("mov17"), Origin(3)])
    with pytest.raises(LayoutError, match="mov17"):
        link(assembly)
    assembly = Assembly("a", "a.w", code=[operation("mov16", Register(0))])
    with pytest.raises(LayoutError, match="takes 2 operands"):
        link(assembly)
