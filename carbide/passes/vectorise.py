"""Loops to vector instructions.

A loop nest becomes `Transfer`s when each of its statements is one or a few instructions whose
operands walk evenly. One instruction works in the order of the loop, so it is always right; several
(loop distribution, or a compound expression split through temporaries) only where no round of a
later one touches what a later round of an earlier one does, and where at most one of them waits
for the fabric: to receive all before sending anything could stop neighbours for ever.
"""

from typing import Any

from attrs import define, evolve, field

from carbide import ir
from carbide.passes.aliases import Aliases
from carbide.passes.constants import simplify
from carbide.passes.loops import Level, Nest, trip_count
from carbide.passes.steps import NoVector, Steps, Temporaries, TooLong

STRIP = 128
"""Elements of a strip."""


def run(program: ir.Program) -> ir.Program:
    """Vectorise all functions."""
    aliases = Aliases(program)
    temporaries = Temporaries()
    functions = tuple(_function(f, aliases, temporaries) for f in program.functions)
    main = _function(program.main, aliases, temporaries)
    teardown = program.teardown
    if teardown is not None:
        teardown = _function(teardown, aliases, temporaries)
    regions = (*program.regions, *temporaries.regions())
    return evolve(program, functions=functions, main=main, teardown=teardown, regions=regions)


def _function(f: ir.Function, aliases: Aliases, temporaries: Temporaries) -> ir.Function:
    uses: dict[str, int] = {}
    for node in ir.walk(f.body):
        if isinstance(node, ir.Var):
            uses[node.name] = uses.get(node.name, 0) + 1
    worker = _Vectoriser(aliases, temporaries, uses)
    body = worker.body(f.body)
    return evolve(f, body=body, variables=(*f.variables, *worker.variables))


@define
class _Vectoriser:
    aliases: Aliases
    temporaries: Temporaries
    uses: dict[str, int]
    concurrent: int = field(default=0)
    """How many parallels, dispatches and uthread choices are around."""
    variables: list[ir.Var] = field(factory=list)
    too_long: bool = False

    def body(self, body: Any) -> tuple[Any, ...]:
        out: list[Any] = []
        for s in body:
            out += self.statement(s)
        return tuple(out)

    def statement(self, s: Any) -> list[Any]:
        match s:
            case ir.Loop():
                return self.loop(s)
            case ir.Sum():
                return self.sum(s)
            case ir.Threads():
                self.concurrent += s.enabled
                made = evolve(s, body=self.body(s.body))
                self.concurrent -= s.enabled
                return [made]
            case ir.Parallel():
                self.concurrent += 1
                arms = tuple(evolve(arm, body=self.body(arm.body)) for arm in s.arms)
                self.concurrent -= 1
                return [evolve(s, arms=arms)]
            case ir.Dispatch():
                self.concurrent += 1
                handlers = tuple(evolve(h, body=self.body(h.body)) for h in s.handlers)
                self.concurrent -= 1
                return [evolve(s, handlers=handlers)]
            case ir.Forever() | ir.Block() | ir.Breakable():
                return [evolve(s, body=self.body(s.body))]
            case ir.While():
                return [evolve(s, before=self.body(s.before), body=self.body(s.body))]
            case ir.If():
                then, otherwise = self.body(s.then), self.body(s.otherwise)
                return [evolve(s, then=then, otherwise=otherwise)]
        return [s]

    # Nests.

    def nest_of(self, s: ir.Loop) -> tuple[list[ir.Loop], tuple[Any, ...]]:
        """The loops of a perfect nest and what stands in the innermost."""
        loops, body = [s], flat(s.body)
        while len(body) == 1 and isinstance(body[0], ir.Loop):
            loops.append(body[0])
            body = flat(body[0].body)
        return loops, body

    def loop(self, s: ir.Loop) -> list[Any]:
        loops, body = self.nest_of(s)
        for outer in range(len(loops)):
            made = self.nest(loops[outer:], body, None)
            if made is None and self.too_long:
                made = self.strips(loops[outer:], body)
            if made is not None:
                return _wrap(loops[:outer], made)
        return [evolve(s, body=self.body(s.body))]

    def strips(self, loops: list[ir.Loop], body: Any) -> list[Any] | None:
        """A long nest as a loop over strips that temporaries can hold, and what is left over."""
        levels = self.levels_of(loops)
        first = loops[0]
        if levels is None or first.high is None:
            return None
        start = ir.Var("i16", f"{first.variable.name}.strip{len(self.variables)}")
        inner = Nest(levels[1:], body, self.aliases).total()
        count = levels[0].count
        if isinstance(count, ir.Const) and isinstance(first.low, ir.Const) and inner is not None:
            per = STRIP // inner if inner else 0
            if not per:
                return None
            rounds = ir.signed(count)
            end = ir.signed(first.low) + rounds // per * per * first.step
            strip = evolve(levels[0], low=start, count=ir.integer("i16", per))
            rest = evolve(
                levels[0], low=ir.integer("i16", end), count=ir.integer("i16", rounds % per)
            )
            made = self.convert(Nest([strip, *levels[1:]], body, self.aliases), None)
            left: list[Any] | None = []
            if made is not None and rounds % per:
                left = self.convert(Nest([rest, *levels[1:]], body, self.aliases), None)
            if made is None or left is None:
                return None
            high: Any = ir.integer("i16", end)
            step = per * first.step
        else:
            if first.step != 1 or len(loops) > 1:
                return None
            length = ir.Binary("min", ir.integer("i16", STRIP), ir.Binary("sub", first.high, start))
            nest = Nest([evolve(levels[0], low=start, count=length)], body, self.aliases, STRIP)
            bounds = (first.low, first.high)
            if not self.even(nest) or not all(nest.invariant(b) for b in bounds):
                return None
            made, left, high, step = self.convert(nest, None), [], first.high, STRIP
            if made is None:
                return None
        self.variables.append(start)
        return [ir.Loop(start, first.low, high, tuple(made), step, place=first.place), *left]

    def levels_of(self, loops: list[ir.Loop]) -> list[Level] | None:
        levels = []
        for loop in loops:
            count = trip_count(loop.low, loop.high, loop.step)
            if count is NotImplemented:
                return None
            levels.append(Level(loop.variable, loop.low, count, loop.step))
        return levels if len(levels) <= 4 else None

    def sum(self, s: ir.Sum) -> list[Any]:
        """A ∑ over a whole nest is one accumulator instruction; else its inner loops are."""
        inner = flat(s.body)
        if len(inner) == 1 and isinstance(inner[0], ir.Loop):
            loops, body = self.nest_of(inner[0])
            made = self.nest(loops, body, s)
            if made is not None:
                return made
        return [evolve(s, body=self.body(s.body))]

    def nest(self, loops: list[ir.Loop], body: Any, total: ir.Sum | None) -> list[Any] | None:
        """Vector instructions for a nest, or None where there are none."""
        self.too_long = False
        levels = self.levels_of(loops)
        if levels is None:
            return None
        nest = Nest(levels, body, self.aliases)
        if not self.even(nest):
            return None
        if nest.total() == 0:
            return [] if total is None else None
        if nest.total() == 1:
            return self.single(nest, total)
        if total is not None and nest.total() is None:
            return None  # a sum over nothing is zero, but a vector of no elements does nothing
        return self.convert(nest, total)

    def single(self, nest: Nest, total: ir.Sum | None) -> list[Any]:
        """One round: the body, with the first values for the loops' variables."""
        first = {level.variable.name: level.low for level in nest.levels}

        def change(node: Any) -> Any:
            if isinstance(node, ir.Var) and node.name in first:
                return first[node.name]
            return simplify(node)

        for name, low in first.items():  # an outer variable may stand in an inner bound
            first[name] = ir.rewrite(low, change) if not isinstance(low, ir.Const) else low
        body = self.body(ir.rewrite(nest.body, change))
        return list(body) if total is None else [evolve(total, body=body)]

    def convert(self, nest: Nest, total: ir.Sum | None) -> list[Any] | None:
        """The instructions of a nest, or None; `too_long` says whether only for its length."""
        self.too_long = False
        steps = Steps(nest, self.temporaries, self.uses, bool(self.concurrent), total)
        before = self.temporaries.save()
        try:
            return steps.transfers()
        except NoVector as reason:
            self.too_long = isinstance(reason, TooLong)
            self.temporaries.restore(before)
            return None

    def even(self, nest: Nest) -> bool:
        """Whether all rounds of the nest form a box known at its start."""
        for place, level in enumerate(nest.levels):
            bounds = [level.low] if level.count is None else [level.low, level.count]
            if not all(nest.invariant(b) for b in bounds):
                return False
            fixed = isinstance(level.count, ir.Const) or (level.count is None and not place)
            if len(nest.levels) > 1 and not fixed:
                return False
        total = nest.total()
        return total is None or total < 0xFFFF


def flat(body: Any) -> tuple[Any, ...]:
    """Statements without the plain blocks around them."""
    out: list[Any] = []
    for s in body:
        if isinstance(s, ir.Block):
            out += flat(s.body)
        else:
            out.append(s)
    return tuple(out)


def _wrap(loops: list[ir.Loop], body: list[Any]) -> list[Any]:
    for loop in reversed(loops):
        body = [evolve(loop, body=tuple(body))]
    return body
