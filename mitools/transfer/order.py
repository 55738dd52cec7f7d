"""The `order=` of miset and miget: names of dimensions, outermost first (tools page, section 3)."""

from collections.abc import Sequence

import numpy as np

from mitools.console.closest import suggestion
from mitools.console.diagnostics import UserError
from mitools.image.map import BOUND
from mitools.image.values import WORD, Located


def parse_order(text: str) -> list[tuple[str, int | None]]:
    """Names, with the bound where one is written: a bracket cut out of the map is an order too.

    Raises UserError for what is no list of names.
    """
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    names: list[tuple[str, int | None]] = []
    for item in inner.replace(",", " ").split():
        bound = BOUND.fullmatch(item)
        name = bound["name"] if bound else item
        if any(c in "<>[]" for c in name) or (bound and len(bound["extent"]) > 12):
            raise UserError(
                f"order= has `{item}`, which is no dimension",
                remedy='write names, as in order="y x n _word"',
            )
        if name in (n for n, _ in names):
            raise UserError(f"order= names `{name}` twice", remedy="name each dimension once")
        names.append((name, int(bound["extent"]) if bound else None))
    return names


class Order:
    """How the words of a name are laid out in a file: `axes` of the array that `get_words` gives.

    `shape` has an extent for each named dimension; dimensions of extent 1 may be left out.
    """

    def __init__(self, located: Located, names: Sequence[tuple[str, int | None]] | None):
        self.dims = [*located.dims[: 2 + located.rank], WORD]
        self.extents = [*located.shape[: 2 + located.rank], located.words]
        self.name = located.info.name
        if names is None:
            names = [(d, None) for d in self.dims if d != WORD or located.words > 1]
        self.names = [name for name, _ in names]
        for name, bound in names:
            self._check(name, bound)
        left_out = [d for d in self.dims if d not in self.names]
        self.missing = [d for d in left_out if self.extents[self.dims.index(d)] != 1]
        self.axes = [self.dims.index(d) for d in [*left_out, *self.names]]
        self.shape = tuple(self.extents[self.dims.index(d)] for d in self.names)

    def _check(self, name: str, bound: int | None) -> None:
        if name not in self.dims:
            raise UserError(
                f"`{self.name}` has no dimension `{name}`; it has {' '.join(self.dims)}",
                remedy=suggestion(name, self.dims),
            )
        extent = self.extents[self.dims.index(name)]
        if bound is not None and bound != extent:
            raise UserError(f"order= bounds `{name}` by {bound}; in `{self.name}` it is {extent}")

    def require_all(self, words: bool = True) -> None:
        """Raise UserError when a dimension of more than one element is left out.

        `_word` may be, too, when `words` is false.
        """
        missing = [d for d in self.missing if words or d != WORD]
        if missing:
            sizes = ", ".join(f"{d} of {self.extents[self.dims.index(d)]}" for d in missing)
            raise UserError(
                f"order= leaves out {sizes}; only dimensions of extent 1 may be left out",
                remedy=f'order="{" ".join([*self.names, *missing])}"',
            )

    @property
    def words_last(self) -> bool:
        """Whether the words of an element stay together, so that it can be seen as a value."""
        return WORD not in self.names[:-1] or self.extents[-1] == 1

    def without_words(self) -> list[str]:
        """The named dimensions without `_word`."""
        return [n for n in self.names if n != WORD]

    def to_file(self, words: np.ndarray) -> np.ndarray:
        """The words in the order of the file, with its shape."""
        self.require_all()
        return words.transpose(self.axes).reshape(self.shape)

    def from_file(self, words: np.ndarray) -> np.ndarray:
        """What `to_file` was given."""
        self.require_all()
        laid_out = words.reshape([self.extents[k] for k in self.axes])
        return laid_out.transpose(np.argsort(self.axes))

    def elements_to_file(self, elements: np.ndarray) -> np.ndarray:
        """Elements (without the axis of words) in the order of the file."""
        last = len(self.dims) - 1
        self.require_all(words=False)
        axes = [k for k in self.axes if k != last]
        shape = [self.extents[self.dims.index(d)] for d in self.without_words()]
        return elements.transpose(axes).reshape(shape)

    def elements_from_file(self, elements: np.ndarray) -> np.ndarray:
        """What `elements_to_file` was given."""
        last = len(self.dims) - 1
        self.require_all(words=False)
        axes = [k for k in self.axes if k != last]
        return elements.reshape([self.extents[k] for k in axes]).transpose(np.argsort(axes))
