"""`milink`: images joined at offsets, and checked.

Images hold nothing open: colors, queues and addresses are settled when paint writes them, and
coordinates belong to the place where a tile stands. So joining is placing, and checking.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mitools.console.command import run
from mitools.console.diagnostics import UserError
from mitools.console.terms import ARCH, Given, Terms, check_arch, key, product, source
from mitools.image.file import read_parts, write_parts
from mitools.weight.command import check_memory, read_programs

LARGEST_OFFSET = 1 << 16


def _offset(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"\s*(\d{1,6})\s*,\s*(\d{1,6})\s*", text)
    if match is None:
        raise ValueError("is not x,y of two whole numbers")
    x, y = int(match[1]), int(match[2])
    if max(x, y) >= LARGEST_OFFSET:
        raise ValueError(f"is {LARGEST_OFFSET} or more")
    return x, y


MILINK = Terms(
    "milink",
    "joins images at offsets; checks overlaps and memory",
    source("image", "FILE", "an image; the first stands at 0,0", required=True, repeat=True),
    product("out", "FILE", "the joined image; the first one itself when not given"),
    key(
        "at",
        "X,Y",
        "where the north-west tile of the next further image stands",
        repeat=True,
        convert=_offset,
    ),
    ARCH,
    more="With one image it is checked, and copied to out= when that is given.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `milink`."""
    return run(_milink, arguments)


def _milink(arguments: list[str]) -> None:
    given = MILINK.parse(arguments)
    if len(given.image) == 1 and not given.at:
        _check_one(given)
    else:
        _join(given)


def _check_one(given: Given) -> None:
    path = given.image[0]
    parts = read_parts(path)
    programs, _ = read_programs(parts, path, given.arch)
    check_memory(programs, parts.directory["arch"])
    if given.out is not None:
        write_parts(given.out, parts)


def _join(given: Given) -> None:
    from mitools.image.file import read_image
    from mitools.link.join import join

    count = len(given.image)
    offsets = list(given.at)
    if len(offsets) == count - 1:
        offsets.insert(0, (0, 0))
    if len(offsets) != count:
        raise UserError(
            f"{count} images and {len(given.at)} offsets",
            remedy="give an at=x,y for each image after the first, or for each",
        )
    images = []
    for path in given.image:
        images.append(read_image(path))
        check_arch(given.arch, images[-1].arch, path)
    joined = join(images, offsets, list(given.image))
    check_memory(joined.programs, joined.arch)
    joined.save(given.out or given.image[0])
