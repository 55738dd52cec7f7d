"""Statements of a loop nest to vector instructions, with temporaries where they are compound."""

from typing import Any

from attrs import define, evolve, field

from carbide import ir
from carbide.passes.constants import simplify
from carbide.passes.loops import Access, Nest
from carbide.passes.mnemonics import (
    binary_mnemonic,
    compare_mnemonic,
    convert_mnemonic,
    packed,
)

LONGEST_TEMPORARY = 512
"""Words of one temporary beyond which a loop is done in strips."""


class NoVector(Exception):
    """The nest has no form as vector instructions."""


class TooLong(NoVector):
    """It would have one, but for the length of its temporaries."""


@define
class Temporaries:
    """Regions for intermediate vectors, shared by all nests that do not wait meanwhile."""

    sizes: dict[str, int] = field(factory=dict)
    private: int = 0

    def take(self, number: int, words: int, private: bool) -> str:
        if private:
            self.private += 1
            name = f".vector.private{self.private}"
        else:
            name = f".vector{number}"
        self.sizes[name] = max(self.sizes.get(name, 0), words + words % 2)
        return name

    def save(self) -> tuple[dict[str, int], int]:
        return dict(self.sizes), self.private

    def restore(self, saved: tuple[dict[str, int], int]) -> None:
        """Forget what a nest took that did not become vector instructions."""
        self.sizes, self.private = saved

    def regions(self) -> list[ir.Region]:
        return [
            ir.Region(name, "xp", 1, (("n", words),), symbol=False)
            for name, words in sorted(self.sizes.items())
        ]


@define(eq=False)
class Step:
    """One instruction with the places it touches, for the legality of splitting."""

    transfer: ir.Transfer
    reads: list[Access]
    writes: list[Access]


@define
class Steps:
    """Works on one nest. `sum` is the ∑ that the nest stands in, if it does."""

    nest: Nest
    temporaries: Temporaries
    uses: dict[str, int]
    private: bool
    sum: ir.Sum | None
    steps: list[Step] = field(factory=list)
    free: dict[int, list[int]] = field(factory=dict)
    """Temporaries that are not in use, by the words of their elements: a vector may be replaced in
    place, element by element, but not by one of wider elements."""
    taken: int = 0
    expanded: dict[str, ir.Span] = field(factory=dict)
    substituted: dict[str, Any] = field(factory=dict)
    place: ir.Place = ir.NOWHERE

    def transfers(self) -> list[Any]:
        """The instructions in order. Raises NoVector."""
        body = self.without_locals(self.nest.body)
        if not body:
            raise NoVector
        for s in body:
            self.statement(s)
        if len(self.steps) > 1:
            self.check_split()
        return [step.transfer for step in self.steps]

    # Local variables.

    def without_locals(self, body: Any) -> list[Any]:
        """Put the expressions of local variables where they are used, if nothing comes between."""
        out = list(body)
        for place, s in enumerate(body):
            if not (isinstance(s, ir.Assign) and self.is_local(s, body, place)):
                continue
            later = body[place + 1 :]
            uses = sum(_count(x, s.variable.name) for x in later)
            simple = isinstance(s.value, ir.Load | ir.Const | ir.Var)
            receives = any(isinstance(n, ir.Receive) for n in ir.walk(s.value))
            if (uses == 1 or simple) and not receives and self.undisturbed(s.value, later):
                self.substituted[s.variable.name] = s.value
                out[place] = None
            elif uses == 1 and receives and later and _count(later[0], s.variable.name) == 1:
                others = [n for n in ir.walk(later[0]) if isinstance(n, ir.Receive)]
                if not others:
                    self.substituted[s.variable.name] = s.value
                    out[place] = None
        return [self.substitute(s) for s in out if s is not None]

    def is_local(self, s: ir.Assign, body: Any, place: int) -> bool:
        name = s.variable.name
        if _count(s.value, name) or any(_count(x, name) for x in body[:place]):
            return False
        if any(isinstance(n, ir.Assign) and n.variable.name == name
               for x in body[place + 1 :] for n in ir.walk(x)):  # fmt: skip
            return False
        inside = sum(_count(x, name) for x in body)
        return inside == self.uses.get(name, 0)

    def undisturbed(self, value: Any, later: Any) -> bool:
        """Whether no statement after changes what the expression reads."""
        for node in ir.walk(value):
            if isinstance(node, ir.Load):
                root = self.nest.root_of(node.element)
                for x in later:
                    for other in ir.walk(x):
                        if isinstance(other, ir.Store):
                            written = self.nest.root_of(other.element)
                            if root is None or written is None or root == written:
                                return False
            elif isinstance(node, ir.Var):
                for x in later:
                    for other in ir.walk(x):
                        if isinstance(other, ir.Assign) and other.variable.name == node.name:
                            return False
        return True

    def substitute(self, s: Any) -> Any:
        if not self.substituted:
            return s

        def change(node: Any) -> Any:
            if isinstance(node, ir.Var) and node.name in self.substituted:
                return ir.rewrite(self.substituted[node.name], change)
            return node

        return ir.rewrite(s, change)

    # Statements.

    def statement(self, s: Any) -> None:
        self.place = s.place
        match s:
            case ir.Store():
                if s.value.type == "u64":
                    raise NoVector
                words = ir.WORDS[s.value.type]
                target = self.access(s.element, words)
                operand: Any = ir.Cell(s.value.type, s.element)
                if any(target.strides):
                    operand = self.span(s.value.type, target)
                self.finish(s.value, operand, [target])
            case ir.Send():
                self.finish(s.value, ir.Stream(s.value.type, s.port), [])
            case ir.SendControl():
                source = self.operand(s.value)
                self.add("movc", ir.Stream("u32", s.port), [source], [])
            case ir.Evaluate():
                if not isinstance(s.value, ir.Receive):
                    raise NoVector
                self.finish(s.value, None, [])
            case ir.Assign():
                self.assign(s)
            case ir.If():
                self.conditional(s)
            case ir.Accumulate():
                self.accumulate(s)
            case _:
                raise NoVector

    def assign(self, s: ir.Assign) -> None:
        """A reduction into a variable, or a local variable as a temporary vector."""
        name = s.variable.name
        place = next(k for k, x in enumerate(self.nest.body) if x is s or _assigns(x, name))
        if self.is_local(s, self.nest.body, place):
            mnemonic, sources = self.instruction(s.value)
            span = self.temporary(s.variable.type, [])
            self.add(mnemonic, span, sources, [])
            self.expanded[name] = span
            return
        if sum(_count(x, name) for x in self.nest.body) != 2 or _count(s.value, name) != 1:
            raise NoVector
        self.nest.assigned.discard(name)
        try:
            mnemonic, sources = self.instruction(s.value)
        finally:
            self.nest.assigned.add(name)
        if s.variable not in sources:
            raise NoVector
        self.add(mnemonic, s.variable, sources, [])

    def conditional(self, s: ir.If) -> None:
        """`if (c) a[i] <- x` writes every element: x, or what was there."""
        if any(isinstance(n, ir.Receive) for n in ir.walk(s)):
            raise NoVector
        for body in (s.then, s.otherwise):
            for x in body:
                if not isinstance(x, ir.Store) or x.value.type == "u64":
                    raise NoVector
        if s.otherwise:
            if len(s.then) != 1 or len(s.otherwise) != 1:
                raise NoVector
            then, other = s.then[0], s.otherwise[0]
            if then.element != other.element or then.value.type != other.value.type:
                raise NoVector
            value = ir.Select(s.condition, then.value, other.value)
            self.statement(evolve(then, value=value))
            return
        if len(s.then) != 1:
            raise NoVector
        then = s.then[0]
        old = ir.Load(then.value.type, then.element)
        self.statement(evolve(then, value=ir.Select(s.condition, then.value, old)))

    def accumulate(self, s: ir.Accumulate) -> None:
        parts = [s.left] if s.right is None else [s.left, s.right]
        mnemonic = ("sum" if s.right is None else "dot") + s.type
        sources = [self.operand(p) for p in parts]
        if self.sum is None:
            self.add(mnemonic, None, sources, [], keep=True, load=False)
            return
        target: Any = self.sum.target
        if isinstance(target, ir.Element):
            if not self.nest.invariant(target.offset) or not self.nest.invariant(target.base):
                raise NoVector
            target = ir.Cell(s.type, target)
        if sum(isinstance(x, ir.Accumulate) for x in self.nest.body) != 1:
            raise NoVector
        load = target is not None
        self.add(mnemonic, target, sources, [], keep=self.sum.keep, load=load)

    def finish(self, value: Any, target: Any, writes: list[Access]) -> None:
        """The last instruction of an expression goes to its target."""
        mnemonic, sources = self.instruction(value)
        if isinstance(target, ir.Cell):
            sources = [
                ir.Cell(x.type, x.element)
                if isinstance(x, ir.Span) and x.element == target.element and not any(x.strides)
                else x
                for x in sources
            ]
        self.add(mnemonic, target, sources, writes)

    def add(
        self, mnemonic: str, target: Any, sources: list[Any], writes: list[Access], **flags: bool
    ) -> None:
        if not any(isinstance(x, ir.Span | ir.Stream) for x in (target, *sources)):
            raise NoVector  # nothing would say how often
        reads = []
        for source in sources:
            if isinstance(source, ir.Span) and not self.is_temporary(source):
                start = self.access(source.element, ir.WORDS[source.type])
                reads.append(evolve(start, strides=source.strides))
            elif isinstance(source, ir.Cell):
                reads.append(self.access(source.element, ir.WORDS[source.type]))
            elif isinstance(source, ir.EXPRESSIONS):
                for node in ir.walk(source):
                    if isinstance(node, ir.Load):
                        reads.append(self.access(node.element, ir.WORDS[node.type]))
        counts = tuple(level.count for level in self.nest.levels)
        made = ir.Transfer(mnemonic, target, tuple(sources), counts, place=self.place, **flags)
        self.steps.append(Step(made, reads, writes))

    # Expressions.

    def instruction(self, e: Any) -> tuple[str, list[Any]]:
        """The last instruction of an expression, with its operands made."""
        e = strip(e)
        if self.is_leaf(e):
            words = ir.WORDS[e.type]
            return ("mov16" if words == 1 else "mov32"), [self.operand(e)]
        match e:
            case ir.Binary("land" | "lor"):
                op = "and16" if e.op == "land" else "or16"
                return op, self.operands(truth(e.left), truth(e.right))
            case ir.Binary():
                if e.op in ("div", "mod"):
                    raise NoVector
                halves = packed(e)
                if halves is not None and not any(isinstance(n, ir.Receive) for n in ir.walk(e)):
                    return "pack32", self.operands(*halves)
                return binary_mnemonic(e.op, e.left.type), self.operands(e.left, e.right)
            case ir.Compare():
                mnemonic, swap = compare_mnemonic(e.op, e.left.type)
                operands = self.operands(e.left, e.right)
                if swap and all(isinstance(o, ir.Stream) for o in operands):
                    raise NoVector
                return mnemonic, operands[::-1] if swap else operands
            case ir.Fma():
                operands = self.operands(e.left, e.right, e.addend)
                if e.type in ir.FLOATS:
                    return ("fmac" if e.op == "fma" else "fms") + e.type, operands
                if e.op == "fms":
                    product = ir.Binary("mul", e.left, e.right)
                    return self.instruction(ir.Binary("sub", e.addend, product))
                return "mac" + ("16" if ir.WORDS[e.type] == 1 else "32"), operands
            case ir.Select():
                op = "select16" if ir.WORDS[e.type] == 1 else "select32"
                return op, self.operands(e.condition, e.yes, e.no)
            case ir.Convert():
                mnemonic_ = convert_mnemonic(e.value.type, e.type)
                assert mnemonic_ is not None
                return mnemonic_, self.operands(e.value)
            case ir.Unary():
                return self.unary(e)
        raise NoVector

    def unary(self, e: ir.Unary) -> tuple[str, list[Any]]:
        type = e.value.type
        size = "16" if ir.WORDS[type] == 1 else "32"
        if type in ir.FLOATS:
            return ("fneg" if e.op == "neg" else "fabs") + type, self.operands(e.value)
        zero = ir.integer(type, 0)
        if e.op == "neg":
            return "sub" + size, self.operands(zero, e.value)
        if e.op == "not":
            return "xor" + size, self.operands(e.value, ir.integer(type, -1))
        if e.op == "lnot":
            return "eq" + size, self.operands(e.value, zero)
        if type in ir.SIGNED:
            return "abs" + size, self.operands(e.value)
        return self.instruction(e.value)

    def is_leaf(self, e: Any) -> bool:
        return isinstance(e, ir.Load | ir.Receive | ir.Var) or self.nest.invariant(e)

    def operands(self, *parts: Any) -> list[Any]:
        """Operands of one instruction; temporaries of its parts are free when it runs."""
        made = [self.operand(p) for p in parts]
        for o in made:
            if isinstance(o, ir.Span) and self.is_temporary(o) and o not in self.expanded.values():
                self.give_back(o)
        return made

    def operand(self, e: Any) -> Any:
        e = strip(e)
        if isinstance(e, ir.Var) and e.name in self.expanded:
            return evolve(self.expanded[e.name], type=e.type)
        if self.nest.invariant(e):
            return e
        match e:
            case ir.Load():
                if e.type == "u64":
                    raise NoVector
                return self.span(e.type, self.access(e.element, ir.WORDS[e.type]))
            case ir.Receive():
                return ir.Stream(e.type, e.port)
            case ir.Var():
                raise NoVector
        mnemonic, sources = self.instruction(e)
        target = self.temporary(e.type, sources)
        self.add(mnemonic, target, sources, [])
        return target

    def access(self, element: ir.Element, words: int) -> Access:
        found = self.nest.access(element, words)
        if found is None:
            raise NoVector
        return found

    def span(self, type: str, access: Access) -> ir.Span:
        """The first round's element and the strides."""
        element = access.element
        offset = element.offset
        base = element.base
        for level in self.nest.levels:
            offset = _put(offset, level.variable, level.low)
            base = _put(base, level.variable, level.low)
        return ir.Span(type, ir.Element(base, offset, place=element.place), access.strides)

    # Temporaries.

    def temporary(self, type: str, sources: list[Any]) -> ir.Span:
        """A vector as long as the nest."""
        words = ir.WORDS[type]
        total = self.length()
        if total * words > LONGEST_TEMPORARY:
            raise TooLong
        unused = self.free.setdefault(words, [])
        number = unused.pop() if unused else self.taken
        self.taken = max(self.taken, number + 1)
        if self.private:
            name = self.temporaries.take(-1, 2 * total, True)
        else:
            name = self.temporaries.take(number, words * total, False)
        strides = []
        step = words
        for level in reversed(self.nest.levels):
            strides.append(step)
            step *= ir.signed(level.count) if isinstance(level.count, ir.Const) else 1
        element = ir.Element(ir.AddressOf(name), ir.integer("i16", 0))
        return ir.Span(type, element, tuple(reversed(strides)))

    def length(self) -> int:
        """Elements that a temporary must hold: all rounds, or as many as any array here has."""
        total = self.nest.total()
        if total is not None:
            return total
        if self.nest.longest is not None:
            return self.nest.longest
        if any(level.count is None for level in self.nest.levels):
            raise NoVector
        bounds = []
        for node in ir.walk(self.nest.body):
            if isinstance(node, ir.Element) and isinstance(node.base, ir.AddressOf):
                found = self.nest.access(node, 1)
                region = self.nest.aliases.regions.get(node.base.region)
                if found is not None and region is not None and found.strides[0]:
                    bounds.append(-(-region.words // abs(found.strides[0])))
        if not bounds:
            raise TooLong
        return min(bounds)

    @staticmethod
    def is_temporary(span: Any) -> bool:
        base = span.element.base
        return isinstance(base, ir.AddressOf) and base.region.startswith(".vector")

    def give_back(self, span: ir.Span) -> None:
        name = span.element.base.region  # type: ignore[union-attr]
        if not self.private:
            number = int(name.removeprefix(".vector"))
            self.free.setdefault(ir.WORDS[span.type], []).append(number)

    # Legality.

    def check_split(self) -> None:
        """Several instructions instead of one loop. Raises NoVector."""
        if any(level.count is None for level in self.nest.levels):
            raise NoVector
        waiting = 0
        for step in self.steps:
            streams = [
                o for o in (step.transfer.target, *step.transfer.sources)
                if isinstance(o, ir.Stream)
            ]  # fmt: skip
            if any(o.port.kind != "socket" for o in streams):
                raise NoVector
            waiting += bool(streams)
        if waiting > 1:
            raise NoVector
        for place, later in enumerate(self.steps):
            for earlier in self.steps[:place]:
                self.check_pair(earlier, later)

    def check_pair(self, earlier: Step, later: Step) -> None:
        pairs = [(a, b) for a in earlier.writes for b in later.reads + later.writes]
        pairs += [(a, b) for a in earlier.reads for b in later.writes]
        for a, b in pairs:
            if self.nest.later_meets_earlier(b, a):
                raise NoVector
        for step, other in ((earlier, later), (later, earlier)):
            target = step.transfer.target
            if isinstance(target, ir.Var):
                used = any(
                    isinstance(n, ir.Var) and n.name == target.name
                    for o in (other.transfer.target, *other.transfer.sources)
                    if isinstance(o, ir.EXPRESSIONS)
                    for n in ir.walk(o)
                )
                if used:
                    raise NoVector


def _count(node: Any, name: str) -> int:
    return sum(isinstance(n, ir.Var) and n.name == name for n in ir.walk(node))


def _assigns(node: Any, name: str) -> bool:
    return isinstance(node, ir.Assign) and node.variable.name == name


def _put(e: Any, variable: ir.Var, value: Any) -> Any:
    def change(node: Any) -> Any:
        return value if node == variable else simplify(node)

    return ir.rewrite(e, change)


def strip(e: Any) -> Any:
    """An expression without the conversions that keep its bits: only its width counts here."""
    while isinstance(e, ir.Bits) or (
        isinstance(e, ir.Convert) and convert_mnemonic(e.value.type, e.type) is None
    ):
        e = e.value
    return e


def truth(e: Any) -> Any:
    """A condition as 0 or 1."""
    match e:
        case ir.Compare() | ir.Unary("lnot") | ir.Binary("land" | "lor"):
            return e
    return ir.Compare("ne", e, ir.integer(e.type, 0))
