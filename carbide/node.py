"""What the classes of the syntax tree and of the typed tree have in common.

They are attrs classes, over a hundred of them: equality, hash and repr stand here once
instead of being generated for each, which halves the time that importing them takes.
"""

from typing import Any, TypeVar, dataclass_transform

import attrs
from attrs import field, frozen

T = TypeVar("T")


class Node:
    """Equality and repr over the attributes that are not declared `eq=False`, `repr=False`."""

    __slots__ = ()
    __attrs_attrs__: tuple[Any, ...] = ()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(
            getattr(self, a.name) == getattr(other, a.name) for a in self.__attrs_attrs__ if a.eq
        )

    def __hash__(self) -> int:
        values = (getattr(self, a.name) for a in self.__attrs_attrs__ if a.eq)
        return hash((self.__class__, *values))

    def __repr__(self) -> str:
        shown = (f"{a.name}={getattr(self, a.name)!r}" for a in self.__attrs_attrs__ if a.repr)
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    """An immutable attrs class of a tree; use it on subclasses of `Node`."""
    return frozen(cls, eq=False, repr=False)


def evolve(tree: T, **changes: Any) -> T:
    """The node with some attributes changed."""
    return attrs.evolve(tree, **changes)  # type: ignore[misc]
