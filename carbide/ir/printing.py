"""The IR as text; `carbide/ir/text.py` says how it looks."""

import math
import struct
from typing import Any

from carbide.ir import nodes as n

FLOAT = {"h": "<e", "s": "<f"}
def show_constant(constant: n.Const) -> str:
    if constant.type in FLOAT:
        code = FLOAT[constant.type]
        raw = constant.bits.to_bytes(struct.calcsize(code), "little")
        value = struct.unpack(code, raw)[0]
        if math.isfinite(value):
            return f"{value!r}:{constant.type}"
        return f"0x{constant.bits:x}:{constant.type}"
    return f"{n.signed(constant)}:{constant.type}"


def show_element(element: n.Element) -> str:
    base = element.base
    head = base.region if isinstance(base, n.AddressOf) else f"*({show_expression(base)})"
    return f"{head}[{show_expression(element.offset)}]"


def show_port(port: n.Port) -> str:
    if port.kind == "socket":
        return f"{port.name}[]"
    if port.element is not None:
        return f"stream {show_element(port.element)}[]"
    return f"{port.kind} {port.name}[]"


def show_expression(e: Any) -> str:
    """One expression as text."""
    sub = show_expression
    match e:
        case n.Const():
            return show_constant(e)
        case n.Var():
            return f"{e.name}:{e.type}"
        case n.AddressOf():
            return f"&{e.region}"
        case n.Load():
            return f"load.{e.type}({show_element(e.element)})"
        case n.Receive():
            return f"receive.{e.type}({show_port(e.port)})"
        case n.Descriptor():
            return f"descriptor.{e.direction}({show_port(e.port)})"
        case n.Unary():
            return f"{e.op}({sub(e.value)})"
        case n.Binary() | n.Compare():
            return f"{e.op}({sub(e.left)}, {sub(e.right)})"
        case n.Select():
            return f"select({sub(e.condition)}, {sub(e.yes)}, {sub(e.no)})"
        case n.Fma():
            return f"{e.op}({sub(e.left)}, {sub(e.right)}, {sub(e.addend)})"
        case n.Convert():
            return f"convert.{e.type}({sub(e.value)})"
        case n.Bits():
            return f"bits.{e.type}({sub(e.value)})"
    raise TypeError(f"no expression: {e!r}")


def show_operand(operand: Any) -> str:
    """An operand of a transfer: a vector or an expression."""
    match operand:
        case n.Span():
            strides = " ".join(map(str, operand.strides))
            return f"span.{operand.type}({show_element(operand.element)} by {strides})"
        case n.Stream():
            return f"stream.{operand.type}({show_port(operand.port)})"
        case n.Cell():
            return f"cell.{operand.type}({show_element(operand.element)})"
    return show_expression(operand)


class _Printer:
    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: list[str] = []
        self.depth = 0

    def at(self, place: n.Place) -> str:
        if place == n.NOWHERE:
            return ""
        where = f"{place.line}:{place.column}"
        return f" @{where}" if place.file == self.source else f' @"{place.file}":{where}'

    def line(self, text: str, place: n.Place = n.NOWHERE) -> None:
        self.lines.append("  " * self.depth + text + self.at(place))

    def body(self, head: str, body: n.Body, place: n.Place = n.NOWHERE, last: bool = True) -> None:
        """`head {` … and the closing brace, which carries the place of the whole."""
        self.line(head + " {")
        self.depth += 1
        for statement in body:
            self.statement(statement)
        self.depth -= 1
        if last:
            self.line("}", place)

    def statement(self, s: Any) -> None:
        e = show_expression
        match s:
            case n.Assign():
                self.line(f"{e(s.variable)} = {e(s.value)}", s.place)
            case n.Store():
                self.line(f"{show_element(s.element)} = {e(s.value)}", s.place)
            case n.Send():
                flip = ".flip" * s.flip
                self.line(f"send{flip} {show_port(s.port)} {e(s.value)}", s.place)
            case n.SendControl():
                flip = ".flip" * s.flip
                self.line(f"control{flip} {show_port(s.port)} {e(s.value)}", s.place)
            case n.Flip():
                self.line(f"flip {s.socket}", s.place)
            case n.Evaluate():
                self.line(f"evaluate {e(s.value)}", s.place)
            case n.Loop():
                high = "inf" if s.high is None else e(s.high)
                head = f"loop {e(s.variable)} from {e(s.low)} below {high} step {s.step}"
                self.body(head, s.body, s.place)
            case n.While():
                self.body("while", s.before, last=False)
                self.body(f"}} test {e(s.condition)} do", s.body, s.place)
            case n.Forever():
                self.body("forever", s.body, s.place)
            case n.If():
                self.body(f"if {e(s.condition)}", s.then, s.place, last=not s.otherwise)
                if s.otherwise:
                    self.body("} else", s.otherwise, s.place)
            case n.Block():
                self.body("block", s.body, s.place)
            case n.Breakable():
                self.body(f"breakable {s.label}", s.body, s.place)
            case n.Leave():
                self.line(f"leave {s.label}", s.place)
            case n.Parallel():
                self.line("parallel {")
                self.depth += 1
                for arm in s.arms:
                    self.body("arm", arm.body, arm.place)
                self.depth -= 1
                self.line("}", s.place)
            case n.Threads():
                self.body(f"threads {'on' if s.enabled else 'off'}", s.body, s.place)
            case n.Dispatch():
                self.line(f"dispatch {s.socket}{' forever' if s.forever else ''} {{")
                self.depth += 1
                for h in s.handlers:
                    head = h.kind
                    head += f" value {e(h.value)}" if h.value else ""
                    head += f" index {e(h.index)}" if h.index else ""
                    head += f" task {h.task}" if h.task is not None else ""
                    self.body(head, h.body, h.place)
                self.depth -= 1
                self.line("}", s.place)
            case n.Call():
                result = f" to {e(s.result)}" if s.result else ""
                arguments = ", ".join(map(e, s.arguments))
                self.line(f"call {s.function}({arguments}){result}", s.place)
            case n.Return():
                self.line("return" + (f" {e(s.value)}" if s.value is not None else ""), s.place)
            case n.Sum():
                head = f"sum.{s.type}" + (" keep" if s.keep else "")
                if isinstance(s.target, n.Var):
                    head += f" to {e(s.target)}"
                elif s.target is not None:
                    head += f" to {show_element(s.target)}"
                self.body(head, s.body, s.place)
            case n.Accumulate():
                right = f", {e(s.right)}" if s.right is not None else ""
                self.line(f"accumulate.{s.type} {e(s.left)}{right}", s.place)
            case n.ResetIterator():
                self.line(f"reset {s.name}", s.place)
            case n.SetLength():
                self.line(f"length {s.name} {'inf' if s.value is None else e(s.value)}", s.place)
            case n.SetIterator():
                counts = ", ".join("inf" if c is None else e(c) for c in s.counts)
                self.line(f"start {s.name} {e(s.base)} counts ({counts})", s.place)
            case n.Transfer():
                flags = " flip" * s.flip + " keep" * s.keep + " noload" * (not s.load)
                target = "none" if s.target is None else show_operand(s.target)
                sources = ", ".join(map(show_operand, s.sources))
                counts = ", ".join("inf" if c is None else e(c) for c in s.counts)
                text = f"transfer {s.op}{flags} to {target} from {sources} counts ({counts})"
                self.line(text, s.place)
            case _:
                raise TypeError(f"no statement: {s!r}")

    def region(self, r: n.Region) -> None:
        words = [f'region {r.name} "{r.type}" words {r.element_words}']
        words += ["dims " + " ".join(f"{k}={v}" for k, v in r.dims)] if r.dims else []
        words += [f"address 0x{r.address:04x}"] if r.address is not None else []
        words += [f"alias {r.alias[0]} {r.alias[1]}"] if r.alias is not None else []
        words += [f"bank {r.bank}"] if r.bank is not None else []
        words += ["hidden"] if not r.symbol else []
        if r.initial is not None:
            words += ["init " + " ".join(map(str, r.initial))]
        self.line(" ".join(words), r.place)

    def function(self, head: str, f: n.Function) -> None:
        self.line(head + " {")
        self.depth += 1
        for variable in f.variables:
            self.line(f"var {variable.name}:{variable.type}", variable.place)
        for region in f.regions:
            self.region(region)
        for statement in f.body:
            self.statement(statement)
        self.depth -= 1
        self.line("}", f.place)

    def program(self, p: n.Program) -> None:
        self.line(f'program "{p.name}" source "{p.source}"')
        for r in p.regions:
            self.region(r)
        for s in p.sockets:
            text = f"socket {s.name}"
            text += f" type {s.type}" if s.type else ""
            text += f" direction {s.direction}" if s.direction else ""
            text += f" queue {s.queue}" if s.queue is not None else ""
            self.line(text, s.place)
        for f in p.fifos:
            head = f"fifo {f.name} {f.type} region {f.region} capacity {f.capacity}"
            self.line(head, f.place)
        for i in p.iterators:
            dims = " ".join(f"{'inf' if c is None else c}:{step}" for c, step in i.dims)
            length = f" length {i.length}" if i.length is not None else ""
            head = f"iterator {i.name} {i.type} region {i.region} offset {i.offset}"
            self.line(f"{head} dims {dims}{length}", i.place)
        for t in p.filters:
            kinds = " data" * t.counts_data + " control" * t.counts_control
            head = f"filter {t.name} socket {t.socket} limit {t.limit} maxpass {t.maxpass}"
            self.line(f"{head}{kinds} state {t.state}", t.place)
        for g in p.functions:
            params = ", ".join(f"{v.name}:{v.type}" for v in g.params)
            result = f" -> {g.result}" if g.result else ""
            self.function(f"function {g.name}({params}){result}", g)
        self.function("main", p.main)
        if p.teardown is not None:
            self.function("teardown", p.teardown)


def show(node: Any, source: str = "") -> str:
    """A program, statement (or tuple of them) or expression as text."""
    if isinstance(node, n.Program):
        printer = _Printer(node.source)
        printer.program(node)
    elif isinstance(node, (tuple, *n.STATEMENTS)):
        printer = _Printer(source)
        for statement in node if isinstance(node, tuple) else (node,):
            printer.statement(statement)
    else:
        return show_expression(node)
    return "\n".join(printer.lines) + "\n"
