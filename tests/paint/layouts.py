"""Layout texts to what they mean, for tests."""

from mitools.arch.sdr import ARCH
from mitools.console import UserError
from paint.colors.problem import problem
from paint.colors.solve import numbers
from paint.evaluate.evaluate import evaluate
from paint.evaluate.layout import NOTHING, Layout, lay_out
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
