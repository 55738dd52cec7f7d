"""The name that was probably meant, for every "did you mean" of every tool."""

from collections.abc import Iterable


def closest(name: str, names: Iterable[str]) -> str | None:
    """The member of `names` most like `name`, or None when none is like it."""
    known = list(dict.fromkeys(n for n in names if n != name))
    folded = name.casefold()
    for candidate in known:
        if candidate.casefold() == folded:
            return candidate
    if not known or len(name) > 200:
        return None
    from difflib import get_close_matches

    found = get_close_matches(name, known, 1, 0.6)
    if found:
        return found[0]
    if len(name) > 2:
        starts = [n for n in known if n.startswith(name)]
        if len(starts) == 1:
            return starts[0]
    return None


def suggestion(name: str, names: Iterable[str]) -> str | None:
    """The remedy ``did you mean `x`?``, or None."""
    found = closest(name, names)
    return None if found is None else f"did you mean `{found}`?"
