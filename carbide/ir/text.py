"""The IR's text: `show` prints a program or a part of it, `parse` reads it back.

    program "heat" source "heat.w"
    region a "xp" words 1 dims n=8 bank 2 init 1 2 3
    socket tx type s direction out queue 3
    fifo ff s region buf capacity 16
    iterator it s region x offset 4 dims inf:0 8:2 length 3
    filter f socket rx limit 3 maxpass 1 data control state 64
    function f(x: s, p: u16) -> s { … }      main { … }      teardown { … }

A body declares its variables and local regions first, then has one statement a line, `@line:col`
behind it. Expressions are calls named after their operation: `add(load.s(a[shl(i:i16, 1:i16)]),
1.5:s)`; `a[e]` is e words after region a, `*(p:u16)[e]` after an address. Ports are `tx[]`,
`fifo ff[]`, `iterator it[]`, `stream e[0:i16][]`.
"""

import math
import re
import struct
from collections.abc import Callable
from typing import Any

from carbide.ir import nodes as n

_FLOAT = {"h": "<e", "s": "<f"}
_UNARY = ("neg", "not", "lnot", "abs")
_BINARY = (
    "add", "sub", "mul", "div", "mod", "and", "or", "xor", "shl", "shr", "min", "max",
    "land", "lor",
)  # fmt: skip
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


def show_constant(constant: n.Const) -> str:
    if constant.type in _FLOAT:
        code = _FLOAT[constant.type]
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


# Reading.

_TOKEN = re.compile(
    r"""\s*(?:\#[^\n]*\s*)*(?:
      (?P<string>"[^"\n]*")
    | (?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf\b))
    | (?P<word>[^\W\d](?:[^\s()\[\]{}:;,=@&*".]|\.(?=[^\s]))*)
    | (?P<mark>->|[-()\[\]{}:;,=@&*.])
    )""",
    re.X,
)


class TextError(ValueError):
    """The text is no IR; says the line."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, int]] = []
        position = 0
        while text[position:].strip() and not self._only_comments(text[position:]):
            found = _TOKEN.match(text, position)
            line = text.count("\n", 0, position) + 1
            if not found or found.lastgroup is None:
                raise TextError(f"line {line}: unreadable: {text[position : position + 20]!r}")
            start = found.start(found.lastgroup)
            self.tokens.append((found.group(found.lastgroup), text.count("\n", 0, start) + 1))
            position = found.end()
        self.position = 0
        self.source = ""

    @staticmethod
    def _only_comments(text: str) -> bool:
        return all(not row.strip() or row.strip().startswith("#") for row in text.split("\n"))

    def peek(self, ahead: int = 0) -> str:
        place = self.position + ahead
        return self.tokens[place][0] if place < len(self.tokens) else ""

    def fail(self, what: str) -> TextError:
        line = self.tokens[min(self.position, len(self.tokens) - 1)][1] if self.tokens else 0
        return TextError(f"line {line}: {what}, found {self.peek()!r}")

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        if not token or (expected is not None and token != expected):
            raise self.fail(f"expected {expected or 'more'}")
        self.position += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.position += 1
            return True
        return False

    def number(self) -> int:
        try:
            return int(self.take(), 0)
        except ValueError:
            self.position -= 1
            raise self.fail("expected a number") from None

    def string(self) -> str:
        token = self.take()
        if not token.startswith('"'):
            raise self.fail("expected a string")
        return token[1:-1]

    def place(self) -> n.Place:
        if not self.accept("@"):
            return n.NOWHERE
        file = self.source
        if self.peek().startswith('"'):
            file = self.string()
            self.take(":")
        line = self.number()
        self.take(":")
        return n.Place(file, line, self.number())

    def variable(self) -> n.Var:
        name = self.take()
        self.take(":")
        return n.Var(self.take(), name)

    def element(self) -> n.Element:
        if self.accept("*"):
            self.take("(")
            base: Any = self.expression()
            self.take(")")
        else:
            base = n.AddressOf(self.take())
        self.take("[")
        offset = self.expression()
        self.take("]")
        return n.Element(base, offset)

    def port(self) -> n.Port:
        if self.accept("stream"):
            port = n.Port("stream", element=self.element())
        elif self.peek() in ("fifo", "iterator") and self.peek(1) != "[":
            kind = self.take()
            port = n.Port(kind, self.take())
        else:
            port = n.Port("socket", self.take())
        self.take("[")
        self.take("]")
        return port

    def constant(self) -> n.Const:
        token = self.take()
        self.take(":")
        type = self.take()
        if type not in n.WORDS:
            raise self.fail(f"unknown type {type}")
        if type in _FLOAT and not token.lower().startswith("0x"):
            raw = struct.pack(_FLOAT[type], float(token))
            return n.Const(type, int.from_bytes(raw, "little"))
        return n.integer(type, int(token, 0))

    def group(self, count: int) -> list[Any]:
        self.take("(")
        out = [self.expression()]
        for _ in range(count - 1):
            self.take(",")
            out.append(self.expression())
        self.take(")")
        return out

    def expression(self) -> Any:
        token = self.peek()
        if self.accept("&"):
            return n.AddressOf(self.take())
        if token[:1].isdigit() or (token[:1] == "-" and token[1:2].isdigit()):
            return self.constant()
        if self.peek(1) == ":":
            return self.variable()
        self.take()
        head, _, suffix = token.partition(".")
        if head in ("load", "receive", "descriptor"):
            self.take("(")
            out: Any
            if head == "load":
                out = n.Load(suffix, self.element())
            elif head == "receive":
                out = n.Receive(suffix, self.port())
            else:
                out = n.Descriptor(self.port(), suffix)
            self.take(")")
            return out
        if head == "convert":
            return n.Convert(suffix, *self.group(1))
        if head == "bits":
            return n.Bits(suffix, *self.group(1))
        if head in _UNARY:
            return n.Unary(head, *self.group(1))
        if head in _BINARY:
            return n.Binary(head, *self.group(2))
        if head in _COMPARE:
            return n.Compare(head, *self.group(2))
        if head == "select":
            return n.Select(*self.group(3))
        if head in ("fma", "fms"):
            return n.Fma(head, *self.group(3))
        self.position -= 1
        raise self.fail("expected an expression")

    def body(self) -> n.Body:
        self.take("{")
        return self.rest_of_body()

    def rest_of_body(self) -> n.Body:
        out = []
        while not self.accept("}"):
            out.append(self.statement())
        return tuple(out)

    def statement(self) -> Any:
        word = self.peek()
        head, _, suffix = word.partition(".")
        rule: Callable[[str], Any] | None = getattr(self, f"_{head}", None)
        plain = self.peek(1) not in (":", "[", "=")
        if rule is not None and plain:
            self.take()
            made = rule(suffix)
        elif self.peek() == "*" or self.peek(1) == "[":
            element = self.element()
            self.take("=")
            made = n.Store(element, self.expression())
        else:
            variable = self.variable()
            self.take("=")
            made = n.Assign(variable, self.expression())
        return n.evolve(made, place=self.place())

    def _send(self, flip: str) -> Any:
        return n.Send(self.port(), self.expression(), flip == "flip")

    def _control(self, flip: str) -> Any:
        return n.SendControl(self.port(), self.expression(), flip == "flip")

    def _flip(self, _: str) -> Any:
        return n.Flip(self.take())

    def _evaluate(self, _: str) -> Any:
        return n.Evaluate(self.expression())

    def _loop(self, _: str) -> Any:
        variable = self.variable()
        self.take("from")
        low = self.expression()
        self.take("below")
        high = None if self.accept("inf") else self.expression()
        self.take("step")
        step = self.number()
        return n.Loop(variable, low, high, self.body(), step)

    def _while(self, _: str) -> Any:
        before = self.body()
        self.take("test")
        condition = self.expression()
        self.take("do")
        return n.While(before, condition, self.body())

    def _forever(self, _: str) -> Any:
        return n.Forever(self.body())

    def _if(self, _: str) -> Any:
        condition, then = self.expression(), self.body()
        return n.If(condition, then, self.body() if self.accept("else") else ())

    def _block(self, _: str) -> Any:
        return n.Block(self.body())

    def _breakable(self, _: str) -> Any:
        return n.Breakable(self.take(), self.body())

    def _leave(self, _: str) -> Any:
        return n.Leave(self.take())

    def _parallel(self, _: str) -> Any:
        self.take("{")
        arms = []
        while not self.accept("}"):
            self.take("arm")
            arms.append(n.Arm(self.body(), place=self.place()))
        return n.Parallel(tuple(arms))

    def _threads(self, _: str) -> Any:
        return n.Threads(self.take() == "on", self.body())

    def _dispatch(self, _: str) -> Any:
        socket, forever = self.take(), self.accept("forever")
        self.take("{")
        handlers = []
        while not self.accept("}"):
            kind = self.take()
            value = self.variable() if self.accept("value") else None
            index = self.variable() if self.accept("index") else None
            task = self.number() if self.accept("task") else None
            body = self.body()
            handlers.append(n.Handler(kind, body, value, index, task, place=self.place()))
        return n.Dispatch(socket, tuple(handlers), forever)

    def _call(self, _: str) -> Any:
        name = self.take()
        self.take("(")
        arguments: list[Any] = []
        while not self.accept(")"):
            if arguments:
                self.take(",")
            arguments.append(self.expression())
        return n.Call(name, tuple(arguments), self.variable() if self.accept("to") else None)

    def _return(self, _: str) -> Any:
        token = self.peek()
        same = self.position and self.tokens[self.position - 1][1] == (
            self.tokens[self.position][1] if token else 0
        )
        return n.Return(self.expression() if same and token not in ("@", "}") else None)

    def _sum(self, type: str) -> Any:
        keep = self.accept("keep")
        target: Any = None
        if self.accept("to"):
            plain = self.peek() != "*" and self.peek(1) == ":"
            target = self.variable() if plain else self.element()
        return n.Sum(type, self.body(), target, keep)

    def _accumulate(self, type: str) -> Any:
        left = self.expression()
        return n.Accumulate(type, left, self.expression() if self.accept(",") else None)

    def _reset(self, _: str) -> Any:
        return n.ResetIterator(self.take())

    def _length(self, _: str) -> Any:
        name = self.take()
        return n.SetLength(name, None if self.accept("inf") else self.expression())

    def _start(self, _: str) -> Any:
        name, base = self.take(), self.expression()
        self.take("counts")
        self.take("(")
        counts: list[Any] = []
        while not self.accept(")"):
            if counts:
                self.take(",")
            counts.append(None if self.accept("inf") else self.expression())
        return n.SetIterator(name, base, tuple(counts))

    def operand(self) -> Any:
        head, _, type = self.peek().partition(".")
        if head not in ("span", "stream", "cell") or self.peek(1) != "(":
            return self.expression()
        self.take()
        self.take("(")
        out: Any
        if head == "stream":
            out = n.Stream(type, self.port())
        elif head == "cell":
            out = n.Cell(type, self.element())
        else:
            element = self.element()
            self.take("by")
            strides = []
            while self.peek() != ")":
                strides.append(self.number())
            out = n.Span(type, element, tuple(strides))
        self.take(")")
        return out

    def _transfer(self, _: str) -> Any:
        op = self.take()
        flags = [self.accept(word) for word in ("flip", "keep", "noload")]
        self.take("to")
        target = None if self.accept("none") else self.operand()
        self.take("from")
        sources = [self.operand()]
        while self.accept(","):
            sources.append(self.operand())
        self.take("counts")
        self.take("(")
        counts: list[Any] = []
        while not self.accept(")"):
            if counts:
                self.take(",")
            counts.append(None if self.accept("inf") else self.expression())
        flip, keep, no_load = flags
        return n.Transfer(op, target, tuple(sources), tuple(counts), flip, keep, not no_load)

    def region(self) -> n.Region:
        name, type = self.take(), self.string()
        self.take("words")
        words = self.number()
        more: dict[str, Any] = {}
        while True:
            if self.accept("dims"):
                dims = []
                while self.peek(1) == "=":
                    dim = self.take()
                    self.take("=")
                    dims.append((dim, self.number()))
                more["dims"] = tuple(dims)
            elif self.accept("address"):
                more["address"] = self.number()
            elif self.accept("alias"):
                more["alias"] = (self.take(), self.number())
            elif self.accept("bank"):
                more["bank"] = self.number()
            elif self.accept("hidden"):
                more["symbol"] = False
            elif self.accept("init"):
                values = []
                while self.peek()[:1].isdigit():
                    values.append(self.number())
                more["initial"] = tuple(values)
            else:
                return n.Region(name, type, words, place=self.place(), **more)

    def function(self, name: str, params: tuple[n.Var, ...], result: str | None) -> n.Function:
        self.take("{")
        variables, regions = [], []
        while self.peek() in ("var", "region") and self.peek(1) not in (":", "[", "="):
            if self.accept("var"):
                variables.append(n.evolve(self.variable(), place=self.place()))
            else:
                self.take()
                regions.append(self.region())
        body = self.rest_of_body()
        place = self.place()
        found = tuple(variables), tuple(regions)
        return n.Function(name, params, result, body, *found, place=place)

    def program(self) -> n.Program:
        self.take("program")
        name = self.string()
        self.take("source")
        self.source = self.string()
        parts: dict[str, list[Any]] = {
            key: [] for key in ("regions", "sockets", "fifos", "iterators", "filters", "functions")
        }
        main = teardown = None
        while self.peek():
            word = self.take()
            if word == "region":
                parts["regions"].append(self.region())
            elif word == "socket":
                more: dict[str, Any] = {"name": self.take()}
                while self.peek() in ("type", "direction", "queue"):
                    key = self.take()
                    more[key] = self.number() if key == "queue" else self.take()
                parts["sockets"].append(n.Socket(place=self.place(), **more))
            elif word == "fifo":
                name_, type = self.take(), self.take()
                self.take("region")
                region = self.take()
                self.take("capacity")
                capacity = self.number()
                parts["fifos"].append(n.Fifo(name_, type, region, capacity, place=self.place()))
            elif word == "iterator":
                parts["iterators"].append(self._iterator())
            elif word == "filter":
                parts["filters"].append(self._filter())
            elif word == "function":
                parts["functions"].append(self._function())
            elif word == "main":
                main = self.function("main", (), None)
            elif word == "teardown":
                teardown = self.function("teardown", (), None)
            else:
                self.position -= 1
                raise self.fail("expected a declaration")
        if main is None:
            raise TextError("no main")
        lists = {key: tuple(value) for key, value in parts.items()}
        return n.Program(name, self.source, main, teardown=teardown, **lists)

    def _iterator(self) -> n.Iterator:
        name, type = self.take(), self.take()
        self.take("region")
        region = self.take()
        self.take("offset")
        offset = self.number()
        self.take("dims")
        dims = []
        while self.peek(1) == ":" and self.peek() != "@":
            count = None if self.accept("inf") else self.number()
            self.take(":")
            dims.append((count, self.number()))
        length = self.number() if self.accept("length") else None
        place = self.place()
        return n.Iterator(name, type, region, offset, tuple(dims), length, place=place)

    def _filter(self) -> n.Filter:
        name = self.take()
        self.take("socket")
        socket = self.take()
        self.take("limit")
        limit = self.number()
        self.take("maxpass")
        maxpass = self.number()
        data, control = self.accept("data"), self.accept("control")
        self.take("state")
        state = self.number()
        return n.Filter(name, socket, limit, maxpass, data, control, state, place=self.place())

    def _function(self) -> n.Function:
        name = self.take()
        self.take("(")
        params: list[n.Var] = []
        while not self.accept(")"):
            if params:
                self.take(",")
            params.append(self.variable())
        result = self.take() if self.accept("->") else None
        return self.function(name, tuple(params), result)


def parse(text: str) -> n.Program:
    """Read a program; raises `TextError`."""
    return _Reader(text).program()


def parse_body(text: str, source: str = "") -> n.Body:
    """Read statements; raises `TextError`."""
    reader = _Reader(text)
    reader.source = source
    out = []
    while reader.peek():
        out.append(reader.statement())
    return tuple(out)


def parse_expression(text: str) -> Any:
    """Read one expression; raises `TextError`."""
    return _Reader(text).expression()
