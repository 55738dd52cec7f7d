"""Broken images, maps, ELFs and data files, through the tools that read them."""

import re
import struct
from pathlib import Path

import pytest
from broken import Case, check, put, run

SET = "miset image=bench.obj out=out.img map=bench.map symbol=send.a data=a.bin"
GET = "miget image=bench-sim.core map=bench.map symbol=recv.a data=out.bin"
SIMULATE = "simfabric elf=bench.elf core=out.core"
GOOD_DATA = {"a.bin": bytes(8)}


def flip(place: int | float) -> object:
    """The data with one bit turned over, at a byte or a fraction of the length."""

    def change(data: bytes) -> bytes:
        k = int(place * len(data)) if isinstance(place, float) else place
        return data[:k] + bytes([data[k] ^ 0x10]) + data[k + 1 :]

    return change


def cut(part: float) -> object:
    return lambda data: data[: int(part * len(data))]


def patch(offset: int, layout: str, *values: int) -> object:
    """The data with a structure written over what stands at `offset`."""

    def change(data: bytes) -> bytes:
        new = struct.pack(layout, *values)
        return data[:offset] + new + data[offset + len(new) :]

    return change


def of_image(name: str, command: str, *outputs: str, **more: object) -> list[Case]:
    """A tool that reads an image, given several broken ones."""
    image = command.split("image=")[1].split()[0]
    changes = {
        "truncated": cut(0.5),
        "without its last byte": lambda data: data[:-1],
        "with a byte too many": lambda data: data + b"\0",
        "with a bit turned": flip(0.7),
        "with its version turned": flip(10),
        "empty": lambda data: b"",
        "of text": lambda data: b"this is no image\n" * 20,
    }
    return [
        Case(
            f"{name}: an image {what}",
            command,
            (image,),
            changes={image: change},
            outputs=outputs,
            **more,
        )
        for what, change in changes.items()
    ] + [
        Case(f"{name}: no image", command, (image,), {image: None}, outputs=outputs),
        Case(f"{name}: a folder as image", command, (image,), folders=(image,), outputs=outputs),
    ]


CASES = [
    *of_image("miset", SET, "out.img"),
    *of_image("miget", GET, "out.bin"),
    *of_image("mielf", "mielf image=bench.obj elf=out.elf", "out.elf"),
    *of_image("milink", "milink image=bench.obj out=out.obj", "out.obj"),
    *of_image("weight", "weight image=bench.obj map=bench.map"),
    # ELFs
    *[
        Case(
            f"{tool}: an ELF {what}",
            command,
            (r"bench\.elf",),
            changes={file: change},
            outputs=(output,),
        )
        for tool, command, file, output in (
            ("simfabric", SIMULATE, "bench.elf", "out.core"),
            ("elfmi", "elfmi elf=bench.elf-core image=out.img", "bench.elf-core", "out.img"),
        )
        for what, change in {
            "cut in its header": lambda data: data[:20],
            "cut in half": cut(0.5),
            "without its last byte": lambda data: data[:-1],
            "that is empty": lambda data: b"",
            "of junk": lambda data: bytes(range(256)) * 4,
            "with another magic": patch(0, "4s", b"\x7fELV"),
            "for another machine": patch(18, "<H", 62),
            "with tables beyond its end": patch(28, "<I", 0xFFFFFFF0),
            "with sections beyond its end": patch(32, "<I", 0xFFFFFFF0),
            "with 65,000 sections": patch(48, "<H", 65_000),
            "with entries of size 0": patch(46, "<H", 0),
            "with a bit turned": flip(0.6),
        }.items()
    ],
    Case(
        "simfabric: no ELF", SIMULATE, (r"bench\.elf",), {"bench.elf": None}, outputs=("out.core",)
    ),
    Case(
        "simfabric: the compiler's ELF", SIMULATE.replace("bench.elf", "/bin/true"), ("/bin/true",)
    ),
    Case(
        "simfabric: an image", SIMULATE.replace("bench.elf", "bench.obj"), (r"bench\.obj", "mielf")
    ),
    Case(
        "simfabric: a folder",
        SIMULATE,
        (r"bench\.elf",),
        folders=("bench.elf",),
        outputs=("out.core",),
    ),
    Case("simfabric: negative cycles", SIMULATE + " cycles=-5", ("cycles",)),
    Case(
        "simfabric: cycles that are none",
        SIMULATE + " cycles=lots",
        ("lots",),
    ),
    Case("simfabric: no threads", SIMULATE + " threads=0", ("threads",)),
    Case(
        "simfabric: debug of nothing",
        SIMULATE + " debug=everything",
        ("everything",),
    ),
    Case(
        "simfabric: tiles that are none",
        SIMULATE + " debug=landing tiles=1,2",
        ("tiles",),
    ),
    Case(
        "simfabric: an unknown fabric",
        SIMULATE + " fabric=torus",
        ("torus",),
    ),
    Case("simfabric: a misspelt key", SIMULATE.replace("core=", "cor="), ("cor", "core")),
    Case("simfabric: nothing", "simfabric", ("elf",)),
    Case(
        "simfabric: a core nowhere", "simfabric elf=bench.elf core=no/where/out.core", ("no/where",)
    ),
    # Data
    *[
        Case(f"miset: {what}", SET, ("8 bytes", *says), {"a.bin": data}, outputs=("out.img",))
        for what, data, says in (
            ("data too short", bytes(6), ("6 bytes",)),
            ("data too long", bytes(10), ("10 bytes",)),
            ("no data at all", b"", ("0 bytes",)),
            ("half a word", bytes(7), ("7 bytes",)),
        )
    ],
    Case("miset: no data file", SET, (r"a\.bin",), outputs=("out.img",)),
    Case(
        "miset: a folder as data",
        SET,
        (r"a\.bin",),
        GOOD_DATA,
        folders=("a.bin",),
        outputs=("out.img",),
    ),
    Case(
        "miset: neither data nor value",
        SET.replace(" data=a.bin", ""),
        ("data=",),
        outputs=("out.img",),
    ),
    Case(
        "miset: a misspelt symbol",
        SET.replace("send.a", "send.aa"),
        (r"send\.aa", r"send\.a\b"),
        GOOD_DATA,
        outputs=("out.img",),
    ),
    Case(
        "miset: a misspelt region",
        SET.replace("send.a", "sent.a"),
        (r"sent\.a", r"send\.a"),
        GOOD_DATA,
        outputs=("out.img",),
    ),
    Case(
        "miset: an unknown dimension", SET + " order=q", ("q", "n"), GOOD_DATA, outputs=("out.img",)
    ),
    Case(
        "miset: a dimension twice",
        "miset image=bench.obj out=out.img symbol=send.a data=a.bin order=n,n",
        ("n",),
        GOOD_DATA,
        outputs=("out.img",),
    ),
    Case(
        "miset: a dimension left out",
        "miset image=bench.obj out=out.img symbol=send.a data=a.bin order=y,x",
        ("n",),
        GOOD_DATA,
        outputs=("out.img",),
    ),
    Case(
        "miset: a value that is none",
        SET.replace("data=a.bin", "value=one"),
        ("one",),
        outputs=("out.img",),
    ),
    Case("miset: another machine", SET + " arch=wse9", ("wse9",), GOOD_DATA),
    Case(
        "miset: a misspelt key",
        SET.replace("symbol", "symbl"),
        ("symbl", "symbol"),
        GOOD_DATA,
    ),
    Case("miset: nothing", "miset", ("image",)),
    Case(
        "miget: a misspelt symbol",
        GET.replace("recv.a", "recv.b"),
        (r"recv\.b", r"recv\.a"),
        outputs=("out.bin",),
    ),
    Case("miget: a folder to write", GET, (r"out\.bin",), folders=("out.bin",)),
    Case("miget: no such folder", GET.replace("out.bin", "no/where.bin"), ("no/where",)),
    Case("miget: nothing to do", "miget image=bench-sim.core map=bench.map", ("data=",)),
    # Maps
    *[
        Case(
            f"miget: a map {what}", GET, (r"bench\.map",), {"bench.map": data}, outputs=("out.bin",)
        )
        for what, data in (
            ("of junk", bytes(range(256))),
            ("without its bracket", "recv.a xp 0x0120\n"),
            ("with an odd address", "recv.a xp twelve [y<1 x<1 n<4]\n"),
            ("with an extent of -1", "recv.a xp 0x0120 [y<1 x<1 n<-1]\n"),
        )
    ],
    Case("miget: no map", GET, (r"bench\.map",), {"bench.map": None}, outputs=("out.bin",)),
    # The small tools
    Case("fcmp: no file", "fcmp a=a.bin b=b.bin", (r"b\.bin",), GOOD_DATA),
    Case(
        "fcmp: half a number",
        "fcmp a=a.bin b=b.bin",
        (r"b\.bin",),
        {"a.bin": bytes(8), "b.bin": bytes(7)},
    ),
    Case("fcmp: an unknown format", "fcmp a=a.bin b=a.bin aformat=spp", ("spp", "sp"), GOOD_DATA),
    Case("fcmp: a limit that is none", "fcmp a=a.bin b=a.bin limit=small", ("small",), GOOD_DATA),
    Case(
        "milink: images that overlap",
        "milink image=bench.obj image=bench.obj at=1,0 out=out.obj",
        ("overlap|both",),
        outputs=("out.obj",),
    ),
    Case(
        "milink: an offset that is none",
        "milink image=bench.obj image=bench.obj at=1 out=out.obj",
        ("at",),
    ),
    Case(
        "milink: a negative offset",
        "milink image=bench.obj image=bench.obj at=-1,0 out=out.obj",
        ("at|-1",),
    ),
    Case(
        "elfmi: an ELF that is an image",
        "elfmi elf=bench.obj image=out.img",
        (r"bench\.obj",),
        outputs=("out.img",),
    ),
    Case(
        "mielf: an image that is an ELF",
        "mielf image=bench.elf elf=out.elf",
        (r"bench\.elf", "ELF"),
        outputs=("out.elf",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_broken_file(case: Case, good: Path) -> None:
    check(case, good)


@pytest.mark.parametrize(
    "text", ["", "other.a xp 0x0012 [y<1 x<1 n<4]\n", "recv.a xp 0x0012 [n<9]\n"]
)
def test_map_of_another_build_is_named_and_the_image_counts(text: str, good: Path) -> None:
    put(good, "bench.map", text)
    done = run(GET.split(), good)
    assert done.returncode == 0
    assert re.search(r"warning: `bench.map` (has|does not have) `recv.a", done.stderr), done.stderr
    assert (good / "out.bin").stat().st_size == 8


def test_failed_miset_in_place_leaves_the_image_as_it_was(good: Path) -> None:
    before = (good / "bench.obj").read_bytes()
    put(good, "a.bin", bytes(6))
    done = run(SET.replace("out=out.img", "out=bench.obj").split(), good)
    assert done.returncode == 1
    assert (good / "bench.obj").read_bytes() == before


def test_every_bit_of_an_image_matters(good: Path) -> None:
    """Whatever bit of an image is turned, it is taken for broken, and that without a traceback."""
    data = (good / "bench.obj").read_bytes()
    for k in range(0, len(data), max(1, len(data) // 40)):
        put(good, "bench.obj", flip(k)(data))
        done = run(["miget", "image=bench.obj", "list"], good)
        assert done.returncode == 1 and "internal error" not in done.stderr, (k, done.stderr)
