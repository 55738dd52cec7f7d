"""Encoding and decoding: the law both ways, and what is no instruction."""

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from carbide.isa import table as isa
from carbide.isa.assembler import assemble
from carbide.isa.decode import (
    KIND_DESCRIPTOR,
    KIND_IMMEDIATE,
    KIND_NONE,
    KIND_REGISTER,
    DecodeError,
    Record,
    decode,
    decode_program,
    decode_record,
)
from carbide.isa.disassembler import operation_text, words_text
from carbide.isa.encode import EncodeError, allowed, check, encode, length
from carbide.isa.operands import (
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    InputQueue,
    Memory,
    Nothing,
    Operation,
    OutputQueue,
    Reference,
    Register,
    is_transfer,
    microthread,
    operation,
)

WIDE = (isa.W, isa.DW)


def operands(row: isa.Instruction, place: int) -> st.SearchStrategy:
    wide = row.roles[place] in WIDE
    word = st.integers(0, 0xFFFF)
    registers = st.integers(0, 31).map(lambda r: 2 * r) if wide else st.integers(0, 63)
    forms = {
        Register: registers.map(Register),
        Descriptor: st.integers(0, 31).map(Descriptor),
        InputQueue: st.integers(0, 7).map(InputQueue),
        OutputQueue: st.integers(0, 7).map(OutputQueue),
        Immediate: (st.integers(0, 0xFFFFFFFF) if wide else word).map(Immediate),
        Memory: word.map(Memory),
        Indirect: st.integers(0, 63).map(Indirect),
        Indexed: st.builds(Indexed, st.integers(0, 63), word),
        Nothing: st.just(Nothing()),
    }
    return st.one_of([forms[kind] for kind in allowed(row, place)])


FLAGS = ("slot", "terminate", "flip", "keep", "no_load")


def with_flags(op: Operation, wanted: dict) -> Operation:
    """The operation with those of the wanted flags that it may have."""
    for name, flag in wanted.items():
        flagged = evolve(op, **{name: flag})
        if check(flagged) is None:
            op = flagged
    return op


def operations_of(row: isa.Instruction) -> st.SearchStrategy[Operation]:
    flags = st.fixed_dictionaries(
        {name: st.booleans() for name in FLAGS} | {"slot": st.integers(0, 12)}
    )
    plain = st.builds(
        Operation,
        st.just(row.mnemonic),
        st.tuples(*(operands(row, place) for place in range(len(row.roles)))),
    )
    return st.builds(with_flags, plain, flags)


operations = st.sampled_from(isa.INSTRUCTIONS).flatmap(operations_of)


@pytest.mark.parametrize("row", isa.INSTRUCTIONS, ids=lambda row: row.mnemonic)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_every_instruction_survives_both_ways(row, data):
    op = data.draw(operations_of(row))
    words = encode(op)
    assert len(words) == length(op)
    assert all(0 <= word <= 0xFFFF for word in words)
    assert decode(words, 0, 0x100) == (op, len(words))
    text = operation_text(op)
    assert list(assemble(text).code.words) == words, text


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 0xFFFF), max_size=24), st.integers(0, 0x5000))
def test_any_words_survive_as_text(words, base):
    segment = assemble(words_text(words, base)).code
    assert list(segment.words) == words
    assert not words or segment.address == base


@settings(max_examples=60, deadline=None)
@given(st.lists(operations, min_size=1, max_size=6))
def test_a_program_decodes_to_its_instructions(ops):
    words = [word for op in ops for word in encode(op)]
    records = decode_program(words, 0x40)
    address = 0x40
    for op in ops:
        record = records[address]
        assert isinstance(record, Record)
        assert record.opcode == op.row.opcode and record.next == address + length(op)
        assert record.slot == op.slot and record.transfer == is_transfer(op)
        flags = record.terminate, record.flip, record.keep, record.no_load
        assert flags == (op.terminate, op.flip, op.keep, op.no_load)
        assert len(record.operands) == 4
        address = record.next
    assert len(records) == len(ops)


def test_opcodes_and_mnemonics_are_unique():
    assert len(isa.BY_OPCODE) == len(isa.BY_MNEMONIC) == len(isa.INSTRUCTIONS)
    assert 0 not in isa.BY_OPCODE, "empty memory must not be an instruction"


def test_the_page_encoding_by_hand():
    op = operation("fmacs", Descriptor(0), Descriptor(1), Register(2), Immediate(0x3F800000))
    assert encode(op) == [0x5300, 0x4041, 0x0271, 0x0000, 0x3F80]
    op = operation("jne16", Register(4), Immediate(-1), Immediate(Reference("there", 2)))
    assert encode(op, lambda ref: 0x20 + ref.offset) == [0xA400, 0x0470, 0x7073, 0xFFFF, 0x22]
    op = operation(
        "mov16", Descriptor(3), InputQueue(0), slot=microthread(3), terminate=True
    )
    assert encode(op) == [0x0114, 0x4360]
    assert encode(operation("term")) == [0xB100]


def test_a_record_holds_plain_numbers():
    op = operation("add32", Register(4), Descriptor(7), Immediate(-2))
    record = decode_record(encode(op), 0, 8)
    assert record[:4] == (8, 13, 0x30, True)
    assert record.operands == (
        (KIND_REGISTER, 4, 0),
        (KIND_DESCRIPTOR, 7, 0),
        (KIND_IMMEDIATE, 0, 0xFFFFFFFE),
        (KIND_NONE, 0, 0),
    )


WRONG_WORDS = [
    ([0x0000], "opcode 0x00"),
    ([0xFF00], "opcode 0xff"),
    ([0x1000], "cut off"),
    ([0x1000, 0x0070, 0x0173], "cut off"),
    ([0x1000, 0x0074, 0x0173], "0x74 specifies no operand"),
    ([0x1000, 0x0071, 0x0173, 1, 0], "other width"),
    ([0x3000, 0x0070, 0x0273, 1], "other width"),
    ([0x3000, 0x0102, 0x0473], "odd register R1"),
    ([0x1000, 0x0001, 0x0202], "instead of 0x73"),
    ([0x0100, 0x6001], "cannot be an input queue"),
    ([0x0100, 0x0068], "cannot be an output queue"),
    ([0x0100, 0x0073], "cannot be nothing"),
    ([0x0800, 0x0002], "cannot be a register"),
    ([0xA100, 0x4070, 5], "cannot be a vector"),
    ([0xC000, 0x0001], "cannot be a register"),
    ([0x010D, 0x4040], "no slot 13"),
    ([0x0109, 0x4040], "runs only umov"),
    ([0x0101, 0x0001], "is no transfer"),
    ([0x0101, 0x0040], "cannot write a register"),
    ([0x0120, 0x0001], "only a send can flip"),
    ([0x0140, 0x0001], "no accumulator"),
    ([0x0180, 0x0001], "no accumulator"),
    ([0xA010, 0x7073, 0], "cannot end the task"),
]


@pytest.mark.parametrize(("words", "reason"), WRONG_WORDS)
def test_words_that_are_no_instruction(words, reason):
    with pytest.raises(DecodeError) as caught:
        decode(words, 0, 0x123)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("0x0123: ")
    error = decode_program(words, 0x123)[0x123]
    assert isinstance(error, DecodeError) and error.address == 0x123


def test_decoding_goes_on_behind_what_is_no_instruction():
    records = decode_program([0x0000, 0xB100], 4)
    assert isinstance(records[4], DecodeError)
    assert records[5].opcode == isa.BY_MNEMONIC["term"].opcode


WRONG_OPERATIONS = [
    (operation("mov17", Register(0), Register(1)), "no instruction is called 'mov17'"),
    (operation("add16", Register(0), Register(1)), "takes 3 operands, not 2"),
    (operation("mov16", Register(64), Register(1)), "R0 to R63"),
    (operation("mov16", Register(0), Descriptor(32)), "DS0 to DS31"),
    (operation("mov16", Register(0), InputQueue(8)), "0 to 7"),
    (operation("mov16", Register(0), Indirect(-1)), "R0 to R63"),
    (operation("mov16", Register(0), Immediate(0x10000)), "does not fit in 16 bits"),
    (operation("mov32", Register(0), Immediate(-(1 << 31) - 1)), "does not fit in 32 bits"),
    (operation("jmp", Immediate(Reference("nowhere"))), "no label 'nowhere'"),
    (operation("mov16", Descriptor(0), Descriptor(1), slot=13), "no slot 13"),
]


@pytest.mark.parametrize(("op", "reason"), WRONG_OPERATIONS)
def test_operations_without_an_encoding(op, reason):
    with pytest.raises(EncodeError, match=reason):
        encode(op)


@pytest.mark.parametrize(
    ("op", "transfer"),
    [
        (operation("add16", Register(0), Register(1), Immediate(2)), False),
        (operation("mov16", Register(0), Memory(0x100)), False),
        (operation("mov32", Indirect(1), Register(2)), False),
        (operation("mov32", Memory(2), Immediate(2)), False),
        (operation("mov32", Memory(2), Memory(4)), True),
        (operation("mov16", Memory(2), Register(4), slot=1), True),
        (operation("umov16", Memory(2), Register(4)), True),
        (operation("add16", Memory(2), Register(4), Register(5)), True),
        (operation("mov16", Register(0), InputQueue(1)), True),
        (operation("dots", Register(0), Descriptor(1), Descriptor(2)), True),
        (operation("ldds", Descriptor(1), Immediate(3)), False),
    ],
)
def test_scalar_or_transfer(op, transfer):
    assert is_transfer(op) == transfer
