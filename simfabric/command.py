"""The command `simfabric`: runs an ELF and writes the core; standard output is the log."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from mitools.console.command import INTERRUPTED, run
from mitools.console.diagnostics import UserError
from mitools.console.terms import (
    ARCH,
    Given,
    Terms,
    check_arch,
    choice,
    integer,
    key,
    product,
    source,
)

if TYPE_CHECKING:
    from mitools.image.model import Image
    from simfabric.runner import Result, Run

RECORDS = ("hwtile", "landing")


def _records(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in RECORDS:
            raise ValueError(f"is none of {', '.join(RECORDS)}")
    return names


def _tiles(text: str) -> tuple[int, int, int, int]:
    parts = text.split(",")
    if len(parts) != 4 or not all(p.strip().isdecimal() for p in parts):
        raise ValueError("is not x0,y0,x1,y1")
    x0, y0, x1, y1 = (int(p) for p in parts)
    if x1 < x0 or y1 < y0:
        raise ValueError("holds no tile: x1 must not be below x0, nor y1 below y0")
    return x0, y0, x1, y1


def _save(text: str) -> tuple[int, str]:
    every, comma, path = text.partition(",")
    digits = every.strip()
    if not comma or not path or not (digits.isascii() and digits.isdecimal()):
        raise ValueError("is not CYCLES,FILE")
    if len(digits) > 18 or int(digits) < 1:
        raise ValueError("does not start with a number of cycles from 1 on")
    return int(digits), path


TERMS = Terms(
    "simfabric",
    "runs an ELF cycle by cycle; standard output is the simulation log",
    source("elf", "FILE", "the program, from mielf", required=True),
    product("core", "FILE", "the final state of every PE, for elfmi"),
    integer("cycles", "N", "cycles to run at most; without it, until nothing moves", least=0),
    integer("threads", "N", "threads of the simulator", default=1, least=1, most=256),
    choice("json", ("0", "1"), "1 ends the log with a summary as one line of JSON", default="0"),
    key("debug", "hwtile,landing", "records in the log: the pipeline, landings", convert=_records),
    key("tiles", "x0,y0,x1,y1", "only records of these tiles, corners included", convert=_tiles),
    integer("from", "CYCLE", "only records from this cycle on", least=0),
    integer("to", "CYCLE", "only records up to this cycle", least=0),
    product("trace", "FILE", "a trace for a trace viewer (Chrome trace events, JSON)"),
    product("report", "FILE", "a page about the run (HTML)"),
    choice("fabric", ("mesh", "fred"), "the fabric between the PEs", default="mesh"),
    integer("quiet", "CYCLES", "cycles without movement before it stops", least=1),
    choice("check", ("0", "1"), "1 finds reads of memory that was never written", default="0"),
    key("save", "CYCLES,FILE", "write a checkpoint every so many cycles", convert=_save),
    source("resume", "FILE", "go on from a checkpoint"),
    source("timing", "FILE", "values that replace the machine's timing table (TOML)"),
    ARCH,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `simfabric`."""
    return run(_simfabric, arguments)


def _simfabric(arguments: list[str]) -> int:
    if "fred" in arguments:
        from simfabric.fred.command import body

        return body(arguments)
    given = TERMS.parse(arguments)
    _refuse(given)
    image = _read(given)
    from simfabric.progress import Progress
    from simfabric.runner import Run

    work = Run(
        image,
        cycles=given.cycles,
        threads=given.threads,
        quiet=given.quiet,
        arch=_machine(given, image),
        profile=given.report is not None,
        save=given.save,
        resume=given.resume,
        check=given.check == "1",
    )
    if not work.compiled:
        print(
            "simfabric: the engine is not compiled (install with a C compiler for a faster one)",
            file=sys.stderr,
        )
    with ExitStack() as stack:
        takers = _recorders(given, image, work, stack)
        progress = stack.enter_context(Progress(work))

        def look() -> None:
            if takers:
                events = work.mesh.events()
                for taker in takers:
                    taker.take(events)
            progress.show()

        result = work.finish(each=look)
    return _end(given, result)


def _recorders(given: Given, image: Image, work: Run, stack: ExitStack) -> list[Any]:
    """What wants the event log: debug records, a trace. The log is bounded for both alike."""
    takers: list[Any] = []
    if given.debug:
        from simfabric.log import DebugLog

        takers.append(DebugLog(sys.stdout, image, given.debug))
    if given.trace is not None:
        from mitools.console.files import writing
        from simfabric.trace import Trace

        trace = Trace(stack.enter_context(writing(given.trace, "w")), image)
        stack.callback(trace.close)
        takers.append(trace)
    if takers:
        x0, y0, x1, y1 = given.tiles or (0, 0, image.width - 1, image.height - 1)
        from simfabric.runner import NO_LIMIT

        work.mesh.log(
            tiles=(x0, y0, min(x1, image.width - 1), min(y1, image.height - 1)),
            first=given["from"] or 0,
            last=NO_LIMIT if given.to is None else given.to + 1,
        )
    return takers


def _refuse(given: Given) -> None:
    """What this version does not have, and files that would overwrite one another."""
    if given.fabric == "fred":
        raise UserError("fabric=fred is not in this version", None, "run it with fabric=mesh")
    if given.save is not None:
        kept = os.path.realpath(given.save[1])
        for name in ("elf", "core", "trace", "report", "timing"):
            if given[name] is not None and os.path.realpath(given[name]) == kept:
                raise UserError(
                    f"save= and {name}= name the same file, {given[name]}", None, "name two files"
                )


def _read(given: Given) -> Image:
    from mitools.elf import read_elf

    image = read_elf(given.elf)
    check_arch(given.arch, image.arch, given.elf)
    return image


def _machine(given: Given, image: Image) -> Any:
    from mitools.arch import load

    arch = load(image.arch)
    if given.timing is None:
        return arch
    from simfabric.timing import read_timing

    return read_timing(given.timing, arch)


def _end(given: Given, result: Result) -> int:
    """Write the core and the end of the log; the exit status."""
    from simfabric.summary import closing_lines, json_line

    if given.core is not None:
        from mitools.elf import write_elf

        write_elf(given.core, result.core, core=True)
    if given.report is not None:
        from mitools.console.files import write_text
        from simfabric.report import page_text, report_data

        write_text(given.report, page_text(report_data(result)))
    for line in closing_lines(result):
        print(line)
    if given.json == "1":
        print(json_line(result))
    if result.error is not None:
        sys.stdout.flush()
        from mitools.console.diagnostics import show

        show([result.error.problem()])
        return 1
    return INTERRUPTED if result.reason == "interrupted" else 0
