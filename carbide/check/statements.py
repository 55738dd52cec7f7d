"""Statements."""

from collections.abc import Sequence
from typing import Any

from carbide.check import numerics, typed
from carbide.check.functions import names_in
from carbide.check.numerics import Flexible, convert, settled
from carbide.check.scopes import ConstantSymbol, PlaceSymbol
from carbide.check.sums import UPDATES, Sums
from carbide.check.types import SCALARS, SP, U16, U64, WV, XP, Array, Scalar, common
from carbide.node import evolve
from carbide.syntax import ast
from carbide.syntax.print import print_expression
from mitools.arch.sdr import ARCH
from mitools.console import UserError, suggestion

WRITTEN_OUT = {"/", "%", "&", "|", "^", "<<", ">>"}
"""Operators whose `x op= e` means `x <- x op (e)`."""


class Statements(Sums):
    def block_statement(self, node: "ast.Statement") -> typed.Block:
        """A statement as a block with a scope of its own."""
        statements = node.statements if isinstance(node, ast.Block) else (node,)
        with self.inner_scope():
            return typed.Block(tuple(self.sequence(statements)), place=node.place)

    def sequence(self, nodes: Sequence["ast.Statement"]) -> list[typed.Statement]:
        """Statements of one scope, in order."""
        out: list[typed.Statement] = []
        for place, node in enumerate(nodes):
            with self.attempt():
                if isinstance(node, ast.Variables):
                    self.rebased_only(self._rebased_at_once(node, nodes[place + 1 :]))
                out += self.statement(node)
        return out

    def _rebased_at_once(self, node: ast.Variables, rest: Sequence[Any]) -> list[str]:
        """Names of the declared arrays whose first mention assigns their base."""
        out = []
        for declarator in node.declarators:
            if declarator.name not in self.rebased or declarator.value is not None:
                continue
            for follower in rest:
                if rebases(follower) == declarator.name:
                    out.append(declarator.name)
                    break
                if declarator.name in names_in(follower):
                    break
        return out

    def statement(self, node: "ast.Statement") -> list[typed.Statement]:
        place = node.place
        match node:
            case ast.Empty():
                return []
            case ast.Block():
                return [self.block_statement(node)]
            case ast.Main():
                return [self._main(node)]
            case ast.Assignment():
                return self.assignment(node)
            case ast.Action():
                return [self._action(node)]
            case ast.Loop():
                return self.loop(node)
            case ast.While():
                test = numerics.condition(self.expression(node.condition))
                with self.under_condition():
                    return [typed.While(test, self.block_statement(node.body), place=place)]
            case ast.Forever():
                if isinstance(node.body, ast.Dispatch):
                    return [self._dispatch(node.body, forever=True)]
                return [typed.Forever(self.block_statement(node.body), place=place)]
            case ast.If():
                return [self._if(node)]
            case ast.Return():
                return [self._return(node)]
            case ast.Parallel():
                return self._parallel(node)
            case ast.Dispatch():
                return [self._dispatch(node, forever=False)]
            case ast.Reset():
                return self._reset(node)
            case ast.Attributed():
                return self._attributed(node)
            case ast.Function() | ast.Teardown() | ast.Import():
                raise UserError("this can only stand outside of all blocks", place)
        return self.declaration(node)

    def _main(self, node: ast.Main) -> typed.Block:
        if node.name != "main" or not self.top_level:
            near = suggestion(node.name, ["main", "forever", "parallel"])
            raise UserError(f"`{node.name} {{ … }}` is no statement", node.place, near)
        return self.block_statement(node.body)

    def _if(self, node: ast.If) -> typed.If:
        test = numerics.condition(self.expression(node.condition))
        with self.under_condition():
            then = self.block_statement(node.then)
            other = self.block_statement(node.otherwise) if node.otherwise else typed.Block(())
        return typed.If(test, then, other, place=node.place)

    def _return(self, node: ast.Return) -> typed.Return:
        if not self.body.is_function and node.value is not None:
            raise UserError("`return` with a value stands in no function", node.place,
                            "a bare `return` ends the program")  # fmt: skip
        value = None if node.value is None else self.expression(node.value)
        if value is not None and not isinstance(value, Flexible) and value.type is U64:
            raise self.not_yet("functions that return descriptors", node.place)
        result = typed.Return(value, node.place)
        self.body.returns.append(result)
        return result

    # Assignments.

    def assignment(self, node: ast.Assignment) -> list[typed.Statement]:
        target = node.target
        sign = node.operator.removesuffix("=")
        if sign in WRITTEN_OUT and not isinstance(target, ast.Next | ast.View):
            if isinstance(node.value, ast.ListValue):
                raise UserError("a list cannot be accumulated", node.place)
            whole = ast.Binary(sign, target, node.value, place=node.place)
            return self.assignment(evolve(node, operator="<-", value=whole))
        if self.is_sum(node):
            return self.sum_under([], node)
        if isinstance(target, ast.Next):
            return [self._send(node, target, None)]
        if isinstance(target, ast.View):
            if isinstance(target.operand, ast.Next):
                return [self._send(node, target.operand, SCALARS[target.type])]
            return [self._store_bits(node, target)]
        if isinstance(target, ast.Member):
            special = self._member_assignment(node, target)
            if special is not None:
                return special
        self.assignable(target)
        place = self.memory(target)
        self.mark_written(place)
        if not isinstance(place.type, Scalar):
            return self._whole(node, place)
        if isinstance(node.value, ast.ListValue):
            return self._listed(node, place)
        if node.operator == "<-":
            value = convert(self.plain_value(node.value), place.type, node.value.place)
            return [typed.Store(place, value, place=node.place)]
        return [self._update(node, place, place.type)]

    def _whole(self, node: ast.Assignment, place: typed.Place_) -> list[typed.Statement]:
        shown = print_expression(node.target)
        if node.operator != "<-":
            raise UserError(f"`{shown}` is `{place.type}`; `{node.operator}` needs one value",
                            node.place)  # fmt: skip
        if isinstance(node.value, ast.ListValue):
            return self._listed(node, place)
        if not isinstance(node.value, ast.Name | ast.Element | ast.Member):
            array = isinstance(place.type, Array)
            remedy = f"assign its elements: `∀i {shown}[i] <- …`" if array else "assign its members"
            raise UserError(f"`{shown}` is `{place.type}`, not one value", node.place, remedy)
        return self.copy_whole(place, node.value, node.place)

    def _listed(self, node: ast.Assignment, place: typed.Place_) -> list[typed.Statement]:
        if node.operator != "<-":
            raise UserError("a list cannot be accumulated", node.place)
        leaves = self.leaves(place, node.value) or []
        if isinstance(place.type, Scalar):
            return [typed.Store(place, value, place=node.place) for _, _, value in leaves]
        return [
            typed.Store(typed.Part(place, offset, type_, place=node.place), value, place=node.place)
            for offset, type_, value in leaves
        ]

    def _store_bits(self, node: ast.Assignment, target: ast.View) -> typed.Statement:
        if node.operator != "<-":
            raise UserError(f"`{node.operator}` does not go with `{target.type}:`", node.place)
        place = self.memory(target.operand)
        self.mark_written(place)
        if not isinstance(place.type, Scalar):
            raise UserError("`wv:` needs one value", target.place)
        raw = convert(self.plain_value(node.value), SCALARS[target.type])
        return typed.Store(place, convert(raw, place.type), place=node.place)

    def _update(
        self, node: ast.Assignment, place: typed.Place_, own: Scalar
    ) -> typed.Statement:
        """`target op= value`; a product added to or taken from a float fuses (section 8)."""
        op = UPDATES[node.operator]
        found = self.plain_value(node.value)
        if own is U64:
            raise UserError("a stream descriptor cannot be calculated with", node.place)
        self.mark_read(place, node.place)
        if isinstance(found, Flexible):
            type_ = SP if found.kind == "float" and not own.is_float else own
            value: typed.Expression = found.settle(type_)
        else:
            type_ = common(own, found.type)
            value = convert(found, type_)
        if type_.name == "wv":
            type_ = SCALARS["u32"]
        factors = self.product(node.value, own)
        if factors is not None and op != "mul" and own.is_float and own.ir == factors[0].type.ir:
            kind = "fma" if op == "add" else "fms"
            return typed.Fuse(place, kind, *factors, place=node.place)
        return typed.Update(place, op, value, type_, place=node.place)

    def _member_assignment(
        self, node: ast.Assignment, target: ast.Member
    ) -> list[typed.Statement] | None:
        """`a.base = e`, `it.len = e`; None when it is an ordinary member."""
        owner = target.aggregate
        symbol = self.find(owner.name, owner.place) if isinstance(owner, ast.Name) else None
        if isinstance(symbol, typed.Iterator):
            if target.name != "len":
                raise UserError(f"an iterator has no `.{target.name}`", target.place,
                                "it has `.len`")  # fmt: skip
            if node.operator != "<-":
                raise UserError("`.len` can only be assigned", node.place)
            if node.value == ast.Name("inf") or isinstance(node.value, ast.Infinity):
                return [typed.SetLength(symbol, None, place=node.place)]
            length = convert(self.plain_value(node.value), XP)
            return [typed.SetLength(symbol, length, place=node.place)]
        if target.name != "base" or self._has_field(target):
            return None
        if node.operator != "<-":
            raise UserError("`.base` can only be assigned", node.place)
        if isinstance(symbol, PlaceSymbol) or not isinstance(symbol, typed.Variable):
            raise UserError("only an array's own `.base` can be assigned", target.place)
        if symbol.storage != "window":
            raise UserError(f"`{symbol.name}` is no array; its base cannot move", target.place)
        value = self.plain_value(node.value)
        return [typed.SetBase(symbol, convert(value, U16), place=node.place)]

    # Sends.

    def _send(
        self, node: ast.Assignment, target: ast.Next, wire: Scalar | None
    ) -> typed.Statement:
        port = self.port(target.source)
        if isinstance(port, typed.SocketPort):
            self.sends_on(port.socket, target.place)
        if node.operator != "<-":
            shown = print_expression(target)
            raise UserError(f"`{node.operator}` would read and write `{shown}`", node.place,
                            "use a variable between")  # fmt: skip
        value = node.value
        if isinstance(value, ast.Call) and self.scope.find(value.name) is None:
            if value.name == "control":
                if not isinstance(port, typed.SocketPort | typed.StreamPort):
                    raise UserError("control wavelets go to sockets and streams", node.place)
                payload = self.control_payload(value)
                return typed.SendControl(port, payload, place=node.place)
            if value.name == "wavelet":
                return typed.SendValue(port, self.wavelet_payload(value), place=node.place)
        found = self.plain_value(value)
        type_ = wire or self.port_type(port)
        sent = settled(found) if type_ is None else convert(found, type_, value.place)
        if sent.type is U64:
            raise UserError("a stream descriptor cannot be sent", value.place,
                            "send its elements: `e[]`")  # fmt: skip
        return typed.SendValue(port, sent, place=node.place)

    def _action(self, node: ast.Action) -> typed.Statement:
        e = node.expression
        if isinstance(e, ast.Member) and e.name == "flip":
            symbol = self.find(e.aggregate.name, e.place) if isinstance(e.aggregate, ast.Name) \
                else None  # fmt: skip
            if not isinstance(symbol, typed.Socket):
                raise UserError("`.flip` needs a socket", e.place)
            if symbol.sends is None:
                raise UserError(f"nothing was sent on `{symbol.name}` before this `flip`", e.place)
            return typed.Flip(symbol, place=node.place)
        if isinstance(e, ast.Call):
            if self.scope.find(e.name) is None and e.name in ("min", "max", "abs"):
                raise UserError(f"the result of `{e.name}` is not used", e.place)
            if self.scope.find(e.name) is None:
                self.call(e)
            return typed.Discard(self.function_call(e), place=node.place)
        if isinstance(e, ast.Next):
            return typed.Discard(settled(self.receive(e, None)), place=node.place)
        if isinstance(e, ast.View) and isinstance(e.operand, ast.Next):
            return typed.Discard(settled(self.view(e)), place=node.place)
        if isinstance(e, ast.Name):
            self.find(e.name, e.place)
        raise UserError(f"`{print_expression(e)};` does nothing", node.place,
                        "assign it, or remove it")  # fmt: skip

    # Tasks.

    def _parallel(self, node: ast.Parallel) -> list[typed.Statement]:
        out: list[typed.Statement] = []
        arms: list[typed.Block] = []
        context = self.context
        with self.inner_scope():
            for statement in node.body.statements:
                with self.attempt():
                    if isinstance(statement, ast.Empty):
                        continue
                    if isinstance(statement, ast.Declaration.__args__):  # type: ignore[attr-defined]
                        out += self.statement(statement)
                        continue
                    self.context = f"{context}/arm{len(arms)}@{statement.place.line}"
                    arms.append(self.block_statement(statement))
        self.context = context
        if len(arms) > ARCH.tasks.microthreads:
            extra = arms[ARCH.tasks.microthreads]
            lines = ", ".join(str(arm.place.line) for arm in arms)
            raise UserError(
                f"{len(arms)} arms (lines {lines}) run side by side; the machine has "
                f"{ARCH.tasks.microthreads} microthreads", extra.place,
                "put some of the arms behind each other in one block `{ … }`",
            )  # fmt: skip
        parallel = typed.Parallel(tuple(arms), place=node.place)
        return [typed.Block((*out, parallel), place=node.place)] if out else [parallel]

    def _dispatch(self, node: ast.Dispatch, forever: bool) -> typed.Dispatch:
        port = self.port(node.socket) if isinstance(node.socket, ast.Name) else None
        if not isinstance(port, typed.SocketPort):
            raise UserError("`dispatch` waits on a socket", node.socket.place)
        socket = port.socket
        self.receives_on(socket, node.socket.place)
        if not node.handlers:
            raise UserError("this `dispatch` has no handler", node.place,
                            "write `dispatch(s) { wavelet(x) { … } }`")  # fmt: skip
        handlers: list[typed.Handler] = []
        context = self.context
        for number, handler in enumerate(node.handlers):
            with self.attempt():
                self.context = f"{context}/handler{number}@{handler.place.line}"
                handlers.append(self._handler(handler, socket, handlers))
        self.context = context
        return typed.Dispatch(socket, tuple(handlers), forever, place=node.place)

    def _handler(
        self, node: ast.Handler, socket: typed.Socket, earlier: list[typed.Handler]
    ) -> typed.Handler:
        if node.kind not in ("wavelet", "control"):
            near = suggestion(node.kind, ["wavelet", "control"])
            raise UserError(f"there is no handler `{node.kind}`", node.place,
                            near or "handlers are `wavelet(…)` and `control(…)`")  # fmt: skip
        kind = "data" if node.kind == "wavelet" else "control"
        value, index, task = None, None, None
        parameters = node.parameters
        if len(parameters) > (2 if kind == "data" else 1):
            raise UserError(f"`{node.kind}` takes fewer names", node.place,
                            "write `wavelet(x)`, `wavelet(x, i)` or `control(7)`")  # fmt: skip
        with self.inner_scope() as scope:
            if kind == "control" and parameters and not self._is_new_name(parameters[0]):
                task = self._task(parameters[0])
                parameters = ()
            names = []
            for parameter in parameters:
                if not isinstance(parameter, ast.Name):
                    raise UserError("a name must stand here", parameter.place)
                names.append(parameter)
            types = self._handler_types(kind, socket, len(names))
            made = []
            for name, type_ in zip(names, types, strict=False):
                variable = typed.Variable(name.name, type_, "local", name.place)
                scope.define(name.name, variable, name.place)
                made.append(variable)
            value = made[0] if made else None
            index = made[1] if len(made) > 1 else None
            for other in earlier:
                if other.kind == kind and other.task == task:
                    what = f"`{node.kind}`" if task is None else f"`control({task})`"
                    raise UserError(f"two handlers {what} in one `dispatch`", node.place,
                                    None, [("the first is here", other.place)])  # fmt: skip
            body = self.block_statement(node.body)
        return typed.Handler(kind, value, index, task, body, place=node.place)

    def _handler_types(
        self, kind: str, socket: typed.Socket, count: int
    ) -> tuple[Scalar, ...]:
        if kind == "control" or (count == 1 and socket.type is None):
            return (WV,)
        if count < 2:
            return (socket.type or WV,)
        data = socket.type if socket.type is not None and socket.type.words == 1 else XP
        return (data, XP)

    def _is_new_name(self, node: ast.Expression) -> bool:
        return isinstance(node, ast.Name) and not isinstance(
            self.scope.find(node.name), ConstantSymbol
        )

    def _task(self, node: ast.Expression) -> int:
        task = self.integer_constant(node, "a task")
        if not 0 <= task < 64:
            raise UserError(f"a control wavelet names tasks 0 to 63, not {task}", node.place)
        return task

    def _reset(self, node: ast.Reset) -> list[typed.Statement]:
        out: list[typed.Statement] = []
        for name in node.iterators:
            symbol = self.find(name.name, name.place)
            if not isinstance(symbol, typed.Iterator):
                raise UserError(f"`{name.name}` is no iterator; only they are reset", name.place)
            out.append(typed.Reset(symbol, place=name.place))
        return out

    # Attributes.

    def _attributed(self, node: ast.Attributed) -> list[typed.Statement]:
        threads: bool | None = None
        before = self.dot
        self.dot = self.dot_attributes(node.attributes)
        rest = []
        for attribute in node.attributes:
            if attribute.name == "uthread.enable":
                threads = self.on(attribute)
            elif not attribute.name.startswith("dot."):
                rest.append(attribute)
        try:
            self.attributes_noted(rest)
            if threads is None:
                return self.statement(node.statement)
            if isinstance(node.statement, ast.Declaration.__args__):  # type: ignore[attr-defined]
                inner = self.statement(node.statement)
                declared = [s for s in inner if isinstance(s, typed.Declare)]
                others = tuple(s for s in inner if not isinstance(s, typed.Declare))
                if not others:
                    return inner
                body = typed.Block(others, place=node.place)
                return [*declared, typed.Threads(threads, body, place=node.place)]
            body = typed.Block(tuple(self.statement(node.statement)), place=node.place)
            return [typed.Threads(threads, body, place=node.place)]
        finally:
            self.dot = before


def rebases(node: Any) -> str | None:
    """The array whose base a statement assigns."""
    if (
        isinstance(node, ast.Assignment)
        and isinstance(node.target, ast.Member)
        and node.target.name == "base"
        and isinstance(node.target.aggregate, ast.Name)
    ):
        return node.target.aggregate.name
    return None


