"""Images to test with, by hand and by hypothesis."""

import numpy as np
from hypothesis import strategies as st

from carbide.object import Filter, Object, Segment, SocketUse, SourcePlace, Symbol, Task
from mitools.image.model import Flow, Image, Overlay, TileConfig

UNUSED = TileConfig((0xA0,) * 24, (0xA0, 0xA0A0, 0, 0) * 24, (0,) * 16, (0,) * 8)
SYMBOLS = (
    Symbol("a", "sp", 0x100, 2, (("n", 3),)),
    Symbol("b", "xp", 0x110, 1),
    Symbol("params", "paramstruct", 0x120, 14),
    Symbol("h", "hp", 0x130, 1, (("n", 2), ("m", 3))),
    Symbol("routes", "u16", 0x7C00, 1, (("c", 24),)),
)


def program(name: str = "grid", symbols: tuple[Symbol, ...] = SYMBOLS, **changes) -> Object:
    parts = {
        "program": name,
        "source": f"{name}.w",
        "arch": "sdr",
        "parameters": (("N", "3"),),
        "code": Segment(0, tuple(range(100, 140))),
        "data": (Segment(0x100, (0, 0x3F80, 0, 0x4000)), Segment(0x7C00, (0xA0, 0xA1))),
        "data_end": 0x140,
        "stack_start": 0x5FF0,
        "symbols": symbols,
        "sockets": (SocketUse("rx", "sp", 0, None, 3, 4),),
        "tasks": (Task(8, 4, True, False), Task(0, 20, False, True)),
        "filters": (Filter(0, 5, 2, True, False, 1),),
        "places": (SourcePlace(0, f"{name}.w", 1, 1), SourcePlace(10, "lib/Δ.w", 2, 5)),
        "notes": ("a note",),
    }
    return Object(**{**parts, **changes})


def tiles(y: int, x: int, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    ys = np.repeat(np.arange(y, y + height, dtype=np.int32), width)
    return ys, np.tile(np.arange(x, x + width, dtype=np.int32), height)


def grid(height: int = 2, width: int = 3, *programs: Object) -> Image:
    """All tiles run the first program and are region `grid`."""
    shape = (height, width)
    return Image(
        "sdr",
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        list(programs) or [program()],
        [UNUSED],
        {"grid": tiles(0, 0, height, width)},
        [],
        [],
        {0: ["c"]},
        {"layout": "bench.paint"},
    )


names = st.text("abcxyzΔ²_.-0'", min_size=1, max_size=6)
words = st.integers(0, 0xFFFF)


@st.composite
def segments(draw, largest: int = 6) -> Segment:
    content = tuple(draw(st.lists(words, max_size=largest)))
    return Segment(draw(st.integers(0, 0x8000 - len(content))), content)


@st.composite
def objects(draw) -> Object:
    dimension = st.tuples(names, st.integers(1, 4))
    symbol = st.builds(
        Symbol,
        names,
        st.sampled_from(["sp", "xp", "hp", "u64", "body"]),
        st.integers(0, 0x7000),
        st.integers(1, 4),
        st.lists(dimension, max_size=2).map(tuple),
    )
    return program(
        draw(names),
        tuple(draw(st.lists(symbol, max_size=3))),
        code=draw(segments()),
        data=tuple(draw(st.lists(segments(), max_size=3))),
    )


@st.composite
def images(draw) -> Image:
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    programs = draw(st.lists(objects(), max_size=3))
    configs = [
        TileConfig((draw(words),) * 24, (1, 2, 3, 4) * 24, (5,) * 16, (draw(words),) * 8, k)
        for k in range(draw(st.integers(0, 2)))
    ]

    def numbers(count: int) -> np.ndarray:
        cells = st.lists(
            st.integers(-1, count - 1), min_size=height * width, max_size=height * width
        )
        return np.array(draw(cells), np.int32).reshape(height, width)

    def some_tiles() -> tuple[np.ndarray, np.ndarray]:
        places = draw(st.lists(st.integers(0, height * width - 1), unique=True).map(sorted))
        chosen = np.array(places, np.int32)
        return chosen // width, chosen % width

    overlays = []
    for _ in range(draw(st.integers(0, 3))):
        ys, xs = some_tiles()
        n = draw(st.integers(0, 300))
        seed = np.random.default_rng(draw(st.integers(0, 99)))
        content = seed.integers(0, draw(st.sampled_from([1, 65536])), (len(ys), n))
        overlays.append(Overlay(draw(st.integers(0, 0x7000)), ys, xs, content.astype(np.uint16)))
    flow = Flow(draw(st.integers(0, 23)), "add", "sp", ((0, 0), (height - 1, width - 1)))
    return Image(
        "sdr",
        numbers(len(programs)),
        numbers(len(configs)),
        programs,
        configs,
        {draw(names): some_tiles() for _ in range(draw(st.integers(0, 2)))},
        overlays,
        [flow] * draw(st.integers(0, 1)),
        {draw(st.integers(0, 23)): ["c", draw(names)]},
        {"layout": draw(names), "cycles": draw(st.integers(0, 1 << 40))},
    )


def damage(data: bytes, draw_seed: int) -> bytes:
    """The data with one kind of damage: cut, changed, grown or shuffled."""
    random = np.random.default_rng(draw_seed)
    kind = random.integers(5)
    place = int(random.integers(len(data)))
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data + bytes(int(random.integers(1, 9)))
    if kind == 2:
        flipped = data[place] ^ 1 << int(random.integers(8))
        return data[:place] + bytes([flipped]) + data[place + 1 :]
    if kind == 3:
        noise = random.integers(0, 256, 16, dtype=np.uint8).tobytes()
        changed = data[:place] + noise + data[place + 16 :]
        return changed if changed != data else changed + b"\0"
    return data[:place] + data[place + 1 :]
