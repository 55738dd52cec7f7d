"""CP-SAT on a compiled problem: the smallest solution in order of declaration, or none.

One worker and no clock, so that the same layout has the same numbers on every machine.
"""

from __future__ import annotations

from typing import Any

from mitools.console import UserError
from paint.colors.possible import impossible
from paint.colors.solve import Compiled, greedy

MOST_WORK = 300.0
"""CP-SAT's deterministic time for one question, in its own units of about a second."""


def smallest(compiled: Compiled) -> list[int] | None:
    """The smallest numbers of all families, the first family's first; None if there are none."""
    from ortools.sat.python import cp_model

    model, is_number = _model(compiled, cp_model)
    found = _solved(model, is_number, cp_model)
    if found is None:
        return None
    chosen: dict[int, int] = {}
    for number, family in enumerate(compiled.families):
        for candidate in family.numbers:
            if candidate == found[number]:
                break
            trial_choice = {**chosen, number: candidate}
            if impossible(compiled, trial_choice):
                continue
            better = greedy(compiled, trial_choice)
            if better is None:
                trial = model.clone()
                trial.add(is_number[number][candidate] == 1)
                better = _solved(trial, is_number, cp_model)
            if better is not None:
                found = better
                break
        chosen[number] = found[number]
        model.add(is_number[number][found[number]] == 1)
    return found


def solvable(compiled: Compiled) -> bool:
    """Whether the problem has any solution."""
    from ortools.sat.python import cp_model

    if impossible(compiled, {}):
        return False
    model, is_number = _model(compiled, cp_model)
    return _solved(model, is_number, cp_model) is not None


def _model(compiled: Compiled, cp_model: Any) -> tuple[Any, list[dict[int, Any]]]:
    """A model with one 0-1 variable for each number that a family may have."""
    model = cp_model.CpModel()
    is_number: list[dict[int, Any]] = []
    for k, family in enumerate(compiled.families):
        is_number.append({n: model.new_bool_var(f"f{k}_{n}") for n in family.numbers})
        model.add_exactly_one(is_number[k].values())
    size = 1 + max((n for f in compiled.families for n in f.numbers), default=0)
    size += size & 1
    for group in compiled.groups:
        for number in range(size):
            having = [
                is_number[k][number ^ parity]
                for k, parity in group
                if number ^ parity in is_number[k]
            ]
            if len(having) > 1:
                model.add_at_most_one(having)
    for k, others in enumerate(compiled.unequal):
        for other, xors in others.items():
            if other <= k:
                continue
            for xor in xors:
                for number, variable in is_number[k].items():
                    if number ^ xor in is_number[other]:
                        model.add_bool_or([~variable, ~is_number[other][number ^ xor]])
    return model, is_number


def _solved(model: Any, is_number: list[dict[int, Any]], cp_model: Any) -> list[int] | None:
    """A solution, or None. Proofs that there is none need the linear relaxation."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.linearization_level = 2
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.max_deterministic_time = MOST_WORK
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return [
            next(n for n, variable in options.items() if solver.value(variable))
            for options in is_number
        ]
    if status == cp_model.INFEASIBLE:
        return None
    raise UserError(
        "the numbers of the colors were not found in reasonable time",
        remedy="give some colors their numbers: color(3)",
    )
