"""What the builder knows at a point of the program: values of cells, loads, descriptors."""

from typing import Any

from attrs import define, evolve, field, frozen

from carbide.isa.operands import Immediate
from carbide.select.code import Value
from carbide.select.memory import Key

Operand = Value | Immediate


@frozen
class Known:
    """A cell's value; `dirty`: memory does not hold it yet."""

    operand: Operand
    dirty: bool


LoadKey = tuple[str, Any, Any, int]
"""Root, address value, displacement, words."""


@define
class State:
    """`cells`: what lies in places; `loads`: results of loads at variable addresses still good;
    `descriptors`: what DS registers hold, the least lately used first."""

    cells: dict[Key, Known] = field(factory=dict)
    loads: dict[LoadKey, Value] = field(factory=dict)
    descriptors: dict[Any, int] = field(factory=dict)

    def copy(self) -> "State":
        return State(dict(self.cells), dict(self.loads), dict(self.descriptors))

    def same_operand(self, a: Operand, b: Operand) -> bool:
        return a is b or (isinstance(a, Immediate) and isinstance(b, Immediate) and a == b)

    def overlapping(self, key: Key) -> list[Key]:
        """Known cells that share words with `key` but are not it."""
        root, offset, words = key
        return [
            k
            for k in self.cells
            if k[0] == root and k != key and k[1] < offset + words and offset < k[1] + k[2]
        ]

    def clean(self, key: Key) -> None:
        self.cells[key] = evolve(self.cells[key], dirty=False)

    def forget_loads(self, root: str, near: tuple[Any, Any, int] | None = None) -> None:
        """Forget loads of a root; `near` (address value, displacement, words) is what was written:
        loads at the same address value and another displacement stay."""
        for key in [k for k in self.loads if k[0] == root]:
            if near is not None and _apart(key, near):
                continue
            del self.loads[key]


def _apart(key: LoadKey, near: tuple[Any, Any, int]) -> bool:
    _, base, displacement, words = key
    if base is not near[0]:
        return False
    a: Any = displacement
    b: Any = near[1]
    if getattr(a, "name", None) != getattr(b, "name", None):
        return False
    first, second = getattr(a, "offset", a), getattr(b, "offset", b)
    return bool(first + words <= second or second + near[2] <= first)
