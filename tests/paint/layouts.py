"""Layout texts to what they mean, for tests."""

from carbide.object import Object, Segment, SocketUse
from mitools.arch.sdr import ARCH
from mitools.console import Diagnostics, UserError
from paint.colors.problem import problem
from paint.colors.solve import numbers
from paint.evaluate.evaluate import evaluate
from paint.evaluate.layout import NOTHING, Layout, lay_out
from paint.routes.check import check
from paint.syntax.parse import parse_text


def lay(text: str, **settings: object) -> Layout:
    """The finished layout of a text."""
    tree = parse_text(text, "t.paint")
    done = evaluate(tree, {name: str(value) for name, value in settings.items()}, ARCH)
    return lay_out(done.region, done.colors, done.place)


def tiles(layout: Layout) -> set[tuple[int, int]]:
    """(x, y) of the layout's tiles."""
    return {
        (x, y) for y in range(layout.height) for x in range(layout.width) if layout.member[y, x]
    }


def routes(layout: Layout, color: str) -> dict[tuple[int, int], str]:
    """The text of a color's rule on each tile (x, y) that has one."""
    found = {}
    for one, grid in layout.grids.items():
        if one.label == color:
            for y in range(grid.ids.shape[0]):
                for x in range(grid.ids.shape[1]):
                    if grid.ids[y, x] != NOTHING:
                        found[x + grid.x, y + grid.y] = str(grid.rules[grid.ids[y, x]][0])
    return found


def programs(layout: Layout) -> dict[tuple[int, int], str]:
    """The program of each tile (x, y), with its params."""
    found = {}
    for y in range(layout.height):
        for x in range(layout.width):
            if layout.program[y, x] != NOTHING:
                use = layout.programs[layout.program[y, x]]
                values = [f"{key}={value}" for key, value in use.parameters]
                found[x, y] = " ".join([use.program, *values])
    return found


def solved(layout: Layout) -> dict[str, int]:
    """The numbers of the colors by name."""
    return {color.label: n for color, n in numbers(problem(layout, ARCH)).items()}


def mistake(text: str, **settings: object) -> str:
    """The error that a layout gives, as users see it."""
    from paint.colors.clash import explain
    from paint.colors.solve import NoNumbers

    try:
        layout = lay(text, **settings)
        question = problem(layout, ARCH)
        try:
            numbers(question)
        except NoNumbers:
            return explain(question).render()
    except UserError as error:
        return error.render()
    raise AssertionError("this layout should be wrong")


def objects(layout: Layout) -> list[Object]:
    """Programs as if compiled: sockets rx… receive, tx… send, others do both.

    A program `config…` sets routes itself.
    """
    found = []
    for use in layout.programs:
        sockets = []
        for number, (name, _) in enumerate(use.sockets):
            receives, sends = not name.startswith("tx"), not name.startswith("rx")
            sockets.append(SocketUse(
                name, None, number if receives else None, number if sends else None, 1, 1
            ))  # fmt: skip
        found.append(Object(
            program=use.program, source=f"{use.program}.w", arch="sdr", parameters=use.parameters,
            code=Segment(0, (1, 2)), data=(), data_end=2, stack_start=0x6000, symbols=(),
            sockets=tuple(sockets), tasks=(), filters=(), places=(),
            configures_router=use.program.startswith("config"),
        ))  # fmt: skip
    return found


def checked(text: str, **settings: object) -> tuple[list[str], str]:
    """Warnings (`line:column message`) and the text of errors that the routes of a layout give."""
    layout = lay(text, **settings)
    diagnostics = Diagnostics(quiet=True)
    shown = ""
    try:
        check(layout, objects(layout), ARCH, diagnostics)
    except UserError as error:
        shown = error.render()
    warnings = [
        f"{p.place.line}:{p.place.column} {p.message}" for p in diagnostics.shown if p.place
    ]
    return warnings, shown
