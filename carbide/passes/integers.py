"""What integer instructions give on constants, as bit patterns."""

from collections.abc import Callable

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


def fold_numbers(mnemonic: str, numbers: list[int]) -> int | None:
    """The result of an integer instruction on bit patterns, as bits; None: not known here."""
    if mnemonic not in _FOLD:
        return None
    value = int(_FOLD[mnemonic](*numbers))
    return value & (_32 if mnemonic.endswith("32") else _16)
