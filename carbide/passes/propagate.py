"""Constants and addresses go where their variables are used; integer constants fold; what is
never read goes away. Floats are never computed here."""

from typing import Any

from attrs import evolve

from carbide import ir
from carbide.passes.constants import simplify


def run(program: ir.Program) -> ir.Program:
    """Every function by itself."""
    functions = tuple(_function(f) for f in program.functions)
    main = _function(program.main)
    teardown = program.teardown and _function(program.teardown)
    return evolve(program, functions=functions, main=main, teardown=teardown)


def _function(f: ir.Function) -> ir.Function:
    for _ in range(20):
        known = _single_values(f)

        def change(node: Any, known: dict[str, Any] = known) -> Any:
            if isinstance(node, ir.Var) and node.name in known:
                return known[node.name]
            return simplify(node)

        body = _rewrite_uses(f.body, change)
        body = _without_unread(body, f)
        if body == f.body:
            return f
        f = evolve(f, body=body)
    return f


def _single_values(f: ir.Function) -> dict[str, Any]:
    """Variables with one assignment in all, of a constant or an address."""
    values: dict[str, list[Any]] = {p.name: [None] for p in f.params}
    for node in ir.walk(f.body):
        match node:
            case ir.Assign():
                constant = isinstance(node.value, ir.Const | ir.AddressOf) or _address(node.value)
                values.setdefault(node.variable.name, []).append(node.value if constant else None)
            case ir.Loop():
                values.setdefault(node.variable.name, []).append(None)
            case ir.Call() if node.result is not None:
                values.setdefault(node.result.name, []).append(None)
            case ir.Sum() | ir.Transfer() if isinstance(node.target, ir.Var):
                values.setdefault(node.target.name, []).append(None)
            case ir.Handler():
                for variable in (node.value, node.index):
                    if variable is not None:
                        values.setdefault(variable.name, []).append(None)
    return {
        name: found[0] for name, found in values.items() if len(found) == 1 and found[0] is not None
    }


def _address(e: Any) -> bool:
    """An address plus a constant."""
    match e:
        case ir.Binary("add"):
            sides = (e.left, e.right)
            return any(isinstance(s, ir.AddressOf) for s in sides) and any(
                isinstance(s, ir.Const) for s in sides
            )
        case ir.Bits() | ir.Convert() if ir.WORDS[e.value.type] == 1 == ir.WORDS[e.type]:
            return isinstance(e.value, ir.AddressOf)
    return False


def _rewrite_uses(node: Any, change: Any) -> Any:
    """As `rewrite`, leaving variables that are written."""

    def keep(item: Any) -> Any:
        match item:
            case ir.Assign():
                return evolve(item, value=ir.rewrite(item.value, change))
            case ir.Loop():
                high = None if item.high is None else ir.rewrite(item.high, change)
                low, body = ir.rewrite(item.low, change), _rewrite_uses(item.body, change)
                return simplify(evolve(item, low=low, high=high, body=body))
            case ir.Call():
                arguments = tuple(ir.rewrite(a, change) for a in item.arguments)
                return evolve(item, arguments=arguments)
            case ir.Sum():
                target = item.target
                if isinstance(target, ir.Element):
                    target = ir.rewrite(target, change)
                return evolve(item, target=target, body=_rewrite_uses(item.body, change))
            case ir.Parallel():
                arms = tuple(evolve(a, body=_rewrite_uses(a.body, change)) for a in item.arms)
                return evolve(item, arms=arms)
            case ir.Dispatch():
                handlers = tuple(
                    evolve(h, body=_rewrite_uses(h.body, change)) for h in item.handlers
                )
                return evolve(item, handlers=handlers)
            case ir.If():
                made = evolve(
                    item,
                    condition=ir.rewrite(item.condition, change),
                    then=_rewrite_uses(item.then, change),
                    otherwise=_rewrite_uses(item.otherwise, change),
                )
                return simplify(made)
            case ir.While():
                return evolve(
                    item,
                    before=_rewrite_uses(item.before, change),
                    condition=ir.rewrite(item.condition, change),
                    body=_rewrite_uses(item.body, change),
                )
            case ir.Forever() | ir.Block() | ir.Breakable() | ir.Threads():
                return evolve(item, body=_rewrite_uses(item.body, change))
            case ir.Transfer():
                sources = tuple(ir.rewrite(s, change) for s in item.sources)
                return evolve(item, sources=sources)
        return ir.rewrite(item, change)

    out: list[Any] = []
    for item in node:
        made = keep(item)
        out += made if isinstance(made, tuple) else [made]
    return tuple(out)


def _without_unread(body: Any, f: ir.Function) -> Any:
    """Drop assignments to variables that nobody reads (their receives stay)."""
    read: set[str] = set()

    def reads(node: Any) -> None:
        if isinstance(node, ir.Var):
            read.add(node.name)
            return
        for child in ir.children(node):
            if isinstance(node, ir.Assign) and child is node.variable:
                continue
            reads(child)

    for s in body:
        reads(s)

    def change(node: Any) -> Any:
        if isinstance(node, ir.Assign) and node.variable.name not in read:
            if any(isinstance(n, ir.Receive) for n in ir.walk(node.value)):
                return ir.Evaluate(node.value, place=node.place)
            return ()
        return node

    return ir.rewrite(body, change)
