"""Why a layout's colors cannot be numbered: a smallest set of constraints that contradict.

First colors are left out, then constraints, one by one, as long as there is no solution without
them: every one that remains is needed for the contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable

from mitools.console import Place, UserError
from paint.colors.problem import Apart, Constraint, Meet, Problem, Same, Within, ranges
from paint.colors.solve import NoNumbers, compile_problem, greedy
from paint.evaluate.values import Color

WIDTH = 90
LONG = 6
"""Colors of a meeting that are listed in one note each; more are listed together."""


def clash(problem: Problem) -> tuple[list[Color], list[Constraint]]:
    """A minimal set of colors and of constraints among them without a solution."""
    colors = list(problem.colors)
    constraints = list(problem.constraints)
    if problem.crowded is not None and len(problem.crowded.carried) > problem.size:
        colors = [c for c in colors if c in problem.crowded.carried]
        constraints = _among(constraints, colors)
    for color in list(reversed(colors)):
        rest = [c for c in colors if c is not color]
        if not _has_numbers(rest, problem.size, _among(constraints, rest)):
            colors = rest
            constraints = _among(constraints, rest)
    constraints = _simple_first(constraints)
    for constraint in list(reversed(constraints)):
        fewer = [c for c in constraints if c is not constraint]
        if not _has_numbers(colors, problem.size, fewer):
            constraints = fewer
    return colors, constraints


def _among(constraints: Iterable[Constraint], colors: list[Color]) -> list[Constraint]:
    """What the constraints say about some colors alone."""
    kept = set(colors)
    found: list[Constraint] = []
    for constraint in constraints:
        if isinstance(constraint, Meet):
            carried = {c: what for c, what in constraint.carried.items() if c in kept}
            if len(carried) > 1:
                found.append(Meet(carried, constraint.x, constraint.y))
        elif constraint.colors <= kept:
            found.append(constraint)
    return found


def _simple_first(constraints: list[Constraint]) -> list[Constraint]:
    """Larger meetings are kept rather than smaller ones, meetings rather than the rest."""
    return sorted(
        constraints, key=lambda c: -len(c.carried) if isinstance(c, Meet) else 0
    )


def _has_numbers(colors: list[Color], size: int, constraints: list[Constraint]) -> bool:
    try:
        compiled = compile_problem(colors, size, constraints)
    except NoNumbers:
        return False
    if greedy(compiled) is not None:
        return True
    if any(len(group) > size for group in compiled.groups):
        return False
    from paint.colors.search import solvable

    return solvable(compiled)


def explain(problem: Problem) -> UserError:
    """The error for a problem without a solution."""
    colors, constraints = clash(problem)
    notes: list[tuple[str, Place | None]] = []
    for constraint in sorted(constraints, key=lambda c: isinstance(c, Meet)):
        notes += _notes(constraint)
    crowded = problem.crowded
    if crowded is not None:
        where = f"({crowded.x}, {crowded.y}) with {len(crowded.carried)}"
        notes.append((f"the tile with the most colors is {where}", None))
    names = ", ".join(f"`{c.label}`" for c in colors[:LONG])
    if len(colors) > LONG:
        names = f"{len(colors)} colors"
    place = notes[0][1] or colors[0].place
    return UserError(
        f"there are no numbers for {names} that satisfy all of these", place, _remedy(constraints),
        notes,
    )  # fmt: skip


def _notes(constraint: Constraint) -> list[tuple[str, Place | None]]:
    if isinstance(constraint, Within):
        return [(f"{constraint.why}: one of {ranges(constraint.numbers)}", constraint.place)]
    if isinstance(constraint, Same):
        pair = f"`{constraint.first.label}` and `{constraint.second.label}` are a pair: c and c^1"
        return [(pair, constraint.place)]
    if isinstance(constraint, Apart):
        other, swapped = constraint.other.label, constraint.swapped.label
        where = f"({constraint.x}, {constraint.y})"
        return [
            (f"the swap of `{swapped}` on tile {where} reads the color one away", constraint.place),
            (f"so `{other}`, which comes there too, cannot be that one", constraint.other_place),
        ]
    where = f"on tile ({constraint.x}, {constraint.y})"
    if len(constraint.carried) > LONG:
        each = "\n".join(_listed(constraint))
        return [(f"{len(constraint.carried)} colors meet {where} and must differ:\n{each}", None)]
    names = " and ".join(f"`{c.label}`" for c in constraint.carried)
    notes: list[tuple[str, Place | None]] = [(f"{names} meet {where} and must differ", None)]
    notes += [(f"`{c.label}` {what.why}", what.place) for c, what in constraint.carried.items()]
    return notes


def _listed(meet: Meet) -> list[str]:
    """The colors of a large meeting with their places, several on a line."""
    files = {what.place.file for what in meet.carried.values()}
    lines = [""]
    for color, what in meet.carried.items():
        place = what.place
        where = str(place) if len(files) > 1 else f"{place.line}:{place.column}"
        word = f"`{color.label}` {where}"
        if len(lines[-1]) + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f", {word}" if lines[-1] else f"      {word}"
    return [f"      in {files.pop()}, line and column:", *lines] if len(files) == 1 else lines


def _remedy(constraints: list[Constraint]) -> str:
    if any(isinstance(c, Meet) and len(c.carried) > LONG for c in constraints):
        return "let fewer colors meet there, or send some of it as messages"
    if any(isinstance(c, Within) for c in constraints):
        return "change one of the numbers, or let the solver choose: color()"
    return "change one of these"
