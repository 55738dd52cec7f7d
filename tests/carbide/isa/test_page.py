"""docs/isa.md says what the table says."""

import re
from pathlib import Path

import pytest

from carbide.isa import table as isa
from carbide.isa.assembler import _Reader, assemble
from carbide.isa.disassembler import operand_text
from carbide.isa.encode import encode
from carbide.isa.operands import (
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    InputQueue,
    Memory,
    Nothing,
    OutputQueue,
    Register,
    operation,
)
from carbide.runtime import ROUTINES
from mitools import arch

PAGE = Path(__file__).parents[3].joinpath("docs/isa.md").read_text(encoding="utf-8")


def test_the_table_of_instructions_is_current():
    assert PAGE.endswith(isa.markdown()), "python -m carbide.isa.table prints what belongs there"


@pytest.mark.parametrize(
    ("first", "last", "operand", "text"),
    [
        (0x00, 0x3F, Register, "R{}"),
        (0x40, 0x5F, Descriptor, "[DS{}]"),
        (0x60, 0x67, InputQueue, "IQ{}"),
        (0x80, 0xBF, Indirect, "[R{}]"),
        (0xC0, 0xFF, lambda n: Indexed(n, 0x120), "[R{}+0x0120]"),
    ],
)
def test_specifiers_of_sources(first, last, operand, text):
    assert f"| 0x{first:02X}–0x{last:02X} |" in PAGE
    for byte in (first, last):
        op = operation("mov16", Nothing(), operand(byte - first))
        assert encode(op)[1] == isa.NONE << 8 | byte
        assert operand_text(op, 1) == text.format(byte - first)


def test_other_specifiers():
    assert "| 0x68–0x6F | `OQ0`–`OQ7` |" in PAGE
    for byte in (0x68, 0x6F):
        assert encode(operation("mov16", OutputQueue(byte - 0x68), Register(0)))[1] == byte << 8
    for byte, op in {
        0x70: operation("mov16", Nothing(), Immediate(5)),
        0x71: operation("mov32", Nothing(), Immediate(5)),
        0x72: operation("mov16", Nothing(), Memory(5)),
    }.items():
        assert f"| 0x{byte:02X} |" in PAGE
        assert encode(op)[1] & 0xFF == byte
    assert "| 0x73 | `none` |" in PAGE


@pytest.mark.parametrize(
    ("flag", "bits"),
    [("u0", 1), ("u11", 12), ("t", 1 << 4), ("flip", 1 << 5), ("keep", 1 << 6), ("noload", 1 << 7)],
)
def test_flags(flag, bits):
    assert f"`.{flag}`" in PAGE
    texts = {"u11": "umov16.u11 [DS0], [DS1]", "keep": "sums.keep R0, [DS0]"}
    texts["noload"] = "sums.noload R0, [DS0]"
    (first, *_) = assemble(texts.get(flag, f"mov16.{flag} [DS0], [DS1]")).code.words
    assert first & 0xFF == bits


def test_every_directive_is_on_the_page():
    names = [name[1:] for name in vars(_Reader) if re.fullmatch(r"_[a-z]+", name)]
    assert len(names) > 10
    for name in names:
        assert re.search(rf"`\.{name}\b", PAGE), name


def test_every_routine_is_on_the_page():
    for name in ROUTINES:
        assert f"`{name}`" in PAGE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory", isa.DSD_MEMORY),
        ("walk", isa.DSD_WALK),
        ("fabric in", isa.DSD_FABRIC_IN),
        ("fabric out", isa.DSD_FABRIC_OUT),
        ("FIFO", isa.DSD_FIFO),
    ],
)
def test_kinds_of_descriptors(name, value):
    assert f"| {value} {name} |" in PAGE


def test_records():
    assert f"UNBOUNDED (0x{isa.UNBOUNDED:X})" in PAGE
    assert "`ndims, base, current, (count, stride, position) × ndims`" in PAGE
    assert (isa.WALK_DIMENSIONS, isa.WALK_BASE, isa.WALK_CURRENT, isa.WALK_FIRST) == (0, 1, 2, 3)
    assert (isa.WALK_COUNT, isa.WALK_STRIDE, isa.WALK_POSITION, isa.WALK_STEP) == (0, 1, 2, 3)
    assert "`buffer, capacity, words per element, read place, fill`" in PAGE
    fields = isa.FIFO_BASE, isa.FIFO_CAPACITY, isa.FIFO_WORDS, isa.FIFO_READ, isa.FIFO_FILL
    assert fields == tuple(range(isa.FIFO_RECORD))


def test_rates_are_fields_of_the_machine_table():
    timing = arch.load().timing
    for row in isa.INSTRUCTIONS:
        assert not row.rate or isinstance(getattr(timing, row.rate), tuple), row.mnemonic


def test_the_main_task_is_the_machines():
    assert f"starts with task {arch.load().tasks.main} active" in PAGE
