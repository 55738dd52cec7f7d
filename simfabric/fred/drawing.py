"""A routed switch as text and as a picture (SVG)."""

from simfabric.fred.configuration import Settings
from simfabric.fred.flows import Flow
from simfabric.fred.routing import Routed
from simfabric.fred.switch import Stage

PALETTE = ("#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#7b4b94", "#00798c", "#a44a3f", "#5c5c5c")
ROW, COLUMN, BOX = 34.0, 90.0, 26.0


def routing_text(routed: Routed, indent: str = "") -> str:
    """Which middle switch every flow takes, level by level."""
    stage = routed.stage
    name = f"Fred_{stage.middles}({stage.ports})"
    where = "" if not stage.path else f" middle {'.'.join(map(str, stage.path))}"
    if stage.innermost:
        return "".join(f"{indent}{name}{where}: flow {flow.text}\n" for flow in routed.flows)
    lines = [f"{indent}{name}{where}\n"] if routed.flows else []
    for flow, color in zip(routed.flows, routed.colors, strict=True):
        lines.append(f"{indent}  flow {flow.text} takes middle switch {color}\n")
    lines += [routing_text(part, indent + "  ") for part in routed.inner if part.flows]
    return "".join(lines)


def settings_text(settings: Settings) -> str:
    """One line for each micro-switch that does something."""
    stage = settings.stage
    prefix = ".".join([*map(str, stage.path), ""])
    lines = []
    words = ("", "left", "right", "left+right")
    if stage.innermost:
        for port, sources in enumerate(settings.inputs[0]):
            if sources:
                lines.append(f"{prefix}RD0: output {port} <- {words[sources]}\n")
        return "".join(lines)
    for group, row in enumerate(settings.inputs):
        for middle, sources in enumerate(row):
            if sources:
                lines.append(f"{prefix}R{group}: to middle {middle} <- {words[sources]}\n")
    if settings.last_in:
        lines.append(f"{prefix}demux: to middle {settings.last_in - 1}\n")
    for group, pair in enumerate(settings.outputs):
        for side, taken in enumerate(pair):
            if taken:
                lines.append(f"{prefix}D{group}: {words[side + 1]} output <- middle {taken - 1}\n")
    if settings.last_out:
        lines.append(f"{prefix}mux: from middle {settings.last_out - 1}\n")
    return "".join(lines) + "".join(settings_text(part) for part in settings.inner)


def picture(routed: Routed) -> str:
    """The switch with every flow's path in a color of its own."""
    canvas = _Canvas()
    stage = routed.stage
    columns = stage.levels
    top = 50.0
    height = _height(stage)
    colors = {flow: PALETTE[k % len(PALETTE)] for k, flow in enumerate(routed.flows)}
    _draw(canvas, stage, routed, [colors[f] for f in routed.flows], 70.0, top)
    for port in range(stage.ports):
        y = top + _port_y(stage, port)
        canvas.text(20, y + 4, f"in {port}")
        canvas.text(70 + COLUMN * columns + 16, y + 4, f"out {port}")
    for k, flow in enumerate(routed.flows):
        canvas.line(20 + 150 * (k % 5), 18 + 14 * (k // 5), 44 + 150 * (k % 5),
                    18 + 14 * (k // 5), colors[flow], 3)  # fmt: skip
        canvas.text(50 + 150 * (k % 5), 22 + 14 * (k // 5), flow.text)
    return canvas.svg(70 + COLUMN * columns + 80, top + height + 20)


def _height(stage: Stage) -> float:
    if stage.innermost:
        return 2 * ROW
    return max(stage.ports * ROW, stage.middles * (_height(stage.middle(0)) + ROW / 2))


def _port_y(stage: Stage, port: int) -> float:
    return (port + 0.5) * _height(stage) / stage.ports


def _draw(canvas: "_Canvas", stage: Stage, routed: Routed, colors: list[str],
          x: float, y: float) -> None:  # fmt: skip
    right = x + COLUMN * (stage.levels - 1)
    if stage.innermost:
        middle = y + _height(stage) / 2
        active = colors[0] if colors else None
        for flow, color in zip(routed.flows, colors, strict=True):
            for port in flow.inputs:
                canvas.line(x - 22, y + _port_y(stage, port), x, middle, color, 2.5)
            for port in flow.outputs:
                canvas.line(x + BOX, middle, x + BOX + 22, y + _port_y(stage, port), color, 2.5)
        canvas.box(x, middle - BOX / 2, "RD", active)
        return
    inner = stage.middle(0)
    pitch = _height(stage) / stage.middles
    def top_of(k: int) -> float:
        return y + k * pitch + (pitch - _height(inner)) / 2
    def side_y(group: int) -> float:
        if stage.odd and group == stage.pairs:
            return y + _port_y(stage, stage.ports - 1)
        return y + (_port_y(stage, 2 * group) + _port_y(stage, 2 * group + 1)) / 2
    groups = stage.pairs + stage.odd
    used: dict[tuple[str, int], str] = {}
    for flow, number, color in zip(routed.flows, routed.colors, colors, strict=True):
        for port in flow.inputs:
            group = stage.group(port)
            used["in", group] = color
            canvas.line(x - 22, y + _port_y(stage, port), x, side_y(group), color, 2.5)
            target = top_of(number) + _port_y(inner, group)
            canvas.line(x + BOX, side_y(group), x + COLUMN - 22, target, color, 2.5)
        for port in flow.outputs:
            group = stage.group(port)
            used["out", group] = color
            source = top_of(number) + _port_y(inner, group)
            canvas.line(right - COLUMN + BOX + 22, source, right, side_y(group), color, 2.5)
            canvas.line(right + BOX, side_y(group), right + BOX + 22, y + _port_y(stage, port),
                        color, 2.5)  # fmt: skip
    for group in range(groups):
        last = stage.odd and group == stage.pairs
        canvas.box(x, side_y(group) - BOX / 2, "demux" if last else "R", used.get(("in", group)))
        canvas.box(right, side_y(group) - BOX / 2, "mux" if last else "D",
                   used.get(("out", group)))  # fmt: skip
    for number in range(stage.middles):
        members = [k for k, color in enumerate(routed.colors) if color == number]
        below = routed.inner[number] if routed.inner else Routed(stage.middle(number), (), (), ())
        _draw(canvas, stage.middle(number), below, [colors[k] for k in members], x + COLUMN,
              top_of(number))  # fmt: skip


class _Canvas:
    """Lines go below boxes, boxes below text."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.boxes: list[str] = []
        self.texts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, color: str, width: float) -> None:
        self.lines.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
            f'stroke-width="{width}" stroke-linecap="round"/>'
        )

    def box(self, x: float, y: float, label: str, color: str | None) -> None:
        self.boxes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{BOX}" rx="4" fill="#fff" '
            f'stroke="{color or "#bbb"}" stroke-width="{2 if color else 1}"/>'
        )
        size = 11 if len(label) < 3 else 7.5
        self.texts.append(
            f'<text x="{x + BOX / 2:.1f}" y="{y + BOX / 2 + 4:.1f}" text-anchor="middle" '
            f'font-size="{size}">{label}</text>'
        )

    def text(self, x: float, y: float, words: str) -> None:
        safe = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "→")
        self.texts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="11">{safe}</text>')

    def svg(self, width: float, height: float) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            'font-family="sans-serif" fill="#222">'
        )
        ground = '<rect width="100%" height="100%" fill="#fff"/>'
        return "\n".join([head, ground, *self.lines, *self.boxes, *self.texts, "</svg>", ""])


def flows_text(flows: tuple[Flow, ...]) -> str:
    """Flows in the form `parse` reads."""
    return ";".join(flow.text for flow in flows)
