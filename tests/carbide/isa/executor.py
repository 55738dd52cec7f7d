"""Executes scalar CE instructions one by one, straight from docs/isa.md; no timing, no fabric."""

from carbide.isa.decode import decode
from carbide.isa.operands import Immediate, Nothing, Operation, Register
from carbide.isa.table import DW, W
from tests.carbide import numerics as n


def _integer(name: str, width: int, a: int, b: int = 0, c: int = 0) -> int:
    """The integer instruction `name` without its width."""
    sa, sb = n.signed(a, width), n.signed(b, width)
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "mac":
            return a * b + c
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << b if b < width else 0
        case "shr":
            return a >> b if b < width else 0
        case "sar":
            return sa >> min(b, width - 1)
        case "min":
            return min(sa, sb)
        case "max":
            return max(sa, sb)
        case "minu":
            return min(a, b)
        case "maxu":
            return max(a, b)
        case "abs":
            return abs(sa)
        case "lt":
            return sa < sb
        case "le":
            return sa <= sb
        case "ltu":
            return a < b
        case "leu":
            return a <= b
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "mov" | "umov":
            return a
        case "select":
            return b if a else c
    raise KeyError(name)


def _float(name: str, width: int, a: int, b: int = 0, c: int = 0) -> int:
    """The float instruction `name` without its last letter."""
    match name:
        case "fadd":
            return n.add(a, b, width)
        case "fsub":
            return n.subtract(a, b, width)
        case "fmul":
            return n.multiply(a, b, width)
        case "fmac":
            return n.fma(a, b, c, width)
        case "fms":
            return n.fma(a, b, c, width, negate=True)
        case "fmin":
            return n.minimum(a, b, width)
        case "fmax":
            return n.minimum(a, b, width, largest=True)
        case "fabs":
            return a & ~n.SIGN[width]
        case "fneg":
            return a ^ n.SIGN[width]
        case "lt":
            return n.less(a, b, width)
        case "le":
            return n.less_equal(a, b, width)
        case "eq":
            return n.equal(a, b, width)
        case "ne":
            return not n.equal(a, b, width)
    raise KeyError(name)


class Executor:
    """`registers` and `pc` after each `step`; `control` is the FP control register."""

    def __init__(self, words, base: int = 0, control: int = 1):
        self.words, self.base, self.control = words, base, control
        self.registers = [0] * 64
        self.pc = base
        self.steps = 0

    def pair(self, number: int) -> int:
        return self.registers[number] | self.registers[number + 1] << 16

    def set_pair(self, number: int, bits: int) -> None:
        self.registers[number] = bits & 0xFFFF
        self.registers[number + 1] = bits >> 16 & 0xFFFF

    def run(self, until: int, limit: int = 10_000) -> None:
        """Run until the program counter is `until`."""
        while self.pc != until:
            self.step()
            assert self.steps < limit, "the routine does not end"

    def _read(self, op: Operation, place: int) -> int:
        operand = op.operands[place]
        wide = op.row.roles[place] in (W, DW)
        match operand:
            case Immediate(value):
                return value
            case Register(number):
                return self.pair(number) if wide else self.registers[number]
        raise AssertionError(f"no scalar operand: {operand}")

    def _write(self, op: Operation, bits: int) -> None:
        target = op.operands[0]
        if isinstance(target, Nothing):
            return
        assert isinstance(target, Register), op
        if op.row.roles[0] == DW:
            self.set_pair(target.number, bits)
        else:
            self.registers[target.number] = bits & 0xFFFF

    def step(self) -> None:
        op, size = decode(self.words, self.pc - self.base, self.base)
        self.steps += 1
        following = self.pc + size
        self.pc = following
        if op.row.kind == "branch":
            self._branch(op, following)
        elif op.mnemonic != "nop":
            values = [self._read(op, place) for place in range(1, len(op.operands))]
            self._write(op, int(self._compute(op, values)))

    def _compute(self, op: Operation, values: list[int]) -> int:
        name = op.mnemonic
        mode = self.control & 3
        match name:
            case "pack32":
                return values[1] << 16 | values[0]
            case "sxt32":
                return n.signed(values[0], 16)
            case "zxt32" | "low16":
                return values[0]
            case "htos":
                return n.convert(values[0], 16, 32)
            case "stoh":
                return n.convert(values[0], 32, 16)
        if name[0] in "iu" and "to" in name:
            bits, width = int(name[1:3]), 32 if name[-1] == "s" else 16
            integer = n.signed(values[0], bits) if name[0] == "i" else values[0]
            return n.from_integer(integer, width)
        if name[1:3] == "to":
            width = 32 if name[0] == "s" else 16
            return n.to_integer(values[0], width, int(name[-2:]), name[3] == "i", mode)
        if name[-2:] in ("16", "32"):
            return _integer(name[:-2], int(name[-2:]), *values)
        return _float(name[:-1], 32 if name[-1] == "s" else 16, *values)

    def _branch(self, op: Operation, following: int) -> None:
        if op.mnemonic == "call":
            self._write(op, following)
            self.pc = self._read(op, 1)
            return
        *values, target = (self._read(op, place) for place in range(len(op.operands)))
        condition = op.mnemonic[1:-2]
        if op.mnemonic in ("jmp", "ret"):
            taken = True
        elif condition in ("z", "nz"):
            taken = (values[0] == 0) == (condition == "z")
        elif condition.startswith("ge"):
            taken = not _integer("lt" + condition[2:], 16, *values)
        else:
            taken = bool(_integer(condition, 16, *values))
        if taken:
            self.pc = target
