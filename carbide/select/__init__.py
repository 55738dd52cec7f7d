"""From IR to an object: instructions, registers, tasks, queues, frames."""

from collections.abc import Iterable, Sequence

from carbide import ir
from carbide.isa.assembly import Assembly


def select(
    program: ir.Program,
    arch: str = "sdr",
    groups: Sequence[Iterable[str]] = (),
    parameters: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
) -> Assembly:
    """The assembly of a program that has gone through `carbide.passes`.

    `groups` are sets of sockets bound to one color each: they share a queue. Raises UserError for
    what the machine cannot hold (queues, microthreads, tasks, memory).
    """
    from carbide.select.layout import assemble
    from carbide.select.unit import Unit

    unit = Unit(program, arch, groups)
    unit.build()
    return assemble(unit, parameters, notes)
