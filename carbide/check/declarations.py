"""Declarations: types, params, consts, variables and everything else that gets a name."""

from collections.abc import Sequence
from typing import Any

from carbide.check import typed
from carbide.check.constants import Number, literal
from carbide.check.functions import fixed_offset
from carbide.check.initialisers import Initialisers
from carbide.check.scopes import (
    BrokenSymbol,
    ConstantSymbol,
    RangeSymbol,
    TypeSymbol,
    describe,
)
from carbide.check.types import SCALARS, U16, U64, Array, Scalar, Struct, Type, lay_out
from carbide.syntax import ast
from carbide.syntax.build import number_value
from mitools.console import Place, UserError, suggestion

FOREIGN_TYPES = {
    "int": "the 16-bit integer is `xp`, the 32-bit one `i32`", "float": "write `sp`",
    "double": "the widest float is `sp`", "half": "write `hp`", "bool": "write `xp`",
    "char": "write `xp`", "long": "write `i32`", "short": "write `xp`", "uint16": "write `u16`",
    "int16": "write `xp`", "int32": "write `i32`", "uint32": "write `u32`", "f32": "write `sp`",
    "f16": "write `hp`", "void": "a function has no written type: `function f(…) { … }`",
    "unsigned": "write `u16` or `u32`", "byte": "write `u16`", "i8": "write `xp`",
    "u8": "write `u16`",
}  # fmt: skip
FAMILIES = ("socket", "fifo", "timer", "math", "vectorize", "dot", "uthread")
WIDEST = 0x8000
"""Words of the address space."""


class Declarations(Initialisers):
    def declaration(self, node: ast.Declaration) -> list[typed.Statement]:
        """Give the names their meaning; the statements are what initialisers do at run time."""
        match node:
            case ast.Variables():
                return self._each(node, self._variable)
            case ast.Parameters():
                return self._each(node, self._parameter)
            case ast.Constants():
                return self._each(node, self._constant)
            case ast.Typedef():
                return self._each(node, self._typedef)
            case ast.Fifos():
                return self._each(node, self._fifo)
            case ast.Sockets():
                return self._sockets(node)
            case ast.Streams():
                return self._each(node, self._stream)
            case ast.Iterators():
                return self._iterators(node)
            case ast.Filters():
                for declarator in node.declarators:
                    with self._named(declarator.name, declarator.place):
                        self._filter(declarator)
                return []
            case ast.Ranges():
                for binding in node.bindings:
                    with self._named(binding.name, binding.place):
                        symbol = RangeSymbol(
                            binding.name, binding.range, self.scope, binding.place
                        )
                        self.define(binding.name, symbol, binding.place)
                return []
            case ast.AggregateOnly():
                with self.attempt():
                    self.type_of(node.type, node.place)
                return []
        raise TypeError(node)

    def _each(self, node: Any, declare: Any) -> list[typed.Statement]:
        out: list[typed.Statement] = []
        base: Type | None = None
        if hasattr(node, "type"):
            with self.attempt():
                base = self.type_of(node.type, node.place)
            if base is None:
                for declarator in node.declarators:
                    self._break(declarator.name, declarator.place)
                return out
        for declarator in node.declarators:
            with self._named(declarator.name, declarator.place):
                out += declare(declarator, base) or ()
        return out

    def _named(self, name: str, place: Place) -> "_Named":
        return _Named(self, name, place)

    def _break(self, name: str, place: Place) -> None:
        self.scope.names.setdefault(name, BrokenSymbol(place))

    # Types.

    def type_of(self, node: ast.Type | None, place: Place) -> Type:
        """The type that a declaration names. Raises UserError when there is none."""
        match node:
            case ast.Basic():
                return SCALARS[node.name]
            case ast.Named():
                return self._named_type(node)
            case ast.Aggregate():
                return self._aggregate(node)
        raise TypeError(node)

    def _named_type(self, node: ast.Named) -> Type:
        symbol = self.scope.find(node.name)
        if isinstance(symbol, TypeSymbol):
            return symbol.type
        tagged = self.scope.find_tag(node.name)
        if tagged is not None and symbol is None:
            return tagged
        if symbol is not None and not isinstance(symbol, BrokenSymbol):
            raise UserError(f"`{node.name}` is {describe(symbol)}, not a type", node.place)
        types = [name for name, s in self.scope.visible() if isinstance(s, TypeSymbol)]
        near = FOREIGN_TYPES.get(node.name) or suggestion(
            node.name, [*types, *SCALARS, *self.scope.visible_tags()]
        )
        raise UserError(f"there is no type `{node.name}`", node.place, near)

    def _aggregate(self, node: ast.Aggregate) -> Struct:
        if node.members is None:
            assert node.tag is not None
            found = self.scope.find_tag(node.tag)
            if found is None:
                near = suggestion(node.tag, self.scope.visible_tags())
                raise UserError(f"there is no {node.kind} `{node.tag}`", node.place, near)
            if found.kind != node.kind:
                raise UserError(f"`{node.tag}` is a {found.kind}", node.place,
                                f"write `{found.kind} {node.tag}`")  # fmt: skip
            return found
        struct = Struct(node.kind, node.tag)
        members: list[tuple[str, Type]] = []
        places: dict[str, Place] = {}
        for line in node.members:
            base = self.type_of(line.type, line.place)
            if not line.declarators:
                assert isinstance(base, Struct)
                members.append(("", base))
                for name in base.names():
                    self._member_once(name, line.place, places)
            for declarator in line.declarators:
                if declarator.value is not None or declarator.placements:
                    raise UserError("a member has no initialiser and no placement",
                                    declarator.place)  # fmt: skip
                self._member_once(declarator.name, declarator.place, places)
                members.append((declarator.name, self._dimensioned(base, declarator)))
        lay_out(struct, members)
        if node.tag is not None:
            self._define_tag(node, struct)
        return struct

    def _member_once(self, name: str, place: Place, places: dict[str, Place]) -> None:
        if name in places:
            raise UserError(f"two members are called `{name}`", place, None,
                            [("the first is here", places[name])])  # fmt: skip
        places[name] = place

    def _define_tag(self, node: ast.Aggregate, struct: Struct) -> None:
        assert node.tag is not None
        if node.tag in self.scope.tags:
            raise UserError(f"{node.kind} `{node.tag}` is declared twice", node.place, None,
                            [("the first is here", self.scope.tag_places[node.tag])])  # fmt: skip
        self.scope.tags[node.tag] = struct
        self.scope.tag_places[node.tag] = node.place

    def _dimensioned(self, base: Type, declarator: ast.Declarator) -> Type:
        """The declarator's type: the base with the declarator's dimensions in front."""
        if not declarator.dimensions:
            return base
        dims: list[tuple[str, int | None]] = []
        for place, dimension in enumerate(declarator.dimensions):
            if dimension.size is None:
                raise UserError("the extent is missing", dimension.place,
                                "only parameters of functions may leave it out")  # fmt: skip
            extent = self.integer_constant(dimension.size, "an extent")
            if extent < 1:
                raise UserError(f"an extent must be at least 1, not {extent}", dimension.place)
            if extent > WIDEST:
                raise UserError(f"an extent of {extent} is more than the whole memory",
                                dimension.place)  # fmt: skip
            dims.append((dimension.name or f"n{place}", extent))
        if isinstance(base, Array):
            inner = base.dims
            if all(name == f"n{k}" for k, (name, _) in enumerate(inner)):
                inner = tuple((f"n{len(dims) + k}", n) for k, (_, n) in enumerate(inner))
            return Array(base.element, (*dims, *inner))
        return Array(base, tuple(dims))

    def _typedef(self, node: ast.Declarator, base: Type) -> None:
        if node.value is not None or node.placements:
            raise UserError("a typedef has no initialiser and no placement", node.place)
        self.define(node.name, TypeSymbol(self._dimensioned(base, node), node.place), node.place)

    # Params and consts.

    def _parameter(self, node: ast.Declarator, base: Type) -> None:
        if not isinstance(base, Scalar) or node.dimensions:
            raise UserError("a param is one value, not an array or a struct", node.place)
        if node.name in self.given:
            value = parameter_value(node.name, self.given[node.name], base, node.place)
        elif node.value is not None:
            value = self._constant_initialiser(node, base)
        else:
            raise UserError(
                f"param `{node.name}` has no value", node.place,
                f"give it one in the layout, as in `[{node.name}:4]`, with `set={node.name}=4`, "
                "or a default here",
            )  # fmt: skip
        self.parameters[node.name] = value
        self.define(node.name, ConstantSymbol("param", base, value, node.place), node.place)

    def _constant(self, node: ast.Declarator, base: Type) -> list[typed.Statement]:
        if isinstance(base, Array | Struct) or node.dimensions:
            # A constant array is memory that nobody assigns.
            return self._variable(node, base)
        if node.value is None:
            raise UserError(f"const `{node.name}` has no value", node.place)
        value = self._constant_initialiser(node, base)
        self.define(node.name, ConstantSymbol("const", base, value, node.place), node.place)
        return []

    def _constant_initialiser(self, node: ast.Declarator, base: Scalar) -> Number:
        assert node.value is not None
        if isinstance(node.value, ast.ListValue):
            return self.payload(node.value, base)
        return self.constant_value(node.value, base, f"the value of `{node.name}`")

    # Variables.

    def _variable(self, node: ast.Declarator, base: Type) -> list[typed.Statement]:
        type_ = self._dimensioned(base, node)
        self.attributes_noted(node.attributes)
        variable = typed.Variable(node.name, type_, "global", node.place)
        if not self.top_level:
            simple = isinstance(type_, Scalar) and type_ is not U64 and not node.placements
            variable.storage = "local" if simple else "frame"
        self._place(variable, node.placements)
        statements: list[typed.Statement] = []
        shown = variable
        if node.name in self.rebased and isinstance(type_, Array):
            shown = self._window(variable, statements)
        elif variable.storage in ("local", "frame"):
            statements.append(typed.Declare(variable, place=node.place))
        if variable.storage == "global":
            self.variables.append(variable)
        if node.value is not None:
            shown.written = True
            statements += self.initialise(shown, node.value, node.place)
        elif variable.storage in ("local", "frame") and shown is variable:
            self.unwritten.append(variable)
        self.define(node.name, shown, node.place)
        return statements

    def _window(
        self, memory: typed.Variable, statements: list[typed.Statement]
    ) -> typed.Variable:
        """An array whose `.base` the program assigns: seen through a pointer."""
        at = memory.at
        name = f"{memory.name}.base"
        if memory.storage == "global":
            pointer = typed.Variable(name, U16, "global", at, symbol=False)
            self.variables.append(pointer)
        else:
            pointer = typed.Variable(name, U16, "local", at)
            statements.append(typed.Declare(pointer, place=at))
        window = typed.Variable(memory.name, memory.type, "window", at, pointer=pointer)
        if memory.name not in self.pending:
            if memory.storage == "frame":
                statements.append(typed.Declare(memory, place=at))
            base = typed.Base(typed.Whole(memory, place=at), U16, place=at)
            statements.append(typed.SetBase(window, base, place=at))
        return window

    def _place(self, variable: typed.Variable, placements: Sequence[ast.Placement]) -> None:
        for placement in placements:
            argument = placement.argument
            if placement.kind == "bank":
                bank = self.integer_constant(argument, "a bank")
                if not 0 <= bank <= 3:
                    raise UserError(f"there is no bank {bank}", placement.place,
                                    "banks are 0, 1, 2 and 3")  # fmt: skip
                variable.bank = bank
            elif placement.kind == "address":
                variable.storage = "global"
                variable.symbol = self.top_level
                if isinstance(argument, ast.Unary) and argument.operator == "&":
                    self._alias(variable, argument.operand)
                else:
                    self._address(variable, argument)
            else:
                near = suggestion(placement.kind, ["bank", "address"])
                raise UserError(
                    f"there is no placement `{placement.kind}`", placement.place,
                    near or "placements are `bank(0)` and `address(0x7c00)`",
                )  # fmt: skip

    def _alias(self, variable: typed.Variable, node: ast.Expression) -> None:
        place = self.memory(node)
        fixed = fixed_offset(place)
        if fixed is None or fixed[0].storage == "local":
            raise UserError("an alias needs a variable at a fixed place in memory", node.place)
        if fixed[0].storage == "frame":
            variable.storage = "frame"
        words = variable.type.words
        if variable.type.align == 2 and place.type.align == 1:
            self.warn("a 32-bit value needs an even address", node.place)
        left = fixed[0].type.words - fixed[1]
        if words > left:
            self.diagnostics.note(
                f"`{variable.name}` is longer ({words} words) than what it is an alias of "
                f"({left} to the end of `{fixed[0].name}`)", variable.at,
            )  # fmt: skip
        variable.alias = place
        fixed[0].written = True
        variable.written = True

    def _address(self, variable: typed.Variable, node: ast.Expression) -> None:
        address = self.integer_constant(node, "an address") & 0xFFFFFFFF
        end = address + variable.type.words
        if not 0 <= address < WIDEST or end > WIDEST:
            raise UserError(
                f"`{variable.name}` would end at {end:#x}; addresses end at 0x7fff", node.place
            )
        if variable.type.align == 2 and address % 2:
            raise UserError(f"{address:#x} is odd; a 32-bit value needs an even address",
                            node.place)  # fmt: skip
        variable.address = address

    # Attributes.

    def attributes_noted(self, attributes: Sequence[ast.Attribute]) -> None:
        """Attributes that have no effect here say so once."""
        for attribute in attributes:
            family = attribute.name.split(".")[0]
            if attribute.name in self.noted:
                continue
            self.noted.add(attribute.name)
            if family in FAMILIES:
                text = f"`{attribute.name}` has no effect in this compiler"
                self.diagnostics.note(text, attribute.place)
            else:
                near = suggestion(family, FAMILIES)
                self.warn(f"attribute `{attribute.name}` is not known; it is ignored",
                          attribute.place, near)  # fmt: skip

    def rebased_only(self, names: Sequence[str]) -> None:
        """Arrays among the next declarations whose base is assigned before anything reads them."""
        self.pending = list(names)

    # Streams, sockets and the like.

    def _sockets(self, node: ast.Sockets) -> list[typed.Statement]:
        raise NotImplementedError

    def _fifo(self, node: ast.Declarator, base: Type) -> None:
        raise NotImplementedError

    def _stream(self, node: ast.Declarator, base: None) -> list[typed.Statement]:
        raise NotImplementedError

    def _iterators(self, node: ast.Iterators) -> list[typed.Statement]:
        raise NotImplementedError

    def _filter(self, node: ast.FilterDeclarator) -> None:
        raise NotImplementedError


class _Named:
    """Keeps the mistakes of one declarator and gives its name a meaning all the same."""

    def __init__(self, checker: Declarations, name: str, place: Place):
        self.checker, self.name, self.place = checker, name, place
        self.inner = checker.attempt()

    def __enter__(self) -> None:
        self.inner.__enter__()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool | None:
        result = self.inner.__exit__(kind, error, trace)
        if kind is not None:
            self.checker._break(self.name, self.place)
        return result


def parameter_value(name: str, text: str, type_: Scalar, place: Place) -> Number:
    """A param's text as a value of its type. Raises UserError."""
    cleaned = text.strip().replace("_", "")
    sign = -1 if cleaned.startswith("-") else 1
    digits = cleaned.lstrip("+-")
    try:
        number = number_value(digits)
    except ValueError:
        kind = "a number" if type_.is_float else "an integer"
        raise UserError(f"param `{name}` is {kind} (`{type_}`), not `{text}`", place) from None
    number *= sign
    if not type_.is_float and isinstance(number, float):
        if not number.is_integer():
            raise UserError(f"param `{name}` is an integer (`{type_}`), not `{text}`", place)
        number = int(number)
    width = 16 * type_.words
    fits = -(1 << (width - 1)) <= number < 1 << width
    if isinstance(number, int) and not type_.is_float and not fits:
        raise UserError(f"param `{name}`: {number} does not fit into `{type_}`", place)
    return literal(number, type_)
