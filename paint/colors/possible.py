"""A quick proof that some chosen numbers cannot be part of a solution.

CP-SAT needs long for what a pigeon sees: more colors on a tile than numbers left for them.
"""

from __future__ import annotations

from collections.abc import Mapping

from paint.colors.solve import Compiled


def impossible(compiled: Compiled, chosen: Mapping[int, int]) -> bool:
    """Whether the chosen numbers surely leave no solution; False says nothing."""
    left = remaining(compiled, chosen)
    return left is None or any(
        not _all_find_one(group, left) for group in compiled.groups if len(group) > 1
    )


def remaining(compiled: Compiled, chosen: Mapping[int, int]) -> list[set[int]] | None:
    """What each family may still be beside the chosen ones and those with one number left.

    None if one has none left.
    """
    left = [set(family.numbers) for family in compiled.families]
    for family, number in chosen.items():
        left[family] &= {number}
    waiting = [k for k, numbers in enumerate(left) if len(numbers) < 2]
    while waiting:
        family = waiting.pop()
        if not left[family]:
            return None
        (number,) = left[family]
        for other, xors in compiled.unequal[family].items():
            taken = {number ^ xor for xor in xors} & left[other]
            if taken:
                left[other] -= taken
                if len(left[other]) < 2:
                    waiting.append(other)
    return left


def _all_find_one(group: list[tuple[int, int]], left: list[set[int]]) -> bool:
    """Whether the colors of a meeting can have different numbers, each one of its own."""
    taken: dict[int, int] = {}
    wanted = [sorted(number ^ parity for number in left[family]) for family, parity in group]

    def finds_one(color: int, seen: set[int]) -> bool:
        for number in wanted[color]:
            if number not in seen:
                seen.add(number)
                if number not in taken or finds_one(taken[number], seen):
                    taken[number] = color
                    return True
        return False

    return all(finds_one(color, set()) for color in range(len(group)))
