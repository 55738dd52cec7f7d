"""Command lines, error messages and files: what every tool of the project does the same way."""

from mitools.console.closest import closest, suggestion
from mitools.console.command import run
from mitools.console.diagnostics import (
    Diagnostics,
    Place,
    Problem,
    UserError,
    UserErrors,
    remember_source,
    render,
)
from mitools.console.files import claim, read_bytes, read_text, write_bytes, write_text, writing
from mitools.console.terms import (
    ARCH,
    Given,
    Terms,
    check_arch,
    choice,
    integer,
    key,
    pairs,
    phrase,
    product,
    source,
    version_line,
    word,
)

__all__ = [
    "ARCH",
    "Diagnostics",
    "Given",
    "Place",
    "Problem",
    "Terms",
    "UserError",
    "UserErrors",
    "check_arch",
    "choice",
    "claim",
    "closest",
    "integer",
    "key",
    "pairs",
    "phrase",
    "product",
    "read_bytes",
    "read_text",
    "remember_source",
    "render",
    "run",
    "source",
    "suggestion",
    "version_line",
    "word",
    "write_bytes",
    "write_text",
    "writing",
]
