"""Pictures of layouts: tiles by program, routes of each color as arrows, names, a legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mitools.console import UserError, write_text

if TYPE_CHECKING:
    from paint.evaluate.layout import Layout
    from paint.evaluate.values import Color


def write_picture(path: str, layout: Layout, numbers: Mapping[Color, int], source: str) -> None:
    """Draw a layout to an `.svg` or `.html` file. Raises UserError for other names."""
    from paint.picture.page import page
    from paint.picture.sheet import sheet

    ending = path.rpartition(".")[2].lower()
    if ending not in ("svg", "html", "htm"):
        raise UserError(
            f"show=`{path}`: pictures are .svg or .html files", None, "show=layout.svg"
        )
    drawing = sheet(layout, numbers, source)
    write_text(path, drawing if ending == "svg" else page(drawing, layout, source))
