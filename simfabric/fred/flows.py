"""Flows: what is asked of a switch (Fred, section 5.1 and table 2).

A flow reduces over its input ports and broadcasts the result to its output ports. Simple
collectives are one flow; compound ones a list of steps, each with flows that run together.
Text form: `3,4,5>3,4,5` or, for the same ports on both sides, `3,4,5`; flows are joined by `;`.
"""

import re
from collections.abc import Iterable, Sequence

from attrs import frozen

from mitools.console import UserError


@frozen
class Flow:
    """Reduce over `inputs`, broadcast to `outputs`; both ascending."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @classmethod
    def of(cls, inputs: Iterable[int], outputs: Iterable[int]) -> "Flow":
        return cls(tuple(sorted(inputs)), tuple(sorted(outputs)))

    @property
    def text(self) -> str:
        left, right = (",".join(map(str, side)) for side in (self.inputs, self.outputs))
        return left if left == right else f"{left}>{right}"


Step = tuple[Flow, ...]
"""Flows that run together, in one configuration of the switch."""


def all_reduce(ports: Sequence[int]) -> tuple[Step, ...]:
    """One flow from all to all."""
    return ((Flow.of(ports, ports),),)


def reduce_scatter(ports: Sequence[int]) -> tuple[Step, ...]:
    """A step for each output: the part of the result that it keeps."""
    return tuple((Flow.of(ports, [port]),) for port in ports)


def all_gather(ports: Sequence[int]) -> tuple[Step, ...]:
    """A step for each input: its part to all."""
    return tuple((Flow.of([port], ports),) for port in ports)


def scatter(root: int, ports: Sequence[int]) -> tuple[Step, ...]:
    """A step for each receiver."""
    return tuple((Flow.of([root], [port]),) for port in ports)


def gather(root: int, ports: Sequence[int]) -> tuple[Step, ...]:
    """A step for each sender."""
    return tuple((Flow.of([port], [root]),) for port in ports)


def all_to_all(ports: Sequence[int]) -> tuple[Step, ...]:
    """i steps of i unicasts; in step d everyone sends to the one d places on."""
    n = len(ports)
    return tuple(
        tuple(Flow.of([ports[k]], [ports[(k + step) % n]]) for k in range(n)) for step in range(n)
    )


def parse(text: str, ports: int) -> Step:
    """Flows of a command line. Raises UserError for ports out of range or used twice."""
    flows = []
    for part in text.split(";"):
        part = part.strip()
        if not part:
            continue
        if not re.fullmatch(r"\d+(,\d+)*(>\d+(,\d+)*)?", part):
            raise UserError(
                f"`{part}` is not a flow", None, "write 0,1,2 or 0,1>2,3; join flows with ;"
            )
        left, _, right = part.partition(">")
        flows.append(
            Flow.of(_numbers(left, part, ports), _numbers(right or left, part, ports))
        )
    if not flows:
        raise UserError("there is no flow in flows=", None, "write, for example, flows=0,1,2;3,4")
    check_disjoint(flows)
    return tuple(flows)


def check_disjoint(flows: Sequence[Flow]) -> None:
    """Raises UserError where two flows share an input or an output port."""
    for side in ("inputs", "outputs"):
        owner: dict[int, Flow] = {}
        for flow in flows:
            for port in getattr(flow, side):
                if port in owner:
                    raise UserError(
                        f"flows {owner[port].text} and {flow.text} share the "
                        f"{side[:-1]} port {port}",
                        None,
                        "a port carries one flow at a time; run them one after the other",
                    )
                owner[port] = flow


def _numbers(text: str, part: str, ports: int) -> list[int]:
    numbers = [int(number) for number in text.split(",")]
    for number in numbers:
        if number >= ports:
            raise UserError(
                f"flow {part} names port {number}", None, f"ports are 0 to {ports - 1}"
            )
    if len(set(numbers)) < len(numbers):
        raise UserError(f"flow {part} names a port twice", None, "name each port once")
    return numbers
