"""The `paint` command: a layout to an image and its map."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from mitools.console import (
    ARCH,
    Diagnostics,
    Given,
    Terms,
    UserError,
    choice,
    integer,
    key,
    pairs,
    phrase,
    product,
    run,
    source,
    word,
    write_text,
)

DUMPS = ("routes", "colors", "tiles")


TERMS = Terms(
    "paint",
    "builds the image of a layout",
    source("source", "FILE.paint", "the layout", required=True),
    product("image", "FILE", "the image"),
    product("map", "FILE", "the symbols of the image"),
    key("lib", "FOLDER", "where programs and includes are looked for", repeat=True),
    pairs("set", "NAME=VALUE", "value of a name in the layout; unset with nothing as VALUE"),
    ARCH,
    word("verbose", "print the numbers of the colors and what was compiled"),
    integer("threads", "N", "programs compiled at once", least=1, most=1024),
    phrase("toolname", ("EXT", "TOOL"), "the compiler of programs NAME.EXT"),
    phrase("toolflag", ("EXT", "FLAGS"), "flags of the vendor's compiler, which do nothing here"),
    product("listing", "FILE.json", "the instructions of all programs with their source lines"),
    product("show", "FILE.svg|.html", "a picture of the layout"),
    choice("dump", DUMPS, "print a stage as text"),
)


def _body(arguments: list[str]) -> None:
    given = TERMS.parse(arguments)
    if not (given.image or given.map or given.listing or given.show or given.dump):
        raise UserError(
            "nothing to make", None,
            "add image=FILE and map=FILE, listing=FILE.json, show=FILE.svg or dump=routes",
        )  # fmt: skip
    from mitools.arch import DEFAULT, load
    from paint.evaluate.evaluate import evaluate
    from paint.evaluate.layout import lay_out
    from paint.syntax.parse import parse_file

    arch = load(given.arch or DEFAULT)
    diagnostics = Diagnostics()
    for extension, flags in given.toolflag:
        diagnostics.note(f"toolflag {extension} `{flags}`: carbide needs no flags, and has none")
    libraries = [folder for folder in given.lib if os.path.isdir(folder)]
    tree = parse_file(given.source)
    evaluated = evaluate(tree, given.set, arch, libraries)
    layout = lay_out(evaluated.region, evaluated.colors, evaluated.place)
    numbers = _numbers(layout, arch)
    if given.verbose:
        from paint.colors.text import colors_text

        print(colors_text(layout, numbers), end="")
    if given.dump:
        print(_dumped(given.dump, layout, numbers), end="")
    if given.image or given.map or given.listing:
        _build(given, layout, numbers, arch, libraries, diagnostics)
    if given.show:
        from paint.picture import write_picture

        write_picture(given.show, layout, numbers, given.source)


def _numbers(layout, arch):
    from paint.colors.problem import problem
    from paint.colors.solve import NoNumbers, numbers

    question = problem(layout, arch)
    try:
        return numbers(question)
    except NoNumbers:
        pass
    from paint.colors.clash import explain

    raise explain(question)


def _dumped(stage: str, layout, numbers) -> str:
    if stage == "colors":
        from paint.colors.text import colors_text

        return colors_text(layout, numbers)
    from paint.routes.text import routes_text, tiles_text

    return routes_text(layout, numbers) if stage == "routes" else tiles_text(layout, numbers)


def _build(
    given: Given, layout, numbers, arch, libraries: Sequence[str], diagnostics: Diagnostics
) -> None:
    from paint.build.compile import compile_jobs
    from paint.build.image import image_of
    from paint.build.jobs import DEFAULT_TOOLS, jobs
    from paint.routes.check import check

    tools = dict(given.toolname) or DEFAULT_TOOLS
    folder = os.path.dirname(given.source) or "."
    work, object_of = jobs(layout, tools, libraries, folder)
    threads = given.threads or os.cpu_count() or 1
    objects = compile_jobs(work, libraries, arch.name, threads, diagnostics)
    check(layout, [objects[k] for k in object_of], arch, diagnostics)
    if given.verbose:
        for job, object_ in zip(work, objects, strict=True):
            parameters = [f"{k}={v}" for k, v in job.parameters]
            words = len(object_.code.words)
            print(f"compiled {' '.join([job.source, *parameters])}: {words} words of code")
    if given.image or given.map:
        image = image_of(layout, numbers, objects, object_of, arch, given.source)
        if given.image:
            image.save(given.image)
        if given.map:
            from mitools.image.map import map_text

            write_text(given.map, map_text(image))
    if given.listing:
        from carbide.listing import listing_text

        write_text(given.listing, listing_text(objects))


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `paint`."""
    return run(_body, arguments)


if __name__ == "__main__":
    sys.exit(main())
