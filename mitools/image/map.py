"""The map: what symbols an image has, one line each, as users cut it with sed.

    core00.params paramstruct 0x0120 [y<2 x<2 _word<14]

Name, type, address, and one bracket with the dimensions and their bounds, outermost first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mitools.console.diagnostics import Place, UserError
from mitools.console.files import read_text

if TYPE_CHECKING:
    from mitools.image.model import Image
    from mitools.image.values import SymbolInfo

LINE = re.compile(r"(?P<name>.+) (?P<type>\S+) 0x(?P<address>[0-9a-f]{4}) \[(?P<dims>[^]]*)\]")
BOUND = re.compile(r"(?P<name>[^\s<>\[\],]+)<(?P<extent>\d+)")


def map_text(image: Image) -> str:
    """The map of an image."""
    return "".join(f"{map_line(info)}\n" for info in image.symbols())


def map_line(info: SymbolInfo) -> str:
    """One line of the map, without the line end."""
    bounds = " ".join(f"{name}<{extent}" for name, extent in info.dims)
    return f"{info.name} {info.type.replace(' ', '-')} 0x{info.address:04x} [{bounds}]"


def read_map(path: str) -> dict[str, str]:
    """The lines of a map by name. Raises UserError for a file that is no map."""
    lines: dict[str, str] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if match is None or any(
            BOUND.fullmatch(bound) is None for bound in match["dims"].split(" ")
        ):
            raise UserError(
                "this is not a line of a map: name, type, address and [dimensions]",
                Place(path, number, 1, len(line) + 1),
                "give the file that paint wrote as map=",
            )
        lines[match["name"]] = line
    return lines
