"""Values of the language and its operations (tungsten page, sections 2, 4, 8), for the interpreter.

Values are `Value(type, data)`; `data` is an int inside an integer type's range, or the bit pattern
of a float; `type` None is an untyped literal (a Python number) that has not met its context yet.
"""

from typing import Any, NamedTuple

from tests.carbide import numerics as n

INTEGERS = {"xp": (16, True), "i16": (16, True), "u16": (16, False), "i32": (32, True)}
INTEGERS |= {"u32": (32, False), "wv": (32, False)}
FLOATS = {"hp": 16, "sp": 32}
TOWARD_ZERO = 1


class Unsupported(Exception):
    """The program uses what this interpreter does not know."""


class Value(NamedTuple):
    type: str | None
    data: Any


def integer(value: Value) -> int:
    if value.type in FLOATS or isinstance(value.data, float):
        raise Unsupported("a float where an integer is wanted")
    return value.data


def wrap(data: int, type_: str) -> int:
    width, is_signed = INTEGERS[type_]
    data &= (1 << width) - 1
    return n.signed(data, width) if is_signed else data


def convert(value: Value, target: str) -> Value:
    """Implicit and explicit conversion (tungsten, section 2)."""
    source, data = value
    if source == target:
        return value
    if source is None:
        if target in FLOATS:
            return Value(target, n.from_float(float(data), FLOATS[target]))
        if isinstance(data, float):
            bits = n.from_float(data, 32)
            width, is_signed = INTEGERS[target]
            data = n.to_integer(bits, 32, width, is_signed, TOWARD_ZERO)
        return Value(target, wrap(data, target))
    if source == "wv" or target == "wv":
        return Value(target, of_bits(bits_of(value), target))
    if source in FLOATS and target in FLOATS:
        return Value(target, n.convert(data, FLOATS[source], FLOATS[target]))
    if source in FLOATS:
        width, is_signed = INTEGERS[target]
        bits = n.to_integer(data, FLOATS[source], width, is_signed, TOWARD_ZERO)
        return Value(target, wrap(bits, target))
    if target in FLOATS:
        return Value(target, n.from_integer(data, FLOATS[target]))
    return Value(target, wrap(data, target))


def bits_of(value: Value) -> int:
    """The unsigned bit pattern."""
    assert value.type is not None
    return value.data if value.type in FLOATS else value.data & (1 << width_of(value.type)) - 1


def of_bits(bits: int, type_: str) -> Any:
    return bits & (1 << FLOATS[type_]) - 1 if type_ in FLOATS else wrap(bits, type_)


def width_of(type_: str) -> int:
    return FLOATS.get(type_) or INTEGERS[type_][0]


def common(a: str, b: str) -> str:
    """The type of a mixed operation."""
    if a == b:
        return a
    for type_ in ("sp", "hp"):
        if type_ in (a, b):
            return type_
    (wa, sa), (wb, sb) = INTEGERS[a], INTEGERS[b]
    if wa != wb:
        wide = a if wa > wb else b
        return "u32" if wide == "wv" else wide
    return ("i32" if wa == 32 else "xp") if sa and sb else ("u32" if wa == 32 else "u16")


def join(a: Value, b: Value) -> tuple[str | None, Value, Value]:
    """Both sides of an operation in one type; literals follow the other side."""
    if a.type is None and b.type is None:
        return None, a, b
    type_ = common(a.type or b.type, b.type or a.type)  # type: ignore[arg-type]
    if isinstance(a.data, float) or isinstance(b.data, float):  # 1.5 makes an integer a float
        type_ = type_ if type_ in FLOATS else "sp"
    return type_, convert(a, type_), convert(b, type_)


def truth(value: Value) -> bool:
    if value.type in FLOATS:
        return value.data & ~n.SIGN[FLOATS[value.type]] != 0
    return value.data != 0


def arithmetic(op: str, a: Value, b: Value, *, constant_divisor: bool = False) -> Value:
    """One operation of the language, rounded to its type."""
    if op in ("<<", ">>"):
        return _shift(op, a, b)
    type_, a, b = join(a, b)
    if type_ is None:
        if isinstance(a.data, int) and isinstance(b.data, int):
            return Value(None, _integer(op, "literals", a.data, b.data))
        untyped = {"+": a.data + b.data, "-": a.data - b.data, "*": a.data * b.data}
        if op not in untyped:
            raise Unsupported(f"{op} of two untyped literals")
        return Value(None, untyped[op])
    if type_ in FLOATS:
        return _float(op, type_, a.data, b.data, constant_divisor)
    return Value(type_, wrap(_integer(op, type_, a.data, b.data), type_))


def _shift(op: str, a: Value, b: Value) -> Value:
    if a.type is None or a.type in FLOATS:
        raise Unsupported("a shift of this")
    count = integer(b) & 0xFFFF
    data = a.data << min(count, 64) if op == "<<" else a.data >> min(count, 64)
    type_ = "u32" if a.type == "wv" else a.type
    return Value(type_, wrap(data, type_))


def _float(op: str, type_: str, a: int, b: int, constant_divisor: bool) -> Value:
    width = FLOATS[type_]
    match op:
        case "+":
            return Value(type_, n.add(a, b, width))
        case "-":
            return Value(type_, n.subtract(a, b, width))
        case "*":
            return Value(type_, n.multiply(a, b, width))
        case "/" if constant_divisor:
            return Value(type_, n.multiply(a, n.divide(n.from_float(1, width), b, width), width))
        case "/" if type_ == "hp":
            return Value(type_, n.divide(a, b, width))
        case "/":
            return Value(type_, n.multiply(a, n.reciprocal(b), width))
        case "min" | "max":
            return Value(type_, n.minimum(a, b, width, largest=op == "max"))
    raise Unsupported(f"{op} of floats")


def _integer(op: str, type_: str, a: int, b: int) -> int:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "/" | "%":
            if b == 0:
                return -1 if op == "/" else a
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "/" else a - quotient * b
    raise Unsupported(f"{op} of {type_}")


def compare(op: str, a: Value, b: Value) -> bool:
    type_, a, b = join(a, b)
    if type_ in FLOATS:
        width = FLOATS[type_]
        match op:
            case "<":
                return n.less(a.data, b.data, width)
            case ">":
                return n.less(b.data, a.data, width)
            case "<=":
                return n.less_equal(a.data, b.data, width)
            case ">=":
                return n.less_equal(b.data, a.data, width)
        return n.equal(a.data, b.data, width) == (op == "==")
    x, y = a.data, b.data
    return {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
