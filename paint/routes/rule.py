"""The rule of one color on one tile, after boundaries and mirrors, before numbers.

The text of a rule is that of the layout language, with `-` for an input that a boundary took away.
"""

from functools import cache

from attrs import evolve, field, frozen

from mitools.arch.words import (
    NO_INPUT,
    PORTS,
    SWAP_CORE,
    SWAP_HORIZONTAL,
    SWAP_VERTICAL,
    ColorRule,
)
from paint.syntax import ast
from paint.syntax.rules import ordered

SIDES = "LRUD"
SWAPS = {
    ">": 0,
    "H": SWAP_HORIZONTAL,
    "V": SWAP_VERTICAL,
    "X": SWAP_HORIZONTAL | SWAP_VERTICAL | SWAP_CORE,
}
SWAPPED_INPUTS = {">": "", "H": "LR", "V": "UD", "X": "LRUDC"}
"""Inputs that read the partner (Notes, Color Swapping)."""
_MIRROR = {"horizontal": str.maketrans("LR", "RL"), "vertical": str.maketrans("UD", "DU")}


@frozen
class TileRule:
    """Positions are (input, outputs) in letters of LRUDC; an input may be "".

    `open_end` is "outputs" for `[C>]`, "input" for `[>C]`, "" for a whole rule. `cut` are the sides
    that boundary operators took away: `S|` as the small letter, `|S` as the capital. It does not
    tell rules apart.
    """

    positions: tuple[tuple[str, str], ...]
    modifier: str = ">"
    initial: int = 0
    pop: str = "no"
    ring: bool = False
    open_end: str = ""
    cut: str = field(default="", eq=False)

    @property
    def switches(self) -> bool:
        return len(self.positions) > 1

    @property
    def inputs(self) -> str:
        """Sides that some position takes from."""
        return "".join(source for source, _ in self.positions)

    @property
    def outputs(self) -> str:
        """Sides that some position sends to."""
        return ordered("".join(outputs for _, outputs in self.positions))

    def reads_partner(self, side: str) -> bool:
        """Whether what this color takes from a side are the partner's wavelets."""
        return side in SWAPPED_INPUTS[self.modifier]

    def words(self) -> ColorRule:
        """The rule as the router's registers hold it."""
        positions = tuple(
            (PORTS.index(source) if source else NO_INPUT, sum(1 << PORTS.index(o) for o in outs))
            for source, outs in self.positions
        )
        return ColorRule(positions, SWAPS[self.modifier], self.initial, self.ring, self.pop)

    def __str__(self) -> str:
        parts = [
            f"{source or ('' if self.open_end == 'input' else '-')}{self.modifier}{outputs}"
            + ("*" if number and number == self.initial else "")
            for number, (source, outputs) in enumerate(self.positions)
        ]
        options = [f"pop={self.pop}"] if self.pop != "no" else []
        options += ["ring"] if self.ring else []
        return f"[{' ; '.join([*parts, *([' '.join(options)] if options else [])])}]"


@cache
def tile_rule(rule: ast.Rule, edges: str) -> TileRule:
    """What a written rule means on a tile at these edges of the painted region.

    `S|` takes the input of the position it stands before; `|S` the output S of its position, and
    at the end of the rule that of every position.
    """
    last = rule.positions[-1].after
    positions = []
    cut = ""
    for position in rule.positions:
        source, outputs = position.input, position.outputs
        if any(side in edges for side in position.before) and source:
            cut += source.lower()
            source = ""
        for side in ordered(position.after + last):
            if side in edges and side in outputs:
                cut += side
                outputs = outputs.replace(side, "")
        positions.append((source, outputs))
    open_end = ""
    if len(positions) == 1:
        written = rule.positions[0]
        open_end = "input" if not written.input else "outputs" if not written.outputs else ""
    return TileRule(
        tuple(positions), rule.positions[0].modifier, rule.initial, rule.pop, rule.ring, open_end,
        cut,
    )  # fmt: skip


@cache
def mirrored(rule: TileRule, axis: str) -> TileRule:
    """The rule of a region mirrored along an axis, "horizontal" or "vertical"."""
    swap = _MIRROR[axis]
    small = str.maketrans("lrud", "rlud" if axis == "horizontal" else "lrdu")
    return evolve(
        rule,
        positions=tuple(
            (source.translate(swap), ordered(outputs.translate(swap)))
            for source, outputs in rule.positions
        ),
        cut=rule.cut.translate(swap).translate(small),
    )


@cache
def merged(a: TileRule, b: TileRule) -> TileRule | None:
    """The one rule that two of one color on a tile make, or None if they disagree.

    Open ends agree with a rule that has the same side; a modifier of `>` on an open end says
    nothing (paint page, section 4).
    """
    if a == b:
        return a if len(a.cut) >= len(b.cut) else b
    if not (a.open_end or b.open_end) or a.switches or b.switches:
        return None
    (source_a, outputs_a), (source_b, outputs_b) = a.positions[0], b.positions[0]
    if not _agree(source_a, source_b, a.open_end == "input", b.open_end == "input"):
        return None
    if not _agree(outputs_a, outputs_b, a.open_end == "outputs", b.open_end == "outputs"):
        return None
    modifiers = {r.modifier for r in (a, b) if not (r.open_end and r.modifier == ">")}
    pops = {r.pop for r in (a, b) if not (r.open_end and r.pop == "no")}
    if len(modifiers) > 1 or len(pops) > 1:
        return None
    still_open = a.open_end if a.open_end == b.open_end else ""
    return TileRule(
        ((source_a or source_b, outputs_a or outputs_b),),
        modifiers.pop() if modifiers else ">",
        0,
        pops.pop() if pops else "no",
        a.ring or b.ring,
        still_open,
        a.cut + b.cut,
    )


def _agree(a: str, b: str, a_open: bool, b_open: bool) -> bool:
    return a_open or b_open or a == b
