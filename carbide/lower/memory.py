"""Places to addresses: a base and an offset in words, kept symbolic in the loops' variables."""

from carbide.check import typed
from carbide.check.constants import bits
from carbide.ir import nodes as ir
from carbide.lower.names import Names, ir_place, type_name

ZERO = ir.Const("i16", 0)


def add(left: ir.Expr, right: ir.Expr, place: ir.Place) -> ir.Expr:
    """left + right in 16 bits, constants folded."""
    if isinstance(left, ir.Const) and isinstance(right, ir.Const):
        return ir.integer("i16", left.bits + right.bits, place)
    if isinstance(right, ir.Const) and right.bits == 0:
        return left
    if isinstance(left, ir.Const) and left.bits == 0:
        return right
    if (
        isinstance(right, ir.Const)
        and isinstance(left, ir.Binary)
        and left.op == "add"
        and isinstance(left.right, ir.Const)
    ):
        return add(left.left, add(left.right, right, place), place)
    return ir.Binary("add", left, right, place=place)


def times(value: ir.Expr, factor: int, place: ir.Place) -> ir.Expr:
    """value * factor in 16 bits."""
    if factor == 1:
        return value
    if isinstance(value, ir.Const):
        return ir.integer("i16", value.bits * factor, place)
    return ir.Binary("mul", value, ir.integer("i16", factor, place), place=place)


class Memory:
    """Regions of the program, and of the function being lowered."""

    def __init__(self, names: Names):
        self.names = names
        self.regions: list[ir.Region] = []
        self.frame: list[ir.Region] = []
        self._made: dict[int, str] = {}
        self._kept: list[typed.Variable] = []

    def region(self, variable: typed.Variable) -> str:
        """The region of a variable in memory, made when it is first asked for."""
        if id(variable) in self._made:
            return self._made[id(variable)]
        name = self.names.of(variable, variable.name)
        self._made[id(variable)] = name
        self._kept.append(variable)
        alias = None
        if variable.alias is not None:
            target, offset = root(variable.alias)
            alias = (self.region(target), offset)
        type_ = variable.type
        dims = getattr(type_, "dims", ())
        element = getattr(type_, "element", type_)
        made = ir.Region(
            name, type_name(type_), element.words, tuple((n, e or 0) for n, e in dims),
            variable.address, alias, variable.bank, variable.initial,
            variable.symbol and variable.storage == "global", place=ir_place(variable.at),
        )  # fmt: skip
        (self.frame if variable.storage == "frame" else self.regions).append(made)
        return name

    def forget_frame(self) -> None:
        """Begin another function: local regions are made anew."""
        self.frame = []


def root(place: typed.Place_) -> tuple[typed.Variable, int]:
    """(variable, offset in words) of a place whose indices are all constant."""
    match place:
        case typed.Whole():
            return place.variable, 0
        case typed.Seen():
            return root(place.inner)
        case typed.Part():
            variable, offset = root(place.struct)
            return variable, offset + place.offset
    variable, offset = root(place.array)
    assert isinstance(place.index, typed.Constant)
    return variable, offset + int(place.index.value) * place.type.words


def root_variable(place: typed.Place_) -> typed.Variable:
    """The variable that a place lies in."""
    while not isinstance(place, typed.Whole):
        place = (
            place.array if isinstance(place, typed.Item)
            else place.struct if isinstance(place, typed.Part)
            else place.inner
        )  # fmt: skip
    return place.variable


def constant(value: typed.Constant) -> ir.Const:
    return ir.Const(value.type.ir, bits(value.value, value.type), place=ir_place(value.place))


