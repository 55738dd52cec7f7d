"""Integer instructions on constants, and what needs no instruction. Floats never fold here."""

from collections.abc import Callable
from typing import Any

from carbide.isa.operands import Immediate
from carbide.select.code import Value

_16, _32 = 0xFFFF, 0xFFFFFFFF


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _binary(bits: int) -> dict[str, Callable[[int, int], int]]:
    def s(x: int) -> int:
        return _signed(x, bits)

    n = str(bits)
    return {
        "add" + n: lambda a, b: a + b,
        "sub" + n: lambda a, b: a - b,
        "mul" + n: lambda a, b: a * b,
        "and" + n: lambda a, b: a & b,
        "or" + n: lambda a, b: a | b,
        "xor" + n: lambda a, b: a ^ b,
        "shl" + n: lambda a, b: a << b if b < bits else 0,
        "shr" + n: lambda a, b: a >> b if b < bits else 0,
        "sar" + n: lambda a, b: s(a) >> min(b, bits - 1),
        "min" + n: lambda a, b: min(s(a), s(b)),
        "max" + n: lambda a, b: max(s(a), s(b)),
        "minu" + n: min,
        "maxu" + n: max,
        "lt" + n: lambda a, b: s(a) < s(b),
        "le" + n: lambda a, b: s(a) <= s(b),
        "ltu" + n: lambda a, b: a < b,
        "leu" + n: lambda a, b: a <= b,
        "eq" + n: lambda a, b: a == b,
        "ne" + n: lambda a, b: a != b,
    }


_FOLD: dict[str, Callable[..., int]] = {
    **_binary(16),
    **_binary(32),
    "mac16": lambda a, b, c: a * b + c,
    "mac32": lambda a, b, c: a * b + c,
    "abs16": lambda a: abs(_signed(a, 16)),
    "abs32": lambda a: abs(_signed(a, 32)),
    "sxt32": lambda a: _signed(a, 16),
    "zxt32": lambda a: a,
    "low16": lambda a: a,
    "pack32": lambda a, b: b << 16 | a,
}


def _zero(operand: Any) -> bool:
    return isinstance(operand, Immediate) and operand.value == 0


def _one(operand: Any) -> bool:
    return isinstance(operand, Immediate) and operand.value == 1


def fold(mnemonic: str, words: int, sources: tuple[Any, ...]) -> Any:
    """The operand that the instruction comes down to, or None."""
    numbers = [o.value for o in sources if isinstance(o, Immediate) and isinstance(o.value, int)]
    if len(numbers) == len(sources) and mnemonic in _FOLD:
        return Immediate(int(_FOLD[mnemonic](*numbers)) & (_16 if words == 1 else _32))
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


def order(mnemonic: str, sources: tuple[Any, ...]) -> tuple[Any, ...]:
    """One order of operands for equal computations."""
    if mnemonic in COMMUTATIVE and len(sources) == 2:
        a, b = sources
        if isinstance(a, Immediate) and not isinstance(b, Immediate):
            return b, a
        if isinstance(a, Value) and isinstance(b, Value) and b.number < a.number:
            return b, a
    return sources
