"""What can alias what: memory as roots, and places in it as cells.

A root is a piece of memory that no other root overlaps. A cell (root, offset, words) is a place
at a constant offset; the builder keeps its value in a register as long as nothing else can see.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field, frozen

from carbide import ir
from carbide.isa.operands import Reference
from mitools.arch import load
from mitools.arch.model import Memory as MachineMemory

Key = tuple[str, int, int]
"""Root, offset in words, width in words."""

ABSOLUTE = "@absolute"
HOME = ".home."


@frozen
class Root:
    """`label` is where word 0 lies. `escaped`: pointers may reach it. `observed`: users see it."""

    name: str
    label: int | Reference
    words: int
    escaped: bool = False
    observed: bool = True


def label_of(region: str) -> str:
    """The assembly label of a region; colons and blanks never stand in names."""
    return region


@frozen
class Resolved:
    """An element whose base is known: root, word 0 of it, and the offset of the base in it."""

    root: Root
    shift: int


@define
class Memory:
    """All regions of a program and the local variables that need a home.

    `frames` are labels of local regions and their sizes; homes of variables (labels that start
    with HOME) come to them when the code is known. `concurrent` names roots that microthreads
    which nobody waits for write, so that nothing of them may be kept; `shared` variables that
    several tasks use.
    """

    program: ir.Program
    arch: str
    roots: dict[str, Root] = field(factory=dict)
    places: dict[str, tuple[str, int]] = field(factory=dict)
    frames: dict[str, int] = field(factory=dict)
    concurrent: set[str] = field(factory=set)
    shared: set[str] = field(factory=set)
    regions: dict[str, ir.Region] = field(factory=dict)
    config: MachineMemory = field(init=False)
    escapes: set[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.config = load(self.arch).memory
        absolute = Root(ABSOLUTE, 0, 0x10000, escaped=True)
        self.roots[ABSOLUTE] = absolute
        functions = [self.program.main, *self.program.functions]
        functions += [self.program.teardown] if self.program.teardown else []
        self.escapes = _escaping(functions)
        for region in self.program.regions:
            self.regions[region.name] = region
        for region in self.program.regions:
            self._add(region, local=False)
        for function in functions:
            for region in function.regions:
                self.regions[region.name] = region
            for region in function.regions:
                self._add(region, local=True)

    def _add(self, region: ir.Region, local: bool) -> None:
        if region.name in self.places:
            return
        if region.address is not None:
            self.places[region.name] = (ABSOLUTE, region.address)
            return
        if region.alias is not None:
            target, offset = region.alias
            self._add(self.regions[target], local)
            root, shift = self.places[target]
            self.places[region.name] = (root, shift + offset)
            if region.name in self.escapes and root != ABSOLUTE:
                self._escape(root)
            return
        name = region.name
        escaped = name in self.escapes
        observed = not local and region.symbol
        self.roots[name] = Root(name, Reference(label_of(name)), region.words, escaped, observed)
        self.places[name] = (name, 0)
        if local:
            self.frames[label_of(name)] = max(1, region.words)

    def _escape(self, name: str) -> None:
        old = self.roots[name]
        self.roots[name] = Root(old.name, old.label, old.words, True, old.observed)

    def region(self, name: str) -> Resolved:
        root, shift = self.places[name]
        return Resolved(self.roots[root], shift)

    def home(self, variable: str, words: int) -> Root:
        """The root of a local variable; it gets memory only if the code uses that."""
        name = f"var {variable}"
        if name not in self.roots:
            label = Reference(HOME + variable)
            shared = variable in self.shared
            self.roots[name] = Root(name, label, words, False, shared)
        return self.roots[name]

    def volatile(self, root: str, offset: int | None) -> bool:
        """Whether accesses must all happen: registers, and what microthreads write."""
        if root in self.concurrent:
            return True
        if root != ABSOLUTE:
            return False
        in_cache = offset is not None and self.config.cache_start <= offset < self.config.cache_end
        in_main = offset is not None and offset < self.config.main_words
        return not (in_cache or in_main)

    @contextmanager
    def changing(self, roots: set[str]) -> Iterator[None]:
        """While code is built that runs beside microthreads which write these roots."""
        before = self.concurrent
        self.concurrent = before | roots
        yield
        self.concurrent = before

    def reachable(self) -> list[str]:
        """The roots that an access through an unknown address may touch."""
        return [name for name, root in self.roots.items() if root.escaped]


def _escaping(functions: list[ir.Function]) -> set[str]:
    """Regions whose address is used otherwise than as the base of an element."""
    found: set[str] = set()

    def visit(node: Any) -> None:
        if isinstance(node, ir.AddressOf):
            found.add(node.region)
        elif isinstance(node, ir.Element) and isinstance(node.base, ir.AddressOf):
            visit(node.offset)
        else:
            for child in ir.children(node):
                visit(child)

    for function in functions:
        for statement in function.body:
            visit(statement)
    return found


def static_offset(e: ir.Expr) -> int | None:
    """The value of an offset that is a constant."""
    return ir.signed(e) if isinstance(e, ir.Const) else None
