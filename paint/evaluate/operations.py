"""The operations of a layout, one function each (paint page, sections 2 to 4).

Each takes the arguments of its call; `OPERATIONS` has their usage, as errors show it, and the least
and most number of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from mitools.console import Place, UserError, suggestion
from paint.evaluate import region as regions
from paint.evaluate.arguments import FARTHEST, Arguments
from paint.evaluate.region import (
    BankUse,
    FlowUse,
    NameUse,
    Pair,
    ProgramUse,
    Region,
    RuleUse,
)
from paint.evaluate.values import Color, Deferred, Value, described, parameter_text
from paint.routes.rule import SIDES, tile_rule

LARGEST = 1 << 12
"""Columns or rows of a layout: messages and images have 12 bits for a coordinate."""
MOST_COPIES = 1 << 24
FLOW_OPERATIONS = ("add", "max", "min")
FLOW_TYPES = ("sp", "xp")


@frozen
class Operation:
    usage: str
    least: int
    most: int | None
    apply: Callable[[Arguments], Value]


def tile(arguments: Arguments) -> Region:
    return regions.rectangle(0, 0, 1, 1)


def rect(arguments: Arguments) -> Region:
    x, y = arguments.whole(0, "x"), arguments.whole(1, "y")
    width, height = arguments.whole(2, "width", 0), arguments.whole(3, "height", 0)
    return checked(regions.rectangle(x, y, width, height), arguments.call)


def union(arguments: Arguments) -> Region:
    return regions.united(arguments.region(k) for k in range(len(arguments)))


def _stack(axis: int) -> Callable[[Arguments], Region]:
    def stack(arguments: Arguments) -> Region:
        members = [arguments.region(k) for k in range(len(arguments))]
        return checked(regions.stacked(members, axis), arguments.call)

    return stack


def _repeat(axis: int) -> Callable[[Arguments], Region]:
    def repeat(arguments: Arguments) -> Region:
        one, count = arguments.region(0), arguments.whole(1, "count", 0)
        gap = arguments.whole(2, "gap", 0) if len(arguments) > 2 else 0
        extent = one.width if axis == 0 else one.height
        _check_extent((extent + gap) * count - gap, axis, arguments.call)
        if len(one.cells) * count > MOST_COPIES:
            raise UserError("these are more copies than any machine has PEs", arguments.call)
        return regions.repeated(one, count, gap, axis)

    return repeat


def _flip(axis: int) -> Callable[[Arguments], Region]:
    return lambda arguments: regions.flipped(arguments.region(0), axis)


def place(arguments: Arguments) -> Region:
    return regions.moved(arguments.region(0), arguments.whole(1, "x"), arguments.whole(2, "y"))


def range_(arguments: Arguments) -> tuple[int, ...]:
    first, end = arguments.whole(0, "start"), arguments.whole(1, "end")
    if end - first > FARTHEST:
        raise UserError("this list is too long", arguments.call)
    return tuple(range(first, end))


def arrayplace(arguments: Arguments) -> Region:
    """One copy for each element of the list, upwards.

    `@k` is the copy's element of the list that the map names k; without a map any name is the
    element of the one list.
    """
    one, elements = arguments.region(0), arguments.list(1)
    lists: dict[str, tuple[Any, ...]] | None = None
    if len(arguments) > 2:
        lists = {}
        for key, value, key_place in arguments.map(2).entries:
            if not isinstance(value, tuple):
                message = f"`{key}` is {described(value)}, and should be a list"
                raise UserError(message, key_place, "range(a b) makes a list")
            if len(value) != len(elements):
                raise UserError(
                    f"the list `{key}` has {len(value)} elements for {len(elements)} copies",
                    key_place,
                    "give every list of an arrayplace the same length",
                )
            lists[key] = value
    _check_extent(one.height * len(elements), 1, arguments.call)
    if len(one.cells) * len(elements) > MOST_COPIES:
        raise UserError("these are more copies than any machine has PEs", arguments.call)
    fixed = Region(one.cells, tuple(x for x in one.layers if not _deferred(x[0])), one.pairs)
    parts = [regions.repeated(fixed, len(elements), 0, 1)]
    varying = tuple(x for x in one.layers if _deferred(x[0]))
    if varying:
        alone = Region(regions.NO_TILES, varying)
        for index, element in enumerate(elements):
            bindings = None if lists is None else {k: v[index] for k, v in lists.items()}
            copy = regions.moved(alone, 0, index * one.height)
            parts.append(copy.changed(lambda r: r, _substitution(bindings, element)))
    return regions.united(parts)


def _deferred(content: Any) -> bool:
    return isinstance(content, ProgramUse) and any(
        isinstance(value, Deferred) for _, value in content.parameters
    )


def _substitution(
    bindings: Mapping[str, Value] | None, element: Value
) -> Callable[[regions.Content], regions.Content]:
    def substitute(content: regions.Content) -> regions.Content:
        if not isinstance(content, ProgramUse):
            return content
        places = dict(content.key_places)
        parameters = tuple(
            (key, parameter(substituted(value, bindings, element), places[key], key))
            for key, value in content.parameters
        )
        return ProgramUse(
            content.program, content.sockets, parameters, content.place, content.key_places
        )

    return substitute


def substituted(value: Value, bindings: Mapping[str, Value] | None, element: Value) -> Value:
    """A deferred value with the elements that are known now."""
    if not isinstance(value, Deferred):
        return value
    if value.operator == "@":
        if bindings is None:
            return element
        return bindings.get(value.operands[0], value)
    operands = tuple(substituted(o, bindings, element) for o in value.operands)
    return computed(value.operator, operands, value.place)


def setif(arguments: Arguments) -> Value:
    raise AssertionError("the evaluator decides setif, to evaluate one side alone")


def code(arguments: Arguments) -> Region:
    one, program = arguments.region(0), arguments.name(1)
    if not program or program.startswith("/"):
        raise arguments.wrong(1, "the name of a program")
    sockets: list[tuple[str, Color]] = []
    parameters: list[tuple[str, Any]] = []
    places: dict[str, Place] = {}
    for key, value, key_place in arguments.map(2).entries if len(arguments) > 2 else ():
        if key in places:
            message = f"`{key}` stands in this map twice"
            raise UserError(message, key_place, None, [("the first", places[key])])
        places[key] = key_place
        if isinstance(value, Color):
            sockets.append((key, value))
        else:
            parameters.append((key, parameter(value, key_place, key)))
    use = ProgramUse(
        program, tuple(sorted(sockets, key=lambda s: s[0])),
        tuple(sorted(parameters, key=lambda p: p[0])), arguments.call, tuple(places.items()),
    )  # fmt: skip
    return one.with_layer(use)


def parameter(value: Value, where: Place, key: str) -> Any:
    """A param's value as text, or still deferred."""
    if isinstance(value, Deferred):
        return value
    if isinstance(value, int | Fraction | str):
        return parameter_text(value)
    raise UserError(
        f"`{key}` is {described(value)}", where, "a socket takes a color, a param a number"
    )


def name(arguments: Arguments) -> Region:
    one, text = arguments.region(0), arguments.name(1)
    if not text or any(c.isspace() for c in text):
        raise UserError("a name has letters and no blanks", arguments.places[1])
    return one.with_layer(NameUse(text, arguments.call))


def paint(arguments: Arguments) -> Region:
    one, color, route = arguments.region(0), arguments.color(1), arguments.route(2)
    rule = route.rule
    sides = "".join(
        s for s in SIDES if any(s in p.before + p.after for p in rule.positions)
    )
    for edges, rects in regions.at_edges(one, sides):
        one = one.with_layer(RuleUse(color, tile_rule(rule, edges), route.place), rects)
    return one


def colorpair(arguments: Arguments) -> Region:
    one, first, second = arguments.region(0), arguments.color(1), arguments.color(2)
    if first is second:
        raise UserError(
            f"`{first.label}` cannot be its own partner", arguments.call, "a pair needs two colors"
        )
    return one.with_pair(Pair(first, second, arguments.call))


def mp(arguments: Arguments) -> Region:
    one, bank = arguments.region(0), arguments.whole(1, "bank")
    if bank not in (0, 1):
        raise UserError(
            f"there is no message passing bank {bank}", arguments.places[1],
            "bank 0 takes colors 14-18, bank 1 colors 19-23",
        )  # fmt: skip
    return one.with_layer(BankUse(bank, arguments.call))


def flow(arguments: Arguments) -> Region:
    one, color = arguments.region(0), arguments.color(1)
    operation, type_ = arguments.name(2), arguments.name(3)
    for index, value, known in ((2, operation, FLOW_OPERATIONS), (3, type_, FLOW_TYPES)):
        if value not in known:
            listed = ", ".join(f"'{k}" for k in known)
            remedy = suggestion(value, known) or f"there are {listed}"
            raise UserError(f"a flow knows no '{value}", arguments.places[index], remedy)
    return one.with_layer(FlowUse(color, operation, type_, arguments.call))


def computed(operator: str, operands: tuple[Value, ...], where: Place) -> Value:
    """The result of an arithmetic operator; deferred if an operand is."""
    if any(isinstance(o, Deferred) for o in operands):
        return Deferred(operator, operands, where)
    if operator in ("==", "!=") and all(isinstance(o, str) for o in operands):
        return int((operands[0] == operands[1]) == (operator == "=="))
    for operand in operands:
        if not isinstance(operand, int | Fraction):
            raise UserError(f"`{operator}` takes numbers, and here is {described(operand)}", where)
    if len(operands) == 1:
        return -operands[0]
    left, right = operands
    if operator in ("/", "//", "%") and right == 0:
        raise UserError(f"`{operator}` by zero", where)
    if operator == "/":
        quotient = Fraction(left) / Fraction(right)
        whole = isinstance(left, int) and isinstance(right, int) and quotient.denominator == 1
        return int(quotient) if whole else quotient
    result: Value
    match operator:
        case "+": result = left + right  # noqa: E701
        case "-": result = left - right  # noqa: E701
        case "*": result = left * right  # noqa: E701
        case "//": result = left // right  # noqa: E701
        case "%": result = left % right  # noqa: E701
        case "==": result = int(left == right)  # noqa: E701
        case "!=": result = int(left != right)  # noqa: E701
        case "<": result = int(left < right)  # noqa: E701
        case ">": result = int(left > right)  # noqa: E701
        case "<=": result = int(left <= right)  # noqa: E701
        case ">=": result = int(left >= right)  # noqa: E701
        case _: raise AssertionError(operator)  # noqa: E701
    if abs(result) > 1 << 600:
        raise UserError("this number is too large", where)
    return result


def checked(one: Region, where: Place) -> Region:
    """The region, unless it is larger than any machine."""
    _check_extent(one.width, 0, where)
    _check_extent(one.height, 1, where)
    return one


def _check_extent(extent: int, axis: int, where: Place) -> None:
    if extent > LARGEST:
        what = "columns" if axis == 0 else "rows"
        raise UserError(f"{extent} {what} are more than the {LARGEST} of any machine", where)


OPERATIONS = {
    "tile": Operation("tile()", 0, 0, tile),
    "rect": Operation("rect(x y width height)", 4, 4, rect),
    "union": Operation("union(region …)", 0, None, union),
    "hstack": Operation("hstack(region …)", 0, None, _stack(0)),
    "vstack": Operation("vstack(region …)", 0, None, _stack(1)),
    "hstackrep": Operation("hstackrep(region count [gap])", 2, 3, _repeat(0)),
    "vstackrep": Operation("vstackrep(region count [gap])", 2, 3, _repeat(1)),
    "hflip": Operation("hflip(region)", 1, 1, _flip(0)),
    "vflip": Operation("vflip(region)", 1, 1, _flip(1)),
    "place": Operation("place(region x y)", 3, 3, place),
    "range": Operation("range(start end)", 2, 2, range_),
    "arrayplace": Operation("arrayplace(region list [k:list])", 2, 3, arrayplace),
    "setif": Operation("setif(condition a b)", 3, 3, setif),
    "code": Operation("code(region 'program [socket:color param:value])", 2, 3, code),
    "name": Operation("name(region 'name)", 2, 2, name),
    "paint": Operation("paint(region color [route])", 3, 3, paint),
    "colorpair": Operation("colorpair(region color color)", 3, 3, colorpair),
    "mp": Operation("mp(region bank)", 2, 2, mp),
    "flow": Operation("flow(region color 'operation 'type)", 4, 4, flow),
}
ABSENT = {
    "terminal": "terminal(region 'name 'data CENTER color …)",
    "transport": "transport('a.name 'b.name 'name)",
}
"""Operations of the language that this version does not have."""
