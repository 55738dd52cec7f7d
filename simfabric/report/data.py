"""What the report shows, as plain values: the grid's time split, link load, stalls, slow lines."""

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from simfabric.explain.names import color_name, pe_name
from simfabric.explain.text import path_text
from simfabric.summary import closing_lines, quotable

if TYPE_CHECKING:
    from simfabric.runner import Result

SPLIT = {"working": "work", "sending": "send", "receiving": "receive", "idle": "idle"}
"""The split of a PE's time, and the engine's counters of it."""
LARGEST_TRAFFIC = 20_000
"""PEs up to which link load by color is given link by link."""


def report_data(result: "Result") -> dict[str, Any]:
    """Everything the page needs."""
    image = result.core
    cycles = max(result.cycles, 1)
    programs = image.program.astype(np.int32)
    return {
        "title": str(image.facts.get("layout", "simulation")),
        "quote": quotable(result),
        "closing": closing_lines(result),
        "cycles": result.cycles,
        "reason": result.reason,
        "error": result.error.as_dict() if result.error else None,
        "width": image.width,
        "height": image.height,
        "programs": [_program(p.program, p.parameters) for p in image.programs],
        "program": _packed(np.clip(programs + 1, 0, 255)),
        "split": {
            name: _packed(np.clip(result.counter_maps[counter] * 255 / cycles, 0, 255))
            for name, counter in SPLIT.items()
        },
        "byProgram": _by_program(result, cycles),
        "colors": _colors(result, cycles),
        "causes": _causes(result),
        "orphans": [
            {"text": o.text, "places": [[h.x, h.y] for h in o.held]}
            for o in result.explanation.orphans
        ],
        "lines": _lines(result),
    }


def _program(name: str, parameters: tuple[tuple[str, str], ...]) -> str:
    values = ", ".join(f"{key}={value}" for key, value in parameters[:6])
    return f"{name} ({values})" if values else name


def _packed(values: np.ndarray) -> str:
    """Row by row, one byte a PE, base64."""
    return base64.b64encode(np.rint(values).astype(np.uint8).tobytes()).decode("ascii")


def _by_program(result: "Result", cycles: int) -> list[dict[str, Any]]:
    image = result.core
    found = []
    for number, program in enumerate(image.programs):
        here = image.program == number
        count = int(here.sum())
        if count:
            shares = {
                name: float(result.counter_maps[counter][here].mean()) / cycles
                for name, counter in SPLIT.items()
            }
            found.append(
                {"name": _program(program.program, program.parameters), "pes": count, **shares}
            )
    return found


def _colors(result: "Result", cycles: int) -> list[dict[str, Any]]:
    """Traffic of each color over links (ports L, R, U, D), and to cores."""
    image = result.core
    links = image.width * image.height <= LARGEST_TRAFFIC
    found = []
    for color in range(result.traffic.shape[2]):
        traffic = result.traffic[:, :, color]
        total, to_cores = int(traffic[..., :4].sum()), int(traffic[..., 4].sum())
        if not total and not to_cores:
            continue
        y, x, port = np.unravel_index(int(traffic[..., :4].argmax()), traffic[..., :4].shape)
        most = int(traffic[y, x, port])
        found.append(
            {
                "color": color,
                "name": color_name(color, image.colors),
                "wavelets": total,
                "toCores": to_cores,
                "busiest": f"{pe_name(int(y), int(x))} {'LRUD'[port]}" if most else "",
                "most": most,
                "load": most / cycles,
                "links": _packed(np.clip(traffic[..., :4] * 255 / cycles, 0, 255))
                if links
                else None,
            }
        )
    return found


def _causes(result: "Result") -> list[dict[str, Any]]:
    return [
        {
            "text": cause.text,
            "places": [[x, y] for y, x in (*cause.places, *cause.alike)],
            "cycle": cause.kind == "cycle",
            "stalls": [
                {
                    "text": stall.text,
                    "path": path_text(stall) if stall.path else "",
                    "hops": [[hop.x, hop.y] for hop in stall.path],
                    "places": [[stall.x, stall.y], *([x, y] for y, x in stall.alike)],
                }
                for stall in (*cause.chain, *cause.stalls)
            ],
        }
        for cause in result.explanation.causes
    ]


def _lines(result: "Result") -> list[dict[str, Any]]:
    """Source lines by the time that main threads spent at them, most first."""
    return [
        {
            "place": f"{line.file}:{line.line}",
            "program": line.program,
            "share": line.share,
            "working": line.working,
            "sending": line.sending,
            "receiving": line.receiving,
        }
        for line in result.profile
    ]
