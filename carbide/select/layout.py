"""Memory of a program: code from 0 on, then data, frames at the end; and the assembly of it all."""

from typing import Any

from attrs import define, field

from carbide import ir
from carbide.isa.assembly import Assembly, Item, Label, Origin, Space, SymbolAt, Words
from carbide.isa.encode import length
from carbide.isa.operands import Indexed, Memory, Operation, Reference
from carbide.object import Control, Filter
from carbide.runtime import routine_items
from carbide.select.contexts import user_place
from carbide.select.memory import ABSOLUTE, HOME
from carbide.select.unit import Unit
from mitools.arch import load
from mitools.console import Place, UserError

BANKS = 4


@define
class FreeSpace:
    """Free main memory as (start, end) pieces."""

    free: list[tuple[int, int]] = field(factory=list)

    def take(self, words: int, low: int, high: int, even: bool) -> int | None:
        """The first address in [low, high) with so many free words."""
        for place, (start, end) in enumerate(self.free):
            at = max(start, low)
            at += at % 2 if even else 0
            if at + words <= min(end, high):
                rest = [(start, at), (at + words, end)]
                self.free[place : place + 1] = [r for r in rest if r[0] < r[1]]
                return at
        return None

    def reserve(self, start: int, end: int) -> None:
        out = []
        for a, b in self.free:
            if end <= a or b <= start:
                out.append((a, b))
            else:
                out += [r for r in ((a, start), (end, b)) if r[0] < r[1]]
        self.free = out


def home_sizes(unit: Unit) -> dict[str, int]:
    """Homes of variables that the code uses, with their sizes."""
    sizes: dict[str, int] = {}
    for items in unit.code:
        for item in items:
            if not isinstance(item, Operation):
                continue
            for role, operand in zip(item.row.roles, item.operands, strict=True):
                address: Any = None
                if isinstance(operand, Memory):
                    address = operand.address
                elif isinstance(operand, Indexed):
                    address = operand.displacement
                if isinstance(address, Reference) and address.name.startswith(HOME):
                    words = 2 if role in ("w", "dw") else 1
                    sizes[address.name] = max(sizes.get(address.name, 1), words)
    return sizes


def assemble(unit: Unit, parameters: Any = (), notes: Any = ()) -> Assembly:
    """Lay a built unit out. Raises UserError when it does not fit."""
    program = unit.program
    out = Assembly(program.name, program.source, unit.arch)
    out.parameters = list(parameters)
    out.notes = list(notes)
    for items in unit.code:
        out.code += items
    for name in sorted(unit.runtime):
        out.code += routine_items(name)
    code_words = sum(length(i) for i in out.code if isinstance(i, Operation))
    memory = load(unit.arch).memory
    plan = _Plan(unit, code_words, memory.main_words)
    plan.place()
    out.data = plan.items
    out.data_end, out.stack_start = plan.data_end, plan.stack_start
    for region in program.regions:
        if region.symbol:
            root, shift = unit.memory.places[region.name]
            label = unit.memory.roots[root].label
            address: Any = label + shift
            out.symbols.append(
                SymbolAt(region.name, region.type, address, region.element_words, region.dims)
            )
    out.sockets = unit.queues.uses(program)
    out.tasks = [unit.tasks[k] for k in sorted(unit.tasks)]
    for f in program.filters:
        queue = unit.queues.number(f.socket, False)
        out.filters.append(
            Filter(queue, f.limit, f.maxpass, f.counts_data, f.counts_control, f.state)
        )
    if any(socket.input_queue is not None for socket in out.sockets):
        # Only handlers may be started: the numbers of other tasks are the compiler's own.
        out.controls = [Control(None, None, None), *unit.controls()]
    registers = load(unit.arch).registers
    colors = (registers.color_config, registers.switch_config + 0x80)
    for region in program.regions:
        at = region.address
        if at is not None and at + region.words > colors[0] and at < colors[1]:
            out.configures_router = True
    return out


class _Plan:
    """Addresses of all data."""

    def __init__(self, unit: Unit, code_words: int, main_words: int) -> None:
        self.unit = unit
        self.code_words = code_words
        self.main_words = main_words
        self.items: list[Item] = []
        self.space = FreeSpace([(code_words, main_words)])
        self.data_end = code_words
        self.stack_start = main_words
        self.parts: list[tuple[str, int]] = [("code", code_words)]

    def place(self) -> None:
        if self.code_words > self.main_words:
            self._too_big("code", self.code_words)
        for region in self.unit.program.regions:
            if region.address is not None and region.address < self.main_words:
                self.space.reserve(region.address, region.address + region.words)
        self._frames()
        self._check_fixed()
        self._constants()
        regions = [r for r in self.unit.program.regions if self._own(r)]
        quarter = self.main_words // BANKS
        rest = []
        for region in regions:
            at = None
            if region.bank is not None:
                low = region.bank % BANKS * quarter
                at = self.space.take(region.words, low, low + quarter, _even(region))
            if at is None:
                rest.append(region)
            else:
                self._put(region, at)
        for region in rest:
            at = self.space.take(region.words, 0, self.main_words, _even(region))
            if at is None:
                self._too_big(region.name, region.words)
            assert at is not None
            self._put(region, at)
        for region in self.unit.program.regions:
            if region.initial is not None and not self._own(region):
                root, shift = self.unit.memory.places[region.name]
                if root == ABSOLUTE:
                    self.items += [Origin(shift), Words(tuple(region.initial))]

    def _check_fixed(self) -> None:
        """Arrays that the program puts at an address of main memory: not over code or frames."""
        for region in self.unit.program.regions:
            at = region.address
            if at is None or at >= self.main_words:
                continue
            if at < self.code_words or at + region.words > self.stack_start:
                what = "code" if at < self.code_words else "stack"
                low, high = self.code_words, self.stack_start
                raise UserError(
                    f"`{region.name}` at 0x{at:04x} lies over the program's {what}",
                    user_place(region.place),
                    f"between 0x{low:04x} and 0x{high:04x} nothing but data lies",
                )

    def _own(self, region: ir.Region) -> bool:
        return region.address is None and region.alias is None

    def _put(self, region: ir.Region, at: int) -> None:
        self.items += [Origin(at), Label(region.name)]
        initial = list(region.initial or ())
        for alias in self.unit.program.regions:  # an alias with an initialiser of its own
            if alias.alias is not None and alias.initial is not None:
                root, shift = self.unit.memory.places[alias.name]
                if root == region.name:
                    initial += [0] * (shift + len(alias.initial) - len(initial))
                    initial[shift : shift + len(alias.initial)] = alias.initial
        if initial:
            self.items.append(Words(tuple(initial)))
        if region.words > len(initial):
            self.items.append(Space(region.words - len(initial)))
        self.data_end = max(self.data_end, at + region.words)
        self.parts.append((region.name, region.words))

    def _frames(self) -> None:
        """Frames at the end of memory. Tasks keep theirs; a function's lies below its callers'."""
        sizes = {**home_sizes(self.unit), **self.unit.memory.frames}
        frames: dict[str, list[tuple[str, int]]] = {"": []}
        for label, words in sizes.items():
            frames.setdefault(self.unit.owner(label), []).append((label, words + words % 2))
        top = {"": 0}
        pending = [""]
        while pending:  # there is no recursion, so this ends
            caller = pending.pop()
            end = top[caller] + sum(words for _, words in frames.get(caller, ()))
            for name in sorted(self.unit.callees.get(caller, ())):
                if end > top.get(name, -1):
                    top[name] = end
                    pending.append(name)
        total = max(top[f] + sum(w for _, w in frames.get(f, ())) for f in top)
        self.parts.append(("stack", total))
        if total > self.main_words - self.code_words:
            self._too_big("stack", total)
        for owner, places in frames.items():
            at = self.main_words - top[owner]
            for label, words in places:
                at -= words
                self.items += [Origin(at), Label(label), Space(sizes[label])]
        self.stack_start = self.main_words - total
        self.space.reserve(self.stack_start, self.main_words)

    def _constants(self) -> None:
        """Descriptors and records."""
        for words, label in self.unit.descriptors.items():
            self._words(label, Words(words))
        for label, record in self.unit.records.items():
            self._words(label, record)

    def _words(self, label: str, words: Words) -> None:
        at = self.space.take(len(words.values), 0, self.main_words, True)
        if at is None:
            self._too_big("descriptors", len(words.values))
        assert at is not None
        self.items += [Origin(at), Label(label), words]
        self.data_end = max(self.data_end, at + len(words.values))

    def _too_big(self, what: str, words: int) -> None:
        parts = dict(self.parts)
        parts[what] = words
        for region in self.unit.program.regions:
            if self._own(region):
                parts.setdefault(region.name, region.words)
        total = sum(parts.values())
        largest = sorted(parts.items(), key=lambda p: -p[1])[:12]
        listed = "\n".join(f"{size:7} words  {name}" for name, size in largest)
        raise UserError(
            f"the program needs {total} words of memory; a core has {self.main_words}",
            Place(self.unit.program.source),
            f"what takes the space:\n{listed}",
        )


def _even(region: ir.Region) -> bool:
    return region.words > 1
