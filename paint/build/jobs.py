"""What a layout asks of the compilers: each program once for each set of params and bindings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import field, frozen

from mitools.console import UserError, suggestion

if TYPE_CHECKING:
    from paint.evaluate.layout import Layout
    from paint.evaluate.region import ProgramUse

DEFAULT_TOOLS = {"w": "carbide"}


@frozen
class Job:
    """One compilation. `bindings` give sockets of one color the same number."""

    source: str
    tool: str
    parameters: tuple[tuple[str, str], ...]
    bindings: tuple[tuple[str, int], ...]
    use: ProgramUse = field(eq=False)


def jobs(
    layout: Layout, tools: Mapping[str, str], libraries: Sequence[str], folder: str
) -> tuple[list[Job], list[int]]:
    """The compilations of a layout, and for each of its programs which one it is.

    Raises UserError for programs that are not found.
    """
    found: dict[Job, int] = {}
    numbers: list[int] = []
    sources: dict[str, tuple[str, str]] = {}
    for use in layout.programs:
        if use.program not in sources:
            sources[use.program] = find_program(use, tools, libraries, folder)
        source, tool = sources[use.program]
        groups: dict[object, int] = {}
        bindings = tuple((s, groups.setdefault(color, len(groups))) for s, color in use.sockets)
        job = Job(source, tool, use.parameters, bindings, use)
        numbers.append(found.setdefault(job, len(found)))
    return list(found), numbers


def find_program(
    use: ProgramUse, tools: Mapping[str, str], libraries: Sequence[str], folder: str
) -> tuple[str, str]:
    """(path, tool) of a program: `lib=` folders in order, then the layout's own."""
    folders = list(dict.fromkeys([*libraries, folder]))
    for place in folders:
        for extension, tool in tools.items():
            path = os.path.normpath(os.path.join(place, f"{use.program}.{extension}"))
            if os.path.isfile(path):
                return path, tool
    names = [
        name.rpartition(".")[0]
        for place in folders
        for name in _listed(place)
        if name.rpartition(".")[2] in tools
    ]
    looked = ", ".join(f"`{place}`" for place in folders)
    files = " or ".join(f"`{use.program}.{extension}`" for extension in tools)
    raise UserError(
        f"there is no program {files}", use.place,
        suggestion(use.program, names) or f"looked in {looked}; lib=FOLDER adds a folder",
    )  # fmt: skip


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
