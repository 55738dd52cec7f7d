"""The typed program to an IR program."""

from typing import Any

from carbide.check import typed
from carbide.ir import nodes as ir
from carbide.lower.memory import Memory, root, root_variable
from carbide.lower.names import Names, ir_place
from carbide.lower.statements import Statements, is_fixed
from carbide.syntax.parse import deep


class Lowering:
    """Lowers one program."""

    def __init__(self, program: typed.Program):
        self.program = program
        self.memory = Memory(Names())
        self.ports = Names()
        self.functions = Names()
        for reserved in ("main", "teardown"):
            self.functions.fresh(reserved)

    def run(self) -> ir.Program:
        program = self.program
        for variable in program.variables:
            if variable.symbol:
                self.memory.region(variable)
        sockets = tuple(self._socket(socket) for socket in program.sockets)
        fifos = [self._fifo(fifo) for fifo in program.fifos]
        # Callees come before their callers: the check completes them in that order.
        functions = tuple(self._function(instance) for instance in program.instances)
        main = self._body("main", program.main)
        teardown = None if program.teardown is None else self._body("teardown", program.teardown)
        iterators = tuple(self._iterator(iterator) for iterator in program.iterators)
        filters = tuple(self._filter(f) for f in program.filters)
        for variable in program.variables:
            self.memory.region(variable)
        return ir.Program(
            program.name, program.file, main, tuple(self.memory.regions), sockets, tuple(fifos),
            iterators, filters, functions, teardown,
        )  # fmt: skip

    def _statements(self) -> Statements:
        self.memory.forget_frame()
        return Statements(self.memory, self.ports, self.functions)

    def _function(self, instance: typed.Instance) -> ir.Function:
        lowering = self._statements()
        params = tuple(lowering.local(p) for p in instance.parameters)
        assert instance.body is not None
        body = lowering.body(instance.body)
        name = self.functions.of(instance, instance.name)
        result = None if instance.result is None else instance.result.ir
        return self._finished(name, params, result, body, lowering, ir_place(instance.at))

    def _body(self, name: str, block: typed.Block) -> ir.Function:
        lowering = self._statements()
        body = lowering.body(block)
        if name == "main":
            body = beside_endless(opened(body))
        body = leaving(name, body)
        return self._finished(name, (), None, body, lowering, ir_place(block.place))

    def _finished(
        self, name: str, params: tuple[ir.Var, ...], result: str | None,
        body: tuple[ir.Stmt, ...], lowering: Statements, place: ir.Place,
    ) -> ir.Function:  # fmt: skip
        variables = tuple(ir.Var(type_, v) for v, type_ in lowering.variables.items())
        return ir.Function(
            name, params, result, body, variables, tuple(self.memory.frame), place=place
        )

    def _socket(self, socket: typed.Socket) -> ir.Socket:
        type_ = None if socket.type is None else socket.type.ir
        name = self.ports.of(socket, socket.name)
        return ir.Socket(name, type_, socket.direction, socket.queue, place=ir_place(socket.at))

    def _fifo(self, fifo: typed.Fifo) -> ir.Fifo:
        variable, offset = root(fifo.memory)
        if offset:
            variable = typed.Variable(
                f"{fifo.name}.mem", fifo.memory.type, variable.storage, fifo.at,
                alias=fifo.memory, symbol=False,
            )  # fmt: skip
        region = self.memory.region(variable)
        name = self.ports.of(fifo, fifo.name)
        return ir.Fifo(name, fifo.type.ir, region, fifo.capacity, place=ir_place(fifo.at))

    def _iterator(self, iterator: typed.Iterator) -> ir.Iterator:
        """Dims that are only known at run time are written as used up; `SetIterator` sets them."""
        place = ir_place(iterator.at)
        name = self.ports.of(iterator, iterator.name)
        offset = 0
        if is_fixed(iterator.memory):
            variable, offset = root(iterator.memory)
            region = self.memory.region(variable)
            if isinstance(iterator.start, typed.Constant):
                offset += int(iterator.start.value)
        else:
            variable = root_variable(iterator.memory)
            region = self._stand_in(variable)
        dims = []
        for count, stride in iterator.dims:
            known = 1 if count is not None else None
            if isinstance(count, typed.Constant):
                known = int(count.value)
            dims.append((known, stride))
        return ir.Iterator(name, iterator.type.ir, region, offset, tuple(dims), place=place)

    def _stand_in(self, variable: typed.Variable) -> str:
        """A region to name for a walk whose memory is only known at run time."""
        if variable.storage != "window":
            return self.memory.region(variable)
        if variable.pointer is not None and variable.pointer.storage == "global":
            return self.memory.region(variable.pointer)
        if not self.memory.regions:
            from carbide.check.types import XP

            self.memory.region(typed.Variable("nowhere", XP, "global", symbol=False))
        return self.memory.regions[0].name

    def _filter(self, node: typed.Filter) -> ir.Filter:
        socket = self.ports.of(node.socket, node.socket.name)
        return ir.Filter(
            node.name, socket, node.limit, node.maxpass, node.counts_data, node.counts_control,
            node.state, place=ir_place(node.at),
        )  # fmt: skip


def opened(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    """The statements of `main { … }` and of top-level blocks stand at the top level too."""
    out: list[ir.Stmt] = []
    for statement in body:
        out += opened(statement.body) if isinstance(statement, ir.Block) else (statement,)
    return tuple(out)


def beside_endless(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    """Endless transfers at the top level run beside what follows them (tungsten, section 4)."""
    for place, statement in enumerate(body):
        inner = statement
        while isinstance(inner, ir.Threads | ir.Block) and len(inner.body) == 1:
            inner = inner.body[0]
        rest = body[place + 1 :]
        if isinstance(inner, ir.Loop) and inner.high is None and rest:
            after = leaving(f"rest{len(rest)}", beside_endless(rest))
            arms = (ir.Arm((inner,), place=inner.place), ir.Arm(after, place=rest[0].place))
            return (*body[:place], ir.Parallel(arms, place=inner.place))
    return body


def leaving(name: str, body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    """A `return` outside of functions leaves the body it stands in: main, the rest of main beside
    an endless transfer, or the teardown task."""
    if not any(isinstance(node, ir.Return) for node in ir.walk(body)):
        return body
    label = f".return.{name}"

    def change(node: Any) -> Any:
        return ir.Leave(label, place=node.place) if isinstance(node, ir.Return) else node

    return (ir.Breakable(label, ir.rewrite(body, change), place=body[0].place),)


def lower(program: typed.Program) -> ir.Program:
    """The IR of a typed program. Binding sockets to queues is for later stages."""
    with deep(program.file):
        return Lowering(program).run()
