"""The image of a layout: registers of each kind of tile, programs, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from carbide.object import Object
from mitools.arch.model import Arch
from mitools.arch.words import UNUSED, input_queue_words, output_queue_word
from mitools.image.model import Flow, Image, TileConfig
from mitools.version import VERSION
from paint.evaluate.layout import NOTHING, Kind, Layout
from paint.evaluate.values import Color


def image_of(
    layout: Layout,
    numbers: Mapping[Color, int],
    objects: Sequence[Object],
    object_of: Sequence[int],
    arch: Arch,
    source: str,
) -> Image:
    """`object_of[k]` is the object of the layout's program k."""
    kinds, grid = layout.kinds
    configs: dict[TileConfig, int] = {}
    config_of = np.full(len(kinds), -1, np.int32)
    for kind in kinds:
        if kind.program == NOTHING and not kind.rules and not kind.banks:
            continue
        object_ = objects[object_of[kind.program]] if kind.program != NOTHING else None
        config = tile_config(layout, kind, numbers, object_, arch)
        config_of[kind.number] = configs.setdefault(config, len(configs))
    programs = np.array([*object_of, -1], np.int32)[layout.program]
    names: dict[int, list[str]] = {}
    for color in layout.colors:
        known = names.setdefault(numbers[color], [])
        if color.label not in known:
            known.append(color.label)
    return Image(
        arch=arch.name,
        program=programs,
        config=config_of[grid],
        programs=list(objects),
        configs=list(configs),
        regions=dict(layout.names),
        flows=[
            Flow(
                numbers[use.color], use.operation, use.type,
                tuple(zip(ys.tolist(), xs.tolist(), strict=True)),
            )
            for use, (ys, xs) in layout.flows
        ],
        colors=dict(sorted(names.items())),
        facts={"layout": source, "paint": VERSION},
    )  # fmt: skip


def tile_config(
    layout: Layout, kind: Kind, numbers: Mapping[Color, int], object_: Object | None, arch: Arch
) -> TileConfig:
    """The registers of a tile: routes and switches by color number, queues by socket."""
    rules = [UNUSED] * arch.router.colors
    for color in kind.rules:
        rule = layout.rule(kind, color)
        assert rule is not None
        rules[numbers[color]] = rule.words()
    inputs = [0] * (2 * arch.queues.inputs)
    outputs = [0] * arch.queues.outputs
    if object_ is not None:
        bound = dict(layout.programs[kind.program].sockets)
        for socket in object_.sockets:
            if socket.name not in bound:
                continue
            number = numbers[bound[socket.name]]
            if socket.input_queue is not None:
                first = 2 * socket.input_queue
                inputs[first : first + 2] = input_queue_words(number)
            if socket.output_queue is not None:
                outputs[socket.output_queue] = output_queue_word(number)
    return TileConfig(
        colors=tuple(rule.config_word() for rule in rules),
        switches=tuple(word for rule in rules for word in rule.switch_words()),
        input_queues=tuple(inputs),
        output_queues=tuple(outputs),
        message_banks=kind.banks,
    )
