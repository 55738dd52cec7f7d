"""Calls replaced by the bodies of the functions they call.

Always where a function waits (its task is its caller's), has transfers that an arm calls for, is
called once, or is small; others stay calls. There is no recursion (the language has none).
"""

from typing import Any

from attrs import evolve

from carbide import ir

SMALL = 40
"""Nodes of a function that is copied to every call."""


def run(program: ir.Program) -> ir.Program:
    """Inline calls, innermost functions first, and drop functions that nobody calls then."""
    worker = _Inliner(program)
    main = worker.whole(program.main)
    teardown = program.teardown and worker.whole(program.teardown)
    needed = _called((main, *([teardown] if teardown else [])), worker.done)
    functions = tuple(worker.done[f.name] for f in program.functions if f.name in needed)
    return evolve(program, main=main, teardown=teardown, functions=functions)


def _called(roots: Any, functions: dict[str, ir.Function]) -> set[str]:
    found: set[str] = set()
    pending = list(roots)
    while pending:
        for node in ir.walk(pending.pop().body):
            if isinstance(node, ir.Call) and node.function not in found:
                found.add(node.function)
                pending.append(functions[node.function])
    return found


class _Inliner:
    def __init__(self, program: ir.Program) -> None:
        self.functions = {f.name: f for f in program.functions}
        self.done: dict[str, ir.Function] = {}
        self.copies = 0
        self.calls: dict[str, int] = {}
        roots = [program.main, *program.functions]
        for f in (*roots, *([program.teardown] if program.teardown else [])):
            for node in ir.walk(f.body):
                if isinstance(node, ir.Call):
                    self.calls[node.function] = self.calls.get(node.function, 0) + 1
        self.beside = self._called_in_arms(program)

    def _called_in_arms(self, program: ir.Program) -> set[str]:
        """Functions whose transfers some caller wants in microthreads."""
        found: set[str] = set()
        pending: list[Any] = []
        roots = [program.main, *program.functions]
        for f in (*roots, *([program.teardown] if program.teardown else [])):
            for node in ir.walk(f.body):
                if isinstance(node, ir.Arm) or (isinstance(node, ir.Threads) and node.enabled):
                    pending.append(node.body)
        while pending:
            for node in ir.walk(pending.pop()):
                if isinstance(node, ir.Call) and node.function not in found:
                    found.add(node.function)
                    pending.append(self.functions[node.function].body)
        return found

    def finished(self, name: str) -> ir.Function:
        if name not in self.done:
            self.done[name] = self.whole(self.functions[name])
        return self.done[name]

    def whole(self, f: ir.Function) -> ir.Function:
        """A function with the calls in it inlined."""
        variables: list[ir.Var] = []
        regions: list[ir.Region] = []
        body = self.body(f.body, variables, regions, False)
        known = {r.name for r in f.regions}
        new = [r for r in {r.name: r for r in regions}.values() if r.name not in known]
        return evolve(
            f, body=body, variables=(*f.variables, *variables), regions=(*f.regions, *new)
        )

    def body(self, body: Any, variables: Any, regions: Any, concurrent: bool) -> tuple[Any, ...]:
        def change(node: Any) -> Any:
            if isinstance(node, ir.Call) and self.worth(node.function):
                return self.expand(node, variables, regions, concurrent)
            return node

        out: list[Any] = []
        for s in body:
            if isinstance(s, ir.Parallel):
                arms = [
                    evolve(a, body=self.body(a.body, variables, regions, True)) for a in s.arms
                ]
                out.append(evolve(s, arms=tuple(arms)))
            elif isinstance(s, ir.Dispatch):
                handlers = [
                    evolve(h, body=self.body(h.body, variables, regions, True))
                    for h in s.handlers
                ]
                out.append(evolve(s, handlers=tuple(handlers)))
            elif isinstance(s, ir.Call):
                made = change(s)
                out += made if isinstance(made, tuple) else [made]
            else:
                out.append(self.inside(s, variables, regions, concurrent))
        return tuple(out)

    def inside(self, s: Any, variables: Any, regions: Any, concurrent: bool) -> Any:
        """A statement that holds bodies."""
        changed = {}
        for name in ("body", "before", "then", "otherwise"):
            inner = getattr(s, name, None)
            if isinstance(inner, tuple):
                changed[name] = self.body(inner, variables, regions, concurrent)
        return evolve(s, **changed) if changed else s

    def worth(self, name: str) -> bool:
        f = self.finished(name)
        nodes = list(ir.walk(f.body))
        waiting = (ir.Parallel, ir.Dispatch, ir.Threads)
        if any(isinstance(n, waiting) for n in nodes) or self.calls.get(name) == 1:
            return True
        transfers = any(isinstance(n, ir.Receive | ir.Send | ir.SendControl) for n in nodes)
        if transfers and name in self.beside:
            return True  # an arm must not hold the core
        return len(nodes) <= SMALL

    def expand(self, call: ir.Call, variables: Any, regions: Any, concurrent: bool) -> Any:
        """The body of a function in place of a call, under names of its own."""
        f = self.finished(call.function)
        self.copies += 1
        suffix = f".{f.name}{self.copies}"
        names = {v.name: v.name + suffix for v in (*f.params, *f.variables)}
        own = {v.name: v for v in (*f.params, *f.variables)}
        variables += [evolve(v, name=names[v.name]) for v in own.values()]
        moved = {}
        for region in f.regions:
            new = region.name + suffix if concurrent else region.name
            moved[region.name] = new
            regions.append(evolve(region, name=new))
        label = f".return{suffix}"
        early = _returns_early(f.body)

        def change(node: Any) -> Any:
            match node:
                case ir.Var() if node.name in names:
                    return evolve(node, name=names[node.name])
                case ir.AddressOf() if node.region in moved:
                    return evolve(node, region=moved[node.region])
                case ir.Breakable() | ir.Leave():
                    return evolve(node, label=node.label + suffix)
                case ir.Return():
                    out: list[Any] = []
                    if node.value is not None:
                        if call.result is not None:
                            out.append(ir.Assign(call.result, node.value, place=node.place))
                        else:
                            out.append(ir.Evaluate(node.value, place=node.place))
                    if early:
                        out.append(ir.Leave(label, place=node.place))
                    return tuple(out)
            return node

        body = ir.rewrite(f.body, change)
        arguments = [
            ir.Assign(evolve(p, name=names[p.name]), a, place=call.place)
            for p, a in zip(f.params, call.arguments, strict=True)
        ]
        if early:
            body = (ir.Breakable(label, body, place=call.place),)
        return (*arguments, *body)


def _returns_early(body: Any) -> bool:
    """Whether a return stands anywhere but at the end of the body."""
    rest = body[:-1] if body and isinstance(body[-1], ir.Return) else body
    return any(isinstance(n, ir.Return) for n in ir.walk(tuple(rest)))
