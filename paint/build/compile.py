"""Runs the compilations of a layout, several at once, and tells their mistakes with both places.

What is printed and what is raised does not depend on how many run at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from carbide.object import Object
from mitools.console import Diagnostics, Place, Problem, UserError, UserErrors, suggestion
from paint.build.jobs import Job

if TYPE_CHECKING:
    from paint.evaluate.region import ProgramUse

INSIDE = "carbide"
"""The tool that is called without a process of its own."""
Result = tuple[Object | None, list[Problem], list[Problem]]
"""The object, what is wrong, and what was noted."""


def compile_jobs(
    jobs: Sequence[Job],
    libraries: Sequence[str],
    arch: str,
    threads: int,
    diagnostics: Diagnostics,
) -> list[Object]:
    """The objects of the jobs, in their order. Raises UserError with the mistakes of all."""
    work = [(job, tuple(libraries), arch) for job in jobs]
    workers = min(threads, len(jobs))
    if workers > 1:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
        context = multiprocessing.get_context(method)
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            results = list(pool.map(_compile, work, chunksize=-(-len(jobs) // (4 * workers))))
    else:
        results = [_compile(one) for one in work]
    errors: list[UserError] = []
    objects: list[Object] = []
    for job, (object_, wrong, noted) in zip(jobs, results, strict=True):
        for problem in noted:
            say = diagnostics.warning if problem.kind == "warning" else diagnostics.note
            say(problem.message, problem.place, problem.remedy, problem.notes)
        if object_ is not None:
            objects.append(object_)
        else:
            errors += [_with_use(problem, job.use) for problem in wrong]
    if len(errors) > 1:
        raise UserErrors(_once(errors))
    if errors:
        raise errors[0]
    return objects


def _compile(work: tuple[Job, tuple[str, ...], str]) -> Result:
    job, libraries, arch = work
    quiet = Diagnostics(quiet=True)
    try:
        if os.path.basename(job.tool) == INSIDE:
            from carbide.compiler import compile_program

            object_ = compile_program(
                job.source,
                parameters=dict(job.parameters),
                libraries=libraries,
                bindings=dict(job.bindings),
                arch=arch,
                diagnostics=quiet,
            )
        else:
            object_ = _external(job, libraries, arch)
    except UserError as error:
        return None, _explained(job, libraries, error), quiet.shown
    return object_, [], quiet.shown


def _external(job: Job, libraries: Sequence[str], arch: str) -> Object:
    """Run another compiler, which takes the terms of carbide. Raises UserError."""
    import subprocess
    import tempfile

    from carbide.object_file import read_object

    with tempfile.TemporaryDirectory(prefix="paint-") as folder:
        path = os.path.join(folder, "program.o")
        command = [job.tool, f"source={job.source}", f"object={path}", f"arch={arch}"]
        command += [f"lib={library}" for library in libraries]
        command += [f"set={name}={value}" for name, value in job.parameters]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise UserError(
                f"the compiler `{job.tool}` cannot be started: {error.strerror}", job.use.place,
                "toolname w carbide selects the one that comes with this",
            ) from None  # fmt: skip
        if done.returncode:
            said = (done.stderr or done.stdout).strip() or f"status {done.returncode}"
            raise UserError(f"`{job.tool}` failed on `{job.source}`:\n{said}", job.use.place)
        return read_object(path)


def _explained(job: Job, libraries: Sequence[str], error: UserError) -> list[Problem]:
    """Mistakes in what the layout gives the program, if there are any; else the compiler's."""
    if os.path.basename(job.tool) != INSIDE:
        return error.problems
    try:
        parameters, sockets = declarations(job.source, libraries)
    except UserError:
        return error.problems
    unbound = re.findall(r"nobody binds the socket `([^`]+)`", error.message)
    return _mismatches(job, parameters, sockets, unbound) or error.problems


def declarations(
    source: str, libraries: Sequence[str]
) -> tuple[dict[str, tuple[bool, Place]], dict[str, Place]]:
    """Params of a program (whether they have a default, where they stand), and its sockets."""
    from carbide.check.program import flattened
    from carbide.syntax import ast, parse_text, resolve
    from mitools.console import read_text

    parameters: dict[str, tuple[bool, Place]] = {}
    sockets: dict[str, Place] = {}
    for item in flattened(resolve(parse_text(read_text(source), source), libraries)):
        if isinstance(item, ast.Parameters):
            for one in item.declarators:
                parameters[one.name] = (one.value is not None, one.place)
        elif isinstance(item, ast.Sockets):
            sockets.update((one.name, one.place) for one in item.declarators)
    return parameters, sockets


def _mismatches(
    job: Job,
    parameters: dict[str, tuple[bool, Place]],
    sockets: dict[str, Place],
    unbound: Sequence[str],
) -> list[Problem]:
    use = job.use
    places = dict(use.key_places)
    program = f"'{use.program}"
    found: list[Problem] = []

    def add(message: str, place: Place, remedy: str | None, *notes: Any) -> None:
        found.append(Problem("error", message, place, remedy, notes))

    for name, _ in job.bindings:
        if name in parameters:
            what = f"`{name}` is a param of {program}, and gets a color"
            add(what, places[name], "give it a number", ("its declaration", parameters[name][1]))
        elif name not in sockets:
            add(f"{program} has no socket `{name}`", places[name], _near(name, sockets, "sockets"))
    for name, _ in job.parameters:
        if name in sockets:
            what = f"`{name}` is a socket of {program}, and gets no color"
            add(what, places[name], "bind it to a color", ("its declaration", sockets[name]))
        elif name not in parameters:
            remedy = _near(name, parameters, "params")
            add(f"{program} has no param `{name}`", places[name], remedy)
    for name, (has_default, place) in parameters.items():
        if not has_default and name not in places:
            note = ("it has no default", place)
            add(f"{program} needs a value for its param `{name}`", use.place,
                f"add it to the map: {name}:…", note)  # fmt: skip
    for name in unbound:
        if name in sockets and name not in places:
            note = ("the program uses it", sockets[name])
            add(f"{program} needs a color for its socket `{name}`", use.place,
                f"add it to the map: {name}:…", note)  # fmt: skip
    return found


def _near(name: str, known: Sequence[str] | dict[str, Any], what: str) -> str:
    listed = ", ".join(f"`{k}`" for k in known)
    all_of_them = f"its {what} are {listed}" if listed else f"it has no {what}"
    return suggestion(name, known) or all_of_them


def _with_use(problem: Problem, use: ProgramUse) -> UserError:
    notes = problem.notes
    if problem.place is None or problem.place.file != use.place.file:
        notes = (("the layout asks for this program here", use.place), *notes)
    return UserError(problem.message, problem.place or use.place, problem.remedy, notes)


def _once(errors: list[UserError]) -> list[UserError]:
    """Each mistake once: a program compiled with several sets of params has it each time."""
    return list({(e.message, e.place): e for e in errors}.values())
