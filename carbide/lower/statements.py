"""Typed statements to IR statements."""

from collections.abc import Sequence

from carbide.check import typed
from carbide.check.types import Array, Scalar
from carbide.ir import nodes as ir
from carbide.lower.expressions import Expressions
from carbide.lower.memory import ZERO, add, times
from carbide.lower.names import ir_place

FEW_WORDS = 8
"""A struct of so few words is copied word by word, a longer one in a loop."""


class Statements(Expressions):
    def body(self, block: typed.Block) -> tuple[ir.Stmt, ...]:
        """The statements of a block."""
        outer, self.out = self.out, []
        for statement in block.statements:
            self.statement(statement)
        inner, self.out = self.out, outer
        return tuple(inner)

    def statement(self, node: typed.Statement) -> None:
        """Emit one statement."""
        at = ir_place(node.place)
        emit = self.out.append
        match node:
            case typed.Block():
                emit(ir.Block(self.body(node), place=at))
            case typed.Declare():
                if node.variable.storage == "frame":
                    self.memory.region(node.variable)
            case typed.Store():
                self._store(node)
            case typed.Update():
                self._update(node)
            case typed.Fuse():
                self._fuse(node)
            case typed.Copy():
                self._copy(node)
            case typed.SendValue():
                port, value = self._port_and_value(node.port, node.value)
                emit(ir.Send(port, value, place=at))
            case typed.SendControl():
                port, value = self._port_and_value(node.port, node.value)
                if value.type != "u32":
                    value = ir.Bits("u32", value, place=at)
                emit(ir.SendControl(port, value, place=at))
            case typed.Flip():
                emit(ir.Flip(self.ports.of(node.socket, node.socket.name), place=at))
            case typed.Discard():
                if isinstance(node.value, typed.Called):
                    self.call(node.value, wanted=False)
                else:
                    emit(ir.Evaluate(self.value(node.value), place=at))
            case typed.Accumulate():
                self._accumulate(node)
            case typed.Loop():
                self._loop(node)
            case typed.While():
                before, test = self.apart(node.condition)
                emit(ir.While(tuple(before), test, self.body(node.body), place=at))
            case typed.Forever():
                emit(ir.Forever(self.body(node.body), place=at))
            case typed.If():
                test = self.value(node.condition)
                emit(ir.If(test, self.body(node.then), self.body(node.otherwise), place=at))
            case typed.Return():
                result = None if node.value is None else self.value(node.value)
                emit(ir.Return(result, place=at))
            case typed.Parallel():
                arms = (ir.Arm(self.body(a), place=ir_place(a.place)) for a in node.arms)
                emit(ir.Parallel(tuple(arms), place=at))
            case typed.Dispatch():
                handlers = tuple(self._handler(h, node.socket) for h in node.handlers)
                socket = self.ports.of(node.socket, node.socket.name)
                emit(ir.Dispatch(socket, handlers, node.forever, place=at))
            case typed.Threads():
                emit(ir.Threads(node.enabled, self.body(node.body), place=at))
            case typed.Reset():
                emit(ir.ResetIterator(self._iterator(node.iterator), place=at))
            case typed.Rewind():
                self._rewind(node)
            case typed.SetLength():
                length = None if node.value is None else self.value(node.value)
                emit(ir.SetLength(self._iterator(node.iterator), length, place=at))
            case typed.SetBase():
                pointer = node.variable.pointer
                assert pointer is not None
                value = self.value(node.value)
                self._write(typed.Whole(pointer, place=node.place), value, at)
            case _:
                raise TypeError(node)

    # Assignments.

    def _write(self, target: typed.Place_, value: ir.Expr, at: ir.Place) -> None:
        if isinstance(target, typed.Whole) and target.variable.storage == "local":
            self.out.append(ir.Assign(self.local(target.variable), value, place=at))
        else:
            self.out.append(ir.Store(self.element(target), value, place=at))

    def _is_local(self, target: typed.Place_) -> bool:
        return isinstance(target, typed.Whole) and target.variable.storage == "local"

    def _store(self, node: typed.Store) -> None:
        at = ir_place(node.place)
        if self._is_local(node.target):
            self._write(node.target, self.value(node.value), at)
            return
        element = self.element(node.target)
        element, value = self._element_and_value(element, node.value, at)
        self.out.append(ir.Store(element, value, place=at))

    def _element_and_value(
        self, element: ir.Element, node: typed.Expression, at: ir.Place
    ) -> tuple[ir.Element, ir.Expr]:
        """A place found before and the value after it, in that order."""
        before, value = self.apart(node)
        if before:
            element = self._saved(element, at)
            self.out += before
        return element, value

    def _saved(self, element: ir.Element, at: ir.Place) -> ir.Element:
        base = element.base
        if not isinstance(base, ir.AddressOf):
            base = self.save(base, at)
        return ir.Element(base, self.save(element.offset, at), place=element.place)

    def _port_and_value(
        self, port: typed.Port, node: typed.Expression
    ) -> tuple[ir.Port, ir.Expr]:
        lowered = self.port(port)
        if lowered.element is None:
            return lowered, self.value(node)
        at = ir_place(node.place)
        element, value = self._element_and_value(lowered.element, node, at)
        return ir.Port("stream", element=element), value

    def _place_once(self, target: typed.Place_, at: ir.Place) -> ir.Var | ir.Element:
        """A place that is read and written: found once when finding it has effects."""
        if self._is_local(target):
            assert isinstance(target, typed.Whole)
            return self.local(target.variable)
        element = self.element(target)
        if any(isinstance(n, ir.Receive) for n in ir.walk(element)):
            element = self._saved(element, at)
        return element

    def _read_spot(self, spot: ir.Var | ir.Element, type_: str, at: ir.Place) -> ir.Expr:
        return spot if isinstance(spot, ir.Var) else ir.Load(type_, spot, place=at)

    def _write_spot(self, spot: ir.Var | ir.Element, value: ir.Expr, at: ir.Place) -> None:
        if isinstance(spot, ir.Var):
            self.out.append(ir.Assign(spot, value, place=at))
        else:
            self.out.append(ir.Store(spot, value, place=at))

    def _changed(
        self, target: typed.Place_, values: Sequence[typed.Expression], at: ir.Place
    ) -> tuple[ir.Var | ir.Element, ir.Expr, list[ir.Expr]]:
        """(place, its value, the values) of `target op= …`, found in that order."""
        spot = self._place_once(target, at)
        assert isinstance(target.type, Scalar)
        now = self._read_spot(spot, target.type.ir, at)
        outer, self.out = self.out, []
        found = self.operands(values)
        inner, self.out = self.out, outer
        if inner:
            if isinstance(spot, ir.Element):
                spot = self._saved(spot, at)
                now = self._read_spot(spot, target.type.ir, at)
            now = self.save(now, at)
            self.out += inner
        return spot, now, found

    def _update(self, node: typed.Update) -> None:
        at = ir_place(node.place)
        own = node.target.type
        assert isinstance(own, Scalar)
        spot, now, (value,) = self._changed(node.target, (node.value,), at)
        if now.type != node.type.ir:
            now = ir.Convert(node.type.ir, now, place=at)
        if value.type != node.type.ir:
            value = ir.Convert(node.type.ir, value, place=at)
        result: ir.Expr = ir.Binary(node.op, now, value, place=at)
        if result.type != own.ir:
            result = ir.Convert(own.ir, result, place=at)
        self._write_spot(spot, result, at)

    def _fuse(self, node: typed.Fuse) -> None:
        at = ir_place(node.place)
        spot, now, (left, right) = self._changed(node.target, (node.left, node.right), at)
        self._write_spot(spot, ir.Fma(node.op, left, right, now, place=at), at)

    def _copy(self, node: typed.Copy) -> None:
        at = ir_place(node.place)
        target, source = self.element(node.target), self.element(node.source)
        type_ = node.target.type
        element = type_.element if isinstance(type_, Array) else type_
        wide = element.align == 2
        kind, step = ("u32", 2) if wide else ("i16", 1)
        if isinstance(element, Scalar) and element.ir in ("s", "i32"):
            kind = element.ir
        count = type_.words // step
        if type_.words <= FEW_WORDS:
            for word in range(0, type_.words, step):
                self._copy_one(target, source, ir.integer("i16", word), kind, at)
            return
        variable = self.temporary("i16", at)
        target, source = self._saved(target, at), self._saved(source, at)
        outer, self.out = self.out, []
        self._copy_one(target, source, times(variable, step, at), kind, at)
        body, self.out = tuple(self.out), outer
        high = ir.integer("i16", count, at)
        self.out.append(ir.Loop(variable, ZERO, high, body, place=at))

    def _copy_one(
        self, target: ir.Element, source: ir.Element, offset: ir.Expr, kind: str, at: ir.Place
    ) -> None:
        here = ir.Element(source.base, add(source.offset, offset, at), place=at)
        there = ir.Element(target.base, add(target.offset, offset, at), place=at)
        self.out.append(ir.Store(there, ir.Load(kind, here, place=at), place=at))

    # Loops and sums.

    def _bounds(self, walk: typed.Walk) -> tuple[ir.Var, ir.Expr, ir.Expr | None]:
        """(variable, low, high) of a walk; constant bounds are remembered for `harmless`."""
        variable = self.local(walk.variable)
        bounds = (walk.low,) if walk.high is None else (walk.low, walk.high)
        low, *rest = self.operands(bounds)
        high = rest[0] if rest else None
        if isinstance(low, ir.Const) and isinstance(high, ir.Const):
            self.ranges[variable.name] = (ir.signed(low), ir.signed(high) - 1)
        return variable, low, high

    def _loop(self, node: typed.Loop) -> None:
        variable, low, high = self._bounds(node.walk)
        body = self.body(node.body)
        self.out.append(ir.Loop(variable, low, high, body, place=ir_place(node.place)))

    def _accumulate(self, node: typed.Accumulate) -> None:
        at = ir_place(node.place)
        if not node.type.is_float:
            self._integer_sum(node, at)
            return
        outer, self.out = self.out, []
        operands = [node.left] if node.right is None else [node.left, node.right]

        def innermost() -> None:
            left, *right = self.operands(operands)
            factor = right[0] if right else None
            self.out.append(ir.Accumulate(node.type.ir, left, factor, place=at))

        self._walks(node.walks, innermost, at)
        body, self.out = tuple(self.out), outer
        target = node.target
        own = target.type.ir if target is not None else ""  # type: ignore[union-attr]
        spot: ir.Var | ir.Element | None = None
        if target is not None and node.add is None and own == node.type.ir:
            spot = self._place_once(target, at)
        elif target is not None:
            spot = self.temporary(node.type.ir, at)
        self.out.append(ir.Sum(node.type.ir, body, spot, node.keep, place=at))
        if target is not None and isinstance(spot, ir.Var) and (node.add or own != node.type.ir):
            self._deliver(node, target, spot, at)

    def _walks(self, walks: Sequence[typed.Walk], innermost: object, at: ir.Place) -> None:
        """Nested loops around what `innermost` emits."""
        if not walks:
            innermost()  # type: ignore[operator]
            return
        variable, low, high = self._bounds(walks[0])
        outer, self.out = self.out, []
        self._walks(walks[1:], innermost, at)
        body, self.out = tuple(self.out), outer
        self.out.append(ir.Loop(variable, low, high, body, place=at))

    def _deliver(
        self, node: typed.Accumulate, target: typed.Place_, total: ir.Expr, at: ir.Place
    ) -> None:
        """target = total, or target op= total, with the conversions of the language."""
        own = target.type
        assert isinstance(own, Scalar)
        spot = self._place_once(target, at)
        if node.add is not None:
            now = self._read_spot(spot, own.ir, at)
            wide = own.ir if own.is_float else node.type.ir
            if own.ir == "s" or total.type == "s":
                wide = "s"
            now = now if now.type == wide else ir.Convert(wide, now, place=at)
            total = total if total.type == wide else ir.Convert(wide, total, place=at)
            total = ir.Binary(node.add, now, total, place=at)
        if total.type != own.ir:
            total = ir.Convert(own.ir, total, place=at)
        self._write_spot(spot, total, at)

    def _integer_sum(self, node: typed.Accumulate, at: ir.Place) -> None:
        total = self.temporary(node.type.ir, at)
        self.out.append(ir.Assign(total, ir.Const(total.type, 0, place=at), place=at))

        def innermost() -> None:
            value = self.value(node.left)
            self.out.append(ir.Assign(total, ir.Binary("add", total, value, place=at), place=at))

        self._walks(node.walks, innermost, at)
        assert node.target is not None
        self._deliver(node, node.target, total, at)

    # Tasks and iterators.

    def _handler(self, node: typed.Handler, socket: typed.Socket) -> ir.Handler:
        at = ir_place(node.place)
        value = None if node.value is None else self.local(node.value)
        index = None if node.index is None else self.local(node.index)
        if node.kind == "data" and value is None and not receives(node.body, socket):
            # Nobody takes the wavelet that starts this handler: the task picker does.
            value = self.temporary("u32", at)
        return ir.Handler(node.kind, self.body(node.body), value, index, node.task, place=at)

    def _iterator(self, iterator: typed.Iterator) -> str:
        return self.ports.of(iterator, iterator.name)

    def _rewind(self, node: typed.Rewind) -> None:
        at = ir_place(node.place)
        iterator = node.iterator
        name = self._iterator(iterator)
        counts = [count for count, _ in iterator.dims]
        fixed = all(c is None or isinstance(c, typed.Constant) for c in counts)
        if fixed and isinstance(iterator.start, typed.Constant) and is_fixed(iterator.memory):
            self.out.append(ir.ResetIterator(name, place=at))
            return
        base, offset = self.address(iterator.memory)
        given = [c for c in counts if c is not None]
        start, *found = self.operands([iterator.start, *given])
        remaining = iter(found)
        lengths = tuple(None if c is None else next(remaining) for c in counts)
        offset = add(offset, start, at)
        if offset != ZERO:
            base = ir.Binary("add", base, ir.Convert("u16", offset, place=at), place=at)
        self.out.append(ir.SetIterator(name, base, lengths, place=at))


def is_fixed(place: typed.Place_) -> bool:
    """Whether a place lies in a region at a constant offset."""
    match place:
        case typed.Whole():
            return place.variable.storage in ("global", "frame")
        case typed.Seen():
            return is_fixed(place.inner)
        case typed.Part():
            return is_fixed(place.struct)
    return isinstance(place.index, typed.Constant) and is_fixed(place.array)


def receives(node: object, socket: typed.Socket) -> bool:
    """Whether a part of the typed tree receives from a socket, the functions it calls included."""
    stack: list[object] = [node]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if item == typed.SocketPort(socket):
            return True
        if isinstance(item, typed.Instance):
            if id(item) not in seen:
                seen.add(id(item))
                stack.append(item.body)
            continue
        if isinstance(item, tuple):
            stack += item
        elif isinstance(item, typed.Variable | typed.Socket | typed.Iterator | typed.Fifo):
            continue
        elif hasattr(item, "__attrs_attrs__"):
            stack += [getattr(item, a.name) for a in item.__attrs_attrs__ if a.name != "place"]
    return False
