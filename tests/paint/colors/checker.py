"""An independent judge of numbers: what registers would read, against what the layout means.

It looks at tiles one by one and at sides one by one, as a router does, and shares nothing with the
solver but the layout.
"""

from collections.abc import Mapping

from mitools.arch.sdr import ARCH
from paint.evaluate.layout import NOTHING, Layout
from paint.evaluate.values import Color

STEPS = {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}
BEHIND = {"L": "R", "R": "L", "U": "D", "D": "U"}
SWAPS = {">": "", "H": "LR", "V": "UD", "X": "LRUDC"}


def judge(layout: Layout, numbers: Mapping[Color, int]) -> str | None:
    """What is wrong with the numbers, or None."""
    for color, number in numbers.items():
        if color.number is not None and color.number != number:
            return f"{color.label} should be {color.number}"
        if not 0 <= number < ARCH.router.colors:
            return f"{color.label} is out of range"
    for pair in layout.pairs:
        if numbers[pair.first] != numbers[pair.second] ^ 1:
            return f"{pair.first.label} and {pair.second.label} are no pair"
    for y in range(layout.height):
        for x in range(layout.width):
            wrong = _tile(layout, numbers, x, y)
            if wrong:
                return f"({x}, {y}): {wrong}"
    return None


def _rules(layout: Layout, x: int, y: int):
    found = {}
    for color, grid in layout.grids.items():
        row, column = y - grid.y, x - grid.x
        if 0 <= row < grid.ids.shape[0] and 0 <= column < grid.ids.shape[1]:
            index = grid.ids[row, column]
            if index != NOTHING:
                found[color] = grid.rules[index][0]
    return found


def _partners(layout: Layout, color: Color) -> set[Color]:
    found = {p.second for p in layout.pairs if p.first is color}
    found |= {p.first for p in layout.pairs if p.second is color}
    if color.number is not None:
        found |= {c for c in layout.colors if c.number == color.number ^ 1}
    return found


def _tile(layout: Layout, numbers: Mapping[Color, int], x: int, y: int) -> str | None:
    if not layout.member[y, x]:
        return None
    rules = _rules(layout, x, y)
    here = set(rules)
    arrivals: set[tuple[Color, str]] = set()
    for color, rule in rules.items():
        if rule.switches and numbers[color] not in ARCH.router.switching:
            return f"{color.label} cannot switch"
        for side, _ in rule.positions:
            if side and side not in SWAPS[rule.modifier]:
                arrivals.add((color, side))
            elif side:
                arrivals |= {(partner, side) for partner in _partners(layout, color)}
    if layout.program[y, x] != NOTHING:
        bound = {color for _, color in layout.programs[layout.program[y, x]].sockets}
        here |= bound
        arrivals |= {(color, "C") for color in bound}
    for side, (dx, dy) in STEPS.items():
        if 0 <= x + dx < layout.width and 0 <= y + dy < layout.height:
            for color, rule in _rules(layout, x + dx, y + dy).items():
                if any(BEHIND[side] in outputs for _, outputs in rule.positions):
                    arrivals.add((color, side))
    here |= {color for color, _ in arrivals}
    used = [numbers[color] for color in here]
    if len(set(used)) < len(used):
        return "two colors of one number"
    for bank, members in enumerate(ARCH.router.message_banks):
        if layout.banks[y, x] >> bank & 1:
            for color in here:
                if numbers[color] in members and (color.number is None or color in rules):
                    return f"{color.label} is a color of bank {bank}"
    for color, side in arrivals:
        meant = {numbers[color]} if color not in rules else set()
        if color in rules and side not in SWAPS[rules[color].modifier]:
            meant.add(numbers[color])
        for partner in _partners(layout, color):
            if partner in rules and side in SWAPS[rules[partner].modifier]:
                meant.add(numbers[partner])
        swapped = {numbers[c]: SWAPS[rule.modifier] for c, rule in rules.items()}
        read = {
            register
            for register in range(ARCH.router.colors)
            if (register ^ 1 if side in swapped.get(register, "") else register) == numbers[color]
        }
        if read != meant:
            return f"{color.label} from {side} is read by {read}, and meant for {meant}"
    return None
