"""The text of a route: `[CXR|R]`, `[C>D ; U>D* ; pop=adv ring]` (paint page, section 4).

    route    = positions [";" option…]
    position = {sides "|"} [side] (">" | "H" | "V" | "X") [sides] {"|" sides} ["*"]
    option   = "ring" | "pop=" ("always" | "adv" | "adv-nop" | "no")

Blanks may stand anywhere between letters. Sides are letters of LRUDC; boundaries are not C.
"""

import re
from collections.abc import Callable

from mitools.arch.words import POP_MODES, PORTS
from mitools.console import Place, UserError, suggestion
from paint.syntax import ast

MODIFIERS = ">HVX"
POSITIONS = 4
_OPTION = re.compile(r"\s*[a-z]")
_EXAMPLES = "a route is [L>C], [C>LR], [L>R ; C>R], [CXR|R]; a map is [key:value]"

PlaceOf = Callable[[int, int], Place]
"""Place of a span of the route's text, brackets included."""


def parse_rule(text: str, place_of: PlaceOf) -> ast.Rule:
    """The rule of `[…]`. Raises UserError at the letter that is wrong."""
    return _Reader(text, place_of).rule()


class _Reader:
    def __init__(self, text: str, place_of: PlaceOf):
        self.text = text
        self.place_of = place_of

    def rule(self) -> ast.Rule:
        positions: list[ast.Position] = []
        starred: list[int] = []
        options: dict[str, object] = {}
        start = 1
        for part in self.text[1:-1].split(";"):
            span = (start, start + len(part))
            start += len(part) + 1
            if not part.strip():
                raise self._error("an empty switch position", *span)
            if _OPTION.match(part) and ">" not in part:
                self._options(*span, options)
                continue
            if options:
                raise self._error("options stand last in a route", *span)
            position, star = self._position(*span)
            if star:
                starred.append(len(positions))
            positions.append(position)
        whole = (0, len(self.text))
        if not positions:
            raise self._error("this route has options, but no position", *whole)
        if len(positions) > POSITIONS:
            raise self._error(
                f"a color has up to {POSITIONS} switch positions, and these are {len(positions)}",
                *whole,
            )
        if len(starred) > 1:
            raise self._error("two positions are marked with `*` as the initial one", *whole)
        self._check_modifiers(positions)
        return ast.Rule(
            tuple(positions),
            starred[0] if starred else 0,
            str(options.get("pop", "no")),
            "ring" in options,
            place=self.place_of(*whole),
        )

    def _position(self, start: int, end: int) -> tuple[ast.Position, bool]:
        """One position between two places, and whether it is the initial one."""
        letters = [(k, self.text[k]) for k in range(start, end) if not self.text[k].isspace()]
        place = self.place_of(letters[0][0], letters[-1][0] + 1)
        star = letters[-1][1] == "*"
        if star:
            letters.pop()
        middle = [n for n, (_, letter) in enumerate(letters) if letter in MODIFIERS]
        for at, letter in letters:
            if letter not in PORTS + MODIFIERS + "|":
                raise self._foreign(at, letter, bool(middle))
        if not middle:
            raise self._error("this is neither a route nor a map", start, end, _EXAMPLES)
        if len(middle) > 1:
            at = letters[middle[1]][0]
            raise self._error("a second `>` or swap letter in one position", at, at + 1)
        left, right = letters[: middle[0]], letters[middle[0] + 1 :]
        before, source = self._before(left)
        outputs, after = self._after(right)
        if not source and not outputs:
            raise self._error(
                "a position without input and outputs", start, end, "give one side: [C>] or [>C]"
            )
        modifier = letters[middle[0]][1]
        return ast.Position(source, modifier, outputs, before, after, place=place), star

    def _before(self, letters: list[tuple[int, str]]) -> tuple[str, str]:
        """(boundary sides, input) of what stands before the modifier."""
        bars = [n for n, (_, letter) in enumerate(letters) if letter == "|"]
        split = bars[-1] + 1 if bars else 0
        sides = self._boundary(letters[:split])
        source = letters[split:]
        if len(source) > 1:
            at = source[1][0]
            raise self._error(
                "a route takes one input", source[0][0], at + 1,
                "switch positions, parted by `;`, take turns: [L>C ; R>C]",
            )  # fmt: skip
        return sides, source[0][1] if source else ""

    def _after(self, letters: list[tuple[int, str]]) -> tuple[str, str]:
        """(outputs, boundary sides) of what stands after the modifier."""
        bars = [n for n, (_, letter) in enumerate(letters) if letter == "|"]
        split = bars[0] if bars else len(letters)
        outputs = ""
        for at, letter in letters[:split]:
            if letter in outputs:
                raise self._error(f"the output {letter} stands here twice", at, at + 1)
            outputs += letter
        if bars and letters[-1][1] == "|":
            at = letters[-1][0]
            raise self._error("a boundary operator needs a side", at, at + 1, "as in [CXR|R]")
        return ordered(outputs), self._boundary(letters[split:])

    def _boundary(self, letters: list[tuple[int, str]]) -> str:
        sides = ""
        previous = "|"
        for n, (at, letter) in enumerate(letters):
            if letter == "|" and previous == "|" and n:
                raise self._error("two bars with no side between them", at, at + 1)
            if letter == "C":
                raise self._error(
                    "C is no edge of a region", at, at + 1, "boundaries are L, R, U and D"
                )
            if letter != "|" and letter not in sides:
                sides += letter
            previous = letter
        if letters and letters[0][1] == "|" and letters[-1][1] == "|":
            at = letters[0][0]
            raise self._error("a boundary operator needs a side", at, at + 1, "as in [L|LXC]")
        return ordered(sides)

    def _options(self, start: int, end: int, options: dict[str, object]) -> None:
        text = self.text[start:end]
        for match in re.finditer(r"([^\s=]+)(?:\s*=\s*(\S*))?", text):
            span = (start + match.start(), start + match.end())
            name, value = match[1], match[2]
            if name in options:
                raise self._error(f"`{name}` stands here twice", *span)
            if name == "ring" and value is None:
                options["ring"] = True
            elif name == "pop" and value in POP_MODES:
                options["pop"] = value
            elif name == "pop":
                modes = ", ".join(f"pop={mode}" for mode in POP_MODES)
                near = value and suggestion(value, POP_MODES)
                raise self._error("no such pop mode", *span, near or f"there are {modes}")
            else:
                near = suggestion(name, ("ring", "pop"))
                known = "options are pop=always, pop=adv, pop=adv-nop, pop=no and ring"
                raise self._error(f"a route has no option `{name}`", *span, near or known)

    def _check_modifiers(self, positions: list[ast.Position]) -> None:
        first = positions[0]
        for position in positions:
            if position.modifier != first.modifier:
                raise UserError(
                    f"this position has the modifier `{position.modifier}`, "
                    f"and the first one `{first.modifier}`",
                    position.place,
                    "a swap belongs to the color on the router: give every position the same one",
                    [("the first position", first.place)],
                )
            if len(positions) > 1 and not position.input:
                raise UserError(
                    "a switch position needs an input", position.place,
                    "only a route of one position may be an open end",
                )  # fmt: skip

    def _foreign(self, at: int, letter: str, is_route: bool) -> UserError:
        remedy = None
        if letter.upper() in PORTS + MODIFIERS and letter != "r":
            remedy = f"sides and swaps are capitals: write {letter.upper()}"
        elif letter in "NSEW":
            side = dict(zip("NSEW", "DURL", strict=True))[letter]
            remedy = f"sides are L, R, U, D and C; {side} is the one meant by {letter}"
        elif letter in "pr":
            remedy = "options stand behind a `;` of their own: [L>R ; U>R ; pop=adv ring]"
        elif letter == "*":
            remedy = "the `*` of the initial position stands at its end"
        elif not is_route:
            return self._error("this is neither a route nor a map", 0, len(self.text), _EXAMPLES)
        return self._error(f"`{letter}` is no side of a PE", at, at + 1, remedy or _EXAMPLES)

    def _error(self, message: str, start: int, end: int, remedy: str | None = None) -> UserError:
        return UserError(message, self.place_of(start, end), remedy)


def ordered(sides: str) -> str:
    """Sides in the order of the port numbers."""
    return "".join(side for side in PORTS if side in sides)


def rule_text(rule: ast.Rule) -> str:
    """The route between its brackets, as `parse_rule` reads it."""
    parts = []
    for number, position in enumerate(rule.positions):
        before = "".join(f"{side}|" for side in position.before)
        after = "".join(f"|{side}" for side in position.after)
        star = "*" if number == rule.initial and number else ""
        parts.append(f"{before}{position.input}{position.modifier}{position.outputs}{after}{star}")
    options = [] if rule.pop == "no" else [f"pop={rule.pop}"]
    options += ["ring"] if rule.ring else []
    if options:
        parts.append(" ".join(options))
    return f"[{' ; '.join(parts)}]"
