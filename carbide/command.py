"""The `carbide` command: compile a program, or one of the words that do something else."""

import sys
from collections.abc import Sequence

from mitools.console import (
    ARCH,
    Given,
    Place,
    Terms,
    UserError,
    choice,
    key,
    pairs,
    product,
    read_text,
    run,
    source,
    word,
    write_text,
)

WORDS = """Words that do something else (`carbide WORD help` says more):
  asm      assembly text to an object
  dis      an object to assembly text
  sysroot  print the folder with bin/ and share/build/
  env      print shell lines that set FLUTEMK, TESTMK and PATH"""

COMPILE = Terms(
    "carbide",
    "compiles a Tungsten program to CE instructions",
    source("source", "FILE.w", "the program", required=True),
    product("object", "FILE", "the compiled program"),
    key("lib", "FOLDER", "where imports are looked for", repeat=True),
    pairs("set", "NAME=VALUE", "value of a param"),
    ARCH,
    product("listing", "FILE.json", "the instructions with their source lines"),
    choice("stop", ("ast", "ir", "asm"), "print the program after that stage, and stop"),
    more=WORDS,
)
ASSEMBLE = Terms(
    "carbide asm",
    "assembles CE instructions to an object",
    word("asm", "this word"),
    source("source", "FILE.s", "the assembly text", required=True),
    product("object", "FILE", "the object", required=True),
    product("listing", "FILE.json", "the instructions with their source lines"),
    ARCH,
)
DISASSEMBLE = Terms(
    "carbide dis",
    "prints an object as assembly text that assembles to the same object",
    word("dis", "this word"),
    source("object", "FILE", "the object", required=True),
    ARCH,
)
SYSROOT = Terms(
    "carbide sysroot",
    "prints the folder with bin/ and share/build/",
    word("sysroot", "this word"),
)
ENVIRONMENT = Terms(
    "carbide env",
    "prints shell lines that set FLUTEMK, TESTMK and PATH: eval \"$(carbide env)\"",
    word("env", "this word"),
)


def compile_(given: Given) -> None:
    if not (given.object or given.stop or given.listing):
        raise UserError(
            "nothing to make", None, "add object=FILE, listing=FILE.json or stop=ast|ir|asm"
        )
    if given.stop and (given.object or given.listing):
        raise UserError(
            f"stop={given.stop} prints and stops; it makes no file", None, "leave out one of them"
        )
    from carbide.compiler import compile_program
    from mitools.arch import DEFAULT

    result = compile_program(
        given.source,
        parameters=given.set,
        libraries=given.lib,
        arch=given.arch or DEFAULT,
        stop=given.stop,
    )
    if isinstance(result, str):
        print(result.removesuffix("\n"))
        return
    _write(given, result)


def assemble(given: Given) -> None:
    from carbide.isa.assembler import AssemblyError
    from carbide.isa.assembler import assemble as assemble_text
    from mitools.console import check_arch

    name = given.source.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    try:
        result = assemble_text(read_text(given.source), name, given.source)
    except AssemblyError as error:
        end = error.column + error.length
        place = Place(given.source, error.line, error.column, end)
        raise UserError(error.reason, place, "docs/isa.md describes the text") from None
    check_arch(given.arch, result.arch, f"{given.source}")
    _write(given, result)


def _write(given: Given, result) -> None:
    from carbide.object_file import write_object

    if given.object:
        write_object(given.object, result)
    if given.listing:
        from carbide.listing import listing_text

        write_text(given.listing, listing_text([result]))


def disassemble(given: Given) -> None:
    from carbide.isa.disassembler import object_text
    from carbide.object_file import read_object
    from mitools.console import check_arch

    object_ = read_object(given.object)
    check_arch(given.arch, object_.arch, f"{given.object}")
    sys.stdout.write(object_text(object_))


def sysroot(given: Given) -> None:
    from carbide.sysroot import sysroot as folder

    print(folder())


def environment(given: Given) -> None:
    from carbide.sysroot import environment as lines

    print("\n".join(lines()))


ACTIONS = {
    "asm": (ASSEMBLE, assemble),
    "dis": (DISASSEMBLE, disassemble),
    "sysroot": (SYSROOT, sysroot),
    "env": (ENVIRONMENT, environment),
}


def _body(arguments: list[str]) -> None:
    for argument in arguments:
        if argument in ACTIONS:
            terms, action = ACTIONS[argument]
            break
    else:
        terms, action = COMPILE, compile_
    action(terms.parse(arguments))


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `carbide`."""
    return run(_body, arguments)
