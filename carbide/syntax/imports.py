"""Sources and what they import: `import name;` takes `name.w` from the `lib=` folders, once."""

import os
from collections.abc import Sequence

from carbide.node import evolve
from carbide.syntax import ast
from carbide.syntax.parse import parse_text
from mitools.console import UserError, read_text, suggestion

EXTENSION = ".w"


def parse_source(path: str, libraries: Sequence[str] = ()) -> ast.Program:
    """Parse a source file and, depth first and once each, the files that it imports.

    The importing file's own folder is searched before `libraries` (tungsten page 3).
    Raises UserError for unreadable files, mistakes in the text and imports that are not found.
    """
    program = parse_text(read_text(path), path)
    return resolve(program, libraries)


def resolve(program: ast.Program, libraries: Sequence[str] = ()) -> ast.Program:
    """`program` with the programs of its imports, each file where it is first imported."""
    seen = {os.path.realpath(program.file)}

    def follow(unit: ast.Program) -> ast.Program:
        items: list[ast.Item] = []
        for item in unit.items:
            if isinstance(item, ast.Import):
                programs = [load(module, unit, item) for module in item.modules]
                item = evolve(item, programs=tuple(p for p in programs if p is not None))
            items.append(item)
        return evolve(unit, items=tuple(items))

    def load(module: str, unit: ast.Program, item: ast.Import) -> ast.Program | None:
        path = _find(module, unit.file, libraries, item)
        real = os.path.realpath(path)
        if real in seen:
            return None
        seen.add(real)
        return follow(parse_text(read_text(path), path))

    return follow(program)


def _find(module: str, importer: str, libraries: Sequence[str], item: ast.Import) -> str:
    name = module.replace(".", os.sep) + EXTENSION
    folders = [os.path.dirname(importer) or ".", *libraries]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return os.path.normpath(path)
    searched = ", ".join(f"`{folder}`" for folder in dict.fromkeys(folders))
    near = suggestion(module, _modules(folders))
    remedy = near or f"looked in {searched}; name its folder with `lib=`"
    raise UserError(f"there is no `{name}` to import", item.place, remedy)


def _modules(folders: Sequence[str]) -> list[str]:
    names: list[str] = []
    for folder in folders:
        try:
            files = sorted(os.listdir(folder))
        except OSError:
            continue
        names += [name.removesuffix(EXTENSION) for name in files if name.endswith(EXTENSION)]
    return names
