"""Which variables several tasks use, and which transfers run on behind the main program."""

from typing import Any

from carbide import ir
from carbide.select.contexts import flatten, sort_arms
from carbide.select.transfers import blocking


def shared_variables(program: ir.Program) -> set[str]:
    """Names (with their function's prefix) of variables used by more than one routine."""
    out: set[str] = set()
    functions = [program.main, *program.functions]
    functions += [program.teardown] if program.teardown else []
    for function in functions:
        users: dict[str, set[int]] = {}
        _collect(function.body, 0, users, [0])
        out |= {f"{function.name}.{name}" for name, who in users.items() if len(who) > 1}
    return out


def _collect(body: Any, routine: int, users: dict[str, set[int]], last: list[int]) -> None:
    """Note who uses which variable; every handler and block arm is a routine of its own."""

    def visit(node: Any, routine: int) -> None:
        if isinstance(node, ir.Var):
            users.setdefault(node.name, set()).add(routine)
        elif isinstance(node, ir.Handler):
            last[0] += 1
            inner = last[0]
            for child in ir.children(node):
                visit(child, inner)
        elif isinstance(node, ir.Parallel):
            blocks = {id(arm) for arm in sort_arms(node).blocks}
            for arm in node.arms:
                inner = routine
                if id(arm) in blocks:
                    last[0] += 1
                    inner = last[0]
                for child in arm.body:
                    visit(child, inner)
        else:
            for child in ir.children(node):
                visit(child, routine)

    for statement in body:
        visit(statement, routine)


def background_transfers(body: Any) -> list[ir.Transfer]:
    """Transfers without end at the top level: they run on and hold nothing up."""
    return [
        s
        for s in flatten(body)
        if isinstance(s, ir.Transfer)
        and any(c is None for c in s.counts)
        and any(isinstance(o, ir.Stream) and blocking(o.port) for o in (s.target, *s.sources))
    ]
