"""Expressions to instructions. Every operation rounds as its node says; nothing is reassociated
but 16-bit address arithmetic, which is exact."""

from typing import Any

from attrs import field, frozen

from carbide import ir
from carbide.isa.operands import Descriptor, Immediate, InputQueue, Memory, Reference
from carbide.passes.mnemonics import (
    SUFFIX,
    binary_mnemonic,
    compare_mnemonic,
    convert_mnemonic,
    packed,
)
from carbide.select.code import At, Value, plus
from carbide.select.core import Core
from carbide.select.memory import Root
from carbide.select.state import Operand

DIVISION = {
    ("div", "i16"): ("divs16", 0), ("mod", "i16"): ("divs16", 2),
    ("div", "u16"): ("divu16", 0), ("mod", "u16"): ("divu16", 2),
    ("div", "i32"): ("divs32", 0), ("mod", "i32"): ("divs32", 2),
    ("div", "u32"): ("divu32", 0), ("mod", "u32"): ("divu32", 2),
    ("div", "h"): ("divh", 0),
}  # fmt: skip
"""Runtime routine and the register its result is in."""


@frozen
class Location:
    """Where an element lies: a root if known, a run-time part, and a displacement.

    `offset` is its place in the root when there is no run-time part. `terms` is what the run-time
    part is the sum of.
    """

    root: Root | None
    base: Value | None
    displacement: int | Reference
    offset: int | None
    terms: "Terms" = field(factory=dict, eq=False)

    @property
    def operand(self) -> At | Memory:
        if self.base is None:
            return Memory(self.displacement)
        return At(self.base, self.displacement)


Terms = dict[Value, int]


class Expressions(Core):
    # Addresses.

    def linear(self, e: Any) -> tuple[int, str | None, Terms]:
        """A 16-bit expression as constant + label + sum of value * factor."""
        match e:
            case ir.Const():
                return e.bits, None, {}
            case ir.AddressOf():
                where = self.memory.region(e.region)
                label = where.root.label
                if isinstance(label, Reference):
                    return where.shift, label.name, {}
                return label + where.shift, None, {}
            case ir.Convert() | ir.Bits() if ir.WORDS[e.value.type] == 1:
                if e.value.type not in ir.FLOATS and e.type not in ir.FLOATS:
                    return self.linear(e.value)
            case ir.Unary("neg"):
                return self._scaled(self.linear(e.value), -1, e)
            case ir.Binary("add" | "sub"):
                return self._sum(e)
            case ir.Binary("mul") if isinstance(e.right, ir.Const):
                return self._scaled(self.linear(e.left), ir.signed(e.right), e)
            case ir.Binary("mul") if isinstance(e.left, ir.Const):
                return self._scaled(self.linear(e.right), ir.signed(e.left), e)
            case ir.Binary("shl") if isinstance(e.right, ir.Const) and e.right.bits < 16:
                return self._scaled(self.linear(e.left), 1 << e.right.bits, e)
        return self._atom(self.value(e))

    def _atom(self, operand: Operand) -> tuple[int, str | None, Terms]:
        if isinstance(operand, Immediate):
            if isinstance(operand.value, Reference):
                return operand.value.offset, operand.value.name, {}
            return operand.value, None, {}
        made = operand.definition
        if made is not None and made.mnemonic == "add16" and operand is made.operands[0]:
            _, left, right = made.operands
            if isinstance(left, Value) and isinstance(right, Immediate):
                rest, label, terms = self._atom(right)
                if left.depth <= operand.depth:
                    return rest, label, {left: 1, **terms}
        return 0, None, {operand: 1}

    def _scaled(self, parts: Any, factor: int, e: Any) -> tuple[int, str | None, Terms]:
        constant, label, terms = parts
        if label is not None and factor != 1:
            return self._atom(self.value(e))
        return constant * factor, label, {v: f * factor for v, f in terms.items()}

    def _sum(self, e: ir.Binary) -> tuple[int, str | None, Terms]:
        constant, label, terms = self.linear(e.left)
        other, other_label, other_terms = self.linear(e.right)
        if other_label is not None and (label is not None or e.op == "sub"):
            return self._atom(self.arithmetic(e))
        sign = 1 if e.op == "add" else -1
        total = dict(terms)
        for value, factor in other_terms.items():
            total[value] = total.get(value, 0) + sign * factor
        return constant + sign * other, label or other_label, total

    def sum_of(self, terms: Terms) -> Value | None:
        """The run-time part of an address, what changes least first."""
        total: Any = None
        parts = [(v, f & 0xFFFF) for v, f in terms.items() if f & 0xFFFF]
        for value, factor in sorted(parts, key=lambda p: (p[0].depth, p[0].number)):
            if factor == 0xFFFF and total is not None:
                total = self.pure("sub16", 1, total, value)
                continue
            part: Any = value
            if factor & (factor - 1) == 0:
                part = self.pure("shl16", 1, value, Immediate(factor.bit_length() - 1))
            else:
                part = self.pure("mul16", 1, value, Immediate(factor))
            total = part if total is None else self.pure("add16", 1, total, part)
        return total

    def locate(self, element: ir.Element) -> Location:
        """Evaluate the address of an element."""
        if not isinstance(element.base, ir.AddressOf):
            whole = ir.Binary("add", ir.Bits("u16", element.base), ir.Bits("u16", element.offset))
            constant, label, terms = self.linear(whole)
            base = self.sum_of(terms)
            if label is not None and label in self.memory.roots:
                constant = (constant + 0x8000 & 0xFFFF) - 0x8000
                root = self.memory.roots[label]
                offset = constant if base is None else None
                return Location(root, base, Reference(label, constant), offset, terms)
            if label is None and base is None:
                constant &= 0xFFFF
                return Location(self.memory.roots["@absolute"], None, constant, constant)
            return Location(None, base, _displacement(label, constant), None, terms)
        where = self.memory.region(element.base.region)
        constant, label, terms = self.linear(element.offset)
        base = self.sum_of(terms)
        if label is not None:  # an address as an offset: where it leads is not known
            at = self.pure("add16", 1, base or Immediate(0), Immediate(Reference(label, constant)))
            assert isinstance(at, Value)
            return Location(None, at, plus(where.root.label, where.shift), None)
        if constant >= 0x8000:
            constant -= 0x10000
        constant += where.shift
        displacement = plus(where.root.label, constant)
        return Location(where.root, base, displacement, constant if base is None else None, terms)

    # Memory.

    def load(self, element: ir.Element, words: int) -> Operand:
        at = self.locate(element)
        if at.root is not None and at.offset is not None:
            return self.read_cell(at.root, at.offset, words)
        move = "mov16" if words == 1 else "mov32"
        if at.root is None:
            self.flush_roots(set(self.memory.reachable()))
            return self.define_here(move, words, at.operand)
        self.flush_roots({at.root.name})
        if self.memory.volatile(at.root.name, None):
            return self.define_here(move, words, at.operand)
        key = (at.root.name, at.base, at.displacement, words)
        if key not in self.state.loads:
            cell = (at.root.name, -1, words)
            value = self.hoisted_load(cell, key, move, words, at.operand)
            self.state.loads[key] = value
        return self.state.loads[key]

    def store(self, element: ir.Element, words: int, operand: Operand) -> None:
        at = self.locate(element)
        if at.root is not None and at.offset is not None:
            self.write_cell(at.root, at.offset, words, operand)
            return
        self.spoil(at, words)
        made = self.emit("mov16" if words == 1 else "mov32", at.operand, operand)
        if at.root is None or self.memory.volatile(at.root.name, None):
            made.stays = True
            return
        if isinstance(operand, Value) and words == operand.words:
            self.state.loads[at.root.name, at.base, at.displacement, words] = operand

    def spoil(self, at: Location, words: int) -> None:
        """Something is about to be written where it may overlap known cells."""
        if at.root is None:
            roots = set(self.memory.reachable())
            self.flush_roots(roots)
            self.forget_roots(roots)
            return
        self.flush_roots({at.root.name})
        for key in [k for k in self.state.cells if k[0] == at.root.name]:
            del self.state.cells[key]
        self.state.forget_loads(at.root.name, (at.base, at.displacement, words))

    # Values.

    def variable_root(self, variable: ir.Var) -> Root:
        return self.memory.home(self.prefix + variable.name, ir.WORDS[variable.type])

    def assign(self, variable: ir.Var, operand: Operand) -> None:
        self.write_cell(self.variable_root(variable), 0, ir.WORDS[variable.type], operand)

    def value(self, e: Any) -> Operand:
        """Evaluate an expression into a value or a constant."""
        match e:
            case ir.Const():
                return Immediate(e.bits)
            case ir.Var():
                return self.read_cell(self.variable_root(e), 0, ir.WORDS[e.type])
            case ir.AddressOf():
                where = self.memory.region(e.region)
                return Immediate(plus(where.root.label, where.shift))
            case ir.Load():
                return self.load(e.element, ir.WORDS[e.type])
            case ir.Receive():
                return self.receive(e)
            case ir.Binary():
                return self.arithmetic(e)
            case ir.Compare():
                return self.comparison(e)
            case ir.Select():
                wide = ir.WORDS[e.type]
                condition = self.value(e.condition)
                if isinstance(condition, Immediate) and isinstance(condition.value, int):
                    return self.value(e.yes if condition.value else e.no)
                sides = self.value(e.yes), self.value(e.no)
                return self.pure("select16" if wide == 1 else "select32", wide, condition, *sides)
            case ir.Fma():
                return self.fused(e)
            case ir.Unary():
                return self.unary(e)
            case ir.Convert():
                mnemonic_ = convert_mnemonic(e.value.type, e.type)
                if mnemonic_ is None:
                    return self.value(e.value)
                return self.apply(mnemonic_, ir.WORDS[e.type], *self.sources(e.value))
            case ir.Bits():
                return self.value(e.value)
        raise TypeError(f"no value: {e!r}")

    def sources(self, *parts: Any) -> list[Any]:
        """Operands of one instruction. A receive may stand in it itself, if none comes before."""
        direct = [isinstance(p, ir.Receive) and self.queue_operand(p) is not None for p in parts]
        nested = any(
            isinstance(node, ir.Receive)
            for p, d in zip(parts, direct, strict=True)
            if not d
            for node in ir.walk(p)
        )
        if nested or not any(direct):
            return [self.value(p) for p in parts]
        out = [None if d else self.value(p) for p, d in zip(parts, direct, strict=True)]
        self.flush_observed()
        return [self.queue_operand(p) if o is None else o for p, o in zip(parts, out, strict=True)]

    def apply(self, mnemonic: str, words: int, *sources: Any) -> Operand:
        if any(isinstance(s, InputQueue | Descriptor) for s in sources):
            return self.define(mnemonic, words, *sources)
        return self.pure(mnemonic, words, *sources)

    def arithmetic(self, e: ir.Binary) -> Operand:
        wide = ir.WORDS[e.type]
        if e.op in ("land", "lor"):
            left, right = self.truth(e.left), self.truth(e.right)
            return self.pure("and16" if e.op == "land" else "or16", 1, left, right)
        if e.op in ("div", "mod"):
            return self.divide(e)
        halves = packed(e) if wide == 2 and e.type in ir.INTEGERS else None
        if halves is not None and not any(isinstance(n, ir.Receive) for n in ir.walk(e)):
            return self.pure("pack32", 2, *(self.value(half) for half in halves))
        if e.op in ("add", "sub", "mul") and wide == 1 and e.type in ir.INTEGERS:
            label = self.address_sum(e)
            if label is not None:
                return label
        return self.apply(binary_mnemonic(e.op, e.type), wide, *self.sources(e.left, e.right))

    def address_sum(self, e: ir.Binary) -> Operand | None:
        """An address plus a constant, which is a constant too."""
        if e.op == "mul" or not any(isinstance(x, ir.AddressOf) for x in (e.left, e.right)):
            return None
        left, right = self.value(e.left), self.value(e.right)
        if not (isinstance(left, Immediate) and isinstance(right, Immediate)):
            return None
        a, b = left.value, right.value
        if e.op == "sub":
            if isinstance(b, Reference):
                return None
            b = -b
        if isinstance(a, Reference) and isinstance(b, Reference):
            return None
        return Immediate(plus(a, b))

    def comparison(self, e: ir.Compare) -> Operand:
        mnemonic, swap = compare_mnemonic(e.op, e.left.type)
        if not swap:
            return self.apply(mnemonic, 1, *self.sources(e.left, e.right))
        if isinstance(e.left, ir.Receive):  # the left side comes first all the same
            left = self.value(e.left)
            return self.apply(mnemonic, 1, *self.sources(e.right), left)
        left, right = self.sources(e.left, e.right)
        return self.apply(mnemonic, 1, right, left)

    def truth(self, e: Any) -> Operand:
        """A condition as exactly 0 or 1."""
        operand = self.value(e)
        if zero_or_one(e):
            return operand
        return self.pure("ne16", 1, operand, Immediate(0))

    def fused(self, e: ir.Fma) -> Operand:
        wide = ir.WORDS[e.type]
        left, right, addend = self.sources(e.left, e.right, e.addend)
        if e.type in ir.FLOATS:
            mnemonic = ("fmac" if e.op == "fma" else "fms") + e.type
            return self.apply(mnemonic, wide, left, right, addend)
        suffix = SUFFIX[e.type]
        if e.op == "fma":
            return self.apply("mac" + suffix, wide, left, right, addend)
        product = self.apply("mul" + suffix, wide, left, right)
        return self.apply("sub" + suffix, wide, addend, product)

    def unary(self, e: ir.Unary) -> Operand:
        type = e.value.type
        wide = ir.WORDS[type]
        if e.op == "abs" and type in ("u16", "u32"):
            return self.value(e.value)
        (operand,) = self.sources(e.value)
        suffix = SUFFIX[type]
        if e.op == "lnot":
            if wide == 2:
                return self.apply("eq32", 1, operand, Immediate(0))
            return self.apply("eq16", 1, operand, Immediate(0))
        if e.op == "not":
            ones = Immediate(0xFFFF if wide == 1 else 0xFFFFFFFF)
            return self.apply("xor" + suffix, wide, operand, ones)
        if type in ir.FLOATS:
            return self.apply(("fneg" if e.op == "neg" else "fabs") + suffix, wide, operand)
        if e.op == "neg":
            return self.apply("sub" + suffix, wide, Immediate(0), operand)
        return self.apply("abs" + suffix, wide, operand)

    def divide(self, e: ir.Binary) -> Operand:
        """Division by the runtime (carbide/runtime); of binary32 by the reciprocal, times left."""
        wide = ir.WORDS[e.type]
        left, right = self.value(e.left), self.value(e.right)
        if e.type == "s":
            reciprocal = self.runtime("recips", 2, [right], 0)
            return self.pure("fmuls", 2, left, reciprocal)
        name, register = DIVISION[e.op, e.type]
        return self.runtime(name, wide, [left, right], register)

    # Provided by the later layers.

    def receive(self, e: ir.Receive) -> Operand:
        raise NotImplementedError

    def queue_operand(self, e: ir.Receive) -> Any:
        raise NotImplementedError

    def runtime(self, name: str, words: int, operands: list[Operand], register: int) -> Operand:
        raise NotImplementedError


def _displacement(label: str | None, constant: int) -> int | Reference:
    if label is None:
        return constant & 0xFFFF
    return Reference(label, constant - 0x10000 if constant >= 0x8000 else constant)


def zero_or_one(e: Any) -> bool:
    """Whether a condition is known to be 0 or 1."""
    match e:
        case ir.Compare() | ir.Unary("lnot") | ir.Binary("land" | "lor"):
            return True
        case ir.Const():
            return e.bits in (0, 1)
        case ir.Binary("and"):
            return zero_or_one(e.left) or zero_or_one(e.right)
        case ir.Binary("or" | "xor"):
            return zero_or_one(e.left) and zero_or_one(e.right)
        case ir.Convert() | ir.Bits():
            return e.value.type in ir.INTEGERS and e.type in ir.INTEGERS and zero_or_one(e.value)
    return False
