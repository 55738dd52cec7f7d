"""Which socket has which queue (tungsten page 5)."""

from collections.abc import Iterable, Sequence

from attrs import define, field

from carbide import ir
from carbide.object import SocketUse
from mitools.arch import load
from mitools.console import Place, UserError


@define
class Queues:
    """Queue numbers by socket and direction."""

    inputs: dict[str, int] = field(factory=dict)
    outputs: dict[str, int] = field(factory=dict)

    def number(self, socket: str, write: bool) -> int:
        return (self.outputs if write else self.inputs)[socket]

    def uses(self, program: ir.Program) -> list[SocketUse]:
        return [
            SocketUse(
                s.name, s.type, self.inputs.get(s.name), self.outputs.get(s.name),
                s.place.line, s.place.column,
            )
            for s in program.sockets
            if s.name in self.inputs or s.name in self.outputs
        ]  # fmt: skip


def directions(program: ir.Program) -> tuple[set[str], set[str]]:
    """The sockets that receive and those that send."""
    receiving: set[str] = {f.socket for f in program.filters}
    sending: set[str] = set()
    functions = [program.main, *program.functions]
    functions += [program.teardown] if program.teardown else []
    for function in functions:
        for node in ir.walk(function.body):
            match node:
                case ir.Receive() if node.port.kind == "socket":
                    receiving.add(node.port.name)
                case ir.Send() | ir.SendControl() if node.port.kind == "socket":
                    sending.add(node.port.name)
                case ir.Descriptor() if node.port.kind == "socket":
                    (receiving if node.direction == "in" else sending).add(node.port.name)
                case ir.Dispatch():
                    receiving.add(node.socket)
                case ir.Transfer():
                    for source in node.sources:
                        if isinstance(source, ir.Stream) and source.port.kind == "socket":
                            receiving.add(source.port.name)
                    target = node.target
                    if isinstance(target, ir.Stream) and target.port.kind == "socket":
                        sending.add(target.port.name)
    return receiving, sending


def assign(program: ir.Program, arch: str, groups: Sequence[Iterable[str]] = ()) -> Queues:
    """Queues in order of declaration; sockets of one group (bound to one color) share them.

    Raises UserError when there are not enough.
    """
    limits = load(arch).queues
    receiving, sending = directions(program)
    group = {name: place for place, names in enumerate(groups) for name in names}
    out = Queues()
    for names, table, most, what in (
        (receiving, out.inputs, limits.inputs, "input"),
        (sending, out.outputs, limits.outputs, "output"),
    ):
        used = [s for s in program.sockets if s.name in names]
        asked = what == "input"
        taken: dict[int, int] = {}
        reserved = {s.queue for s in used if asked and s.queue is not None}
        free = [q for q in range(most) if q not in reserved]
        for s in used:
            key = group.get(s.name, -1)
            if key >= 0 and key in taken:
                table[s.name] = taken[key]
                continue
            if asked and s.queue is not None:
                queue = s.queue
                if not 0 <= queue < most:
                    raise UserError(
                        f"socket `{s.name}` asks for input queue {queue};"
                        f" a core has 0 to {most - 1}",
                        _place(s),
                    )
            elif free:
                queue = free.pop(0)
            else:
                raise UserError(
                    f"the program needs more than {most} {what} queues",
                    _place(s),
                    "sockets bound to one color share a queue; use fewer colors here",
                    [(f"`{u.name}` has {what} queue {table[u.name]}", _place(u))
                     for u in used if u.name in table],
                )  # fmt: skip
            table[s.name] = queue
            if key >= 0:
                taken[key] = queue
    return out


def _place(socket: ir.Socket) -> Place | None:
    p = socket.place
    return Place(p.file, p.line, p.column) if p.line else None
