"""Settings of the micro-switches for a routing, their bits, and data pushed through them.

What a micro-switch does is what its bits say, not what the flows meant: `push` knows only the
settings, so a test that pushes data checks the routing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from attrs import field, frozen

from simfabric.fred.flows import Flow
from simfabric.fred.routing import Routed
from simfabric.fred.switch import Stage

LEFT, RIGHT = 1, 2
"""Bits of an output's sources at an R or RD micro-switch; both together reduce."""
OFF = 0
"""A selector that takes nothing; middle switch k is k + 1."""

Value = TypeVar("Value")


@frozen
class Settings:
    """One level of a configured switch.

    `inputs[g][k]`: sources (LEFT, RIGHT, both) that input micro-switch g sends to middle k; at the
    innermost level k is the output port. `outputs[g]`: for both ports of output micro-switch g the
    middle switch it takes (+1, OFF for none). `last_in` and `last_out` are the demux and the mux of
    an odd switch.
    """

    stage: Stage
    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, int], ...] = ()
    last_in: int = OFF
    last_out: int = OFF
    inner: tuple["Settings", ...] = field(default=())

    @property
    def bits(self) -> int:
        """Configuration bits of this level and all inside it."""
        stage = self.stage
        if stage.innermost:
            return 4
        selector = stage.middles.bit_length()
        own = stage.pairs * (2 * stage.middles + 2 * selector) + (2 * selector if stage.odd else 0)
        return own + sum(part.bits for part in self.inner)

    def word(self) -> str:
        """The bits as text, outermost level first, as the control unit would hold them."""
        stage = self.stage
        if stage.innermost:
            return "".join(f"{sources:02b}" for sources in self.inputs[0])
        selector = stage.middles.bit_length()
        parts = [f"{sources:02b}" for group in self.inputs for sources in group]
        parts += [f"{taken:0{selector}b}" for group in self.outputs for taken in group]
        if stage.odd:
            parts += [f"{self.last_in:0{selector}b}", f"{self.last_out:0{selector}b}"]
        return "".join(parts) + "".join(part.word() for part in self.inner)


def configure(routed: Routed) -> Settings:
    """The settings of every micro-switch for a routing."""
    stage = routed.stage
    if stage.innermost:
        sources = [0, 0]
        for flow in routed.flows:
            for output in flow.outputs:
                sources[output] = sum(LEFT << port for port in flow.inputs)
        return Settings(stage, (tuple(sources),))
    inputs = [[0] * stage.middles for _ in range(stage.pairs)]
    outputs = [[OFF, OFF] for _ in range(stage.pairs)]
    ends = [OFF, OFF]
    for flow, color in zip(routed.flows, routed.colors, strict=True):
        for port in flow.inputs:
            if stage.odd and port == stage.ports - 1:
                ends[0] = color + 1
            else:
                inputs[stage.group(port)][color] |= LEFT << port % 2
        for port in flow.outputs:
            if stage.odd and port == stage.ports - 1:
                ends[1] = color + 1
            else:
                outputs[stage.group(port)][port % 2] = color + 1
    inner = routed.inner or tuple(
        Routed(stage.middle(k), (), (), ()) for k in range(stage.middles)
    )
    return Settings(
        stage,
        tuple(map(tuple, inputs)),
        tuple((left, right) for left, right in outputs),
        ends[0],
        ends[1],
        tuple(configure(part) for part in inner),
    )


def push(
    settings: Settings,
    values: Mapping[int, Value],
    reduce: Callable[[Value, Value], Value],
) -> dict[int, Value]:
    """What comes out of each output port when `values` go in, by input port.

    An input that is selected but carries nothing raises KeyError: the settings are wrong.
    """
    stage = settings.stage
    if stage.innermost:
        out = {}
        for port, sources in enumerate(settings.inputs[0]):
            if sources:
                out[port] = _merge(sources, values, 0, reduce)
        return out
    passed: list[dict[int, Value]] = [{} for _ in range(stage.middles)]
    for group, row in enumerate(settings.inputs):
        for middle, sources in enumerate(row):
            if sources:
                passed[middle][group] = _merge(sources, values, 2 * group, reduce)
    if settings.last_in:
        passed[settings.last_in - 1][stage.pairs] = values[stage.ports - 1]
    results = [
        push(part, into, reduce) for part, into in zip(settings.inner, passed, strict=True)
    ]
    out = {}
    for group, pair in enumerate(settings.outputs):
        for side, taken in enumerate(pair):
            if taken:
                out[2 * group + side] = results[taken - 1][group]
    if settings.last_out:
        out[stage.ports - 1] = results[settings.last_out - 1][stage.pairs]
    return out


def _merge(sources: int, values: Mapping[int, Value], first: int,
           reduce: Callable[[Value, Value], Value]) -> Value:  # fmt: skip
    if sources == LEFT | RIGHT:
        return reduce(values[first], values[first + 1])
    return values[first if sources == LEFT else first + 1]


def expected(
    stage: Stage,
    flows: Sequence[Flow],
    values: Mapping[int, Value],
    reduce: Callable[[Value, Value], Value],
) -> dict[int, Value]:
    """What the flows mean, in the switch's fixed order of reduction: pairs of ports level by level.

    The order depends on the ports alone, not on the routing.
    """
    out = {}
    for flow in flows:
        terms = {port: values[port] for port in flow.inputs}
        while len(terms) > 1:
            merged: dict[int, Value] = {}
            for port in sorted(terms):
                group = port // 2
                merged[group] = (
                    reduce(merged[group], terms[port]) if group in merged else terms[port]
                )
            terms = merged
        result = next(iter(terms.values()))
        out.update({port: result for port in flow.outputs})
    return out
