"""How a log ends: the count of cycles, what the explanation says, and the line to quote."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simfabric.runner import Result

CLEAN = "All router state is clean"


def closing_lines(result: "Result") -> list[str]:
    """The last lines of a log, the quotable one at the end."""
    from simfabric.explain import lines

    out = [_stopped(result)]
    out += lines(result.explanation)
    out += _outside(result)
    if result.explanation.clean:
        out.append(CLEAN)
    out.append(quotable(result))
    return out


def _stopped(result: "Result") -> str:
    cycles = f"{result.cycles} cycle{'' if result.cycles == 1 else 's'}"
    if result.error is not None:
        return f"Stopped after {cycles} by an error: {result.error.text}"
    if result.reason == "limit":
        return f"Stopped after {cycles}, the limit"
    if result.reason == "interrupted":
        return f"Interrupted after {cycles}"
    return f"Ended after {cycles}, the last {result.quiet} of them quiet"


def _outside(result: "Result") -> list[str]:
    """What left the grid over its edges, by side and color."""
    from simfabric.explain.names import color_name, pe_name

    if not result.counters["off_grid"]:
        return []
    import numpy as np

    found = []
    last_y, last_x = result.core.height - 1, result.core.width - 1
    for port, side, ys, xs in (
        (3, "north", 0, slice(None)),
        (2, "south", last_y, slice(None)),
        (0, "west", slice(None), 0),
        (1, "east", slice(None), last_x),
    ):
        edge = result.traffic[ys, xs, :, port]
        for color in np.flatnonzero(edge.any(axis=0)).tolist():
            count = int(edge[:, color].sum())
            first = int(np.flatnonzero(edge[:, color])[0])
            y = first if isinstance(ys, slice) else ys
            x = first if isinstance(xs, slice) else xs
            noun = "wavelet" if count == 1 else "wavelets"
            found.append(
                f"outside: {count} {noun} of color {color_name(color, result.core.colors)} left the"
                f" grid on the {side} side, first at {pe_name(y, x)}"
            )
    return found


def quotable(result: "Result") -> str:
    """Cycles, tiles, seconds, cycles per second."""
    rate = result.cycles / result.seconds if result.seconds > 0 else 0.0
    grid = rate * result.tiles / 1e6
    return (
        f"{result.cycles} cycles, {result.tiles} tiles, {result.seconds:.3f} seconds,"
        f" {rate:.0f} cycles per second ({grid:.2f} million PE-cycles per second)"
    )


def as_dict(result: "Result") -> dict[str, Any]:
    """The summary that `json=1` prints; docs/simfabric.md lists its keys."""
    rate = result.cycles / result.seconds if result.seconds > 0 else 0.0
    explanation = result.explanation.as_dict()
    error = result.error
    stalls = []
    for number, cause in enumerate(explanation["causes"]):
        for stall in cause.pop("chain"):
            stalls.append({**stall, "cause": number, "in_cycle": True})
        for stall in cause.pop("stalls"):
            stalls.append({**stall, "cause": number, "in_cycle": False})
    return {
        "cycles": result.cycles,
        "reason": result.reason,
        "quiet": result.quiet,
        "tiles": result.tiles,
        "width": result.core.width,
        "height": result.core.height,
        "seconds": round(result.seconds, 6),
        "cycles_per_second": round(rate, 1),
        "tile_cycles_per_second": round(rate * result.tiles, 1),
        "compiled": result.compiled,
        "threads": result.threads,
        "clean": result.explanation.clean,
        "waiting": result.explanation.waiting,
        "stalls": stalls,
        "causes": explanation["causes"],
        "left_over": explanation["orphans"],
        "handlers": explanation["handlers"],
        "counters": result.counters,
        "error": None if error is None else error.as_dict(),
    }


def json_line(result: "Result") -> str:
    """The summary as one line."""
    return json.dumps(as_dict(result), ensure_ascii=False, separators=(",", ":"))
