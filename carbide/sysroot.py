"""The folder that users' Makefiles include from: `bin/` with the tools, `share/build/` with rules.

Its `bin/` holds shell files (they are packaged, so they cannot name a Python). For an installed
package they find the commands beside the Python of the same prefix. Packages that run from
elsewhere (editable installs, `pip install --target`) need a note of their Python, which
`carbide sysroot` writes to `bin/.python`. Where that cannot be written, a folder of the user's
cache takes the place of the packaged one, with commands of its own and links to the packaged rules.
"""

import os
import sys
from pathlib import Path

NAME = "sysroot-x86"
PACKAGED = Path(__file__).resolve().parent / NAME
TOOLS = {
    "carbide": "carbide.command:main",
    "paint": "paint.command:main",
    "milink": "mitools.link.command:main",
    "weight": "mitools.weight.command:main",
    "miset": "mitools.transfer.command:main_miset",
    "miget": "mitools.transfer.command:main_miget",
    "mielf": "mitools.elf.command:main_mielf",
    "elfmi": "mitools.elf.command:main_elfmi",
    "fcmp": "mitools.fcmp.command:main",
    "simfabric": "simfabric.command:main",
}


def launch(tool: str) -> None:
    """Run a tool in this process with the rest of the command line, and exit with its status."""
    from importlib import import_module

    module, _, function = TOOLS[tool].partition(":")
    sys.argv[0] = tool
    sys.exit(getattr(import_module(module), function)())


def sysroot() -> Path:
    """A folder whose `bin/` runs the tools under this Python. Raises OSError."""
    root = PACKAGED.parent.parent
    if root.name in ("site-packages", "dist-packages"):
        command = root.parents[2] / "bin" / "carbide"
        if os.access(command, os.X_OK):
            return PACKAGED
    note = PACKAGED / "bin" / ".python"
    line = f"{sys.executable}\n"
    try:
        if note.exists() and note.read_text() == line:
            return PACKAGED
        _write(note, line)
        return PACKAGED
    except OSError:
        return _in_cache(root)


def _in_cache(root: Path) -> Path:
    """A folder like the packaged one, for this Python and this package, outside of it."""
    from hashlib import sha256

    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    key = sha256(f"{sys.executable}\0{root}".encode()).hexdigest()[:12]
    folder = Path(cache) / "wolframite" / key / NAME
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for tool in TOOLS:
        text = _command(tool, root)
        command = folder / "bin" / tool
        if not command.exists() or command.read_text() != text:
            _write(command, text)
            command.chmod(0o755)
    share = folder / "share"
    if not share.is_symlink():
        share.symlink_to(PACKAGED / "share")
    return folder


def _command(tool: str, root: Path) -> str:
    from shlex import quote

    start = (
        f"import sys; {str(root)!r} in sys.path or sys.path.append({str(root)!r}); "
        f"from carbide.sysroot import launch; launch({tool!r})"
    )
    return f'#!/bin/sh\nexec {quote(sys.executable)} -P -c {quote(start)} "$@"\n'


def _write(path: Path, text: str) -> None:
    """Write through a temporary file: another make may read the old one right now."""
    temporary = path.with_name(f".{path.name}-{os.getpid()}.tmp")
    try:
        temporary.write_text(text)
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def environment() -> list[str]:
    """Shell lines that export FLUTEMK, TESTMK and PATH. Raises OSError."""
    from shlex import quote

    folder = sysroot()
    build = folder / "share" / "build"
    return [
        f"export FLUTEMK={quote(str(build / 'flute.mk'))}",
        f"export TESTMK={quote(str(build / 'test.mk'))}",
        f'export PATH={quote(str(folder / "bin"))}:"$PATH"',
    ]
