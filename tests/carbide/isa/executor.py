"""Executes CE instructions one by one, straight from docs/isa.md; no timing, no fabric.

A transfer runs to its end when it is met, launched or not, which without a fabric is one of the
orders the machine may take. Conversions round toward zero unless `control` says otherwise.
"""

from carbide.isa import table as isa
from carbide.isa.decode import decode
from carbide.isa.operands import (
    Descriptor,
    Immediate,
    Indexed,
    Indirect,
    Memory,
    Nothing,
    Operation,
    Register,
    is_transfer,
)
from carbide.isa.table import DW, W
from carbide.object import Object
from tests.carbide import numerics as n

ACCUMULATE = {"dots": 32, "sums": 32, "doth": 16, "sumh": 16}
FLOAT_CONTROL = 0x7E0C


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
    """`registers`, `memory` and `pc` after each `step`."""

    def __init__(self, words=(), base: int = 0, control: int = 1):
        self.memory = [0] * 0x8000
        self.memory[base : base + len(words)] = words
        self.memory[FLOAT_CONTROL] = control
        self.registers = [0] * 64
        self.descriptors = [[0, 0, 0, 0] for _ in range(32)]
        self.accumulator = {16: 0, 32: 0}
        self.pc: int | None = base
        self.tasks: dict[int, list] = {}
        self.steps = 0

    @classmethod
    def of(cls, object_: Object) -> "Executor":
        """A PE with the object loaded, at the first instruction of its active task."""
        self = cls()
        for segment in (object_.code, *object_.data):
            end = segment.address + len(segment.words)
            self.memory[segment.address : end] = segment.words
        self.tasks = {t.number: [t.entry, t.active, t.blocked] for t in object_.tasks}
        self.pc = self._pick()
        return self

    def pair(self, number: int) -> int:
        return self.registers[number] | self.registers[number + 1] << 16

    def set_pair(self, number: int, bits: int) -> None:
        self.registers[number] = bits & 0xFFFF
        self.registers[number + 1] = bits >> 16 & 0xFFFF

    def load(self, address: int, wide: bool) -> int:
        address &= 0xFFFF
        if not wide:
            return self.memory[address]
        assert address % 2 == 0, f"a 32-bit value at the odd address 0x{address:04x}"
        return self.memory[address] | self.memory[address + 1] << 16

    def store(self, address: int, bits: int, wide: bool) -> None:
        address &= 0xFFFF
        assert not 0x6000 <= address < 0x7200, f"a write to 0x{address:04x}"
        self.memory[address] = bits & 0xFFFF
        if wide:
            assert address % 2 == 0, f"a 32-bit value at the odd address 0x{address:04x}"
            self.memory[address + 1] = bits >> 16 & 0xFFFF

    def run(self, until: int | None = None, limit: int = 2_000_000) -> None:
        """Run until the program counter is `until`; None: until no task is ready."""
        while self.pc != until:
            self.step()
            assert self.steps < limit, "the program does not end"

    def step(self) -> None:
        assert self.pc is not None
        op, size = decode(self.memory, self.pc)
        self.steps += 1
        following = self.pc + size
        self.pc = following
        match op.row.kind:
            case "branch":
                self._branch(op, following)
            case "task":
                self._task(op, following)
            case "descriptor":
                self._descriptor(op)
            case kind if kind == "accumulate" or is_transfer(op):
                self._transfer(op)
            case _:
                values = [self._read(op, place) for place in range(1, len(op.operands))]
                self._write(op, int(self._compute(op, values)))
        if op.terminate:
            self.pc = self._pick()

    # Scalars.

    def _address(self, operand) -> int | None:
        match operand:
            case Memory(address):
                return address
            case Indirect(register):
                return self.registers[register]
            case Indexed(register, displacement):
                return self.registers[register] + displacement
        return None

    def _read(self, op: Operation, place: int) -> int:
        operand = op.operands[place]
        wide = op.row.roles[place] in (W, DW)
        match operand:
            case Immediate(value):
                return value
            case Register(number):
                return self.pair(number) if wide else self.registers[number]
        address = self._address(operand)
        assert address is not None, f"not without a fabric: {operand}"
        return self.load(address, wide)

    def _write(self, op: Operation, bits: int) -> None:
        target = op.operands[0]
        wide = op.row.roles[0] == DW
        if isinstance(target, Nothing):
            return
        if isinstance(target, Register):
            if wide:
                self.set_pair(target.number, bits)
            else:
                self.registers[target.number] = bits & 0xFFFF
            return
        address = self._address(target)
        assert address is not None, f"not without a fabric: {target}"
        self.store(address, bits, wide)

    def _compute(self, op: Operation, values: list[int]) -> int:
        name = op.mnemonic
        mode = self.memory[FLOAT_CONTROL] & 3
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

    # Tasks.

    def _pick(self) -> int | None:
        for state in (self.tasks[number] for number in sorted(self.tasks)):
            if state[1] and not state[2]:
                state[1] = False
                return state[0]
        return None

    def _task(self, op: Operation, following: int) -> None:
        numbers = [o.value for o in op.operands if isinstance(o, Immediate)]
        state = self.tasks.setdefault(numbers[0], [0, False, False]) if numbers else []
        match op.mnemonic:
            case "term":
                self.pc = self._pick()
            case "susp":
                state[:2] = following, True
                self.pc = self._pick()
            case "act" | "join":
                state[1] = True
            case "block" | "unblock":
                state[2] = op.mnemonic == "block"
            case "entry":
                state[0] = numbers[1]
            case "dtask":
                raise AssertionError("no data tasks without a fabric")

    # Vectors.

    def _descriptor(self, op: Operation) -> None:
        assert isinstance(op.operands[0], Descriptor)
        descriptor = self.descriptors[op.operands[0].number]
        value = self._read(op, 1)
        match op.mnemonic:
            case "ldds":
                descriptor[:] = self.memory[value : value + 4]
            case "stds":
                self.memory[value : value + 4] = descriptor
            case _:
                descriptor[("dsbase", "dslen", "dsstep").index(op.mnemonic) + 1] = value

    def _transfer(self, op: Operation) -> None:
        vectors = {
            place: list(self.descriptors[operand.number])
            for place, operand in enumerate(op.operands)
            if isinstance(operand, Descriptor)
        }
        lengths = [d[2] for d in vectors.values() if d[2] != isa.UNBOUNDED]
        count = min(lengths) if lengths else 1
        assert lengths or not vectors, "a transfer that never ends"
        width = ACCUMULATE.get(op.mnemonic)
        if width and not op.keep:
            self.accumulator[width] = 0
        for _ in range(count):
            values = []
            for place in range(1, len(op.operands)):
                if place in vectors:
                    wide = op.row.roles[place] in (W, DW)
                    values.append(self.load(self._take(vectors[place], wide, False), wide))
                else:
                    values.append(self._read(op, place))
            if width:
                total = self.accumulator[width]
                if len(values) == 2:
                    total = n.fma(*values, total, width)
                else:
                    total = n.add(total, values[0], width)
                self.accumulator[width] = total
            else:
                self._put(op, vectors, int(self._compute(op, values)))
        if width and not op.no_load:
            self._put(op, vectors, self.accumulator[width])

    def _put(self, op: Operation, vectors: dict[int, list[int]], bits: int) -> None:
        if 0 in vectors:
            wide = op.row.roles[0] == DW
            self.store(self._take(vectors[0], wide, True), bits, wide)
        else:
            self._write(op, bits)

    def _take(self, descriptor: list[int], wide: bool, write: bool) -> int:
        """The address of a descriptor's next element."""
        kind, first, _, stride = descriptor
        if kind == isa.DSD_MEMORY:
            descriptor[1] = first + stride & 0xFFFF
            return first
        if kind == isa.DSD_FIFO:
            return self._ring(first, write)
        assert kind == isa.DSD_WALK, f"not without a fabric: descriptor of kind {kind}"
        return self._walk(first)

    def _ring(self, record: int, write: bool) -> int:
        memory = self.memory
        capacity, read = memory[record + isa.FIFO_CAPACITY], memory[record + isa.FIFO_READ]
        fill = memory[record + isa.FIFO_FILL]
        assert fill < capacity if write else fill, "a FIFO that waits for ever"
        memory[record + isa.FIFO_FILL] += 1 if write else -1
        if not write:
            memory[record + isa.FIFO_READ] = (read + 1) % capacity
        place = (read + fill) % capacity if write else read
        return memory[record + isa.FIFO_BASE] + place * memory[record + isa.FIFO_WORDS]

    def _walk(self, record: int) -> int:
        memory = self.memory
        address = memory[record + isa.WALK_CURRENT]
        for dimension in reversed(range(memory[record + isa.WALK_DIMENSIONS])):
            part = record + isa.WALK_FIRST + dimension * isa.WALK_STEP
            count, stride = memory[part + isa.WALK_COUNT], memory[part + isa.WALK_STRIDE]
            memory[part + isa.WALK_POSITION] += 1
            memory[record + isa.WALK_CURRENT] += stride
            if memory[part + isa.WALK_POSITION] < count or count == isa.UNBOUNDED:
                break
            memory[part + isa.WALK_POSITION] = 0
            memory[record + isa.WALK_CURRENT] -= count * stride
        memory[record + isa.WALK_CURRENT] &= 0xFFFF
        return address
