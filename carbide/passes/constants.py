"""Integer operations on constants, folded in the IR. Floats are never computed here."""

from typing import Any, TypeGuard

from carbide import ir
from carbide.passes.integers import fold_numbers
from carbide.passes.mnemonics import binary_mnemonic, compare_mnemonic, convert_mnemonic


def _number(e: Any) -> TypeGuard[ir.Const]:
    return isinstance(e, ir.Const) and e.type in ir.INTEGERS


def _const(type: str, value: int, place: ir.Place) -> ir.Const:
    return ir.integer(type, value, place)


def simplify(node: Any) -> Any:
    """Fold an operation on integer constants; choose branches that are known."""
    match node:
        case ir.Binary("land" | "lor"):
            if _number(node.left) and _number(node.right):
                left, right = bool(node.left.bits), bool(node.right.bits)
                both = left and right if node.op == "land" else left or right
                return _const("i16", int(both), node.place)
        case ir.Binary() if _number(node.left) and _number(node.right):
            return _fold_binary(node)
        case ir.Binary("add") if _zero(node.right):
            return node.left
        case ir.Binary("add") if _zero(node.left):
            return node.right
        case ir.Binary("mul") if _one(node.right):
            return node.left
        case ir.Binary("mul") if _one(node.left):
            return node.right
        case ir.Compare() if _number(node.left) and _number(node.right):
            mnemonic, swap = compare_mnemonic(node.op, node.left.type)
            sides = (node.right, node.left) if swap else (node.left, node.right)
            value = fold_numbers(mnemonic, [s.bits for s in sides])
            return node if value is None else _const("i16", value, node.place)
        case ir.Unary() if _number(node.value):
            return _fold_unary(node)
        case ir.Convert() if _number(node.value) and node.type in ir.INTEGERS:
            mnemonic_ = convert_mnemonic(node.value.type, node.type)
            if mnemonic_ is None:
                return _const(node.type, node.value.bits, node.place)
            value = fold_numbers(mnemonic_, [node.value.bits])
            return node if value is None else _const(node.type, value, node.place)
        case ir.Bits() if isinstance(node.value, ir.Const):
            return ir.Const(node.type, node.value.bits, place=node.place)
        case ir.Select() if _number(node.condition):
            return node.yes if node.condition.bits else node.no
        case ir.If() if _number(node.condition):
            chosen = node.then if node.condition.bits else node.otherwise
            return (ir.Block(chosen, place=node.place),) if chosen else ()
    return node


def _zero(e: Any) -> bool:
    return _number(e) and e.bits == 0


def _one(e: Any) -> bool:
    return _number(e) and e.bits == 1


def _fold_binary(node: ir.Binary) -> Any:
    assert isinstance(node.left, ir.Const) and isinstance(node.right, ir.Const)
    if node.op in ("div", "mod"):
        return node
    mnemonic = binary_mnemonic(node.op, node.left.type)
    value = fold_numbers(mnemonic, [node.left.bits, node.right.bits])
    return node if value is None else _const(node.type, value, node.place)


def _fold_unary(node: ir.Unary) -> Any:
    assert isinstance(node.value, ir.Const)
    value = ir.signed(node.value)
    if node.op == "neg":
        return _const(node.type, -value, node.place)
    if node.op == "not":
        return _const(node.type, ~value, node.place)
    if node.op == "lnot":
        return _const("i16", int(value == 0), node.place)
    return _const(node.type, abs(value), node.place)
