"""Instructions and objects as assembly text, which assembles to the same words."""

import json
import struct
from collections.abc import Mapping, Sequence

from carbide.isa import table as isa
from carbide.isa.assembly import (
    Align,
    Assembly,
    Item,
    Label,
    Origin,
    SourceLine,
    Space,
    SymbolAt,
    TaskAt,
    Words,
)
from carbide.isa.decode import DecodeError, decode
from carbide.isa.encode import encode
from carbide.isa.operands import (
    Address,
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    InputQueue,
    Memory,
    Operand,
    Operation,
    OutputQueue,
    Reference,
    Register,
)
from carbide.object import Control, Filter, Object, SocketUse

_TEXT_INDENT = "        "
_MARGIN = 48
"""Column of the comment that shows address and words."""


def is_float(row: isa.Instruction, role: str) -> bool:
    """Whether a value in that role of the instruction is a float."""
    name = row.mnemonic
    if row.kind == "accumulate" or (row.kind == "alu" and name[0] == "f"):
        return role in (isa.H, isa.W)
    if name in ("lts", "les", "eqs", "nes", "lth", "leh", "eqh", "neh"):
        return role in (isa.H, isa.W)
    return name.startswith(("sto", "hto"))


def is_address(row: isa.Instruction, place: int) -> bool:
    """Whether the operand is the address of an instruction."""
    if row.kind == "branch":
        return row.roles[place] == isa.N
    return row.mnemonic in ("entry", "dtask") and place == 1


def _float_text(bits: int, *, wide: bool) -> str | None:
    """The shortest decimal that reads back to the same bits; None for infinities and NaN."""
    form, word = ("<f", "<I") if wide else ("<e", "<H")
    value = struct.unpack(form, struct.pack(word, bits))[0]
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if "n" in text:
            return None
        try:
            back = struct.unpack(word, struct.pack(form, float(text)))[0]
        except OverflowError:
            continue
        if back == bits:
            return text if "." in text or "e" in text else f"{text}.0"
    return None


def _number(value: Address, bits: int) -> str:
    if isinstance(value, Reference):
        return str(value)
    value &= (1 << bits) - 1
    if value < 0x100:
        return str(value)
    if value >= (1 << bits) - 0x100:
        return str(value - (1 << bits))
    return f"0x{value:0{bits // 4}x}"


def _address(value: Address) -> str:
    return str(value) if isinstance(value, Reference) else f"0x{value & 0xFFFF:04x}"


def operand_text(op: Operation, place: int) -> str:
    """One operand as the assembler reads it."""
    operand: Operand = op.operands[place]
    role = op.row.roles[place]
    match operand:
        case Register(number):
            return f"R{number}"
        case Descriptor(number):
            return f"DS{number}" if role == isa.DS else f"[DS{number}]"
        case InputQueue(number):
            return f"IQ{number}"
        case OutputQueue(number):
            return f"OQ{number}"
        case Memory(address):
            return f"[{_address(address)}]"
        case Indirect(register):
            return f"[R{register}]"
        case Indexed(register, displacement):
            return f"[R{register}+{_address(displacement)}]"
        case Immediate(value):
            wide = role in (isa.W, isa.DW)
            if is_address(op.row, place):
                return _address(value)
            if is_float(op.row, role) and not isinstance(value, Reference):
                mask = 0xFFFFFFFF if wide else 0xFFFF
                text = _float_text(value & mask, wide=wide)
                return text or f"0x{value & mask:0{8 if wide else 4}x}"
            return _number(value, 32 if wide else 16)
    return "none"


def mnemonic_text(op: Operation) -> str:
    """The mnemonic with its flags."""
    flags = [f"u{op.slot - 1}"] if op.slot else []
    flags += ["t"] * op.terminate + ["flip"] * op.flip + ["keep"] * op.keep
    flags += ["noload"] * op.no_load
    return ".".join([op.mnemonic, *flags])


def operation_text(op: Operation) -> str:
    """One instruction as the assembler reads it."""
    operands = ", ".join(operand_text(op, place) for place in range(len(op.operands)))
    return f"{mnemonic_text(op)} {operands}".rstrip()


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def item_text(item: Item) -> str:
    """One item of an assembly as a line of text."""
    match item:
        case Operation():
            return _TEXT_INDENT + operation_text(item)
        case Label(name):
            return f"{name}:"
        case Words(values):
            return f"{_TEXT_INDENT}.word " + ", ".join(_address(v) for v in values)
        case Space(count):
            return f"{_TEXT_INDENT}.space {count}"
        case Align(words):
            return f"{_TEXT_INDENT}.align {words}"
        case Origin(address):
            return f"{_TEXT_INDENT}.org 0x{address:04x}"
        case SourceLine(file, line, column):
            return f"{_TEXT_INDENT}.line {quoted(file)} {line} {column}"
    raise TypeError(item)


def _symbol(symbol: SymbolAt) -> str:
    dimensions = "".join(f" {quoted(name)} {extent}" for name, extent in symbol.dimensions)
    head = f".symbol {quoted(symbol.name)} {quoted(symbol.type)}"
    return f"{head} {_address(symbol.address)} {symbol.words}{dimensions}"


def _socket(socket: SocketUse) -> str:
    kind = "none" if socket.type is None else quoted(socket.type)
    queues = [
        "none" if queue is None else f"{letters}{queue}"
        for letters, queue in (("IQ", socket.input_queue), ("OQ", socket.output_queue))
    ]
    return f".socket {quoted(socket.name)} {kind} {' '.join(queues)} {socket.line} {socket.column}"


def _task(task: TaskAt) -> str:
    states = "active" if task.active else "idle", "blocked" if task.blocked else "open"
    return f".task {task.number} {_address(task.entry)} {' '.join(states)}"


def _filter(filter_: Filter) -> str:
    numbers = f"{filter_.limit} {filter_.maxpass} {filter_.state}"
    counts = ["data"] * filter_.counts_data + ["control"] * filter_.counts_control
    return " ".join([f".filter IQ{filter_.input_queue} {numbers}", *counts])


def _control(control: Control) -> str:
    queue = "any" if control.input_queue is None else f"IQ{control.input_queue}"
    name = "any" if control.name is None else control.name
    return f".control {queue} {name} {'none' if control.task is None else control.task}"


def assembly_text(assembly: Assembly, comments: Mapping[int, str] | None = None) -> str:
    """The whole assembly as text. `comments` stand behind the code items of those indices."""
    names = f"{quoted(assembly.program)} {quoted(assembly.source)} {quoted(assembly.arch)}"
    head = [f".program {names}"]
    head += [f".param {quoted(name)} {quoted(value)}" for name, value in assembly.parameters]
    head += [_socket(socket) for socket in assembly.sockets]
    head += [_symbol(symbol) for symbol in assembly.symbols]
    head += [_task(task) for task in assembly.tasks]
    head += [_filter(filter_) for filter_ in assembly.filters]
    head += [_control(control) for control in assembly.controls]
    if assembly.data_end is not None:
        head.append(f".end 0x{assembly.data_end:04x}")
    if assembly.stack_start is not None:
        head.append(f".stack 0x{assembly.stack_start:04x}")
    if assembly.configures_router:
        head.append(".router")
    head += [f".note {quoted(note)}" for note in assembly.notes]
    lines = [_TEXT_INDENT + line for line in head]
    lines += ["", f"{_TEXT_INDENT}.code"]
    for index, item in enumerate(assembly.code):
        line = item_text(item)
        if comments and index in comments:
            line = f"{line:<{_MARGIN}}; {comments[index]}"
        lines.append(line)
    if assembly.data:
        lines += ["", f"{_TEXT_INDENT}.data"]
        lines += [item_text(item) for item in assembly.data]
    return "\n".join(lines) + "\n"


def disassemble(words: Sequence[int], base: int = 0) -> list[tuple[int, Item]]:
    """Addresses and items of a run of words; words that are no instruction stay `Words`."""
    items: list[tuple[int, Item]] = []
    start = 0
    while start < len(words):
        try:
            item, size = decode(words, start, base)
        except DecodeError:
            items.append((base + start, Words((int(words[start]),))))
            start += 1
        else:
            items.append((base + start, item))
            start += size
    return items


def words_text(words: Sequence[int], base: int = 0) -> str:
    """Words as assembly text, one line an instruction, without labels."""
    lines = [f"{_TEXT_INDENT}.org 0x{base:04x}"] if base else []
    return "\n".join([*lines, *(item_text(item) for _, item in disassemble(words, base))]) + "\n"


def _with_labels(op: Operation, labels: Mapping[int, str]) -> Operation:
    """The operation with labels in place of the addresses it goes to."""
    row = op.row
    operands = tuple(
        Immediate(Reference(labels[operand.value]))
        if isinstance(operand, Immediate)
        and isinstance(operand.value, int)
        and is_address(row, place)
        and operand.value in labels
        else operand
        for place, operand in enumerate(op.operands)
    )
    flags = (op.slot, op.terminate, op.flip, op.keep, op.no_load)
    return Operation(op.mnemonic, operands, *flags)


def _targets(items: Sequence[tuple[int, Item]]) -> set[int]:
    return {
        operand.value
        for _, item in items
        if isinstance(item, Operation)
        for place, operand in enumerate(item.operands)
        if isinstance(operand, Immediate)
        and isinstance(operand.value, int)
        and is_address(item.row, place)
    }


def object_assembly(object_: Object) -> tuple[Assembly, dict[int, str]]:
    """The assembly that links to the object, and comments with address and words of its code."""
    items = disassemble(object_.code.words, object_.code.address)
    entries = {task.entry for task in object_.tasks}
    targets = _targets(items) | entries
    labels = {address: f"L_{address:04x}" for address, _ in items if address in targets}
    assembly = Assembly(
        object_.program,
        object_.source,
        object_.arch,
        list(object_.parameters),
        symbols=[
            SymbolAt(s.name, s.type, s.address, s.words, s.dimensions) for s in object_.symbols
        ],
        sockets=list(object_.sockets),
        tasks=[
            TaskAt(
                t.number,
                Reference(labels[t.entry]) if t.entry in labels else t.entry,
                t.active,
                t.blocked,
            )
            for t in object_.tasks
        ],
        filters=list(object_.filters),
        controls=list(object_.controls),
        data_end=object_.data_end,
        stack_start=object_.stack_start,
        configures_router=object_.configures_router,
        notes=list(object_.notes),
    )
    places = {place.address: place for place in object_.places}
    comments: dict[int, str] = {}
    assembly.code.append(Origin(object_.code.address))
    for address, item in items:
        if address in places:
            place = places[address]
            assembly.code.append(SourceLine(place.file, place.line, place.column))
        if address in labels:
            assembly.code.append(Label(labels[address]))
        words = encode(item) if isinstance(item, Operation) else []
        if isinstance(item, Operation):
            item = _with_labels(item, labels)
        comments[len(assembly.code)] = " ".join([f"{address:04x}", *(f"{w:04x}" for w in words)])
        assembly.code.append(item)
    for segment in object_.data:
        assembly.data.append(Origin(segment.address))
        for start in range(0, len(segment.words), 8):
            assembly.data.append(Words(tuple(segment.words[start : start + 8])))
    return assembly, comments


def object_text(object_: Object) -> str:
    """An object as text that assembles to the same object."""
    return assembly_text(*object_assembly(object_))
