"""How every command starts and ends: exit status, error text, no traceback for a user's mistake."""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from mitools.console.diagnostics import Problem, UserError, show
from mitools.console.files import cannot, forget_claims, remove_claimed

DEBUG = "WOLFRAMITE_DEBUG"
"""Set to 1, this environment variable shows the traceback of an internal error."""
INTERRUPTED = 130
BROKEN_PIPE = 141


def run(body: Callable[[list[str]], int | None], arguments: Sequence[str] | None = None) -> int:
    """Call `body` with the command line's terms and return the exit status.

    Entry points are `def main(arguments=None): return run(_body, arguments)`. UserError, files that
    cannot be used and internal errors give 1 (claimed outputs are removed); an interrupt 130; a
    closed pipe on standard output 141. A non-zero status that `body` returns by itself is a
    result, not a failure: outputs stay.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start threads nobody uses
    gc.set_threshold(50_000, 20, 100)  # trees and objects are built by the thousand and kept
    with suppress(AttributeError, ValueError, OSError):  # names are Unicode, terminals may not be
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    terms = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = body(terms) or 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except UserError as error:
        return _failed(error.problems)
    except SystemExit as end:
        if end.code in (None, 0):
            forget_claims()
            return _flushed()
        return _failed([] if isinstance(end.code, int) else [Problem("error", str(end.code))])
    except KeyboardInterrupt:
        _failed([Problem("error", "interrupted")])
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        _failed([])
        return BROKEN_PIPE
    except OSError as error:
        return _failed(_of_system(error))
    except MemoryError:
        _show_traceback()
        return _failed([Problem("error", "there is not enough memory for this")])
    except RecursionError:
        _show_traceback()
        return _failed([Problem("error", "the input is nested too deeply")])
    except Exception as error:
        _show_traceback()
        fault = f"internal error, please report: {type(error).__name__}: {error}"
        return _failed([Problem("error", fault, None, f"{DEBUG}=1 shows where it happened")])
    forget_claims()
    return status


def _flushed() -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        return _failed(_of_system(error))
    return 0


def _failed(problems: list[Problem]) -> int:
    remove_claimed()
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        show(problems)
    return 1


def _of_system(error: OSError) -> list[Problem]:
    if isinstance(error.filename, str):
        return cannot("use", error.filename, error).problems
    _show_traceback()
    return [Problem("error", f"the system refused: {error.strerror or error}")]


def _drop_output() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot complain."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_traceback() -> None:
    if os.environ.get(DEBUG) == "1":
        import traceback

        traceback.print_exc()
