"""Why a layout's colors cannot be numbered: a smallest set of constraints that contradict.

First colors are left out, then constraints, one by one, as long as there is no solution without
them: every one that remains is needed for the contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from mitools.console import Place, UserError
from paint.colors.problem import Apart, Constraint, Meet, Problem, Same, Within, ranges
from paint.colors.solve import NoNumbers, compile_problem, greedy
from paint.evaluate.values import Color

Item = TypeVar("Item")
Note = tuple[str, Place | None]
WIDTH = 90
LONG = 6
"""Colors that the message itself names."""
FEW = 3
"""Colors with a note each; more of one sort are listed together."""


def clash(problem: Problem) -> tuple[list[Color], list[Constraint]]:
    """A minimal set of colors and of constraints among them without a solution."""
    colors = list(problem.colors)
    constraints = list(problem.constraints)
    if problem.crowded is not None and len(problem.crowded.carried) > problem.size:
        colors = [c for c in colors if c in problem.crowded.carried]
        constraints = _among(constraints, colors)
    colors = _needed(
        colors, lambda some: not _has_numbers(some, problem.size, _among(constraints, some))
    )
    constraints = _simple_first(_among(constraints, colors))
    constraints = _needed(constraints, lambda some: not _has_numbers(colors, problem.size, some))
    return colors, constraints


def _needed(items: list[Item], clashes: Callable[[list[Item]], bool]) -> list[Item]:
    """A part of the items that still clashes, and none of it can be left out.

    Halves are tried first, then smaller runs, then one by one; the last ones go first.
    """
    run = len(items)
    while run:
        end = len(items)
        while end > 0:
            start = max(0, end - run)
            fewer = items[:start] + items[end:]
            if clashes(fewer):
                items = fewer
            end = start
        run = min(run, len(items)) // 2
    return items


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
    notes = _all_notes(constraints)
    crowded = problem.crowded
    if crowded is not None:
        where = f"({crowded.x}, {crowded.y}) with {len(crowded.carried)}"
        notes.append((f"the tile with the most colors is {where}", None))
    names = ", ".join(f"`{c.label}`" for c in colors[:LONG])
    if len(colors) > LONG:
        names = f"{len(colors)} colors"
    return UserError(
        f"there are no numbers for {names} that satisfy all of these",
        _first_place(constraints, colors), _remedy(constraints), notes,
    )  # fmt: skip


def _first_place(constraints: list[Constraint], colors: list[Color]) -> Place:
    """The place of the narrowest constraint."""
    for constraint in sorted(constraints, key=lambda c: isinstance(c, Meet)):
        if isinstance(constraint, Meet):
            return max(what.place for what in constraint.carried.values())
        return constraint.place
    return colors[0].place


def _all_notes(constraints: list[Constraint]) -> list[Note]:
    """Notes on all constraints; many of one sort stand in one note."""
    notes: list[Note] = []
    listed: dict[str, list[Within]] = {}
    for constraint in constraints:
        if isinstance(constraint, Within):
            key = f"{constraint.reason} {constraint.place if constraint.reason == 'bank' else ''}"
            listed.setdefault(key, []).append(constraint)
    for group in listed.values():
        if len(group) <= FEW:
            notes += [(one.why, one.place) for one in group]
            continue
        first = group[0]
        what = {
            "fixed": "have their numbers by declaration",
            "switch": f"switch, so each is one of {ranges(first.numbers)}",
            "bank": f"cannot have numbers of the bank: {first.why.partition(',')[0]}",
        }[first.reason]
        place = first.place if first.reason == "bank" else None
        each = _listed([(one.color.label, one.place) for one in group])
        notes.append((f"{len(group)} colors {what}:\n{each}", place))
    for constraint in sorted(constraints, key=lambda c: isinstance(c, Meet)):
        notes += _notes(constraint)
    return notes


def _notes(constraint: Constraint) -> list[Note]:
    if isinstance(constraint, Within):
        return []
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
    if len(constraint.carried) > FEW:
        each = _listed([(c.label, what.place) for c, what in constraint.carried.items()])
        return [(f"{len(constraint.carried)} colors meet {where} and must differ:\n{each}", None)]
    names = " and ".join(f"`{c.label}`" for c in constraint.carried)
    notes: list[Note] = [(f"{names} meet {where} and must differ", None)]
    notes += [(f"`{c.label}` {what.why}", what.place) for c, what in constraint.carried.items()]
    return notes


def _listed(items: list[tuple[str, Place]]) -> str:
    """Colors with their places, several on a line."""
    files = {place.file for _, place in items}
    lines = [""]
    for label, place in items:
        where = str(place) if len(files) > 1 else f"{place.line}:{place.column}"
        word = f"`{label}` {where}"
        if len(lines[-1]) + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f", {word}" if lines[-1] else f"      {word}"
    if len(files) == 1:
        lines.insert(0, f"      in {files.pop()}, line and column:")
    return "\n".join(lines)


def _remedy(constraints: list[Constraint]) -> str:
    if any(isinstance(c, Meet) and len(c.carried) > LONG for c in constraints):
        return "let fewer colors meet there, or send some of it as messages"
    if any(isinstance(c, Within) for c in constraints):
        return "change one of the numbers, or let the solver choose: color()"
    return "change one of these"
