"""Broken inputs through the real command line, and what has to come out."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from attrs import field, frozen

STALE = b"result of an earlier run"
SCREEN, WIDTH = 24, 100  # lines, columns
TOOLS = Path(sys.executable).parent


LAYOUT = """let c = color()
let send = tile()
send : code('send [tx:c N:N])
send : paint(c [C>R])
send : name('send)
let recv = tile()
recv : code('recv [rx:c N:N])
recv : paint(c [L>C])
recv : name('recv)
hstack(send recv)
"""
SEND = "xp param N;\nsocket tx;\nxp a[n=N];\n{\n    let i in [0, N);\n    ∀i tx[] <- a[i];\n}\n"
RECV = "xp param N;\nsocket rx;\nxp a[n=N];\n{\n    let i in [0, N);\n    ∀i a[i] <- rx[];\n}\n"

STEPS = """paint source=bench.paint lib=. set=N=4 image=bench.obj map=bench.map
mielf image=bench.obj elf=bench.elf
simfabric elf=bench.elf core=bench.elf-core
elfmi image=bench-sim.core elf=bench.elf-core
carbide source=send.w set=N=4 object=send.object"""


@frozen
class Case:
    """`command` in a folder with `files` on top of the good ones must fail and say all of `says`.

    None as a file's contents removes it; a folder stands for the name of a folder instead.
    `outputs` stand there from an earlier run and must be gone; a command line that cannot be read
    touches nothing.
    """

    name: str
    command: str
    says: tuple[str, ...] = ()
    files: dict[str, bytes | str | None] = field(factory=dict)
    changes: dict[str, Callable[[bytes], bytes]] = field(factory=dict)
    folders: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TOOLS / command[0]), *command[1:]],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
    )


def put(folder: Path, name: str, contents: bytes | str | None) -> None:
    path = folder / name
    if contents is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)


def check(case: Case, folder: Path) -> None:
    for name, contents in case.files.items():
        put(folder, name, contents)
    for name, change in case.changes.items():
        (folder / name).write_bytes(change((folder / name).read_bytes()))
    for name in case.folders:
        (folder / name).unlink(missing_ok=True)
        (folder / name).mkdir()
    for name in case.outputs:
        put(folder, name, STALE)
    before = {path.name for path in folder.iterdir()}

    done = run(case.command.split(), folder)

    shown = f"{case.command}\n{done.stderr}\n{done.stdout}"
    assert done.returncode == 1, shown
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr, shown
    assert done.stderr.strip(), shown
    lines = done.stderr.splitlines()
    assert len(lines) <= SCREEN and sum(1 + len(line) // WIDTH for line in lines) < 40, shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.stderr), shown
    for pattern in case.says:
        assert re.search(pattern, done.stderr), f"{pattern}\n{shown}"
    for name in case.outputs:
        assert not (folder / name).exists(), f"{name} is left\n{shown}"
    after = {path.name for path in folder.iterdir()}
    assert after == before - set(case.outputs), f"{after ^ before}\n{shown}"
