"""How a program fills the main memory of its PE, in words."""

from collections import Counter
from itertools import pairwise

from attrs import frozen

from carbide.object import Object, Segment
from mitools.arch.model import Arch
from mitools.image.parts import Part, Parts


@frozen
class MemoryUse:
    """Words of main memory; `free` lies between globals and stack, and is negative if too few."""

    code: int
    data: int
    stack: int
    free: int


def memory_use(program: Object, arch: Arch) -> MemoryUse:
    """What `program` uses of the main memory of `arch`."""
    code = len(program.code.words)
    return MemoryUse(
        code=code,
        data=max(0, program.data_end - code),
        stack=arch.memory.main_words - program.stack_start,
        free=program.stack_start - program.data_end,
    )


def memory_faults(program: Object, arch: Arch) -> list[str]:
    """What is wrong with where the program's contents lie; empty when all is well."""
    faults = []
    use = memory_use(program, arch)
    if use.free < 0:
        faults.append(
            f"{use.code} words of code, {use.data} of data and {use.stack} of stack are"
            f" {-use.free} more than the {arch.memory.main_words} words of main memory"
        )
    memory = arch.memory
    spans = ((0, memory.main_words), (memory.config_start, memory.cache_end))
    for what, segment in [("code", program.code), *(("data", s) for s in program.data)]:
        end = segment.address + len(segment.words)
        if segment.words and not any(a <= segment.address and end <= b for a, b in spans):
            faults.append(
                f"{what} at 0x{segment.address:04x} to 0x{end - 1:04x} is neither in main"
                " memory nor in registers or cache"
            )
    for low, high in _overlaps([program.code]):
        faults.append(_overlap("code", low, high))
    for segment in program.data:
        for low, high in _overlaps([program.code, segment]):
            faults.append(_overlap("data and code", low, high))
    return faults


def _overlap(what: str, low: int, high: int) -> str:
    return f"{what} overlap at 0x{low:04x} to 0x{high - 1:04x}"


def _overlaps(segments: list[Segment]) -> list[tuple[int, int]]:
    """Spans that two neighbours in order of address both cover."""
    spans = sorted((s.address, s.address + len(s.words)) for s in segments if s.words)
    return [(b[0], min(a[1], b[1])) for a, b in pairwise(spans) if b[0] < a[1]]


def largest_symbols(program: Object, count: int = 3) -> list[tuple[str, int]]:
    """The (name, words) of the largest arrays of main memory."""
    sizes = []
    for symbol in program.symbols:
        words = symbol.words
        for _, extent in symbol.dimensions:
            words *= extent
        if symbol.address < program.data_end:
            sizes.append((symbol.name, words))
    return sorted(sizes, key=lambda item: -item[1])[:count]


def tile_counts(parts: Parts) -> Counter[int]:
    """How many tiles each program number has."""
    part: Part = parts.arrays[parts.directory["program"]]
    data = part.contents()
    if part.type == "<i1":
        return Counter(dict(Counter(data)))
    width = {"<i2": 2, "<i4": 4}[part.type]
    places = range(0, len(data), width)
    return Counter(int.from_bytes(data[k : k + width], "little", signed=True) for k in places)
