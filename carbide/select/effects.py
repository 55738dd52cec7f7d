"""What a piece of IR may do to memory, so that the builder knows what survives a loop or call."""

from typing import Any

from attrs import define, field

from carbide import ir
from carbide.select.memory import Key, Memory, static_offset


@define
class Effects:
    """`cells`: places written at constant offsets; `written`, `read`: whole roots; `observes`:
    something outside can see memory meanwhile; `suspends`: registers are lost; `calls`: of
    functions; `resized`: iterators that get another length."""

    cells: set[Key] = field(factory=set)
    cells_read: set[Key] = field(factory=set)
    written: set[str] = field(factory=set)
    read: set[str] = field(factory=set)
    observes: bool = False
    suspends: bool = False
    calls: bool = False
    resized: set[str] = field(factory=set)

    def add(self, other: "Effects") -> None:
        self.cells |= other.cells
        self.cells_read |= other.cells_read
        self.written |= other.written
        self.read |= other.read
        self.observes |= other.observes
        self.suspends |= other.suspends
        self.calls |= other.calls
        self.resized |= other.resized


class Analysis:
    """Effects of statements. `prefix` makes names of local variables unique over functions."""

    def __init__(self, memory: Memory, functions: dict[str, ir.Function]) -> None:
        self.memory = memory
        self.functions = functions
        self.summaries: dict[str, Effects] = {}
        self.iterators = {i.name: i for i in memory.program.iterators}
        self.fifos = {f.name: f for f in memory.program.fifos}

    def function(self, name: str) -> Effects:
        """What a call does; local variables of the function left out."""
        if name not in self.summaries:
            found = self.body(self.functions[name].body, f"{name}.", launched=False)
            found.cells = {c for c in found.cells if not c[0].startswith("var ")}
            found.cells_read = {c for c in found.cells_read if not c[0].startswith("var ")}
            found.calls = True
            self.summaries[name] = found
        return self.summaries[name]

    def body(self, body: Any, prefix: str, launched: bool) -> Effects:
        """Effects of statements; `launched`: transfers run in microthreads, so waits suspend."""
        found = Effects()
        for statement in body:
            self._statement(statement, found, prefix, launched)
        return found

    def _element(self, e: ir.Element, words: int, out: Effects, write: bool) -> None:
        if isinstance(e.base, ir.AddressOf):
            where = self.memory.region(e.base.region)
            offset = static_offset(e.offset)
            if offset is not None:
                key = (where.root.name, where.shift + offset, words)
                (out.cells if write else out.cells_read).add(key)
            else:
                (out.written if write else out.read).add(where.root.name)
        else:
            (out.written if write else out.read).update(self.memory.reachable())

    def _port(self, port: ir.Port, out: Effects, write: bool) -> None:
        roots = out.written if write else out.read
        if port.kind == "iterator":
            roots.add(self.memory.region(self.iterators[port.name].region).root.name)
        elif port.kind == "fifo":
            out.written.add(self.memory.region(self.fifos[port.name].region).root.name)
            out.observes = True
        elif port.kind == "stream":
            roots.update(self.memory.reachable())
            out.observes = True
            assert port.element is not None
            self._element(port.element, 4, out, False)
        else:
            out.observes = True

    def _expression(self, e: Any, out: Effects, prefix: str) -> None:
        for node in ir.walk(e):
            if isinstance(node, ir.Load):
                self._element(node.element, ir.WORDS[node.type], out, False)
            elif isinstance(node, ir.Receive):
                self._port(node.port, out, False)
            elif isinstance(node, ir.Var):
                words = ir.WORDS[node.type]
                root = self.memory.home(prefix + node.name, words)
                out.cells_read.add((root.name, 0, words))

    def _variable(self, v: ir.Var, out: Effects, prefix: str) -> None:
        words = ir.WORDS[v.type]
        out.cells.add((self.memory.home(prefix + v.name, words).name, 0, words))

    def _span(self, span: ir.Span | ir.Cell, out: Effects, write: bool) -> None:
        base = span.element.base
        if isinstance(base, ir.AddressOf):
            (out.written if write else out.read).add(self.memory.region(base.region).root.name)
        else:
            (out.written if write else out.read).update(self.memory.reachable())

    def _transfer(self, s: ir.Transfer, out: Effects, prefix: str) -> None:
        for operand in s.sources:
            if isinstance(operand, ir.Span | ir.Cell):
                self._span(operand, out, False)
            elif isinstance(operand, ir.Stream):
                self._port(operand.port, out, False)
            else:
                self._expression(operand, out, prefix)
        if isinstance(s.target, ir.Span | ir.Cell):
            self._span(s.target, out, True)
        elif isinstance(s.target, ir.Stream):
            self._port(s.target.port, out, True)
        elif s.target is not None:
            self._variable(s.target, out, prefix)
        for count in s.counts:
            if count is not None:
                self._expression(count, out, prefix)

    def _statement(self, s: Any, out: Effects, prefix: str, launched: bool) -> None:
        match s:
            case ir.Assign():
                self._expression(s.value, out, prefix)
                self._variable(s.variable, out, prefix)
            case ir.Store():
                self._expression(s.value, out, prefix)
                self._expression(s.element.base, out, prefix)
                self._expression(s.element.offset, out, prefix)
                self._element(s.element, ir.WORDS[s.value.type], out, True)
            case ir.Send() | ir.SendControl():
                self._expression(s.value, out, prefix)
                self._port(s.port, out, True)
            case ir.Transfer():
                self._transfer(s, out, prefix)
            case ir.Call():
                for argument in s.arguments:
                    self._expression(argument, out, prefix)
                out.add(self.function(s.function))
                if s.result is not None:
                    self._variable(s.result, out, prefix)
            case ir.Parallel():
                for arm in s.arms:
                    out.add(self.body(arm.body, prefix, launched=True))
                out.observes = out.suspends = True
            case ir.Dispatch():
                for handler in s.handlers:
                    for variable in (handler.value, handler.index):
                        if variable is not None:
                            self._variable(variable, out, prefix)
                    out.add(self.body(handler.body, prefix, launched=False))
                out.observes = out.suspends = True
            case ir.Threads():
                out.add(self.body(s.body, prefix, s.enabled))
            case _:
                self._rest(s, out, prefix, launched)
        if launched and self.waits(s):
            out.suspends = True

    def _rest(self, s: Any, out: Effects, prefix: str, launched: bool) -> None:
        """Statements that only hold others, and the small ones."""
        if isinstance(s, ir.Loop):
            self._variable(s.variable, out, prefix)
        if isinstance(s, ir.SetLength):
            out.resized.add(s.name)
        if isinstance(s, ir.Sum) and s.target is not None:
            if isinstance(s.target, ir.Var):
                self._variable(s.target, out, prefix)
            else:
                self._element(s.target, ir.WORDS[s.type], out, True)
        for child in ir.children(s):
            if isinstance(child, ir.STATEMENTS):
                self._statement(child, out, prefix, launched)
            elif isinstance(child, ir.EXPRESSIONS):
                self._expression(child, out, prefix)

    @staticmethod
    def waits(s: Any) -> bool:
        """Whether the statement itself is a transfer that a microthread could run."""
        if isinstance(s, ir.Send | ir.SendControl):
            return bool(s.port.kind != "iterator")
        if isinstance(s, ir.Transfer):
            ports = [o for o in (s.target, *s.sources) if isinstance(o, ir.Stream)]
            return any(o.port.kind != "iterator" for o in ports)
        if isinstance(s, ir.Assign | ir.Store | ir.Evaluate):
            return any(
                isinstance(node, ir.Receive) and node.port.kind != "iterator" for node in ir.walk(s)
            )
        return False
