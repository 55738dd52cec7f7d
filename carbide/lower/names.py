"""Names of the IR: every variable, region and function gets one of its own."""

from carbide.ir import nodes as ir
from mitools.console import Place


class Names:
    """Gives out names; a second `x` is called `x.2`."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._given: dict[int, str] = {}
        self._kept: list[object] = []

    def fresh(self, name: str) -> str:
        """A name like `name` that was not given out yet."""
        count = self._taken.get(name, 0) + 1
        self._taken[name] = count
        return name if count == 1 else self.fresh(f"{name}.{count}")

    def of(self, thing: object, name: str) -> str:
        """The name of a thing, the same every time."""
        if id(thing) not in self._given:
            self._given[id(thing)] = self.fresh(name)
            self._kept.append(thing)  # an id stays unique as long as its object lives
        return self._given[id(thing)]


def ir_place(place: Place) -> ir.Place:
    return ir.Place(place.file, place.line, place.column)


def type_name(type_: object) -> str:
    """The element type as the map shows it."""
    from carbide.check.types import Array, Struct

    if isinstance(type_, Array):
        return type_name(type_.element)
    if isinstance(type_, Struct):
        return type_.tag or type_.kind
    return str(type_)


