"""Which CE instruction an operation of the IR is."""

from typing import Any

from carbide import ir

SUFFIX = {"i16": "16", "u16": "16", "i32": "32", "u32": "32", "s": "s", "h": "h"}
_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "min": "fmin", "max": "fmax"}


def binary_mnemonic(op: str, type: str) -> str:
    """The instruction of a binary operation on values of a type."""
    suffix = SUFFIX[type]
    if type in ir.FLOATS:
        return _FLOAT[op] + suffix
    if op == "shr":
        return ("sar" if type in ir.SIGNED else "shr") + suffix
    if op in ("min", "max") and type not in ir.SIGNED:
        return op + "u" + suffix
    return op + suffix


def compare_mnemonic(op: str, type: str) -> tuple[str, bool]:
    """The instruction of a comparison and whether its sides change places."""
    swap = op in ("gt", "ge")
    op = {"gt": "lt", "ge": "le"}.get(op, op)
    if type in ("u16", "u32") and op in ("lt", "le"):
        op += "u"
    return op + SUFFIX[type], swap


_TO_FLOAT = {"i16": "i16to", "u16": "u16to", "i32": "i32to", "u32": "u32to"}


def convert_mnemonic(source: str, target: str) -> str | None:
    """The instruction of a conversion; None when the bits stay as they are."""
    if source == target:
        return None
    if source in ir.FLOATS and target in ir.FLOATS:
        return "htos" if source == "h" else "stoh"
    if target in ir.FLOATS:
        return _TO_FLOAT[source] + target
    if source in ir.FLOATS:
        return f"{source}to{target}"
    if ir.WORDS[source] == ir.WORDS[target]:
        return None
    if ir.WORDS[target] == 1:
        return "low16"
    return "sxt32" if source in ir.SIGNED else "zxt32"


def packed(e: Any) -> tuple[Any, Any] | None:
    """The low and high half that an expression puts together, if that is all it does: `pack32`."""
    match e:
        case ir.Binary("or" | "add" | "xor"):
            for high, low in ((e.left, e.right), (e.right, e.left)):
                upper, lower = _upper_half(high), _widened(low, ("u16",))
                if upper is not None and lower is not None:
                    return lower, upper
        case ir.Binary("shl"):
            upper = _upper_half(e)
            if upper is not None:
                return ir.Const("u16", 0), upper
    return None


def _upper_half(e: Any) -> Any:
    if isinstance(e, ir.Binary) and e.op == "shl" and e.right == ir.Const(e.right.type, 16):
        return _widened(e.left, ("i16", "u16"))
    return None


def _widened(e: Any, types: tuple[str, ...]) -> Any:
    """The 16-bit value that a conversion to 32 bits widens."""
    if isinstance(e, ir.Bits) and e.type in ("i32", "u32") and e.value.type in ("i32", "u32"):
        return _widened(e.value, types)
    if isinstance(e, ir.Convert) and e.type in ("i32", "u32") and e.value.type in types:
        return e.value
    return None
