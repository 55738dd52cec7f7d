"""Short branches to selects: both sides are computed, the condition picks.

`h <- b; if (c) { h <- a; }` becomes one select. Only variables are assigned so (a store that does
not happen must not happen), and only where the sides are cheap and free of effects.
"""

from typing import Any

from attrs import evolve

from carbide import ir
from carbide.passes.aliases import all_functions

CHEAP = 6
"""Operations on both sides together; a branch costs 3 cycles, and 6 when it is taken."""


def run(program: ir.Program) -> ir.Program:
    """All functions."""
    assert all_functions(program)
    functions = tuple(evolve(f, body=_body(f.body)) for f in program.functions)
    main = evolve(program.main, body=_body(program.main.body))
    teardown = program.teardown
    if teardown is not None:
        teardown = evolve(teardown, body=_body(teardown.body))
    return evolve(program, functions=functions, main=main, teardown=teardown)


def _body(body: Any) -> Any:
    return ir.rewrite(body, _change)


def _change(node: Any) -> Any:
    if isinstance(node, ir.Loop) and node.high is None and not _reads(node.body, node.variable):
        return ir.Forever(node.body, place=node.place)
    if not isinstance(node, ir.If):
        return node
    then, otherwise = _assigned(node.then), _assigned(node.otherwise)
    if then is None or otherwise is None or not (then or otherwise):
        return node
    cost = sum(_cost(v) for side in (then, otherwise) for _, v in side)
    names = list(dict.fromkeys(v.name for side in (then, otherwise) for v, _ in side))
    if cost + len(names) > CHEAP or not _free(node.condition):
        return node
    variables = {v.name: v for side in (then, otherwise) for v, _ in side}
    last_then = {v.name: e for v, e in then}
    last_otherwise = {v.name: e for v, e in otherwise}
    if len(last_then) != len(then) or len(last_otherwise) != len(otherwise):
        return node
    used = {
        n.name
        for e in (node.condition, *last_then.values(), *last_otherwise.values())
        for n in ir.walk(e)
        if isinstance(n, ir.Var)
    }
    if len(names) > 1 and used & set(names):
        return node  # one side's result may be another's operand
    return tuple(
        ir.Assign(
            variables[name],
            ir.Select(
                node.condition,
                last_then.get(name, variables[name]),
                last_otherwise.get(name, variables[name]),
                place=node.place,
            ),
            place=node.place,
        )
        for name in names
    )


def _reads(body: Any, variable: ir.Var) -> bool:
    return any(node == variable for node in ir.walk(body))


def _assigned(body: Any) -> list[tuple[ir.Var, Any]] | None:
    """The assignments a side consists of; None if there is anything else."""
    out: list[tuple[ir.Var, Any]] = []
    for s in body:
        if isinstance(s, ir.Block):
            inner = _assigned(s.body)
            if inner is None:
                return None
            out += inner
        elif isinstance(s, ir.Assign) and _free(s.value):
            out.append((s.variable, s.value))
        else:
            return None
    return out


def _free(e: Any) -> bool:
    """No effects, no calls of the runtime."""
    return not any(
        isinstance(n, ir.Receive) or (isinstance(n, ir.Binary) and n.op in ("div", "mod"))
        for n in ir.walk(e)
    )


def _cost(e: Any) -> int:
    kinds = (ir.Binary, ir.Compare, ir.Select, ir.Fma, ir.Convert, ir.Unary, ir.Load)
    return sum(isinstance(n, kinds) for n in ir.walk(e))
