"""Walks, and the sums under them (tungsten page, sections 4 and 7)."""

from collections.abc import Iterator, Sequence
from typing import Any

from carbide.check import numerics, typed
from carbide.check.functions import names_in, nodes_in
from carbide.check.numerics import convert, settled
from carbide.check.scopes import ConstantSymbol, RangeSymbol
from carbide.check.state import Dot
from carbide.check.streams import Streams
from carbide.check.types import U64, Scalar, common
from carbide.node import evolve
from carbide.syntax import ast
from mitools.console import UserError, suggestion

UPDATES = {"<+-": "add", "-=": "sub", "*=": "mul"}


class Sums(Streams):
    """`loop` checks a walk; `sum_under` an assignment with `∑` under the walks around it."""

    def loop(self, node: ast.Loop) -> list[typed.Statement]:
        chain, inner = self._chain(node)
        statements = inner.statements if isinstance(inner, ast.Block) else (inner,)
        sums = [s for s in statements if self.is_sum(s)]
        if sums and len(sums) == len(statements):
            apart = len(sums) == 1 or not nodes_in(inner, (ast.Next,))
            if apart:
                return [made for one in sums for made in self.sum_under(chain, one)]
        if sums:
            return self._beside(chain, statements, node)
        before = dict(self.walking)
        try:
            with self.inner_scope():
                walk = self.open_walk(node.walk)
                body = self.block_statement(node.body)
        finally:
            self.walking = before
        return [typed.Loop(walk, body, place=node.place)]

    def _chain(self, node: Any) -> tuple[list[ast.Walk], Any]:
        """The walks of nested loops that hold nothing else, and what the innermost holds."""
        chain = []
        while isinstance(node, ast.Loop):
            chain.append(node.walk)
            node = node.body
            while isinstance(node, ast.Block) and len(node.statements) == 1:
                node = node.statements[0]
        return chain, node

    def is_sum(self, node: Any) -> bool:
        """Whether a statement assigns an expression with `∑` in it."""
        if isinstance(node, ast.Attributed):
            return self.is_sum(node.statement)
        return isinstance(node, ast.Assignment) and bool(self._sums_in(node.value))

    def _operand(self, node: Any) -> ast.Expression | None:
        """What a `∑ e` or `sum(e)` adds up."""
        if isinstance(node, ast.Sum):
            return node.operand
        if isinstance(node, ast.Call) and node.name == "sum" and len(node.arguments) == 1:
            return node.arguments[0] if self.scope.find("sum") is None else None
        return None

    def _sums_in(self, node: Any) -> list[Any]:
        """The sums of an expression, from left to right."""
        if self._operand(node) is not None:
            return [node]
        return [found for part in parts_of(node) for found in self._sums_in(part)]

    def sum_under(self, chain: list[ast.Walk], node: Any) -> list[typed.Statement]:
        """`acc = ∑ e` under walks: it sums over the innermost ones that the target is free of."""
        if isinstance(node, ast.Attributed):
            before = self.dot
            self.dot = self.dot_attributes(node.attributes)
            try:
                return self.sum_under(chain, node.statement)
            finally:
                self.dot = before
        summed = self._summed(chain, node)
        walking = dict(self.walking)
        try:
            with self.inner_scope():
                outer = [self.open_walk(walk) for walk in chain[:summed]]
                statements = self._summed_assignment(node, chain[summed:])
        finally:
            self.walking = walking
        return in_loops(outer, statements, node)

    def _summed(self, chain: list[ast.Walk], node: ast.Assignment) -> int:
        """How many of the walks, outermost first, stand outside of the sum."""
        used = names_in(node.target)
        outside = len(chain)
        while outside and chain[outside - 1].variable not in used:
            outside -= 1
        return outside

    def _summed_assignment(
        self, node: ast.Assignment, chain: list[ast.Walk]
    ) -> list[typed.Statement]:
        operand = self._operand(node.value)
        if operand is not None:
            target = self._sum_target(node)
            return [self._accumulate(node, target, chain, operand)]
        if self.dot.keep or not self.dot.deliver:
            raise UserError("`dot` attributes need `∑` as the whole right side", node.place)
        out: list[typed.Statement] = []
        value: Any = node.value
        for number, one in enumerate(self._sums_in(node.value)):
            operand = self._operand(one)
            assert operand is not None
            total = typed.Variable("sum", self._sum_type(node, chain, operand), "local")
            name = f"∑{number}"  # no name of the source
            self.scope.define(name, total, one.place)
            target = typed.Whole(total, place=one.place)
            alone = ast.Assignment(ast.Name(name), "<-", one, place=one.place)
            out.append(typed.Declare(total, place=one.place))
            out.append(self._accumulate(alone, target, chain, operand))
            value = replaced(value, one, ast.Name(name, place=one.place))
        return [*out, *self.assignment(evolve(node, value=value))]

    def _sum_type(
        self, node: ast.Assignment, chain: list[ast.Walk], operand: ast.Expression
    ) -> Scalar:
        """The type of a sum that stands inside an expression: that of what it adds."""
        walking = dict(self.walking)
        try:
            with self.inner_scope():
                for walk in chain:
                    self.open_walk(walk)
                return settled(self.expression(operand)).type
        finally:
            self.walking = walking

    def _sum_target(self, node: ast.Assignment) -> typed.Place_:
        self.assignable(node.target)
        target = self.memory(node.target)
        if not isinstance(target.type, Scalar) or target.type is U64:
            raise UserError(f"a sum is one value; this is `{target.type}`", node.target.place)
        self.mark_written(target)
        if node.operator != "<-":
            self.mark_read(target, node.target.place)
        return target

    def _accumulate(
        self, node: ast.Assignment, target: typed.Place_, chain: list[ast.Walk],
        operand: ast.Expression,
    ) -> typed.Accumulate:  # fmt: skip
        walking = dict(self.walking)
        try:
            with self.inner_scope():
                walks = tuple(self.open_walk(walk) for walk in chain)
                type_, left, right = self._added(target.type, operand)
        finally:
            self.walking = walking
        if not type_.is_float and (self.dot.keep or not self.dot.deliver):
            raise UserError("the accumulator holds floats; `dot` attributes need them", node.place)
        return typed.Accumulate(
            type_, target if self.dot.deliver else None, self.dot.keep, walks, left, right,
            UPDATES.get(node.operator), place=node.place,
        )  # fmt: skip

    def _added(
        self, own: Any, operand: ast.Expression
    ) -> tuple[Scalar, typed.Expression, typed.Expression | None]:
        """(type of the sum, left, right) of `∑ left * right`; right is None for `∑ left`."""
        assert isinstance(own, Scalar)
        value = settled(self.expression(operand), own)
        if not value.type.is_float:
            type_ = common(own, value.type)
            return type_, convert(value, type_), None
        factors = self.product(operand, own)
        return (value.type, *factors) if factors is not None else (value.type, value, None)

    # Sums beside other statements of one walk.

    def _beside(
        self, chain: list[ast.Walk], nodes: Sequence[Any], loop: ast.Loop
    ) -> list[typed.Statement]:
        """Sums with other statements under the same walks: each adds up in a variable of its own,
        in the order of the source, and is assigned behind the walks."""
        if self.dot.keep or not self.dot.deliver or any(
            isinstance(n, ast.Attributed) and self.is_sum(n) for n in nodes
        ):
            raise self.not_yet("`dot` attributes with `∑` beside other statements", loop.place,
                               "give the sum a ∀ of its own")  # fmt: skip
        outside = {self._summed(chain, n) for n in nodes if self.is_sum(n)}
        if len(outside) > 1:
            raise self.not_yet("sums over different walks in one block", loop.place,
                               "give each sum a ∀ of its own")  # fmt: skip
        summed = outside.pop()
        walking = dict(self.walking)
        before: list[typed.Statement] = []
        behind: list[typed.Statement] = []
        try:
            with self.inner_scope():
                outer = [self.open_walk(walk) for walk in chain[:summed]]
                targets = {id(n): self._sum_target(n) for n in nodes if self.is_sum(n)}
                with self.inner_scope():
                    inner = [self.open_walk(walk) for walk in chain[summed:]]
                    with self.inner_scope():
                        body: list[typed.Statement] = []
                        for node in nodes:
                            with self.attempt():
                                if id(node) in targets:
                                    target = targets[id(node)]
                                    body.append(self._step(node, target, before, behind))
                                else:
                                    body += self.statement(node)
        finally:
            self.walking = walking
        return in_loops(outer, [*before, *in_loops(inner, body, loop), *behind], loop)

    def _step(
        self, node: ast.Assignment, target: typed.Place_, before: list[typed.Statement],
        behind: list[typed.Statement],
    ) -> typed.Statement:  # fmt: skip
        operand = self._operand(node.value)
        if operand is None:
            raise UserError("beside other statements, `∑` must be the whole right side",
                            node.place, "assign the sum to a variable first")  # fmt: skip
        type_, left, right = self._added(target.type, operand)
        place, own = node.place, target.type
        assert isinstance(own, Scalar)
        total = typed.Whole(typed.Variable("sum", type_, "local", place), place=place)
        zero = numerics.constant(type_, 0.0 if type_.is_float else 0, place)
        before.append(typed.Declare(total.variable, place=place))
        before.append(typed.Store(total, zero, place=place))
        reached = typed.Read(total, place=place)
        if node.operator == "<-":
            behind.append(typed.Store(target, convert(reached, own), place=place))
        else:
            wide = common(own, type_)
            op = UPDATES[node.operator]
            behind.append(typed.Update(target, op, convert(reached, wide), wide, place=place))
        if right is None:
            return typed.Update(total, "add", left, type_, place=place)
        return typed.Fuse(total, "fma", left, right, place=place)

    # What assignments share.

    def assignable(self, node: ast.Expression) -> None:
        """Raises UserError for names that nothing can be assigned to."""
        if not isinstance(node, ast.Name):
            if not isinstance(node, ast.Element | ast.Member):
                raise UserError("this is a value; nothing can be assigned to it", node.place)
            return
        symbol = self.find(node.name, node.place)
        where = [("it is declared here", symbol.at)]
        if isinstance(symbol, ConstantSymbol):
            raise UserError(f"`{node.name}` is a {symbol.kind}; it cannot be assigned",
                            node.place, "make it a variable", where)  # fmt: skip
        if isinstance(symbol, RangeSymbol):
            raise UserError(f"`{node.name}` is the variable of a walk; it cannot be assigned",
                            node.place, "use a variable and `while`", where)  # fmt: skip
        if isinstance(symbol, typed.Socket | typed.Fifo):
            raise UserError(f"`{node.name}` cannot be assigned", node.place,
                            f"send with `{node.name}[] <- …`", where)  # fmt: skip
        if isinstance(symbol, typed.Iterator):
            raise UserError(f"iterator `{node.name}` cannot be assigned", node.place,
                            f"write an element with `{node.name}[] <- …`, or `reset {node.name};`",
                            where)  # fmt: skip

    def product(
        self, node: ast.Value, type_: Scalar
    ) -> tuple[typed.Expression, typed.Expression] | None:
        """The factors of a product in one type; `type_` where neither has one of its own."""
        if not isinstance(node, ast.Binary) or node.operator != "*":
            return None
        left, right = numerics.unify(self.expression(node.left), self.expression(node.right))
        return settled(left, type_), settled(right, type_)

    def plain_value(self, node: ast.Value) -> numerics.Value:
        if isinstance(node, ast.ListValue):
            raise UserError("a list can only initialise an array, a struct or a `wv`", node.place)
        return self.expression(node)

    def dot_attributes(self, attributes: Sequence[ast.Attribute]) -> Dot:
        dot = evolve(self.dot)
        for attribute in attributes:
            match attribute.name:
                case "dot.state":
                    dot.keep = self.on(attribute)
                case "dot.load":
                    dot.deliver = self.on(attribute)
                case name if name.startswith("dot."):
                    near = suggestion(name, ["dot.state", "dot.load"])
                    self.warn(f"attribute `{name}` is not known; it is ignored",
                              attribute.place, near)  # fmt: skip
        return dot

    def on(self, attribute: ast.Attribute) -> bool:
        argument = attribute.value if attribute.value is not None else (
            attribute.arguments[0] if len(attribute.arguments) == 1 else None
        )  # fmt: skip
        word = argument.name if isinstance(argument, ast.Name) else ""
        if word not in ("on", "off"):
            raise UserError(f"`{attribute.name}` is `on` or `off`", attribute.place,
                            f"write `{attribute.name}(on)`")  # fmt: skip
        return word == "on"

    # Provided by `Statements`.

    def statement(self, node: Any) -> list[typed.Statement]:
        raise NotImplementedError

    def assignment(self, node: ast.Assignment) -> list[typed.Statement]:
        raise NotImplementedError


def parts_of(node: Any) -> Iterator[Any]:
    """The nodes directly under a node of the syntax tree."""
    for attribute in getattr(node, "__attrs_attrs__", ()):
        if attribute.name != "place":
            value = getattr(node, attribute.name)
            yield from value if isinstance(value, tuple) else (value,)


def replaced(node: Any, old: Any, new: Any) -> Any:
    """A part of the syntax tree with one node (that very one) replaced."""
    if node is old:
        return new
    if isinstance(node, tuple):
        return tuple(replaced(item, old, new) for item in node)
    changes = {}
    for attribute in getattr(node, "__attrs_attrs__", ()):
        if attribute.name != "place":
            part = getattr(node, attribute.name)
            other = replaced(part, old, new)
            if other is not part and other != part:
                changes[attribute.name] = other
    return evolve(node, **changes) if changes else node


def in_loops(
    walks: Sequence[typed.Walk], statements: list[typed.Statement], node: Any
) -> list[typed.Statement]:
    """The statements inside the walks, outermost first."""
    for walk in reversed(walks):
        body = typed.Block(tuple(statements), place=node.place)
        statements = [typed.Loop(walk, body, place=node.place)]
    return statements


