"""Sockets, FIFOs, streams, iterators and filters (tungsten page, sections 5 and 6)."""

from attrs import define, field

from carbide.check import numerics, typed
from carbide.check.declarations import Declarations
from carbide.check.functions import fixed_offset
from carbide.check.numerics import constant, convert, settled
from carbide.check.scopes import RangeSymbol
from carbide.check.types import U64, XP, Scalar
from carbide.syntax import ast
from mitools.arch.sdr import ARCH
from mitools.console import Place, UserError, suggestion

DEEPEST_WALK = 4
SOCKET_ATTRIBUTES = ("dir", "id")
FILTER_SETTINGS = ("limit", "maxpass", "tick", "socket", "state")
TICKS = {"wavelet": (True, False), "data": (True, False), "control": (False, True),
         "all": (True, True)}  # fmt: skip


@define
class Linear:
    """start + sum of coefficient * variable; `start` is an expression without the variables."""

    start: typed.Expression
    coefficients: dict[typed.Variable, int] = field(factory=dict)


class Streams(Declarations):
    def _sockets(self, node: ast.Sockets) -> list[typed.Statement]:
        type_: Scalar | None = None
        if node.type is not None:
            with self.attempt():
                found = self.type_of(node.type, node.place)
                if not isinstance(found, Scalar) or found is U64:
                    raise UserError(f"a socket carries basic types, not `{found}`",
                                    node.type.place)  # fmt: skip
                type_ = found
        for declarator in node.declarators:
            with self._named(declarator.name, declarator.place):
                self._socket(declarator, type_)
        return []

    def _socket(self, node: ast.Declarator, type_: Scalar | None) -> None:
        if self.body.is_function:
            raise UserError("a socket cannot be declared in a function", node.place,
                            "declare it outside, or take a `socket s` as parameter")  # fmt: skip
        if node.dimensions:
            raise UserError(
                "there are no arrays of sockets", node.place,
                "keep their descriptors in an array: `u64 d[4]; d[0] = s;`",
            )  # fmt: skip
        if node.value is not None or node.placements:
            raise UserError("a socket has no initialiser and no placement", node.place,
                            "the layout binds it to a color")  # fmt: skip
        direction, queue = None, None
        rest = []
        for attribute in node.attributes:
            name = attribute.name.removeprefix("socket.")
            argument = attribute.value
            if argument is None and len(attribute.arguments) == 1:
                argument = attribute.arguments[0]
            if name == "dir" and argument is not None:
                direction = self._word(argument, ("in", "out", "inout"), attribute)
            elif name == "id" and argument is not None:
                queue = self.integer_constant(argument, "a queue")
                limit = ARCH.queues.inputs
                if not 0 <= queue < limit:
                    raise UserError(f"there is no input queue {queue}", attribute.place,
                                    f"queues are 0 to {limit - 1}")  # fmt: skip
            else:
                rest.append(attribute)
        self.attributes_noted(rest)
        socket = typed.Socket(
            node.name, type_, None if direction == "inout" else direction, queue, node.place
        )
        for other in self.sockets:
            if queue is not None and other.queue == queue:
                raise UserError(f"input queue {queue} is given to two sockets", node.place,
                                None, [("the other is here", other.at)])  # fmt: skip
        self.define(node.name, socket, node.place)
        self.sockets.append(socket)

    def _word(
        self, node: ast.Expression, words: tuple[str, ...], attribute: ast.Attribute
    ) -> str:
        if isinstance(node, ast.Name) and node.name in words:
            return node.name
        found = node.name if isinstance(node, ast.Name) else ""
        listed = ", ".join(f"`{word}`" for word in words)
        raise UserError(f"`{attribute.name}` is one of {listed}", attribute.place,
                        suggestion(found, words))  # fmt: skip

    def _stream(self, node: ast.Declarator, base: object) -> list[typed.Statement]:
        return self._variable(node, U64)

    def _fifo(self, node: ast.Declarator, base: object) -> None:
        if not isinstance(base, Scalar) or base is U64 or node.dimensions:
            raise UserError("a FIFO carries one basic type", node.place)
        if not isinstance(node.value, ast.ListValue):
            raise UserError("a FIFO needs its memory", node.place,
                            f"write `{base} fifo {node.name} = {{.mem=buffer}};`")  # fmt: skip
        memory: typed.Place_ | None = None
        for entry in node.value.entries:
            if entry.name == "mem" and not isinstance(entry.value, ast.ListValue):
                memory = self.memory(entry.value)
            elif entry.name is None:
                raise UserError("a FIFO's settings are named", entry.place, "write `.mem=buffer`")
            else:
                raise self.not_yet(f"the FIFO setting `.{entry.name}`", entry.place)
        if memory is None:
            raise UserError("a FIFO needs its memory", node.place, "write `.mem=buffer`")
        fixed = fixed_offset(memory)
        if fixed is None or fixed[0].storage not in ("global", "frame"):
            raise UserError("a FIFO's memory must be an array at a fixed place", node.place)
        fixed[0].written = True
        capacity = memory.type.words // base.words
        if capacity < 1:
            raise UserError("this buffer holds no element", node.place)
        self.attributes_noted(node.attributes)
        fifo = typed.Fifo(node.name, base, memory, capacity, node.place)
        self.define(node.name, fifo, node.place)
        self.fifos.append(fifo)

    # Iterators.

    def _iterators(self, node: ast.Iterators) -> list[typed.Statement]:
        out: list[typed.Statement] = []
        for declarator in node.declarators:
            with self._named(declarator.name, declarator.place):
                iterator = self._iterator(declarator)
                if not self.top_level or not self._known(iterator):
                    out.append(typed.Rewind(iterator, place=declarator.place))
        return out

    def _iterator(self, node: ast.IteratorDeclarator) -> typed.Iterator:
        if node.target is None:
            raise UserError(
                f"iterator `{node.name}` walks over nothing", node.place,
                f"write `iterator {node.name} = ∀i x[i];`",
            )  # fmt: skip
        before = dict(self.walking)
        try:
            with self.inner_scope():
                walks = [self.open_walk(walk) for walk in node.walks]
                with self.under_condition():  # `_note_walk` speaks for the whole walk
                    target = self.memory(node.target)
                self.mark_read(target, node.target.place)
                self.mark_written(target)
        finally:
            self.walking = before
        if not isinstance(target.type, Scalar) or target.type is U64:
            raise UserError(f"an iterator's elements are basic values, not `{target.type}`",
                            node.target.place)  # fmt: skip
        variables = [walk.variable for walk in walks]
        memory, linear = self._linear_place(target, variables, node.target.place)
        start = linear.start
        dims: list[tuple[typed.Expression | None, int]] = []
        for walk in walks:
            stride = linear.coefficients.get(walk.variable, 0)
            start = self._plus(start, self._times(walk.low, stride))
            if walk.high is None and stride == 0 and not dims:
                continue  # for ever over the same: a used-up walk starts again by itself
            count = None if walk.high is None else self._minus(walk.high, walk.low)
            dims.append((count, stride))
        dims = merged(dims)
        if len(dims) > DEEPEST_WALK:
            raise UserError(
                f"this walk has {len(dims)} dimensions; the machine walks over {DEEPEST_WALK}",
                node.place,
            )  # fmt: skip
        if not dims:
            dims = [(constant(XP, 1, node.place), 0)]
        iterator = typed.Iterator(node.name, target.type, memory, start, tuple(dims), node.place)
        self.define(node.name, iterator, node.place)
        self.iterators.append(iterator)
        self._note_walk(iterator, node)
        return iterator

    def _known(self, iterator: typed.Iterator) -> bool:
        """Whether the image can hold the walk's beginning: all of it is known now."""
        parts = [iterator.start, *(c for c, _ in iterator.dims if c is not None)]
        constant_ = all(isinstance(part, typed.Constant) for part in parts)
        return constant_ and fixed_offset(iterator.memory) is not None

    def _note_walk(self, node_: typed.Iterator, node: ast.IteratorDeclarator) -> None:
        """A note where a constant walk reaches past its array (published programs do)."""
        place = node_.memory
        if not isinstance(node_.start, typed.Constant):
            return
        low = high = int(node_.start.value)
        for count, stride in node_.dims:
            if not isinstance(count, typed.Constant) or int(count.value) < 1:
                return
            reach = (int(count.value) - 1) * stride
            low, high = low + min(reach, 0), high + max(reach, 0)
        if low < 0 or high >= place.type.words:
            self.diagnostics.note(
                f"`{node.name}` reaches past its array, from word {low} to {high} of "
                f"{place.type.words}; it reads and writes what lies there", node.place,
            )  # fmt: skip

    def _linear_place(
        self, place: typed.Place_, variables: list[typed.Variable], at: Place
    ) -> tuple[typed.Place_, Linear]:
        """(memory, offset in words) of a place, the offset linear in the walks' variables."""
        match place:
            case typed.Whole():
                return place, Linear(constant(XP, 0, at))
            case typed.Seen():
                memory, linear = self._linear_place(place.inner, variables, at)
                return memory, linear
            case typed.Part():
                memory, linear = self._linear_place(place.struct, variables, at)
                linear.start = self._plus(linear.start, constant(XP, place.offset, at))
                return memory, linear
        memory, linear = self._linear_place(place.array, variables, at)
        index = self._linear(place.index, variables)
        step = place.type.words
        linear.start = self._plus(linear.start, self._times(index.start, step))
        for variable, factor in index.coefficients.items():
            linear.coefficients[variable] = linear.coefficients.get(variable, 0) + factor * step
        return memory, linear

    def _linear(self, e: typed.Expression, variables: list[typed.Variable]) -> Linear:
        if not uses(e, variables):
            return Linear(e)
        zero = constant(XP, 0, e.place)
        match e:
            case typed.Read(memory=typed.Whole(variable=variable)):
                return Linear(zero, {variable: 1})
            case typed.Convert(value=inner) | typed.Bits(value=inner) if inner.type.words == 1:
                return self._linear(inner, variables)
            case typed.Unary(op="neg"):
                return self._scaled(self._linear(e.value, variables), -1)
            case typed.Binary(op="add" | "sub"):
                left, right = (self._linear(side, variables) for side in (e.left, e.right))
                if e.op == "sub":
                    right = self._scaled(right, -1)
                total = dict(left.coefficients)
                for variable, factor in right.coefficients.items():
                    total[variable] = total.get(variable, 0) + factor
                return Linear(self._plus(left.start, right.start), total)
            case typed.Binary(op="mul"):
                if isinstance(e.right, typed.Constant):
                    return self._scaled(self._linear(e.left, variables), int(e.right.value))
                if isinstance(e.left, typed.Constant):
                    return self._scaled(self._linear(e.right, variables), int(e.left.value))
            case typed.Binary(op="shl", right=typed.Constant(value=count)):
                factor = 1 << int(count)
                return self._scaled(self._linear(e.left, variables), factor)
        raise UserError(
            "an iterator's index must be a sum of walk variables times constants", e.place
        )

    def _scaled(self, linear: Linear, factor: int) -> Linear:
        scaled = {v: c * factor for v, c in linear.coefficients.items()}
        return Linear(self._times(linear.start, factor), scaled)

    def _plus(self, a: typed.Expression, b: typed.Expression) -> typed.Expression:
        if isinstance(b, typed.Constant) and b.value == 0:
            return a
        if isinstance(a, typed.Constant) and a.value == 0:
            return b
        return convert(numerics.binary("add", a, b, a.place), XP)

    def _minus(self, a: typed.Expression, b: typed.Expression) -> typed.Expression:
        if isinstance(b, typed.Constant) and b.value == 0:
            return a
        return convert(numerics.binary("sub", a, b, a.place), XP)

    def _times(self, e: typed.Expression, factor: int) -> typed.Expression:
        if factor == 1:
            return e
        by = constant(XP, numerics.constants.wrap(factor, XP), e.place)
        return convert(numerics.binary("mul", e, by, e.place), XP)

    # Walks over ranges.

    def open_walk(self, node: ast.Walk) -> typed.Walk:
        """Begin a walk: bounds evaluated here, the variable known from here on.

        The caller opens a scope and restores `walking`.
        """
        place = node.place
        if node.range is not None:
            symbol = RangeSymbol(node.variable, node.range, self.scope, place)
            low, high = self._bounds(symbol)
            self.scope.define(node.variable, symbol, place)
        else:
            found = self.scope.find(node.variable)
            if found is None and node.variable == "inf":
                symbol = RangeSymbol("inf", None, self.scope, place)
                self.scope.names["inf"] = symbol
                low, high = constant(XP, 0, place), None
            else:
                symbol = self.find(node.variable, place)
                if not isinstance(symbol, RangeSymbol):
                    raise UserError(
                        f"`{node.variable}` is no range", place,
                        f"declare one: `let {node.variable} in [0, N);`, or write "
                        f"`∀{node.variable} in [0, N) …`",
                    )  # fmt: skip
                low, high = self._bounds(symbol)
        variable = typed.Variable(node.variable, XP, "local", place)
        self.walking[symbol] = variable
        if isinstance(low, typed.Constant) and isinstance(high, typed.Constant):
            self.spans[variable] = (int(low.value), int(high.value) - 1)
        return typed.Walk(variable, low, high)

    def _bounds(self, symbol: RangeSymbol) -> tuple[typed.Expression, typed.Expression | None]:
        node = symbol.range
        if node is None:
            return constant(XP, 0, symbol.at), None
        if node.closed:
            raise UserError("a range is half open", node.place,
                            "write `[first, last + 1)`")  # fmt: skip
        with self.in_scope(symbol.scope):
            low = self._bound(node.low)
            high = None if isinstance(node.high, ast.Infinity) else self._bound(node.high)
        return low, high

    def _bound(self, node: ast.Expression) -> typed.Expression:
        found = settled(self.expression(node))
        if not found.type.is_integer:
            raise UserError(f"a range runs over integers; this bound is `{found.type}`",
                            node.place)  # fmt: skip
        if isinstance(found, typed.Constant) and not -0x8000 <= int(found.value) <= 0x7FFF:
            raise UserError(f"a range ends at 32767 at most, not {found.value}", node.place)
        return convert(found, XP)

    # Filters.

    def _filter(self, node: ast.FilterDeclarator) -> None:
        if self.body.is_function:
            raise UserError("a filter cannot be declared in a function", node.place)
        if node.kind != "counter":
            known = ("counter", "sparse counter", "range")
            if node.kind in known:
                raise self.not_yet(f"the filter kind `{node.kind}`", node.place)
            near = suggestion(node.kind, known) or "write `filter f[counter] = …`"
            raise UserError(f"there is no filter kind `{node.kind}`", node.place, near)
        if node.settings is None:
            raise UserError(f"filter `{node.name}` has no settings", node.place)
        numbers: dict[str | None, int] = {"state": 0}
        socket: typed.Socket | None = None
        counts = TICKS["wavelet"]
        for entry in node.settings.entries:
            name, value = entry.name, entry.value
            if name not in FILTER_SETTINGS or isinstance(value, ast.ListValue):
                close = suggestion(name or "", FILTER_SETTINGS)
                raise UserError(f"a filter has no setting `{name}`", entry.place, close)
            if name == "socket":
                found = self.find(value.name, value.place) if isinstance(value, ast.Name) else None
                if not isinstance(found, typed.Socket):
                    raise UserError("`.socket` names a socket", entry.place)
                socket = found
            elif name == "tick":
                word = value.name if isinstance(value, ast.Name) else ""
                if word not in TICKS:
                    listed = ", ".join(f"`{tick}`" for tick in TICKS)
                    raise UserError(f"`.tick` is one of {listed}", entry.place)
                counts = TICKS[word]
            else:
                numbers[name] = self.integer_constant(value, f"`.{name}`")
        for needed in ("limit", "maxpass"):
            if needed not in numbers:
                raise UserError(f"filter `{node.name}` needs `.{needed}`", node.place)
            if not 0 <= numbers[needed] <= 0xFFFF:
                raise UserError(f"`.{needed}` must be 0 to 65535", node.place)
        if socket is None:
            raise UserError(f"filter `{node.name}` needs `.socket`", node.place)
        if numbers["state"] not in (0, 64):
            raise UserError("`.state` is 0 (begin with what passes) or 64 (begin with what drops)",
                            node.place)  # fmt: skip
        self.receives_on(socket, node.place)
        made = typed.Filter(
            node.name, socket, numbers["limit"], numbers["maxpass"], *counts, numbers["state"],
            node.place,
        )  # fmt: skip
        self.define(node.name, made, node.place)
        self.filters.append(made)


def uses(e: object, variables: list[typed.Variable]) -> bool:
    """Whether an expression reads one of the variables."""
    stack = [e]
    while stack:
        item = stack.pop()
        if isinstance(item, typed.Whole):
            if any(item.variable is v for v in variables):
                return True
        elif isinstance(item, tuple):
            stack += item
        elif hasattr(item, "__attrs_attrs__") and not isinstance(
            item, typed.Instance | typed.Socket | typed.Iterator | typed.Fifo
        ):
            stack += [getattr(item, a.name) for a in item.__attrs_attrs__ if a.name != "place"]
    return False


def merged(
    dims: list[tuple[typed.Expression | None, int]],
) -> list[tuple[typed.Expression | None, int]]:
    """The dims without those of one element, and neighbours that walk on evenly as one."""
    out: list[tuple[typed.Expression | None, int]] = []
    for count, stride in dims:
        if isinstance(count, typed.Constant) and count.value == 1:
            continue
        if out and isinstance(count, typed.Constant) and int(count.value) > 0:
            before, step = out[-1]
            even = step == stride * int(count.value)
            if even and before is None:
                out[-1] = (None, stride)
                continue
            if even and isinstance(before, typed.Constant):
                total = int(before.value) * int(count.value)
                if 0 < total <= 0x7FFF:
                    out[-1] = (constant(XP, total, count.place), stride)
                    continue
        out.append((count, stride))
    return out


