"""Runs an IR program as its node definitions say, on 64K words of memory.

Arithmetic is the tests' own (`tests.carbide.numerics`); no timing. Ports are two callables each:
receive (bits of a width) and send. Parallel arms run one after the other.
"""

from collections.abc import Callable
from typing import Any

from carbide.ir import nodes as ir
from tests.carbide import numerics as n

WIDTH = {"i16": 16, "u16": 16, "i32": 32, "u32": 32, "h": 16, "s": 32}
FIRST = 0x0100


class LeaveBlock(Exception):
    pass


class ReturnFrom(Exception):
    def __init__(self, value: int | None) -> None:
        self.value = value


class Machine:
    """After `run`, `words(region)` gives the contents of a region."""

    def __init__(self, program: ir.Program, ports: dict[str, tuple] | None = None) -> None:
        self.program = program
        self.ports: dict[str, tuple[Callable, Callable]] = ports or {}
        self.memory = [0] * 0x10000
        self.addresses: dict[str, int] = {}
        self.next = FIRST
        self.functions = {f.name: f for f in program.functions}
        self.iterators: dict[str, dict] = {}
        self.rings = {f.name: [0, 0] for f in program.fifos}  # read place, fill
        self.descriptors: list[ir.Port] = []  # a stream's four words hold 1 + a place in here
        self.log: list[tuple] = []
        self.budget = 3_000_000
        self.sum = 0
        for region in program.regions:
            self.place(region)
        for iterator in program.iterators:
            base = self.addresses.get(iterator.region, 0) + iterator.offset
            self.start(iterator.name, base, [count for count, _ in iterator.dims])

    def place(self, region: ir.Region) -> None:
        if region.address is not None:
            address = region.address
        elif region.alias is not None:
            address = self.addresses[region.alias[0]] + region.alias[1]
        else:
            address = self.next
            self.next += region.words + region.words % 2
        self.addresses[region.name] = address
        for offset, word in enumerate(region.initial or ()):
            self.memory[address + offset] = word

    def words(self, region: str) -> list[int]:
        found = next(r for r in self.program.regions if r.name == region)
        start = self.addresses[region]
        return self.memory[start : start + found.words]

    def run(self) -> None:
        self.call(self.program.main, [])

    def call(self, function: ir.Function, arguments: list[int]) -> int | None:
        for region in function.regions:
            if region.name not in self.addresses:
                self.place(region)
        names = {v.name: 0 for v in function.variables}
        names |= {p.name: a for p, a in zip(function.params, arguments, strict=True)}
        try:
            self.body(function.body, names)
        except ReturnFrom as result:
            return result.value
        return None

    # Statements. Values are unsigned bit patterns.

    def body(self, statements: tuple, names: dict[str, int]) -> None:
        for statement in statements:
            self.budget -= 1
            assert self.budget > 0, "runs too long"
            self.statement(statement, names)

    def statement(self, s: Any, names: dict[str, int]) -> None:
        match s:
            case ir.Assign():
                names[s.variable.name] = self.value(s.value, names)
            case ir.Store():
                address = self.element(s.element, names)
                self.write(address, s.value.type, self.value(s.value, names))
            case ir.Send() | ir.SendControl():
                self.send(s.port, s.value.type, self.value(s.value, names), names)
            case ir.Flip():
                self.log.append(("flip", s.socket))
            case ir.Evaluate():
                self.value(s.value, names)
            case ir.Loop():
                assert s.high is not None
                low = n.signed(self.value(s.low, names), 16)
                high = n.signed(self.value(s.high, names), 16)
                for index in range(low, high, s.step):
                    names[s.variable.name] = index & 0xFFFF
                    self.body(s.body, names)
            case ir.While():
                self.body(s.before, names)
                while self.value(s.condition, names):
                    self.body(s.body, names)
                    self.body(s.before, names)
            case ir.If():
                chosen = s.then if self.value(s.condition, names) else s.otherwise
                self.body(chosen, names)
            case ir.Block() | ir.Threads():
                self.body(s.body, names)
            case ir.Parallel():
                for arm in s.arms:
                    self.body(arm.body, names)
            case ir.Call():
                arguments = [self.value(a, names) for a in s.arguments]
                result = self.call(self.functions[s.function], arguments)
                if s.result is not None:
                    assert result is not None
                    names[s.result.name] = result
            case ir.Return():
                raise ReturnFrom(None if s.value is None else self.value(s.value, names))
            case ir.Sum():
                self.sum = self.sum if s.keep else 0
                self.body(s.body, names)
                if isinstance(s.target, ir.Var):
                    names[s.target.name] = self.sum
                elif s.target is not None:
                    self.write(self.element(s.target, names), s.type, self.sum)
            case ir.Accumulate():
                width = WIDTH[s.type]
                left = self.value(s.left, names)
                if s.right is None:
                    self.sum = n.add(self.sum, left, width)
                else:
                    self.sum = n.fma(left, self.value(s.right, names), self.sum, width)
            case ir.ResetIterator():
                self.iterators[s.name]["position"] = 0
            case ir.SetIterator():
                counts = [None if c is None else self.signed(c, names) for c in s.counts]
                self.start(s.name, self.value(s.base, names), counts)
            case ir.SetLength():
                pass
            case _:
                raise NotImplementedError(type(s).__name__)

    # Memory and ports.

    def signed(self, e: Any, names: dict[str, int]) -> int:
        return n.signed(self.value(e, names), 16)

    def element(self, element: ir.Element, names: dict[str, int]) -> int:
        base = self.value(element.base, names)
        return (base + self.value(element.offset, names)) & 0xFFFF

    def read(self, address: int, type_: str) -> int:
        if WIDTH[type_] == 16:
            return self.memory[address]
        assert address % 2 == 0, "a 32-bit value at an odd address"
        return self.memory[address] | self.memory[address + 1] << 16

    def write(self, address: int, type_: str, bits: int) -> None:
        self.memory[address] = bits & 0xFFFF
        if type_ != "u64" and WIDTH[type_] == 32:
            assert address % 2 == 0, "a 32-bit value at an odd address"
            self.memory[address + 1] = bits >> 16

    def start(self, name: str, base: int, counts: list) -> None:
        declared = next(i for i in self.program.iterators if i.name == name)
        dims = [(count, stride) for count, (_, stride) in zip(counts, declared.dims, strict=True)]
        self.iterators[name] = {"base": base, "dims": dims, "position": 0}

    def step(self, name: str) -> int:
        """The address of an iterator's next element."""
        walk = self.iterators[name]
        position = walk["position"]
        walk["position"] += 1
        address = walk["base"]
        for count, stride in reversed(walk["dims"]):
            place = position if count is None else position % count
            position = 0 if count is None else position // count
            address += place * stride
        return address & 0xFFFF

    def ring(self, name: str, write: bool) -> int:
        """The address of a FIFO's next element."""
        fifo = next(f for f in self.program.fifos if f.name == name)
        read, fill = self.rings[name]
        assert fill < fifo.capacity if write else fill, "a FIFO that waits for ever"
        place = (read + fill) % fifo.capacity if write else read
        moved = read if write else (read + 1) % fifo.capacity
        self.rings[name] = [moved, fill + (1 if write else -1)]
        return self.addresses[fifo.region] + place * ir.WORDS[fifo.type]

    def port(self, port: ir.Port, names: dict[str, int]) -> ir.Port:
        """The port itself, or the one whose descriptor a stream holds."""
        if port.element is None:
            return port
        return self.descriptors[self.memory[self.element(port.element, names)] - 1]

    def receive(self, port: ir.Port, type_: str, names: dict[str, int]) -> int:
        port = self.port(port, names)
        if port.kind == "iterator":
            return self.read(self.step(port.name), type_)
        if port.kind == "fifo":
            return self.read(self.ring(port.name, False), type_)
        return self.ports[port.name][0](WIDTH[type_])

    def send(self, port: ir.Port, type_: str, bits: int, names: dict[str, int]) -> None:
        port = self.port(port, names)
        if port.kind == "iterator":
            self.write(self.step(port.name), type_, bits)
        elif port.kind == "fifo":
            self.write(self.ring(port.name, True), type_, bits)
        else:
            self.ports[port.name][1](bits)

    # Expressions.

    def value(self, e: Any, names: dict[str, int]) -> int:
        match e:
            case ir.Const():
                return e.bits
            case ir.Var():
                return names[e.name]
            case ir.AddressOf():
                return self.addresses[e.region]
            case ir.Load():
                return self.read(self.element(e.element, names), e.type)
            case ir.Receive():
                return self.receive(e.port, e.type, names)
            case ir.Descriptor():
                self.descriptors.append(e.port)
                return len(self.descriptors)
            case ir.Unary():
                return unary(e.op, e.value.type, self.value(e.value, names))
            case ir.Binary():
                left = self.value(e.left, names)
                return binary(e.op, e.left.type, left, self.value(e.right, names))
            case ir.Compare():
                left = self.value(e.left, names)
                return compare(e.op, e.left.type, left, self.value(e.right, names))
            case ir.Select():
                test, yes, no = (self.value(p, names) for p in (e.condition, e.yes, e.no))
                return yes if test else no
            case ir.Fma():
                parts = [self.value(p, names) for p in (e.left, e.right, e.addend)]
                return n.fma(*parts, WIDTH[e.type], negate=e.op == "fms")
            case ir.Convert():
                return convert(self.value(e.value, names), e.value.type, e.type)
            case ir.Bits():
                return self.value(e.value, names)
        raise NotImplementedError(type(e).__name__)


def number(bits: int, type_: str) -> int:
    return n.signed(bits, WIDTH[type_]) if type_ in ir.SIGNED else bits


def unary(op: str, type_: str, bits: int) -> int:
    width = WIDTH[type_]
    mask = (1 << width) - 1
    if op == "lnot":
        return int(bits == 0)
    if op == "not":
        return ~bits & mask
    if type_ in ir.FLOATS:
        return bits ^ n.SIGN[width] if op == "neg" else bits & ~n.SIGN[width]
    value = number(bits, type_)
    return (-value if op == "neg" else abs(value)) & mask


def binary(op: str, type_: str, a: int, b: int) -> int:
    width = WIDTH[type_]
    if op in ("land", "lor"):
        return int(bool(a) and bool(b)) if op == "land" else int(bool(a) or bool(b))
    if type_ in ir.FLOATS:
        match op:
            case "add":
                return n.add(a, b, width)
            case "sub":
                return n.subtract(a, b, width)
            case "mul":
                return n.multiply(a, b, width)
            case "div" if type_ == "h":
                return n.divide(a, b, width)
            case "div":
                return n.multiply(a, n.reciprocal(b), width)
        return n.minimum(a, b, width, largest=op == "max")
    x, y = number(a, type_), number(b, type_)
    match op:
        case "add":
            result = x + y
        case "sub":
            result = x - y
        case "mul":
            result = x * y
        case "div" | "mod":
            if y == 0:
                quotient, rest = -1, x
            else:
                quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                rest = x - quotient * y
            result = quotient if op == "div" else rest
        case "and":
            result = a & b
        case "or":
            result = a | b
        case "xor":
            result = a ^ b
        case "shl":
            result = x << min(b, 64)
        case "shr":
            result = x >> min(b, 64)
        case "min":
            result = min(x, y)
        case _:
            result = max(x, y)
    return result & (1 << width) - 1


def compare(op: str, type_: str, a: int, b: int) -> int:
    if type_ in ir.FLOATS:
        width = WIDTH[type_]
        less, same = n.less(a, b, width), n.equal(a, b, width)
        more = n.less(b, a, width)
        table = {"lt": less, "gt": more, "le": n.less_equal(a, b, width),
                 "ge": n.less_equal(b, a, width), "eq": same, "ne": not same}  # fmt: skip
        return int(table[op])
    x, y = number(a, type_), number(b, type_)
    table = {"lt": x < y, "gt": x > y, "le": x <= y, "ge": x >= y, "eq": x == y, "ne": x != y}
    return int(table[op])


def convert(bits: int, source: str, target: str) -> int:
    width = WIDTH[target]
    if source in ir.FLOATS and target in ir.FLOATS:
        return n.convert(bits, WIDTH[source], width)
    if source in ir.FLOATS:
        return n.to_integer(bits, WIDTH[source], width, target in ir.SIGNED, 1)
    value = number(bits, source)
    if target in ir.FLOATS:
        return n.from_integer(value, width)
    return value & (1 << width) - 1
