"""The smallest numbers, in order of declaration, that satisfy a problem.

Colors that are paired have one unknown together: the number of the first declared of them. Taking
the smallest possible number for one after the other gives the smallest solution of all if it never
gets stuck; if it does, CP-SAT decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field

from paint.colors.problem import Apart, Constraint, Meet, Problem, Same, Within
from paint.evaluate.values import Color


class NoNumbers(Exception):
    """The problem has no solution."""


@define(eq=False)
class Family:
    """Colors whose numbers follow from one: color = number ^ parity."""

    members: dict[Color, int]
    numbers: list[int] = field(factory=list)
    """What the one number may be, by the members' own constraints."""


@define(eq=False)
class Compiled:
    """A problem in terms of families. `unequal` are families that cannot have certain xors:
    `unequal[a][b]` holds x if `number(a) ^ number(b) == x` is forbidden."""

    families: list[Family]
    family: dict[Color, int]
    unequal: list[dict[int, set[int]]]
    groups: list[list[tuple[int, int]]]
    """Meetings, as (family, parity) of their colors."""


def numbers(problem: Problem) -> dict[Color, int]:
    """The numbers of all colors. Raises NoNumbers."""
    compiled = compile_problem(problem.colors, problem.size, problem.constraints)
    found = greedy(compiled)
    if found is None:
        from paint.colors.search import smallest

        found = smallest(compiled)
    if found is None:
        raise NoNumbers
    return {
        color: found[number] ^ family.members[color]
        for number, family in enumerate(compiled.families)
        for color in family.members
    }


def compile_problem(
    colors: Iterable[Color], size: int, constraints: Iterable[Constraint]
) -> Compiled:
    """Families and what holds between them. Raises NoNumbers where a family contradicts itself."""
    colors, constraints = list(colors), list(constraints)
    families = _families(colors, constraints)
    where = {color: k for k, family in enumerate(families) for color in family.members}
    allowed = {color: set(range(size)) for color in colors}
    unequal: list[dict[int, set[int]]] = [{} for _ in families]
    groups = []

    def forbid(a: Color, b: Color, difference: int) -> None:
        one, two = where[a], where[b]
        xor = families[one].members[a] ^ families[two].members[b] ^ difference
        if one == two:
            if xor == 0:
                raise NoNumbers
            return
        unequal[one].setdefault(two, set()).add(xor)
        unequal[two].setdefault(one, set()).add(xor)

    for constraint in constraints:
        if isinstance(constraint, Within):
            allowed[constraint.color] &= constraint.numbers
        elif isinstance(constraint, Apart):
            forbid(constraint.swapped, constraint.other, 1)
        elif isinstance(constraint, Meet):
            members = [c for c in constraint.carried if c in where]
            for k, color in enumerate(members):
                for other in members[:k]:
                    forbid(color, other, 0)
            groups.append([(where[c], families[where[c]].members[c]) for c in members])
    for family in families:
        family.numbers = [
            number
            for number in range(size)
            if all(number ^ parity in allowed[c] for c, parity in family.members.items())
        ]
        if not family.numbers:
            raise NoNumbers
    return Compiled(families, where, unequal, groups)


def _families(colors: list[Color], constraints: list[Constraint]) -> list[Family]:
    links: dict[Color, list[Color]] = {color: [] for color in colors}
    for constraint in constraints:
        if isinstance(constraint, Same):
            links[constraint.first].append(constraint.second)
            links[constraint.second].append(constraint.first)
    families: list[Family] = []
    seen: dict[Color, int] = {}
    for color in colors:
        if color in seen:
            continue
        members = {color: 0}
        waiting = [color]
        while waiting:
            one = waiting.pop()
            for other in links[one]:
                if other not in members:
                    members[other] = members[one] ^ 1
                    waiting.append(other)
                elif members[other] == members[one]:
                    raise NoNumbers
        seen.update(members)
        families.append(Family(members))
    return families


def greedy(compiled: Compiled, given: Mapping[int, int] | None = None) -> list[int] | None:
    """The smallest number for each family in turn, or None if one has none left.

    `given` are families whose numbers are chosen already. Families with one possible number come
    first: theirs is no choice.
    """
    families = compiled.families
    order = sorted(range(len(families)), key=lambda k: (len(families[k].numbers) > 1, k))
    found: dict[int, int] = dict(given or {})
    for k in order:
        if k in found:
            continue
        for number in families[k].numbers:
            if all(
                other not in found or number ^ found[other] not in xors
                for other, xors in compiled.unequal[k].items()
            ):
                found[k] = number
                break
        else:
            return None
    return [found[k] for k in range(len(families))]
