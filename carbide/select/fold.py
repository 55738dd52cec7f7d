"""Integer instructions on constants, and what needs no instruction. Floats never fold here."""

from typing import Any

from carbide.isa.operands import Immediate
from carbide.passes.integers import fold_numbers
from carbide.select.code import Value


def _zero(operand: Any) -> bool:
    return isinstance(operand, Immediate) and operand.value == 0


def _one(operand: Any) -> bool:
    return isinstance(operand, Immediate) and operand.value == 1


def fold(mnemonic: str, words: int, sources: tuple[Any, ...]) -> Any:
    """The operand that the instruction comes down to, or None."""
    numbers = [o.value for o in sources if isinstance(o, Immediate) and isinstance(o.value, int)]
    if len(numbers) == len(sources):
        value = fold_numbers(mnemonic, numbers)
        if value is not None:
            return Immediate(value)
    first = sources[0]
    if mnemonic in ("select16", "select32"):
        if isinstance(first, Immediate) and isinstance(first.value, int):
            return sources[1] if first.value else sources[2]
        if _same(sources[1], sources[2]):
            return sources[1]
        return None
    if len(sources) != 2:
        return None
    second = sources[1]
    if mnemonic in ("add16", "add32", "or16", "or32", "xor16", "xor32"):
        if _zero(second):
            return first
        if _zero(first):
            return second
    if mnemonic[:-2] in ("sub", "shl", "shr", "sar") and _zero(second):
        return first
    if mnemonic in ("mul16", "mul32"):
        if _one(second):
            return first
        if _one(first):
            return second
        if _zero(first) or _zero(second):
            return Immediate(0)
    if mnemonic in ("and16", "and32") and (_zero(first) or _zero(second)):
        return Immediate(0)
    return None


def _same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, Immediate) and isinstance(b, Immediate) and a == b)


COMMUTATIVE = {
    "add16", "add32", "mul16", "mul32", "and16", "and32", "or16", "or32", "xor16", "xor32",
    "min16", "max16", "min32", "max32", "minu16", "maxu16", "minu32", "maxu32", "eq16", "ne16",
    "eq32", "ne32", "eqs", "nes", "eqh", "neh",
}  # fmt: skip
"""Integers and comparisons only: which NaN a float operation gives may depend on the order."""


def simpler(mnemonic: str, sources: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """One form for equal computations: products by powers of two are shifts."""
    if mnemonic in ("mul16", "mul32") and isinstance(sources[1], Immediate):
        factor = sources[1].value
        if isinstance(factor, int) and factor > 1 and factor & (factor - 1) == 0:
            shift = "shl16" if mnemonic == "mul16" else "shl32"
            return shift, (sources[0], Immediate(factor.bit_length() - 1))
    return mnemonic, sources


def order(mnemonic: str, sources: tuple[Any, ...]) -> tuple[Any, ...]:
    """One order of operands for equal computations."""
    if mnemonic in COMMUTATIVE and len(sources) == 2:
        a, b = sources
        if isinstance(a, Immediate) and not isinstance(b, Immediate):
            return b, a
        if isinstance(a, Value) and isinstance(b, Value) and b.number < a.number:
            return b, a
    return sources
