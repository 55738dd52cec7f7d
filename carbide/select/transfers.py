"""Transfers: ports, descriptors, vector instructions, and launching them in microthreads."""

from typing import Any

from carbide import ir
from carbide.isa import table as isa
from carbide.isa.operands import (
    Descriptor,
    Immediate,
    InputQueue,
    Memory,
    Nothing,
    OutputQueue,
    Reference,
    Register,
)
from carbide.passes.mnemonics import binary_mnemonic, compare_mnemonic, convert_mnemonic
from carbide.runtime import CLOBBERED, RETURN_REGISTER
from carbide.select.code import Value
from carbide.select.descriptors import Descriptors
from carbide.select.expressions import Location
from carbide.select.state import Operand


def blocking(port: ir.Port) -> bool:
    """Whether a port can keep its user waiting."""
    return port.kind != "iterator"


def waits_itself(s: Any) -> bool:
    """A statement with receives or a send of its own, leaving out what it holds."""
    if isinstance(s, ir.Send | ir.SendControl):
        return blocking(s.port)
    parts = [c for c in ir.children(s) if isinstance(c, (*ir.EXPRESSIONS, ir.Element, ir.Stream))]
    ports = [n.port for n in ir.walk(tuple(parts)) if isinstance(n, ir.Receive | ir.Stream)]
    return any(blocking(port) for port in ports)


class Transfers(Descriptors):
    """`launching`: transfers run in microthreads of `context`, and waiting ends the task."""

    context: Any
    launching = False
    length_carried = False

    # Ports.

    def port_operand(self, port: ir.Port, write: bool, length: Any) -> Any:
        """The operand of a port. `length` is 1, a count, or None where another operand has it."""
        one = isinstance(length, int) and length == 1
        if port.kind == "socket":
            queue = self.unit.queues.number(port.name, write)
            if one:
                return OutputQueue(queue) if write else InputQueue(queue)
            kind = isa.DSD_FABRIC_OUT if write else isa.DSD_FABRIC_IN
            return self.sized_descriptor(kind, queue, length)
        if port.kind == "fifo":
            return self.sized_descriptor(isa.DSD_FIFO, self.unit.fifo_record(port.name), length)
        if port.kind == "iterator":
            if port.name in self.unit.resized and not one:
                return self.iterator_descriptor(
                    port.name, None if length is None else _immediate(length)
                )
            fixed = self.unit.iterators[port.name].length
            if fixed is not None and not one:
                if length is None:
                    length = fixed
                elif isinstance(length, int):
                    length = min(fixed, length)
                else:
                    length = self.pure("minu16", 1, length, Immediate(fixed))
            return self.sized_descriptor(isa.DSD_WALK, self.unit.walk_record(port.name), length)
        assert port.element is not None
        bound = None if length is None else _immediate(length)
        return self.stored_descriptor(port.element, bound)

    def port_effects(self, port: ir.Port, write: bool) -> set[str]:
        """Make memory true for what a port reads; returns the roots it writes."""
        if port.kind == "socket":
            return set()
        if port.kind == "iterator":
            region = self.unit.iterators[port.name].region
            roots = {self.memory.region(region).root.name}
        elif port.kind == "fifo":
            roots = {self.memory.region(self.unit.fifos[port.name].region).root.name}
            write = True
        else:
            roots = set(self.memory.reachable())
        self.flush_roots(roots)
        return roots if write else set()

    def queue_operand(self, e: ir.Receive) -> Any:
        if self.launching and blocking(e.port):
            return None
        return self.port_operand(e.port, False, 1)

    def prepare(self, e: ir.Receive) -> None:
        """Before a receive of one element on the main thread."""
        roots = self.port_effects(e.port, False)
        self.forget_roots(roots)
        if blocking(e.port):
            self.flush_observed()

    def receive(self, e: ir.Receive) -> Operand:
        words = ir.WORDS[e.type]
        if self.launching and blocking(e.port):
            return self.receive_launched(e)
        self.prepare(e)
        return self.define(_move(words), words, self.port_operand(e.port, False, 1))

    def receive_launched(self, e: ir.Receive) -> Operand:
        """One element into a place of the frame, as a microthread writes no register."""
        words = ir.WORDS[e.type]
        temporary = self.unit.temporary(words)
        self.forget_roots(self.port_effects(e.port, False))
        source = self.port_operand(e.port, False, 1)
        slot = self.context.slot()
        self.emit(_move(words), Memory(temporary), source, slot=slot + 1)
        self.suspend(1 << slot)
        return self.define(_move(words), words, Memory(temporary))

    # Waiting.

    def suspend(self, mask: int) -> None:
        """End the task; it resumes here when the microthreads of the mask are idle."""
        self.flush_all()
        task = Immediate(self.context.resume_task())
        self.emit("susp", task, Immediate(mask), barrier=True)
        self.forget_all()

    # One instruction for a statement.

    def parts(self, e: Any) -> tuple[str, list[Any]] | None:
        """Mnemonic and sources if an expression is one instruction with ports as operands.

        Other operands are evaluated now; nothing of the ports is emitted but descriptor loads.
        """
        words = ir.WORDS[e.type]
        inner: tuple[Any, ...]
        part: Any
        match e:
            case ir.Receive():
                mnemonic, inner = _move(words), (e,)
            case ir.Bits():
                return self.parts(e.value)
            case ir.Convert():
                found = convert_mnemonic(e.value.type, e.type)
                if found is None:
                    return self.parts(e.value)
                mnemonic, inner = found, (e.value,)
            case ir.Binary() if e.op not in ("div", "mod", "land", "lor"):
                mnemonic, inner = binary_mnemonic(e.op, e.type), (e.left, e.right)
            case ir.Fma() if e.type in ir.FLOATS:
                mnemonic = ("fmac" if e.op == "fma" else "fms") + e.type
                inner = (e.left, e.right, e.addend)
            case ir.Compare():
                mnemonic, swap = compare_mnemonic(e.op, e.left.type)
                inner = (e.right, e.left) if swap else (e.left, e.right)
            case ir.Unary("neg" | "abs") if e.type in ir.FLOATS:
                mnemonic, inner = ("fneg" if e.op == "neg" else "fabs") + e.type, (e.value,)
            case _:
                return None
        direct = [isinstance(p, ir.Receive) for p in inner]
        if not any(direct) or sum(direct) > 1:
            return None
        if any(_receives(p) for p, d in zip(inner, direct, strict=True) if not d):
            return None
        out = [None if d else self.value(p) for p, d in zip(inner, direct, strict=True)]
        for place, part in enumerate(inner):
            if direct[place]:
                self.forget_roots(self.port_effects(part.port, False))
                out[place] = self.port_operand(part.port, False, 1)
        return mnemonic, out

    # Vector instructions.

    def transfer(self, s: ir.Transfer, slot: int = 0) -> bool:
        """Emit a vector instruction; False when it has no elements."""
        counts = [None if c is None else self.value(c) for c in s.counts]
        if any(isinstance(c, Immediate) and _small(c) <= 0 for c in counts):
            return False
        written: set[str] = set()
        operands = (s.target, *s.sources)
        for operand in operands:
            if isinstance(operand, ir.Stream):
                written |= self.port_effects(operand.port, operand is s.target)
        written |= self._span_effects(s)
        bounded = any(isinstance(o, ir.Span) for o in operands)
        length: Any = self._length(counts)
        carried = bounded
        self.length_carried = False
        sources: list[Any] = []
        for source in s.sources:
            if isinstance(source, ir.Stream):
                share = None if carried else length
                sources.append(self.port_operand(source.port, False, share))
                carried = True
            elif source == s.target and isinstance(source, ir.Var):
                sources.append(None)
            else:
                sources.append(self._source(source, counts, s))
        if isinstance(s.target, ir.Stream):
            share = None if carried else length
            target: Any = self.port_operand(s.target.port, True, share)
        elif isinstance(s.target, ir.Var):
            target, sources = self._variable_target(s, sources, slot)
        elif s.target is None:
            target = Nothing()
        else:
            target = self._source(s.target, counts, s)
        if any(isinstance(o, ir.Stream) and blocking(o.port) for o in operands):
            self.flush_observed()
        made = self.emit(s.op, target, *sources, slot=slot, flip=s.flip, keep=s.keep)
        made.no_load = not s.load
        made.tied = any(o is target for o in sources)
        self.forget_roots(written)
        if isinstance(s.target, ir.Var) and isinstance(target, Value):
            self.assign(s.target, target)
        return True

    def _length(self, counts: list[Any]) -> Any:
        """Number of elements: an int, an operand, or None without end."""
        if any(c is None for c in counts):
            return None
        total: Any = 1
        for count in counts:
            if isinstance(count, Immediate) and isinstance(total, int):
                total *= _small(count)
            else:
                total = self.pure("mul16", 1, _immediate(total), count)
        if isinstance(total, Value):
            total = self.pure("max16", 1, total, Immediate(0))
        return total

    def _span_effects(self, s: ir.Transfer) -> set[str]:
        written: set[str] = set()
        for operand in (s.target, *s.sources):
            if isinstance(operand, ir.Span | ir.Cell):
                base = operand.element.base
                if isinstance(base, ir.AddressOf):
                    roots = {self.memory.region(base.region).root.name}
                else:
                    roots = set(self.memory.reachable())
                self.flush_roots(roots)
                if operand is s.target:
                    written |= roots
        return written

    def _variable_target(
        self, s: ir.Transfer, sources: list[Any], slot: int
    ) -> tuple[Any, list[Any]]:
        """A scalar target: a register, which a reduction reads again for every element."""
        assert isinstance(s.target, ir.Var)
        words = ir.WORDS[s.target.type]
        if slot:  # a microthread writes no register
            root = self.variable_root(s.target)
            place = self.address(root, 0)
            if any(o is None for o in sources):
                self.value(s.target)
                self.flush_roots({root.name})
            self.state.cells.pop((root.name, 0, words), None)
            return place, [place if o is None else o for o in sources]
        result = self.new_value(words)
        if any(o is None for o in sources):
            self.emit(_move(words), result, self.value(s.target), tied=True)
        return result, [result if o is None else o for o in sources]

    def _source(self, operand: Any, counts: list[Any], s: ir.Transfer) -> Any:
        if isinstance(operand, ir.Span):
            return self.span(operand, counts)
        if isinstance(operand, ir.Cell):
            return self.locate(operand.element).operand
        return self.value(operand)

    def span(self, span: ir.Span, counts: list[Any]) -> Descriptor:
        """The descriptor of memory walked with the transfer's counts."""
        at = self.locate(span.element)
        dims = [(_count(c), stride) for c, stride in zip(counts, span.strides, strict=True)]
        dims = [d for d in dims if d[0] != 1] or [(1, span.strides[-1])]
        while len(dims) > 1 and _collapses(dims[-2], dims[-1]):
            (outer, _), (inner, step) = dims[-2:]
            dims[-2:] = [(outer * inner, step)]
        if len(dims) > 1:
            return self._walk(at, dims)
        count, stride = dims[0]
        if isinstance(count, Value):
            if self.length_carried:  # one descriptor says how long, the others follow
                count = None
            else:
                count = self.pure("max16", 1, count, Immediate(0))
                self.length_carried = True
        if at.base is None and not isinstance(count, Value):
            length = isa.UNBOUNDED if count is None else count
            return self.static_descriptor(isa.DSD_MEMORY, at.displacement, length, stride)
        return self.dynamic_span(at, count, stride)

    def _walk(self, at: Location, dims: list[tuple[Any, int]]) -> Descriptor:
        """A walk of several dimensions; its record comes back to its start by itself."""
        total = 1
        for count, _ in dims:
            total *= 1 if count is None else count
        if any(count is None for count, _ in dims):
            total = isa.UNBOUNDED
        fixed = at.displacement if at.base is None else 0
        record = self.unit.record(fixed, dims)
        if at.base is not None:
            base = self.address_value(at)
            self.emit("mov16", Memory(record + isa.WALK_BASE), base)
            self.emit("mov16", Memory(record + isa.WALK_CURRENT), base)
        return self.static_descriptor(isa.DSD_WALK, record, total)

    # Calls of the runtime.

    def runtime(self, name: str, words: int, operands: list[Operand], register: int) -> Operand:
        self.unit.runtime.add(name)
        for place, operand in enumerate(operands):
            self.emit(_move(words), Register(2 * place), operand)
        clobbers = sum(1 << k for k in (*CLOBBERED, RETURN_REGISTER))
        target = Immediate(Reference(name))
        made = self.emit("call", Register(RETURN_REGISTER), target, clobbers=clobbers)
        made.fixed_uses = 3 if len(operands) == 1 else 15
        return self.define(_move(words), words, Register(register))


def _collapses(outer: tuple[Any, int], inner: tuple[Any, int]) -> bool:
    """Whether two dimensions are one longer one."""
    counts = isinstance(outer[0], int) and isinstance(inner[0], int)
    return counts and outer[1] == inner[0] * inner[1] and outer[0] * inner[0] < isa.UNBOUNDED


def _count(operand: Any) -> Any:
    return _small(operand) if isinstance(operand, Immediate) else operand


def _move(words: int) -> str:
    return "mov16" if words == 1 else "mov32"


def _small(immediate: Immediate) -> int:
    value = immediate.value
    assert isinstance(value, int)
    return value - 0x10000 if value >= 0x8000 else value


def _immediate(length: Any) -> Any:
    return Immediate(length) if isinstance(length, int) else length


def _receives(e: Any) -> bool:
    return any(isinstance(node, ir.Receive) for node in ir.walk(e))
