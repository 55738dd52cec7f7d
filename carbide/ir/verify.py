"""Checks that IR is well formed; run before and after every pass.

A failure is a fault of the compiler, never of the user's program.
"""

from typing import Any

from carbide.ir import nodes as n
from carbide.ir.text import show
from carbide.isa import table as isa


class IrError(Exception):
    """Malformed IR: what is wrong, where, and after which pass."""


_SCALARS = (*n.INTEGERS, *n.FLOATS)
_FLOAT_BINARY = ("add", "sub", "mul", "div", "min", "max")
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")
_CONVERTIBLE = _SCALARS


class _Checker:
    def __init__(self, program: n.Program) -> None:
        self.program = program
        self.regions = {r.name for r in program.regions}
        self.sockets = {s.name for s in program.sockets}
        self.fifos = {f.name for f in program.fifos}
        self.iterators = {i.name: i for i in program.iterators}
        self.functions = {f.name: f for f in program.functions}
        self.function: n.Function = program.main
        self.variables: dict[str, str] = {}
        self.labels: list[str] = []

    def fail(self, what: str, node: Any) -> None:
        text = show(node).strip().split("\n")[0]
        raise IrError(f"{what} in {self.function.name}: {text}")

    def need(self, condition: bool, what: str, node: Any) -> None:
        if not condition:
            self.fail(what, node)

    def port(self, port: n.Port, node: Any) -> None:
        known = {"socket": self.sockets, "fifo": self.fifos, "iterator": self.iterators}
        if port.kind == "stream":
            self.need(port.element is not None, "stream without element", node)
            self.element(port.element)
        else:
            self.need(port.kind in known, f"port kind {port.kind}", node)
            self.need(port.name in known[port.kind], f"unknown {port.kind} {port.name}", node)

    def element(self, e: Any) -> None:
        self.need(isinstance(e, n.Element), "no element", e)
        for part in (e.base, e.offset):
            self.expression(part)
            self.need(part.type in ("i16", "u16"), "address that is not 16-bit", part)

    def effect_free(self, e: Any) -> None:
        for node in n.walk(e):
            self.need(not isinstance(node, n.Receive), "effect where none may stand", e)

    def expression(self, e: Any) -> None:
        self.need(isinstance(e, n.EXPRESSIONS), "no expression", e)
        match e:
            case n.Const():
                self.need(e.type in _SCALARS, "constant type", e)
                self.need(0 <= e.bits < 1 << 16 * n.WORDS[e.type], "constant range", e)
            case n.Var():
                self.need(self.variables.get(e.name) == e.type, "undeclared variable", e)
            case n.AddressOf():
                self.need(e.region in self.regions, "unknown region", e)
            case n.Load():
                self.need(e.type in n.WORDS, "load type", e)
                self.element(e.element)
            case n.Receive():
                self.need(e.type in _SCALARS, "receive type", e)
                self.port(e.port, e)
            case n.Descriptor():
                self.need(e.direction in ("in", "out"), "descriptor direction", e)
                self.port(e.port, e)
            case n.Unary():
                self.expression(e.value)
                self.need(e.op in ("neg", "not", "lnot", "abs"), "operation", e)
                whole = e.value.type in n.INTEGERS
                self.need(whole or e.op in ("neg", "abs"), "integer operation on a float", e)
            case n.Binary():
                self.binary(e)
            case n.Compare():
                self.expression(e.left)
                self.expression(e.right)
                self.need(e.op in _COMPARE, "operation", e)
                self.need(e.left.type == e.right.type, "sides of two types", e)
            case n.Select():
                for part in (e.condition, e.yes, e.no):
                    self.expression(part)
                self.need(e.condition.type in ("i16", "u16"), "condition type", e)
                self.need(e.yes.type == e.no.type, "sides of two types", e)
                self.effect_free(e.yes)
                self.effect_free(e.no)
            case n.Fma():
                for part in (e.left, e.right, e.addend):
                    self.expression(part)
                self.need(e.op in ("fma", "fms"), "operation", e)
                kinds = {e.left.type, e.right.type, e.addend.type}
                self.need(len(kinds) == 1, "parts of two types", e)
            case n.Convert():
                self.expression(e.value)
                self.need(e.type in _SCALARS and e.value.type in _SCALARS, "conversion", e)
            case n.Bits():
                self.expression(e.value)
                self.need(e.type in _SCALARS and e.value.type in _SCALARS, "conversion", e)
                same = n.WORDS[e.type] == n.WORDS[e.value.type]
                self.need(same, "bits of another width", e)

    def binary(self, e: n.Binary) -> None:
        self.expression(e.left)
        self.expression(e.right)
        if e.op in ("land", "lor"):
            self.need(e.left.type in ("i16", "u16"), "condition type", e.left)
            self.need(e.right.type in ("i16", "u16"), "condition type", e.right)
            self.effect_free(e.right)
        elif e.op in ("shl", "shr"):
            self.need(e.left.type in n.INTEGERS, "shift of a float", e)
            self.need(e.right.type in ("i16", "u16"), "shift count type", e)
        else:
            self.need(e.left.type == e.right.type, "sides of two types", e)
            known: tuple[str, ...] = _FLOAT_BINARY
            if e.left.type in n.INTEGERS:
                known = (*_FLOAT_BINARY, "mod", "and", "or", "xor")
            self.need(e.op in known, "operation", e)

    def body(self, body: Any) -> None:
        if not isinstance(body, tuple):
            raise IrError(f"body that is no tuple in {self.function.name}: {body!r}")
        for statement in body:
            self.statement(statement)

    def condition(self, e: Any) -> None:
        self.expression(e)
        self.need(e.type in ("i16", "u16"), "condition type", e)

    def statement(self, s: Any) -> None:
        if not isinstance(s, n.STATEMENTS):
            raise IrError(f"no statement in {self.function.name}: {s!r}")
        match s:
            case n.Assign():
                self.expression(s.variable)
                self.expression(s.value)
                self.need(s.variable.type == s.value.type, "assignment of another type", s)
            case n.Store():
                self.element(s.element)
                self.expression(s.value)
            case n.Send() | n.SendControl():
                self.port(s.port, s)
                self.expression(s.value)
                self.need(s.value.type in _SCALARS, "send type", s)
                if isinstance(s, n.SendControl):
                    self.need(s.value.type == "u32", "control payload type", s)
            case n.Flip():
                self.need(s.socket in self.sockets, "unknown socket", s)
            case n.Evaluate():
                self.expression(s.value)
            case n.Loop():
                for part in (s.variable, s.low, *([s.high] if s.high is not None else [])):
                    self.expression(part)
                    self.need(part.type == "i16", "loop bound type", s)
                self.need(s.step > 0, "loop step", s)
                for node in n.walk(s.body):
                    written = isinstance(node, n.Assign) and node.variable == s.variable
                    self.need(not written, "loop variable assigned", s)
                self.body(s.body)
            case n.While():
                self.body(s.before)
                self.condition(s.condition)
                self.body(s.body)
            case n.If():
                self.condition(s.condition)
                self.body(s.then)
                self.body(s.otherwise)
            case n.Forever() | n.Block() | n.Threads():
                self.body(s.body)
            case n.Breakable():
                self.labels.append(s.label)
                self.body(s.body)
                self.labels.pop()
            case n.Leave():
                self.need(s.label in self.labels, "label outside", s)
            case n.Parallel():
                for arm in s.arms:
                    self.body(arm.body)
            case n.Dispatch():
                self.dispatch(s)
            case n.Call():
                self.call(s)
            case n.Return():
                found = None if s.value is None else s.value.type
                if s.value is not None:
                    self.expression(s.value)
                self.need(found == self.function.result, "type of result", s)
            case n.Sum():
                self.need(s.type in n.FLOATS, "sum type", s)
                if isinstance(s.target, n.Var):
                    self.expression(s.target)
                    self.need(s.target.type == s.type, "sum target type", s)
                elif s.target is not None:
                    self.element(s.target)
                self.body(s.body)
            case n.Accumulate():
                for part in (s.left, *([s.right] if s.right is not None else [])):
                    self.expression(part)
                    self.need(part.type == s.type, "sum type", s)
            case n.Transfer():
                self.transfer(s)
            case n.ResetIterator() | n.SetLength() | n.SetIterator():
                self.need(s.name in self.iterators, "unknown iterator", s)
                self.iterator_change(s)

    def operand(self, operand: Any, s: n.Transfer) -> None:
        match operand:
            case n.Span():
                self.element(operand.element)
                self.need(len(operand.strides) == len(s.counts), "strides of other rank", s)
            case n.Cell():
                self.element(operand.element)
            case n.Stream():
                self.port(operand.port, s)
            case _:
                self.expression(operand)
                self.effect_free(operand)

    def transfer(self, s: n.Transfer) -> None:
        row = isa.BY_MNEMONIC.get(s.op)
        self.need(row is not None, "no such instruction", s)
        assert row is not None
        self.need(len(s.sources) == len(row.roles) - 1, "number of operands", s)
        self.need(1 <= len(s.counts) <= 4, "rank", s)
        for count in s.counts:
            if count is not None:
                self.expression(count)
                self.need(count.type == "i16", "count type", s)
        operands = [*s.sources, *([] if s.target is None else [s.target])]
        roles = [*row.roles[1:], row.roles[0]]
        for operand, role in zip(operands, roles, strict=False):
            self.operand(operand, s)
            wide = role in (isa.W, isa.DW)
            self.need(n.WORDS[operand.type] == 1 + wide, "width of an operand", s)
        if isinstance(s.target, n.Var):
            again = s.target in s.sources or row.kind == "accumulate"
            self.need(again, "scalar target that is no source", s)

    def iterator_change(self, s: Any) -> None:
        parts: list[Any] = []
        if isinstance(s, n.SetLength):
            parts = [s.value]
        elif isinstance(s, n.SetIterator):
            parts = [s.base, *s.counts]
            dims = len(self.iterators[s.name].dims)
            self.need(len(s.counts) == dims, "counts of other dimensions", s)
        for part in parts:
            if part is not None:
                self.expression(part)
                self.need(part.type in ("i16", "u16"), "count type", s)

    def dispatch(self, s: n.Dispatch) -> None:
        self.need(s.socket in self.sockets, "unknown socket", s)
        data = [h for h in s.handlers if h.kind == "data"]
        self.need(len(data) <= 1, "two data handlers", s)
        for h in s.handlers:
            self.need(h.kind in ("data", "control"), "handler kind", s)
            for variable in (h.value, h.index):
                if variable is not None:
                    self.expression(variable)
            self.body(h.body)

    def call(self, s: n.Call) -> None:
        self.need(s.function in self.functions, "unknown function", s)
        f = self.functions[s.function]
        for argument in s.arguments:
            self.expression(argument)
        found = [a.type for a in s.arguments]
        self.need(found == [p.type for p in f.params], "types of arguments", s)
        if s.result is not None:
            self.expression(s.result)
            self.need(s.result.type == f.result, "type of result", s)

    def run_function(self, f: n.Function) -> None:
        self.function = f
        self.variables = {}
        for v in (*f.params, *f.variables):
            if v.type not in _SCALARS:
                raise IrError(f"variable {v.name} of type {v.type} in {f.name}")
            if self.variables.setdefault(v.name, v.type) != v.type:
                raise IrError(f"variable {v.name} of two types in {f.name}")
        outer = self.regions
        self.regions = outer | {r.name for r in f.regions}
        self.body(f.body)
        self.regions = outer

    def run(self) -> None:
        program = self.program
        names = [r.name for r in program.regions]
        if len(set(names)) != len(names):
            raise IrError("two regions of one name")
        for r in program.regions:
            if r.alias is not None and r.alias[0] not in self.regions:
                raise IrError(f"region {r.name} is an alias of nothing known")
            if r.initial is not None and len(r.initial) > r.words:
                raise IrError(f"initialiser longer than region {r.name}")
        for f in program.fifos:
            if f.region not in self.regions:
                raise IrError(f"fifo {f.name} in an unknown region")
        for i in program.iterators:
            if not 1 <= len(i.dims) <= 4:
                raise IrError(f"iterator {i.name} of {len(i.dims)} dimensions")
            local = {r.name for g in (program.main, *program.functions) for r in g.regions}
            if i.region not in self.regions | local:
                raise IrError(f"iterator {i.name} over an unknown region")
        for t in program.filters:
            if t.socket not in self.sockets:
                raise IrError(f"filter {t.name} on an unknown socket")
        for function in (*program.functions, program.main, program.teardown):
            if function is not None:
                self.run_function(function)


def verify(program: n.Program) -> n.Program:
    """The program itself, if it is well formed; raises `IrError`."""
    _Checker(program).run()
    return program
