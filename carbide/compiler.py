"""The driver: a source file through all stages to an object (docs/carbide.md).

    object_ = compile_program("stage.w", parameters={"N": 4}, bindings={"rx": "c", "tx": "d"})
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, overload

from carbide.object import Object
from mitools.arch import DEFAULT
from mitools.console import Diagnostics, Place, UserError, read_text, suggestion

STAGES = ("ast", "ir", "asm")
Stage = Literal["ast", "ir", "asm"]
Parameters = Mapping[str, str | int | float]
Bindings = Mapping[str, Hashable]


@overload
def compile_program(
    source: str,
    *,
    parameters: Parameters | None = ...,
    libraries: Sequence[str] = ...,
    bindings: Bindings | None = ...,
    arch: str = ...,
    stop: None = ...,
    diagnostics: Diagnostics | None = ...,
) -> Object: ...


@overload
def compile_program(
    source: str,
    *,
    parameters: Parameters | None = ...,
    libraries: Sequence[str] = ...,
    bindings: Bindings | None = ...,
    arch: str = ...,
    stop: Stage,
    diagnostics: Diagnostics | None = ...,
) -> str: ...


def compile_program(
    source: str,
    *,
    parameters: Parameters | None = None,
    libraries: Sequence[str] = (),
    bindings: Bindings | None = None,
    arch: str = DEFAULT,
    stop: Stage | None = None,
    diagnostics: Diagnostics | None = None,
) -> Object | str:
    """Compile the file `source`; with `stop`, return the text of that stage instead.

    `parameters` are values of params, as text or numbers; `libraries` the folders of imports.
    `bindings` say which color each socket is bound to, by anything hashable: sockets with equal
    ones share the queue of a direction. None: nobody has bound anything yet, and each socket has
    its own. Warnings and notes go to `diagnostics` (shown on standard error without one).

    Raises UserError with everything that is wrong with the program.
    """
    text = read_text(source)
    return compile_text(
        text,
        source,
        parameters=parameters,
        libraries=libraries,
        bindings=bindings,
        arch=arch,
        stop=stop,
        diagnostics=diagnostics,
    )


def compile_text(
    text: str,
    file: str,
    *,
    parameters: Parameters | None = None,
    libraries: Sequence[str] = (),
    bindings: Bindings | None = None,
    arch: str = DEFAULT,
    stop: Stage | None = None,
    diagnostics: Diagnostics | None = None,
) -> Object | str:
    """As `compile_program`, of a text; `file` names it in messages and locates its imports."""
    from carbide import passes
    from carbide.check import check
    from carbide.ir.text import show
    from carbide.isa.assembly import LayoutError, link
    from carbide.isa.disassembler import assembly_text
    from carbide.lower import lower
    from carbide.passes.endless import warn_unreached
    from carbide.select import select
    from carbide.syntax import parse_text, print_program, resolve

    given = {name: str(value) for name, value in (parameters or {}).items()}
    diagnostics = diagnostics or Diagnostics()
    tree = parse_text(text, file)
    if stop == "ast":
        return print_program(tree)
    checked = check(resolve(tree, libraries), given, diagnostics)
    lowered = lower(checked)
    warn_unreached(lowered, diagnostics)
    program = passes.run(lowered)
    groups = _groups(program, bindings)
    if stop == "ir":
        return show(program)
    notes = [problem.message for problem in diagnostics.shown]
    assembly = select(program, arch, groups, tuple(sorted(given.items())), notes)
    if stop == "asm":
        return assembly_text(assembly)
    try:
        return link(assembly)
    except LayoutError as error:
        raise UserError(error.reason, Place(file)) from error


def _groups(program, bindings: Bindings | None) -> list[list[str]]:
    """Sets of sockets that share a color. Raises UserError where bindings and sockets differ."""
    if bindings is None:
        return []
    sockets = {socket.name: socket for socket in program.sockets}
    for name in bindings:
        if name not in sockets:
            known = ", ".join(f"`{s}`" for s in sockets) or "none"
            remedy = suggestion(name, sockets) or f"its sockets are {known}"
            reason = f"`{program.source}` has no socket `{name}`"
            raise UserError(reason, Place(program.source), remedy)
    for socket in program.sockets:
        if socket.name not in bindings and _used(program, socket.name):
            at = socket.place
            place = Place(at.file, at.line, at.column, at.column + len(socket.name))
            remedy = f"bind it in the layout: `code('{program.name} [{socket.name}:COLOR])`"
            raise UserError(f"nobody binds the socket `{socket.name}`", place, remedy)
    groups: dict[Hashable, list[str]] = {}
    for name, color in bindings.items():
        groups.setdefault(color, []).append(name)
    return list(groups.values())


def _used(program, socket: str) -> bool:
    """Whether the program sends or receives on a socket."""
    from carbide.select.queues import directions

    return any(socket in used for used in directions(program))
