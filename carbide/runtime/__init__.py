"""Routines for what the machine has no instruction for: division.

Each stands in CE assembly in a file of its name beside this one. Arguments: a in R0 (or R0:R1), b
in R2 (or R2:R3), the return address in R20. R0 to R19 may change; memory is not used. The result
is in R0 (or R0:R1); integer division leaves the remainder in R2 (or R2:R3) as well.
"""

from functools import cache
from importlib.resources import files

from attrs import frozen

from carbide.isa.assembly import Item


@frozen
class Routine:
    """`wide`: values are 32 bits. `remainder`: the remainder is in R2 (or R2:R3)."""

    name: str
    wide: bool
    remainder: bool
    meaning: str


_ROWS = (
    Routine("divs16", False, True, "signed a / b and a % b"),
    Routine("divu16", False, True, "unsigned a / b and a % b"),
    Routine("divs32", True, True, "signed a / b and a % b"),
    Routine("divu32", True, True, "unsigned a / b and a % b"),
    Routine("recips", True, False, "binary32 1 / b, with b in R0:R1"),
    Routine("divh", False, False, "binary16 a / b"),
)
ROUTINES = {row.name: row for row in _ROWS}
RETURN_REGISTER = 20
CLOBBERED = range(RETURN_REGISTER)
"""Registers that any routine may change, besides the return address."""


@cache
def routine_items(name: str) -> tuple[Item, ...]:
    """The items of a routine, to be appended to a program's code. Its entry is the label `name`.

    Raises KeyError for a routine that does not exist.
    """
    from carbide.isa.assembler import read_assembly

    text = files(__package__).joinpath(f"{ROUTINES[name].name}.s").read_text(encoding="utf-8")
    return tuple(read_assembly(text).code)
