"""`weight`: memory by program; fails when one does not fit its PE."""

from collections.abc import Sequence

from carbide.object import Object
from mitools.arch import load
from mitools.console.command import run
from mitools.console.diagnostics import Place, UserError, UserErrors
from mitools.console.terms import ARCH, Terms, check_arch, source
from mitools.image.file import check_machine, damaged, read_parts
from mitools.image.parts import DamagedImage, Parts
from mitools.weight.memory import (
    MemoryUse,
    largest_symbols,
    memory_faults,
    memory_use,
    tile_counts,
)

WEIGHT = Terms(
    "weight",
    "prints the memory of each program, in 16-bit words; fails if one does not fit",
    source("image", "FILE", "the image", required=True),
    source("map", "FILE", "the map that came with the image"),
    ARCH,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `weight`."""
    return run(_weight, arguments)


def _weight(arguments: list[str]) -> None:
    given = WEIGHT.parse(arguments)
    parts = read_parts(given.image)
    programs, counts = read_programs(parts, given.image, given.arch)
    if given.map:
        from mitools.image.map import read_map

        read_map(given.map)
    arch = load(parts.directory["arch"])
    uses = [memory_use(program, arch) for program in programs]
    print("\n".join(table(programs, uses, counts, arch.memory.main_words)))
    check_memory(programs, parts.directory["arch"])


def read_programs(parts: Parts, path: str, arch: str | None) -> tuple[list[Object], list[int]]:
    """The programs of an image and how many tiles each has. Raises UserError."""
    from carbide.object_file import ObjectError, object_from_dict

    try:
        programs = [object_from_dict(form) for form in parts.directory["programs"]]
        counts = tile_counts(parts)
        name = str(parts.directory["arch"])
    except (DamagedImage, ObjectError, KeyError, TypeError, IndexError) as error:
        raise damaged(path, str(error)) from None
    check_arch(arch, name, path)
    check_machine(name, path)
    return programs, [counts[k] for k in range(len(programs))]


def check_memory(programs: list[Object], arch: str) -> None:
    """Raise UserErrors for programs that do not fit their PE."""
    machine = load(arch)
    errors = []
    for program in programs:
        largest = ", ".join(f"{n} ({words} words)" for n, words in largest_symbols(program))
        for fault in memory_faults(program, machine):
            errors.append(
                UserError(
                    f"program `{program.program}` does not fit: {fault}",
                    Place(program.source),
                    f"its largest variables are {largest}" if largest else None,
                )
            )
    if errors:
        raise UserErrors(errors)


def table(
    programs: list[Object], uses: list[MemoryUse], counts: list[int], words: int
) -> list[str]:
    """A line of heads and a line for each program."""
    rows: list[tuple[str, ...]] = [("program", "tiles", "code", "data", "stack", "free", "used")]
    for program, use, count in zip(programs, uses, counts, strict=True):
        numbers = [str(n) for n in (count, use.code, use.data, use.stack, use.free)]
        rows.append((program.program, *numbers, f"{100 * (words - use.free) / words:.1f}%"))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        " ".join(
            text.ljust(width) if k == 0 else text.rjust(width + 1)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
