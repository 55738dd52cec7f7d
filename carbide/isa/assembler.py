"""Assembly text to an `Assembly`, and on to words or an `Object`. The text is in docs/isa.md."""

import json
import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

from carbide.isa import table as isa
from carbide.isa.assembly import (
    Align,
    Assembly,
    Item,
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
from carbide.isa.encode import QUEUES, check
from carbide.isa.operands import (
    Address,
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    InputQueue,
    Memory,
    Nothing,
    Operand,
    Operation,
    OutputQueue,
    Reference,
    Register,
)
from carbide.object import CONTROL_NAMES, Control, Filter, Object, SocketUse


class AssemblyError(Exception):
    """Text that is no assembly. `column` and `length` mark the span; columns start at 1."""

    def __init__(self, reason: str, line: int, column: int, length: int = 1) -> None:
        super().__init__(f"{line}:{column}: {reason}")
        self.reason, self.line, self.column, self.length = reason, line, column, length


class Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\f\v]+) | (?P<comment>;.*)
    | (?P<string>"(?:\\.|[^"\\])*")
    | (?P<float>(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))
    | (?P<number>0[xX][0-9a-fA-F]+|\d+)
    | (?P<mark>[\[\],:+-])
    | (?P<name>[^\s\d,;:\[\]+\-"][^\s,;:\[\]+\-"]*)
    | (?P<wrong>.)""",
    re.VERBOSE,
)
_HEX_FIRST = re.compile(r"0[xX][0-9a-fA-F]+")
_NUMBERED = re.compile(r"(R|DS|IQ|OQ)(\d+)")


def _tokens(text: str, line: int) -> list[Token]:
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        match = _HEX_FIRST.match(text, place)
        kind = "number"
        if match is None:
            match = _TOKEN.match(text, place)
            assert match is not None and match.lastgroup is not None
            kind = match.lastgroup
        if kind == "wrong":
            raise AssemblyError(f"'{match.group()}' cannot stand here", line, place + 1)
        if kind not in ("blank", "comment"):
            tokens.append(Token(kind, match.group(), line, place + 1))
        place = match.end()
    return tokens


class _Line:
    """The tokens of one line, taken from the left."""

    def __init__(self, text: str, number: int) -> None:
        self.tokens = _tokens(text, number)
        self.number = number
        self.end = len(text) + 1
        self.place = 0

    def peek(self, ahead: int = 0) -> Token:
        if self.place + ahead < len(self.tokens):
            return self.tokens[self.place + ahead]
        return Token("end", "", self.number, self.end)

    def take(self) -> Token:
        token = self.peek()
        self.place += 1
        return token

    def skip(self, mark: str) -> bool:
        if self.peek().kind == "mark" and self.peek().text == mark:
            self.place += 1
            return True
        return False

    def wrong(self, wanted: str, token: Token | None = None) -> AssemblyError:
        token = token or self.peek()
        found = f"'{token.text}'" if token.text else "the end of the line"
        return AssemblyError(
            f"{wanted} is wanted here, not {found}", token.line, token.column, len(token.text) or 1
        )

    def expect(self, mark: str) -> None:
        if not self.skip(mark):
            raise self.wrong(f"'{mark}'")

    def more(self) -> bool:
        """Whether another value of a directive follows; commas between them may be left out."""
        self.skip(",")
        return self.peek().kind != "end"

    def finish(self) -> None:
        if self.peek().kind != "end":
            raise self.wrong("the end of the line")

    def string(self) -> str:
        self.skip(",")
        token = self.take()
        if token.kind != "string":
            raise self.wrong("a text in quotes", token)
        try:
            return json.loads(token.text)
        except json.JSONDecodeError:
            raise self.wrong("a text with valid escapes", token) from None

    def integer(self) -> int:
        self.skip(",")
        sign = -1 if self.skip("-") else 1
        token = self.take()
        if token.kind != "number":
            raise self.wrong("a number", token)
        return sign * int(token.text, 0 if token.text[:2] in ("0x", "0X") else 10)

    def count(self, limit: int = 0xFFFF) -> int:
        token = self.peek()
        value = self.integer()
        if not 0 <= value <= limit:
            raise self.wrong(f"a number from 0 to {limit}", token)
        return value

    def word(self, *choices: str) -> str:
        self.skip(",")
        token = self.take()
        if token.kind != "name" or (choices and token.text not in choices):
            raise self.wrong(" or ".join(choices) if choices else "a name", token)
        return token.text

    def skip_word(self, word: str) -> bool:
        """Whether the word comes next; then go behind it."""
        self.skip(",")
        if self.peek().kind == "name" and self.peek().text == word:
            self.place += 1
            return True
        return False

    def numbered(self, letters: str, *, nothing: str | None = None) -> int | None:
        self.skip(",")
        token = self.take()
        match = _NUMBERED.fullmatch(token.text)
        if nothing is not None and token.text == nothing:
            return None
        if token.kind != "name" or match is None or match[1] != letters:
            raise self.wrong(f"{letters} and a number", token)
        if int(match[2]) >= QUEUES:
            raise self.wrong(f"{letters}0 to {letters}{QUEUES - 1}", token)
        return int(match[2])

    def address(self) -> Address:
        """A number, or a label with an offset."""
        self.skip(",")
        if self.peek().kind != "name":
            return self.integer()
        token = self.take()
        if _NUMBERED.fullmatch(token.text) or token.text == "none":
            raise self.wrong("a number or a label", token)
        offset = 0
        while self.peek().kind == "mark" and self.peek().text in "+-":
            sign = -1 if self.take().text == "-" else 1
            offset += sign * self.integer()
        return Reference(token.text, offset)

    def place_in_memory(self) -> Address:
        """An address that a part of the object stands at."""
        self.skip(",")
        token = self.peek()
        value = self.address()
        if isinstance(value, int) and not 0 <= value <= 0xFFFF:
            raise self.wrong("an address from 0 to 0xffff", token)
        return value


def _float_bits(line: _Line, token: Token, negative: bool, *, wide: bool) -> int:
    form, word = ("<f", "<I") if wide else ("<e", "<H")
    value = float(token.text) * (-1.0 if negative else 1.0)
    try:
        return struct.unpack(word, struct.pack(form, value))[0]
    except OverflowError:
        raise line.wrong(f"a {'binary32' if wide else 'binary16'} number", token) from None


def _operand(line: _Line, role: str) -> Operand:
    wide = role in (isa.W, isa.DW)
    if line.skip("["):
        operand = _bracket(line)
        line.expect("]")
        return operand
    token = line.peek()
    match = _NUMBERED.fullmatch(token.text) if token.kind == "name" else None
    if match:
        line.take()
        number = int(match[2])
        if match[1] == "DS":
            if role != isa.DS:
                raise line.wrong(f"'[{token.text}]', the vector", token)
            return Descriptor(number)
        if match[1] == "R":
            return Register(number)
        return InputQueue(number) if match[1] == "IQ" else OutputQueue(number)
    if token.kind == "name" and token.text == "none":
        line.take()
        return Nothing()
    if token.kind == "float" or (token.text == "-" and line.peek(1).kind == "float"):
        negative = line.skip("-")
        return Immediate(_float_bits(line, line.take(), negative, wide=wide))
    if token.kind in ("number", "name") or token.text == "-":
        return Immediate(line.address())
    raise line.wrong("an operand")


def _bracket(line: _Line) -> Operand:
    token = line.peek()
    match = _NUMBERED.fullmatch(token.text) if token.kind == "name" else None
    if match is None:
        value = line.address()
        if isinstance(value, int) and not 0 <= value <= 0xFFFF:
            raise line.wrong("an address from 0 to 0xffff", token)
        return Memory(value)
    line.take()
    number = int(match[2])
    if match[1] == "DS":
        return Descriptor(number)
    if match[1] != "R":
        raise line.wrong("a register, a descriptor or an address", token)
    if line.skip("+"):
        return Indexed(number, _displacement(line))
    if line.peek().text == "-":
        return Indexed(number, _displacement(line))
    return Indirect(number)


def _displacement(line: _Line) -> Address:
    token = line.peek()
    value = line.address()
    if isinstance(value, int):
        if not -0x8000 <= value <= 0xFFFF:
            raise line.wrong("a displacement of 16 bits", token)
        return value & 0xFFFF
    return value


def _operation(line: _Line) -> Operation:
    head = line.take()
    mnemonic, *flags = head.text.split(".")
    row = isa.BY_MNEMONIC.get(mnemonic)
    if row is None:
        from difflib import get_close_matches

        near = get_close_matches(mnemonic, isa.BY_MNEMONIC, 1)
        hint = f"; is '{near[0]}' meant?" if near else ""
        raise AssemblyError(
            f"no instruction is called '{mnemonic}'{hint}", head.line, head.column, len(mnemonic)
        )
    slot = 0
    marks = dict.fromkeys(("t", "flip", "keep", "noload"), False)
    for flag in flags:
        match = re.fullmatch(r"u(\d{1,2})", flag)
        if match and not slot:
            slot = int(match[1]) + 1
        elif marks.get(flag) is False:
            marks[flag] = True
        else:
            known = ".u0 to .u11, .t, .flip, .keep and .noload"
            raise AssemblyError(
                f"'.{flag}' is no flag, or stands twice; flags are {known}",
                head.line,
                head.column,
                len(head.text),
            )
    operands: list[Operand] = []
    while line.peek().kind != "end":
        if operands:
            line.expect(",")
        if len(operands) == len(row.roles):
            token = line.peek()
            more = f"{mnemonic} takes {len(row.roles)} operands, and here is one more"
            raise AssemblyError(more, token.line, token.column, len(token.text))
        operands.append(_operand(line, row.roles[len(operands)]))
    op = Operation(
        mnemonic,
        tuple(operands),
        slot,
        marks["t"],
        marks["flip"],
        marks["keep"],
        marks["noload"],
        place=(head.line, head.column, len(head.text)),
    )
    reason = check(op)
    if reason:
        raise AssemblyError(reason, head.line, head.column, len(head.text))
    return op


class _Reader:
    """Reads lines into an assembly; `section` is the list that items go to."""

    def __init__(self, program: str, source: str) -> None:
        self.assembly = Assembly(program, source)
        self.section: list[Item] = self.assembly.code

    def read(self, line: _Line) -> None:
        while line.peek().kind == "name" and line.peek(1).text == ":":
            token = line.take()
            line.take()
            if _NUMBERED.fullmatch(token.text) or token.text == "none":
                raise AssemblyError(
                    f"'{token.text}' is an operand and cannot be a label",
                    token.line,
                    token.column,
                    len(token.text),
                )
            place = (token.line, token.column, len(token.text))
            self.section.append(Label(token.text, place))
        token = line.peek()
        if token.kind == "name" and token.text[0] == ".":
            line.take()
            method = getattr(self, f"_{token.text[1:]}", None)
            if method is None or not token.text[1:].isalpha():
                raise AssemblyError(
                    f"there is no directive '{token.text}'",
                    token.line,
                    token.column,
                    len(token.text),
                )
            method(line, (token.line, token.column, len(token.text)))
        elif token.kind == "name":
            self.section.append(_operation(line))
        line.finish()

    def _code(self, line: _Line, place: tuple) -> None:
        self.section = self.assembly.code

    def _data(self, line: _Line, place: tuple) -> None:
        self.section = self.assembly.data

    def _word(self, line: _Line, place: tuple) -> None:
        values = [line.address()]
        while line.more():
            values.append(line.address())
        for value in values:
            if isinstance(value, int) and not -0x8000 <= value <= 0xFFFF:
                raise AssemblyError(f"{value} does not fit in a word", *place)
        words = (value & 0xFFFF if isinstance(value, int) else value for value in values)
        self.section.append(Words(tuple(words), place))

    def _space(self, line: _Line, place: tuple) -> None:
        self.section.append(Space(line.count()))

    def _align(self, line: _Line, place: tuple) -> None:
        words = line.count()
        if not words:
            raise AssemblyError(".align needs at least 1", *place)
        self.section.append(Align(words))

    def _org(self, line: _Line, place: tuple) -> None:
        self.section.append(Origin(line.count(), place))

    def _line(self, line: _Line, place: tuple) -> None:
        file, number, column = line.string(), line.count(1 << 31), line.count(1 << 31)
        self.section.append(SourceLine(file, number, column))

    def _program(self, line: _Line, place: tuple) -> None:
        from mitools.arch import NAMES

        self.assembly.program, self.assembly.source = line.string(), line.string()
        self.assembly.arch = line.string()
        if self.assembly.arch not in NAMES:
            known = ", ".join(NAMES)
            reason = f"there is no arch '{self.assembly.arch}'; there is {known}"
            raise AssemblyError(reason, *place)

    def _param(self, line: _Line, place: tuple) -> None:
        self.assembly.parameters.append((line.string(), line.string()))

    def _symbol(self, line: _Line, place: tuple) -> None:
        name, type_, address = line.string(), line.string(), line.place_in_memory()
        words = line.count()
        dimensions: list[tuple[str, int]] = []
        while line.more():
            dimensions.append((line.string(), line.count()))
        self.assembly.symbols.append(SymbolAt(name, type_, address, words, tuple(dimensions)))

    def _socket(self, line: _Line, place: tuple) -> None:
        name = line.string()
        kind: str | None = None
        if line.peek().text == "none":
            line.take()
        else:
            kind = line.string()
        queues = line.numbered("IQ", nothing="none"), line.numbered("OQ", nothing="none")
        self.assembly.sockets.append(SocketUse(name, kind, *queues, line.integer(), line.integer()))

    def _task(self, line: _Line, place: tuple) -> None:
        from mitools.arch import load

        last = load(self.assembly.arch).tasks.count - 1
        number, entry = line.count(last), line.place_in_memory()
        active, blocked = line.word("active", "idle"), line.word("blocked", "open")
        self.assembly.tasks.append(TaskAt(number, entry, active == "active", blocked == "blocked"))

    def _filter(self, line: _Line, place: tuple) -> None:
        queue = line.numbered("IQ")
        assert queue is not None
        limit, maxpass, state = line.integer(), line.integer(), line.integer()
        counts = set()
        while line.more():
            counts.add(line.word("data", "control"))
        data, control = "data" in counts, "control" in counts
        self.assembly.filters.append(Filter(queue, limit, maxpass, data, control, state))

    def _control(self, line: _Line, place: tuple) -> None:
        from mitools.arch import load

        last = load(self.assembly.arch).tasks.count - 1
        queue = line.numbered("IQ", nothing="any")
        name = None if line.skip_word("any") else line.count(CONTROL_NAMES - 1)
        task = None if line.skip_word("none") else line.count(last)
        self.assembly.controls.append(Control(queue, name, task))

    def _end(self, line: _Line, place: tuple) -> None:
        self.assembly.data_end = line.count(0x10000)

    def _stack(self, line: _Line, place: tuple) -> None:
        self.assembly.stack_start = line.count(0x10000)

    def _router(self, line: _Line, place: tuple) -> None:
        self.assembly.configures_router = True

    def _note(self, line: _Line, place: tuple) -> None:
        self.assembly.notes.append(line.string())


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        yield _Line(line, number)


def read_assembly(text: str, program: str = "", source: str = "") -> Assembly:
    """Assembly text as items. Raises AssemblyError with the place."""
    reader = _Reader(program, source)
    for line in _lines(text):
        reader.read(line)
    return reader.assembly


def assemble(text: str, program: str = "", source: str = "", base: int = 0) -> Object:
    """Assembly text as an object, code from `base` on. Raises AssemblyError with the place."""
    try:
        return link(read_assembly(text, program, source), base)
    except LayoutError as error:
        raise AssemblyError(error.reason, *(error.place or (1, 1, 1))) from None
