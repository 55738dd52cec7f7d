"""Initialisers and lists: what stands in the image, and what is stored at run time."""

from collections.abc import Sequence

from carbide.check import typed
from carbide.check.constants import bits, literal
from carbide.check.functions import Functions, fixed_offset
from carbide.check.numerics import constant, convert
from carbide.check.scopes import ConstantSymbol
from carbide.check.types import XP, Array, Scalar, Struct, Type
from carbide.syntax import ast
from mitools.console import Place, UserError, suggestion

Leaf = tuple[int, Scalar, typed.Expression]
"""(offset in words, type, value) of one scalar of a list."""
FEW_WORDS = 8
"""A local variable of more words is copied from an image of its first contents."""


class Initialisers(Functions):
    def initialise(
        self, variable: typed.Variable, value: ast.Value, place: Place
    ) -> list[typed.Statement]:
        """Give a new variable its first value: in the image where that can be, else at run time."""
        target = typed.Whole(variable, place=place)
        leaves = self.leaves(target, value, first=True)
        if leaves is None:
            assert not isinstance(value, ast.ListValue)
            return self.copy_whole(target, value, place)
        constants = [
            (offset, leaf_type, found) for offset, leaf_type, found in leaves
            if isinstance(found, typed.Constant)
        ]  # fmt: skip
        if variable.storage == "global":
            if constants and variable.alias is not None:
                overlay(*root(variable.alias), constants, place)
            elif constants:
                variable.initial = image_words(variable.type.words, constants)
            leaves = [leaf for leaf in leaves if not isinstance(leaf[2], typed.Constant)]
            return self._stores(target, leaves, place)
        if isinstance(variable.type, Scalar):
            return self._stores(target, leaves, place)
        if len(constants) == len(leaves) and variable.type.words > FEW_WORDS:
            words = image_words(variable.type.words, constants)
            picture = typed.Variable(
                f"{variable.name}.initial", variable.type, "global", place,
                initial=words, symbol=False,
            )  # fmt: skip
            self.variables.append(picture)
            return [typed.Copy(target, typed.Whole(picture, place=place), place=place)]
        return self._stores(target, zero_filled(variable.type, leaves, place), place)

    def _stores(
        self, target: typed.Whole, leaves: Sequence["Leaf"], place: Place
    ) -> list[typed.Statement]:
        out: list[typed.Statement] = []
        for offset, type_, value in leaves:
            whole = isinstance(target.type, Scalar)
            spot = target if whole else typed.Part(target, offset, type_, place=place)
            out.append(typed.Store(spot, value, place=value.place))
        return out

    def leaves(
        self, target: typed.Place_, value: ast.Value, first: bool = False
    ) -> list["Leaf"] | None:
        """(offset, type, value) of every scalar that an initialiser gives; None for a whole copy.

        One plain value fills an array.
        """
        out: list[Leaf] = []
        type_ = target.type
        if isinstance(value, ast.ListValue):
            self._list(type_, 0, value, out)
            return out
        if isinstance(type_, Scalar):
            out.append((0, type_, convert(self.expression(value), type_, value.place)))
            return out
        if isinstance(type_, Array) and isinstance(type_.element, Scalar) and first:
            number = None
            named = isinstance(value, ast.Name | ast.Element | ast.Member)
            if not named or self.find_constant(value) is not None:
                number = convert(self.expression(value), type_.element, value.place)
            if isinstance(number, typed.Constant):
                step = type_.element.words
                spots = range(0, type_.words, step)
                return [(offset, type_.element, number) for offset in spots]
            if number is not None:
                raise UserError("an array is initialised with a list or a constant", value.place)
        return None

    def find_constant(self, node: ast.Expression) -> typed.Expression | None:
        """The constant that a name means, if it means one."""
        if isinstance(node, ast.Name):
            symbol = self.scope.find(node.name)
            if isinstance(symbol, ConstantSymbol):
                return constant(symbol.type, symbol.value, node.place)
        return None

    def copy_whole(
        self, target: typed.Place_, node: ast.Expression, place: Place
    ) -> list[typed.Statement]:
        """A struct, union or array assigned whole."""
        source = self.memory(node)
        if isinstance(source.type, Scalar) or not same_shape(target.type, source.type):
            raise UserError(
                f"`{source.type}` cannot be assigned to `{target.type}` whole", place,
                "assign element by element: `∀i a[i] <- b[i]`"
                if isinstance(target.type, Array) else None,
            )  # fmt: skip
        return [typed.Copy(target, source, place=place)]

    def _list(self, type_: Type, offset: int, node: ast.ListValue, out: list["Leaf"]) -> None:
        if isinstance(type_, Scalar):
            if type_.name == "wv" or (len(node.entries) == 2 and type_.words == 2):
                value = constant(type_, self.payload(node, type_), node.place)
                out.append((offset, type_, value))
                return
            if len(node.entries) != 1:
                raise UserError(f"`{type_}` is one value, not a list", node.place)
            self._entry(type_, offset, self._plain_entry(node.entries[0]), out)
            return
        if isinstance(type_, Struct):
            self._struct_list(type_, offset, node, out)
            return
        self._array_list(type_, offset, node, out)

    def _array_list(
        self, type_: Array, offset: int, node: ast.ListValue, out: list["Leaf"]
    ) -> None:
        nested = any(isinstance(e.value, ast.ListValue) for e in node.entries)
        inner = type_.inner
        if len(type_.dims) > 1 and not nested:
            inner = type_.element
        count = type_.words // inner.words if inner.words else 0
        if len(node.entries) > count:
            raise UserError(
                f"{len(node.entries)} values for {count} elements", node.entries[count].place
            )
        for place, entry in enumerate(node.entries):
            if entry.name is not None:
                raise UserError(f"an array has no member `{entry.name}`", entry.place)
            self._entry(inner, offset + place * inner.words, entry.value, out)

    def _struct_list(
        self, type_: Struct, offset: int, node: ast.ListValue, out: list["Leaf"]
    ) -> None:
        named = [e for e in node.entries if e.name is not None]
        if named:
            for entry in node.entries:
                if entry.name is None:
                    raise UserError("name every member or none", entry.place)
                member = type_.find(entry.name)
                if member is None:
                    near = suggestion(entry.name, type_.names())
                    raise UserError(f"`{type_}` has no member `{entry.name}`", entry.place, near)
                self._entry(member.type, offset + member.offset, entry.value, out)
            return
        members = type_.fields[:1] if type_.kind == "union" else type_.fields
        if len(node.entries) > len(members):
            raise UserError(f"{len(node.entries)} values for {len(members)} members",
                            node.entries[len(members)].place)  # fmt: skip
        for member, entry in zip(members, node.entries, strict=False):
            self._entry(member.type, offset + member.offset, entry.value, out)

    def _entry(self, type_: Type, offset: int, value: ast.Value, out: list["Leaf"]) -> None:
        if isinstance(value, ast.ListValue):
            self._list(type_, offset, value, out)
        elif isinstance(type_, Scalar):
            found = convert(self.expression(value), type_, value.place)
            out.append((offset, type_, found))
        else:
            raise UserError(f"`{type_}` needs a list in braces", value.place)

    def payload(self, node: ast.ListValue, base: Scalar) -> int:
        """`{low half, high half}` of a `wv` (or another 32-bit integer)."""
        if base.words != 2 or base.is_float:
            raise UserError(f"`{base}` is one value, not a list", node.place)
        if len(node.entries) != 2:
            raise UserError("a wavelet payload is written {low half, high half}", node.place)
        low, high = (
            self.integer_constant(self._plain_entry(e), "a half of a payload") & 0xFFFF
            for e in node.entries
        )
        return literal(high << 16 | low, base)  # type: ignore[return-value]

    def _plain_entry(self, entry: ast.Entry) -> ast.Expression:
        if isinstance(entry.value, ast.ListValue) or entry.name is not None:
            raise UserError("a plain value must stand here", entry.place)
        return entry.value


def image_words(words: int, leaves: Sequence[Leaf]) -> tuple[int, ...]:
    """Initial memory contents from constant leaves, zero elsewhere."""
    out = [0] * words
    put(out, 0, leaves)
    return tuple(out)


def put(words: list[int], offset: int, leaves: Sequence[Leaf]) -> None:
    """Write constant leaves into memory contents, from `offset` on."""
    for at, type_, value in leaves:
        assert isinstance(value, typed.Constant)
        pattern = bits(value.value, type_)
        for place in range(type_.words):
            words[offset + at + place] = pattern >> 16 * place & 0xFFFF


def root(place: typed.Place_) -> tuple[typed.Variable, int]:
    """The variable with words of its own behind an alias, and the offset in it."""
    fixed = fixed_offset(place)
    assert fixed is not None
    variable, offset = fixed
    if variable.alias is None:
        return variable, offset
    inner, more = root(variable.alias)
    return inner, offset + more


def overlay(variable: typed.Variable, offset: int, leaves: Sequence[Leaf], place: Place) -> None:
    """Write an alias's initial words into those of the variable that it is an alias of."""
    size = variable.type.words
    if any(offset + at + type_.words > size for at, type_, _ in leaves):
        raise UserError(f"these values reach past the end of `{variable.name}`", place)
    words = list(variable.initial or (0,) * size)
    put(words, offset, leaves)
    variable.initial = tuple(words)


def zero_filled(type_: Type, leaves: Sequence[Leaf], place: Place) -> list[Leaf]:
    """The leaves, and zeros for the words between them."""
    covered: set[int] = set()
    for offset, leaf_type, _ in leaves:
        covered.update(range(offset, offset + leaf_type.words))
    zeros = [
        (word, XP, constant(XP, 0, place)) for word in range(type_.words) if word not in covered
    ]
    return [*zeros, *leaves]


def same_shape(left: Type, right: Type) -> bool:
    """Whether one can be assigned to the other whole."""
    if isinstance(left, Array) and isinstance(right, Array):
        same = left.element is right.element or (
            isinstance(left.element, Scalar)
            and isinstance(right.element, Scalar)
            and left.element.ir == right.element.ir
        )
        return same and left.shape == right.shape
    return left is right


