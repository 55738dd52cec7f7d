"""Colors of pictures: strong ones for routes, pale ones for programs."""

ROUTES = (
    "#1f5fbf", "#d62728", "#2a8f3a", "#e07b00", "#8a3fc4", "#0f9aa8", "#c2268f", "#7a5230",
    "#5b6f00", "#3a3f9e", "#b8860b", "#006d5b", "#e3506a", "#4a90d9", "#6b8e23", "#9c4a00",
    "#00707a", "#a03070", "#556677", "#c04000", "#3d7f5f", "#7f5fbf", "#8f1f2f", "#2f6f9f",
)  # fmt: skip
PROGRAMS = (
    "#cfe3f7", "#fbe2b8", "#d3efcf", "#f7d4d4", "#e3d9f4", "#cdeeee", "#f4d9ec", "#e8e2c8",
    "#dbe4ea", "#f2e6d8", "#d8f0e4", "#eadcdc",
)  # fmt: skip
EMPTY = "#f3f3f1"
"""A tile without a program."""


def route_color(index: int) -> str:
    """The stroke of the color declared at this place."""
    return ROUTES[index % len(ROUTES)]


def program_color(index: int) -> str:
    """The fill of the tiles of this program."""
    return PROGRAMS[index % len(PROGRAMS)]
