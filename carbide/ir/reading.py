"""Reading the IR's text; `carbide/ir/text.py` says how it looks."""

import re
import struct
from collections.abc import Callable
from typing import Any

from carbide.ir import nodes as n
from carbide.ir.printing import FLOAT

_UNARY = ("neg", "not", "lnot", "abs")
_BINARY = (
    "add", "sub", "mul", "div", "mod", "and", "or", "xor", "shl", "shr", "min", "max",
    "land", "lor",
)  # fmt: skip
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


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
        if type in FLOAT and not token.lower().startswith("0x"):
            raw = struct.pack(FLOAT[type], float(token))
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
