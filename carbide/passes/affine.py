"""Offsets as sums: constant + integer factors times expressions, exact modulo 2^16."""

from typing import Any

from attrs import field, frozen

from carbide import ir


def _wrap(value: int) -> int:
    return (value + 0x8000 & 0xFFFF) - 0x8000


@frozen
class Affine:
    """`terms` maps expressions (variables, and what cannot be taken apart) to factors."""

    constant: int = 0
    terms: tuple[tuple[Any, int], ...] = field(default=())

    def factor(self, e: Any) -> int:
        return next((f for t, f in self.terms if t == e), 0)

    def without(self, e: Any) -> "Affine":
        return Affine(self.constant, tuple((t, f) for t, f in self.terms if t != e))

    def plus(self, other: "Affine", times: int = 1) -> "Affine":
        total = dict(self.terms)
        for term, factor in other.terms:
            total[term] = _wrap(total.get(term, 0) + factor * times)
        constant = _wrap(self.constant + other.constant * times)
        return Affine(constant, tuple((t, f) for t, f in total.items() if f))

    def scaled(self, times: int) -> "Affine":
        return Affine().plus(self, times)

    def minus(self, other: "Affine") -> int | None:
        """The difference, if it is a constant."""
        rest = self.plus(other, -1)
        return None if rest.terms else rest.constant

    def expression(self) -> Any:
        """The sum as an expression of type i16."""
        total: Any = None
        for term, factor in self.terms:
            part: Any = term if term.type == "i16" else ir.Bits("i16", term)
            if factor not in (1, -1):
                part = ir.Binary("mul", part, ir.integer("i16", factor))
            if total is None:
                total = part if factor != -1 else ir.Unary("neg", part)
            else:
                total = ir.Binary("sub" if factor == -1 else "add", total, part)
        if total is None:
            return ir.integer("i16", self.constant)
        if self.constant:
            total = ir.Binary("add", total, ir.integer("i16", self.constant))
        return total


def affine(e: Any) -> Affine:
    """A 16-bit expression as a sum."""
    match e:
        case ir.Const():
            return Affine(_wrap(e.bits))
        case ir.Binary("add"):
            return affine(e.left).plus(affine(e.right))
        case ir.Binary("sub"):
            return affine(e.left).plus(affine(e.right), -1)
        case ir.Binary("mul") if isinstance(e.right, ir.Const):
            return affine(e.left).scaled(ir.signed(e.right))
        case ir.Binary("mul") if isinstance(e.left, ir.Const):
            return affine(e.right).scaled(ir.signed(e.left))
        case ir.Binary("shl") if isinstance(e.right, ir.Const) and e.right.bits < 16:
            return affine(e.left).scaled(1 << e.right.bits)
        case ir.Unary("neg"):
            return affine(e.value).scaled(-1)
        case ir.Convert() | ir.Bits():
            whole = e.type in ir.INTEGERS and e.value.type in ir.INTEGERS
            if whole and ir.WORDS[e.value.type] == 1 and ir.WORDS[e.type] == 1:
                return affine(e.value)
    return Affine(0, ((e, 1),))
