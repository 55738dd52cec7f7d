"""Which regions share memory, seen from the IR."""

from typing import Any

from carbide import ir

ABSOLUTE = "@absolute"


def all_functions(program: ir.Program) -> list[ir.Function]:
    """Functions, main and teardown."""
    found = [*program.functions, program.main]
    return found + ([program.teardown] if program.teardown is not None else [])


class Aliases:
    """`place` gives a region's root and its offset there; regions of other roots are apart."""

    def __init__(self, program: ir.Program) -> None:
        self.regions = {r.name: r for r in program.regions}
        for function in all_functions(program):
            self.regions.update({r.name: r for r in function.regions})
        self.escaped: set[str] = set()
        for function in all_functions(program):
            for statement in function.body:
                self._escapes(statement)
        for iterator in program.iterators:
            self.escaped.add(self.place(iterator.region)[0])
        for fifo in program.fifos:
            self.escaped.add(self.place(fifo.region)[0])

    def place(self, region: str) -> tuple[str, int]:
        found = self.regions[region]
        if found.address is not None:
            return ABSOLUTE, found.address
        if found.alias is not None:
            root, shift = self.place(found.alias[0])
            return root, shift + found.alias[1]
        return region, 0

    def _escapes(self, node: Any) -> None:
        if isinstance(node, ir.AddressOf):
            self.escaped.add(self.place(node.region)[0])
        elif isinstance(node, ir.Element) and isinstance(node.base, ir.AddressOf):
            self._escapes(node.offset)
        else:
            for child in ir.children(node):
                self._escapes(child)

    def pointers_reach(self, root: str) -> bool:
        return root == ABSOLUTE or root in self.escaped
