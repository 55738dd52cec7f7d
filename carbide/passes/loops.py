"""What the vectoriser knows of a loop nest: its variables, what changes in it, its accesses."""

from typing import Any

from attrs import define, field, frozen

from carbide import ir
from carbide.passes.affine import Affine, affine
from carbide.passes.aliases import Aliases


@frozen
class Level:
    """One loop: variable, first value, number of rounds (None: without end), step."""

    variable: ir.Var
    low: Any
    count: Any
    step: int


@frozen
class Access:
    """A place in memory that moves by `strides` words along the levels of a nest.

    `base` is a root's name, or the address expression of an unknown base. `start` is the offset
    of the first round.
    """

    base: Any
    start: Affine
    strides: tuple[int, ...]
    words: int
    element: Any


def trip_count(low: Any, high: Any, step: int) -> Any:
    """Rounds of a loop as an expression; None without end."""
    if high is None:
        return None
    if isinstance(low, ir.Const) and isinstance(high, ir.Const):
        span = ir.signed(high) - ir.signed(low)
        return ir.integer("i16", max(0, -(-span // step)))
    if step != 1:
        return NotImplemented
    if low == ir.Const("i16", 0):
        return high
    return affine(ir.Binary("sub", high, low)).expression()


@define
class Nest:
    """A perfect nest of loops (outermost first) around `body`."""

    levels: list[Level]
    body: tuple[Any, ...]
    aliases: Aliases
    longest: int | None = None
    """A bound of the number of rounds where that is only known at run time."""
    written: set[Any] = field(init=False)
    assigned: set[str] = field(init=False)
    comparing: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.assigned = {level.variable.name for level in self.levels}
        self.written = set()
        for node in ir.walk(self.body):
            if isinstance(node, ir.Assign):
                self.assigned.add(node.variable.name)
            elif isinstance(node, ir.Store):
                self.written.add(self.root_of(node.element))
            elif isinstance(node, ir.Sum) and node.target is not None:
                if isinstance(node.target, ir.Var):
                    self.assigned.add(node.target.name)
                else:
                    self.written.add(self.root_of(node.target))
            elif isinstance(node, ir.Receive | ir.Send) and node.port.kind != "socket":
                self.written.add(None)

    def root_of(self, element: ir.Element) -> Any:
        """The root that an element lies in; None: unknown."""
        if isinstance(element.base, ir.AddressOf):
            return self.aliases.place(element.base.region)[0]
        return None

    def total(self) -> int | None:
        """Number of elements, if it is a constant."""
        total = 1
        for level in self.levels:
            if not isinstance(level.count, ir.Const):
                return None
            total *= ir.signed(level.count)
        return total

    def invariant(self, e: Any) -> bool:
        """Whether an expression has one value in all rounds."""
        for node in ir.walk(e):
            if isinstance(node, ir.Receive | ir.Descriptor):
                return False
            if isinstance(node, ir.Var) and node.name in self.assigned:
                return False
            if isinstance(node, ir.Load) and not self.unwritten(node):
                return False
        return True

    def unwritten(self, load: ir.Load) -> bool:
        """Whether no store of the nest can reach what is loaded."""
        root = self.root_of(load.element)
        for other in self.written:
            if root is not None and other is not None:
                reached = root == other and not self._apart(load)
            elif other is None and root is None:
                reached = True
            else:
                reached = self.aliases.pointers_reach(other if root is None else root)
            if reached:
                return False
        return True

    def _apart(self, load: ir.Load) -> bool:
        """Whether a load at a constant offset is apart from all stores of the nest."""
        if self.comparing:  # the address of a store that we compare with depends on a load
            return False
        self.comparing = True
        try:
            return self._apart_from_stores(load)
        finally:
            self.comparing = False

    def _apart_from_stores(self, load: ir.Load) -> bool:
        read = self.access(load.element, ir.WORDS[load.type])
        if read is None or read.start.terms:
            return False
        for node in ir.walk(self.body):
            if not isinstance(node, ir.Store) or self.root_of(node.element) != read.base:
                continue
            write = self.access(node.element, ir.WORDS[node.value.type])
            bounds = None if write is None else self.bounds(write)
            if bounds is None:
                return False
            if read.start.constant < bounds[1] and bounds[0] < read.start.constant + read.words:
                return False
        return True

    def access(self, element: ir.Element, words: int) -> Access | None:
        """An element as an access, if its offset is affine in the nest's variables."""
        base: Any = element.base
        offset = affine(element.offset)
        if isinstance(base, ir.AddressOf):
            root, shift = self.aliases.place(base.region)
            offset = offset.plus(Affine(shift))
            base = root
        else:
            offset = offset.plus(affine(base))
            base = None
        strides = []
        for level in self.levels:
            factor = offset.factor(level.variable)
            strides.append(factor * level.step)
            offset = offset.without(level.variable).plus(affine(level.low), factor)
        if not all(self.invariant(term) for term, _ in offset.terms):
            return None
        if any(not -0x8000 <= s < 0x8000 for s in strides):
            return None
        return Access(base, offset, tuple(strides), words, element)

    def bounds(self, access: Access) -> tuple[int, int] | None:
        """The words that an access touches as [first, last), from its root's start on."""
        if access.start.terms or access.base is None:
            return None
        low = high = access.start.constant
        for level, stride in zip(self.levels, access.strides, strict=True):
            if not isinstance(level.count, ir.Const):
                return None
            reach = stride * max(0, ir.signed(level.count) - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high + access.words

    def may_meet(self, a: Access, b: Access) -> bool:
        """Whether two accesses can touch the same word in any rounds."""
        if a.base is not None and b.base is not None:
            if a.base != b.base:
                return False
        else:
            for one, other in ((a, b), (b, a)):
                if one.base is not None and other.base is None:
                    return self.aliases.pointers_reach(one.base)
        first, second = self.bounds(a), self.bounds(b)
        if first is not None and second is not None:
            return first[0] < second[1] and second[0] < first[1]
        return True

    def later_meets_earlier(self, later: Access, earlier: Access) -> bool:
        """Whether `later` in some round touches what `earlier` touches in a round after that.

        Then all rounds of `earlier` cannot go before all rounds of `later`.
        """
        if not self.may_meet(later, earlier):
            return False
        distance = earlier.start.minus(later.start)
        if distance is None or later.base != earlier.base or later.strides != earlier.strides:
            return True
        if len(self.levels) > 1:
            if distance == 0 and later.words == earlier.words:
                return not self._one_to_one(later)
            return True
        stride = later.strides[0]
        widest = max(later.words, earlier.words)
        if stride == 0:
            return abs(distance) < widest
        if abs(stride) < widest:
            return True
        if distance % stride:
            near = min(distance % abs(stride), abs(stride) - distance % abs(stride))
            return near < widest
        rounds = -distance // stride  # later in round i meets earlier in round i + rounds
        return rounds > 0

    def _one_to_one(self, access: Access) -> bool:
        """Whether every round touches a place of its own."""
        reach = 0
        order = sorted(zip(access.strides, self.levels, strict=True), key=lambda p: abs(p[0]))
        for stride, level in order:
            if not isinstance(level.count, ir.Const) or abs(stride) < reach + access.words:
                return False
            reach += abs(stride) * max(0, ir.signed(level.count) - 1)
        return True
