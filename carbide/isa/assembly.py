"""Assembly as objects, and its layout: labels get addresses, items become an `Object`.

The back end fills an `Assembly`; the assembler reads one from text; the disassembler prints one.

    assembly = Assembly("stage", "stage.w")
    assembly.code += [Label("main"), SourceLine("stage.w", 3, 5), operation("term")]
    assembly.data += [Align(2), Label("grid"), Space(8)]
    assembly.symbols.append(SymbolAt("grid", "sp", Reference("grid"), 2, (("x", 4),)))
    assembly.tasks.append(TaskAt(8, Reference("main"), active=True, blocked=False))
    object_ = link(assembly)
"""

from typing import Any

from attrs import define, evolve, field, frozen

from carbide.isa.encode import EncodeError, encode, length
from carbide.isa.operands import Address, Operation, Reference, operation
from carbide.object import Control, Filter, Object, Segment, SocketUse, SourcePlace, Symbol, Task
from mitools.arch import load


@frozen
class Label:
    """A name for the address of what follows."""

    name: str
    place: Any = field(default=None, eq=False, repr=False)


@frozen
class Words:
    """Initialised words; a reference becomes the address of its label."""

    values: tuple[Address, ...]
    place: Any = field(default=None, eq=False, repr=False)


@frozen
class Space:
    """Words that are reserved but not written by the loader (memory starts as zeros)."""

    count: int


@frozen
class Align:
    """Go on at the next multiple of so many words."""

    words: int


@frozen
class Origin:
    """Go on at an address. In code only forward; the gap is filled with `nop`."""

    address: int
    place: Any = field(default=None, eq=False, repr=False)


@frozen
class SourceLine:
    """Which source stands behind the instructions that follow."""

    file: str
    line: int
    column: int


Item = Label | Operation | Words | Space | Align | Origin | SourceLine


@frozen
class SymbolAt:
    """A `Symbol` whose address may be a label."""

    name: str
    type: str
    address: Address
    words: int
    dimensions: tuple[tuple[str, int], ...] = ()


@frozen
class TaskAt:
    """A `Task` whose entry may be a label."""

    number: int
    entry: Address
    active: bool
    blocked: bool


@define
class Assembly:
    """One program before layout. Data without an `Origin` follows the code.

    `data_end` None is the first free word after the highest initialised or reserved word of main
    memory; `stack_start` None is the end of main memory (no frames).
    """

    program: str
    source: str
    arch: str = "sdr"
    parameters: list[tuple[str, str]] = field(factory=list)
    code: list[Item] = field(factory=list)
    data: list[Item] = field(factory=list)
    symbols: list[SymbolAt] = field(factory=list)
    sockets: list[SocketUse] = field(factory=list)
    tasks: list[TaskAt] = field(factory=list)
    filters: list[Filter] = field(factory=list)
    controls: list[Control] = field(factory=list)
    data_end: int | None = None
    stack_start: int | None = None
    configures_router: bool = False
    notes: list[str] = field(factory=list)


class LayoutError(Exception):
    """An item that cannot be laid out; `place` is the item's place in its text, if it has one."""

    def __init__(self, reason: str, place: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


@define
class _Piece:
    """A run of addresses: (address, item) in order, and the address behind the last."""

    items: list[tuple[int, Item]] = field(factory=list)
    end: int = 0


_NOP = operation("nop")


def _size(item: Item, address: int) -> int:
    match item:
        case Operation():
            try:
                return length(item)
            except KeyError:
                reason = f"no instruction is called '{item.mnemonic}'"
            except ValueError:  # more or fewer operands than roles
                reason = f"{item.mnemonic} takes {len(item.row.roles)} operands"
            raise LayoutError(reason, item.place)
        case Words(values):
            return len(values)
        case Space(count):
            return count
        case Align(words):
            return -address % words
    return 0


def _place(items: list[Item], start: int, labels: dict[str, int], *, code: bool) -> _Piece:
    """Give every item its address, from `start` on, and every label its value."""
    piece = _Piece(end=start)
    began = False
    for item in items:
        if isinstance(item, Origin):
            if code and began and item.address < piece.end:
                reason = f"code stands already up to 0x{piece.end:04x}"
                raise LayoutError(f".org 0x{item.address:04x} goes back; {reason}", item.place)
            if code and began:
                gap = item.address - piece.end
                piece.items += [(piece.end + k, _NOP) for k in range(gap)]
            piece.end = item.address
        elif isinstance(item, Label):
            if item.name in labels:
                raise LayoutError(f"the label '{item.name}' stands twice", item.place)
            labels[item.name] = piece.end
        size = _size(item, piece.end)
        if piece.end + size > 0x10000:
            raise LayoutError("this passes the end of the address space", None)
        piece.items.append((piece.end, item))
        began = began or size > 0
        piece.end += size
    return piece


def _segments(piece: _Piece, labels: dict[str, int]) -> list[Segment]:
    """The initialised words of a piece; neighbours join into one segment."""

    def resolve(reference: Reference) -> int:
        if reference.name not in labels:
            raise EncodeError(f"there is no label '{reference.name}'")
        return labels[reference.name] + reference.offset

    runs: list[tuple[int, list[int]]] = []
    for address, item in piece.items:
        if isinstance(item, Operation | Words):
            try:
                if isinstance(item, Operation):
                    words = encode(item, resolve)
                else:
                    words = [
                        (resolve(v) if isinstance(v, Reference) else v) & 0xFFFF
                        for v in item.values
                    ]
            except EncodeError as error:
                raise LayoutError(str(error), item.place) from None
        elif isinstance(item, Align):
            words = [0] * _size(item, address)
        else:
            continue
        if runs and runs[-1][0] + len(runs[-1][1]) == address:
            runs[-1][1].extend(words)
        elif words and not (isinstance(item, Align)):
            runs.append((address, words))
    return [Segment(address, tuple(words)) for address, words in runs]


def _places(piece: _Piece) -> list[SourcePlace]:
    """Change points of the source behind the code."""
    places: list[SourcePlace] = []
    current: SourceLine | None = None
    for address, item in piece.items:
        if isinstance(item, SourceLine):
            current = item
        elif isinstance(item, Operation) and current is not None:
            place = SourcePlace(address, current.file, current.line, current.column)
            if not places or evolve(places[-1], address=address) != place:
                places.append(place)
    return places


def link(assembly: Assembly, base: int = 0) -> Object:
    """Lay out code from `base` on (or its own `Origin`) and data behind it; resolve labels.

    Raises LayoutError.
    """
    labels: dict[str, int] = {}
    code = _place(assembly.code, base, labels, code=True)
    data = _place(assembly.data, code.end, labels, code=False)

    def resolve(address: Address, what: str) -> int:
        place = address
        if isinstance(place, Reference):
            if place.name not in labels:
                raise LayoutError(f"{what} stands at the label '{place.name}', which is nowhere")
            place = labels[place.name] + place.offset
        if not 0 <= place <= 0xFFFF:
            raise LayoutError(f"{what} stands outside the address space")
        return place

    pieces = _segments(code, labels)
    if len(pieces) > 1:  # Space in code: only data may have holes
        raise LayoutError("code must be one piece; put reserved words into .data")
    main_words = load(assembly.arch).memory.main_words
    ends = [at + _size(item, at) for p in (code, data) for at, item in p.items]
    free = max((end for end in ends if end <= main_words), default=code.end)
    start = next((at for at, item in code.items if _size(item, at)), base)
    return Object(
        program=assembly.program,
        source=assembly.source,
        arch=assembly.arch,
        parameters=tuple(assembly.parameters),
        code=pieces[0] if pieces else Segment(start, ()),
        data=tuple(_segments(data, labels)),
        data_end=free if assembly.data_end is None else assembly.data_end,
        stack_start=main_words if assembly.stack_start is None else assembly.stack_start,
        symbols=tuple(
            Symbol(s.name, s.type, resolve(s.address, s.name), s.words, s.dimensions)
            for s in assembly.symbols
        ),
        sockets=tuple(assembly.sockets),
        tasks=tuple(
            Task(t.number, resolve(t.entry, f"task {t.number}"), t.active, t.blocked)
            for t in assembly.tasks
        ),
        filters=tuple(assembly.filters),
        controls=tuple(assembly.controls),
        places=tuple(_places(code)),
        configures_router=assembly.configures_router,
        notes=tuple(assembly.notes),
    )
