"""Typed expressions to IR expressions.

What cannot stand inside an IR expression (calls, choices and `&&` whose sides have effects) becomes
statements before it; operands to its left are saved in temporaries, so that everything still
happens from left to right.
"""

from collections.abc import Sequence

from carbide.check import typed
from carbide.ir import nodes as ir
from carbide.lower.memory import ZERO, Memory, add, constant, times
from carbide.lower.names import Names, ir_place


class Expressions:
    """Lowers the expressions of one function; `out` collects its statements."""

    def __init__(self, memory: Memory, ports: Names, functions: Names):
        self.memory = memory
        self.ports = ports
        self.functions = functions
        self.locals = Names()
        self.variables: dict[str, str] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        self.out: list[ir.Stmt] = []

    # Variables.

    def local(self, variable: typed.Variable) -> ir.Var:
        """The scalar of a local variable."""
        name = self.locals.of(variable, variable.name)
        type_ = variable.type.ir  # type: ignore[union-attr]
        self.variables[name] = type_
        return ir.Var(type_, name, place=ir_place(variable.at))

    def temporary(self, type_: str, place: ir.Place) -> ir.Var:
        name = self.locals.fresh("tmp")
        self.variables[name] = type_
        return ir.Var(type_, name, place=place)

    def save(self, value: ir.Expr, place: ir.Place) -> ir.Expr:
        """The value in a temporary, unless it is a constant."""
        if isinstance(value, ir.Const):
            return value
        saved = self.temporary(value.type, place)
        self.out.append(ir.Assign(saved, value, place=place))
        return saved

    # Places.

    def address(self, place: typed.Place_) -> tuple[ir.Expr, ir.Expr]:
        """(base, offset in words) of a place in memory."""
        at = ir_place(place.place)
        match place:
            case typed.Whole():
                variable = place.variable
                if variable.storage == "window":
                    assert variable.pointer is not None
                    return self.scalar(variable.pointer, at), ZERO
                return ir.AddressOf(self.memory.region(variable), place=at), ZERO
            case typed.Seen():
                return self.address(place.inner)
            case typed.Part():
                base, offset = self.address(place.struct)
                return base, add(offset, ir.integer("i16", place.offset), at)
        base, offset = self.address(place.array)
        inner = len(self.out)
        index = self.value(place.index)
        if len(self.out) > inner:
            rest = self.out[inner:]
            del self.out[inner:]
            base, offset = self._kept(base, at), self.save(offset, at)
            self.out += rest
        return base, add(offset, times(index, place.type.words, at), at)

    def _kept(self, base: ir.Expr, at: ir.Place) -> ir.Expr:
        return base if isinstance(base, ir.AddressOf) else self.save(base, at)

    def element(self, place: typed.Place_) -> ir.Element:
        base, offset = self.address(place)
        return ir.Element(base, offset, place=ir_place(place.place))

    def scalar(self, variable: typed.Variable, at: ir.Place) -> ir.Expr:
        """The value of a scalar variable, in memory or not."""
        if variable.storage == "local":
            name = self.local(variable)
            return ir.Var(name.type, name.name, place=at)
        type_ = variable.type.ir  # type: ignore[union-attr]
        base = ir.AddressOf(self.memory.region(variable), place=at)
        return ir.Load(type_, ir.Element(base, ZERO, place=at), place=at)

    def read(self, place: typed.Place_) -> ir.Expr:
        at = ir_place(place.place)
        if isinstance(place, typed.Whole):
            return self.scalar(place.variable, at)
        return ir.Load(place.type.ir, self.element(place), place=at)  # type: ignore[union-attr]

    def port(self, port: typed.Port) -> ir.Port:
        match port:
            case typed.SocketPort():
                return ir.Port("socket", self.ports.of(port.socket, port.socket.name))
            case typed.FifoPort():
                return ir.Port("fifo", self.ports.of(port.fifo, port.fifo.name))
            case typed.IteratorPort():
                return ir.Port("iterator", self.ports.of(port.iterator, port.iterator.name))
        return ir.Port("stream", element=self.element(port.memory))

    # Values.

    def operands(self, nodes: Sequence[typed.Expression]) -> list[ir.Expr]:
        """Several expressions, evaluated from left to right."""
        results: list[ir.Expr] = []
        for node in nodes:
            mark = len(self.out)
            result = self.value(node)
            if len(self.out) > mark:
                before = self.out[mark:]
                del self.out[mark:]
                results = [self.save(r, ir_place(node.place)) for r in results]
                self.out += before
            results.append(result)
        return results

    def apart(self, node: typed.Expression) -> tuple[list[ir.Stmt], ir.Expr]:
        """(statements before, value) of an expression, without emitting anything."""
        outer, self.out = self.out, []
        value = self.value(node)
        inner, self.out = self.out, outer
        return inner, value

    def value(self, node: typed.Expression) -> ir.Expr:
        at = ir_place(node.place)
        match node:
            case typed.Constant():
                return constant(node)
            case typed.Read():
                return self.read(node.memory)
            case typed.Base():
                base, offset = self.address(node.memory)
                if offset == ZERO:
                    return base
                moved = ir.Convert("u16", offset, place=at) if offset.type != "u16" else offset
                if isinstance(offset, ir.Const):
                    moved = ir.integer("u16", offset.bits, at)
                return ir.Binary("add", base, moved, place=at)
            case typed.Received():
                return ir.Receive(node.type.ir, self.port(node.port), place=at)
            case typed.Descriptor():
                return ir.Descriptor(self.port(node.port), node.direction, place=at)
            case typed.Convert():
                value = self.value(node.value)
                if value.type == node.type.ir:
                    return value
                return ir.Convert(node.type.ir, value, place=at)
            case typed.Bits():
                value = self.value(node.value)
                return value if value.type == node.type.ir else ir.Bits(node.type.ir, value,
                                                                        place=at)  # fmt: skip
            case typed.Unary():
                return ir.Unary(node.op, self.value(node.value), place=at)
            case typed.Binary():
                left, right = self.operands((node.left, node.right))
                return ir.Binary(node.op, left, right, place=at)
            case typed.Compare():
                left, right = self.operands((node.left, node.right))
                return ir.Compare(node.op, left, right, place=at)
            case typed.Fused():
                left, right, addend = self.operands((node.left, node.right, node.addend))
                return ir.Fma(node.op, left, right, addend, place=at)
            case typed.Logical():
                return self._logical(node)
            case typed.Choice():
                return self._choice(node)
            case typed.Called():
                return self.call(node, wanted=True)
        raise TypeError(node)

    def _logical(self, node: typed.Logical) -> ir.Expr:
        at = ir_place(node.place)
        left = self.value(node.left)
        before, right = self.apart(node.right)
        if not before and self.harmless(right):
            return ir.Binary(node.op, left, right, place=at)
        result = self.temporary("i16", at)
        decided = int(node.op == "lor")
        self.out.append(ir.Assign(result, ir.integer("i16", decided, at), place=at))
        test = left if node.op == "land" else ir.Unary("lnot", left, place=at)
        truth = ir.Compare("ne", right, ir.Const(right.type, 0), place=at)
        body = (*before, ir.Assign(result, truth, place=at))
        self.out.append(ir.If(test, body, place=at))
        return result

    def _choice(self, node: typed.Choice) -> ir.Expr:
        at = ir_place(node.place)
        test = self.value(node.condition)
        before_yes, yes = self.apart(node.yes)
        before_no, no = self.apart(node.no)
        if not before_yes and not before_no and self.harmless(yes) and self.harmless(no):
            return ir.Select(test, yes, no, place=at)
        result = self.temporary(yes.type, at)
        self.out.append(
            ir.If(
                test,
                (*before_yes, ir.Assign(result, yes, place=at)),
                (*before_no, ir.Assign(result, no, place=at)),
                place=at,
            )
        )
        return result

    def harmless(self, value: ir.Expr) -> bool:
        """Whether evaluating a value that nobody wants does no harm: no receive, and no load from
        an address that may lie anywhere."""
        for node in ir.walk(value):
            if isinstance(node, ir.Receive):
                return False
            if isinstance(node, ir.Load) and not self._inside(node):
                return False
        return True

    def _inside(self, load: ir.Load) -> bool:
        element = load.element
        if not isinstance(element.base, ir.AddressOf):
            return False
        known = {r.name: r.words for r in (*self.memory.regions, *self.memory.frame)}
        span = self._span(element.offset)
        if span is None:
            return False
        return span[0] >= 0 and span[1] + ir.WORDS[load.type] <= known[element.base.region]

    def _span(self, offset: ir.Expr) -> tuple[int, int] | None:
        """The least and the greatest value of an offset, if the loops say."""
        match offset:
            case ir.Const():
                value = ir.signed(offset)
                return value, value
            case ir.Var():
                return self.ranges.get(offset.name)
            case ir.Binary(op="add" | "sub" | "mul"):
                left, right = self._span(offset.left), self._span(offset.right)
                if left is None or right is None:
                    return None
                if offset.op == "add":
                    return left[0] + right[0], left[1] + right[1]
                if offset.op == "sub":
                    return left[0] - right[1], left[1] - right[0]
                corners = [a * b for a in left for b in right]
                return min(corners), max(corners)
        return None

    def call(self, node: typed.Called, wanted: bool) -> ir.Expr:
        """A call, and the variable that holds its result."""
        at = ir_place(node.place)
        arguments = tuple(self.operands(node.arguments))
        name = self.functions.of(node.instance, node.instance.name)
        result = None
        if node.instance.result is not None and wanted:
            result = self.temporary(node.instance.result.ir, at)
        self.out.append(ir.Call(name, arguments, result, place=at))
        return result if result is not None else ZERO


