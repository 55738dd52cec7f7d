"""Reading with good errors, and writing that leaves a whole file or none.

A file is written under a temporary name in the folder it will stand in and renamed when it is
whole. A tool *claims* its outputs before it works on them; when the tool fails, its claimed outputs
are removed, the ones of an earlier run too, so that nothing downstream goes on with a stale file.
A file that is also an input of the command (`miset image=x out=x`) is left as it was.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from mitools.console.closest import closest
from mitools.console.diagnostics import Place, UserError, visible

_claimed: dict[str, None] = {}
_serial = 0


def claim(path: str, inputs: Iterable[str] = ()) -> None:
    """Make `path` an output of this command, removed if the command fails."""
    with suppress(OSError, ValueError):
        if any(_same_file(path, other) for other in inputs):
            return
    _claimed[path] = None


def forget_claims() -> None:
    """The command went well: its outputs stay."""
    _claimed.clear()


def remove_claimed() -> None:
    """Remove the outputs of a command that failed. Devices and pipes are left alone."""
    for path in _claimed:
        with suppress(OSError, ValueError):
            if stat.S_ISREG(os.stat(path).st_mode):
                os.unlink(path)
    _claimed.clear()


@contextmanager
def writing(
    path: str, mode: str = "wb", place: Place | None = None, *, lasting: bool = False
) -> Iterator[IO[Any]]:
    """Open `path` for writing ("w" or "wb"); it appears whole at the end, or not at all.

    `lasting` is for files that are written again and again by runs that may be killed: the file
    reaches the disk before it gets its name, and the temporary one, FILE.part, is used again.

    Raises UserError when it cannot be written. Permissions of an existing file are kept; a symbolic
    link is followed. Devices and pipes are written directly.
    """
    encoding = None if "b" in mode else "utf-8"
    try:
        target = os.path.realpath(path)
        old = os.stat(target) if os.path.exists(target) else None
        if old is not None and not stat.S_ISREG(old.st_mode):
            if stat.S_ISDIR(old.st_mode):
                raise UserError(f"{_quoted(path)} is a folder, not a file to write", place)
            with open(path, mode, encoding=encoding) as device:
                yield device
            return
        temporary = f"{target}.part" if lasting else _temporary_name(target)
        fresh = os.O_TRUNC if lasting else os.O_EXCL
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | fresh | os.O_CLOEXEC, 0o666)
    except (OSError, ValueError) as error:
        raise cannot("write", path, error, place) from error
    try:
        with open(handle, mode, encoding=encoding) as file:
            if old is not None:
                with suppress(OSError):
                    os.chmod(temporary, stat.S_IMODE(old.st_mode))
            yield file
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary, handle):
            raise cannot("write", path, error, place) from error
        raise


def write_bytes(path: str, data: bytes | memoryview) -> None:
    """Write a whole binary file. Raises UserError."""
    with writing(path) as file:
        file.write(data)


def write_text(path: str, text: str) -> None:
    """Write a whole UTF-8 file. Raises UserError."""
    with writing(path, "w") as file:
        file.write(text)


def read_bytes(path: str, place: Place | None = None) -> bytes:
    """The contents of a file. Raises UserError with what to do when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise cannot("read", path, error, place) from error


def read_text(path: str, place: Place | None = None) -> str:
    """The contents of a UTF-8 file, without byte order mark. Raises UserError."""
    data = read_bytes(path, place).removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise UserError(
            f"byte 0x{data[error.start]:02x} is not UTF-8 text",
            Place(path, line, column),
            "save the file in UTF-8",
        ) from error


def cannot(
    action: str, path: str, error: OSError | ValueError, place: Place | None = None
) -> UserError:
    """The UserError for a file that the system would not read or write."""
    if not isinstance(error, OSError):
        return UserError(f"cannot {action} {_quoted(path)}: {error}", place)
    reason = error.strerror or str(error)
    remedy = None
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        if not path:
            reason = "the name is empty"
        elif not os.path.isdir(folder):
            reason = f"the folder {_quoted(folder)} does not exist"
        else:
            reason = "it does not exist"
            with suppress(OSError):
                near = closest(os.path.basename(path), os.listdir(folder))
                remedy = near and f"did you mean `{visible(near)}`?"
    elif isinstance(error, IsADirectoryError):
        reason = "it is a folder"
    elif isinstance(error, PermissionError):
        reason = "permission denied"
    return UserError(f"cannot {action} {_quoted(path)}: {reason}", place, remedy)


def _quoted(path: str) -> str:
    return f"`{visible(path)}`"


def _same_file(a: str, b: str) -> bool:
    if os.path.exists(a) and os.path.exists(b):
        return os.path.samefile(a, b)
    return os.path.realpath(a) == os.path.realpath(b)


def _temporary_name(target: str) -> str:
    global _serial
    _serial += 1
    return os.path.join(os.path.dirname(target), f".wolframite-{os.getpid()}-{_serial}.tmp")
