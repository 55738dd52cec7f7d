import subprocess
import sys

import pytest

from mitools.console import UserError, UserErrors, claim, run


def test_status_of_a_body():
    assert run(lambda terms: None, []) == 0
    assert run(lambda terms: len(terms), ["a", "b"]) == 2


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (UserError("bad", remedy="do"), 1, "error: bad\nhelp: do\n"),
        (UserErrors([UserError("a"), UserError("b")]), 1, "error: a\nerror: b\n"),
        (FileNotFoundError(2, "No such file", "gone"), 1, "cannot use `gone`: it does not exist"),
        (OSError(28, "No space left on device"), 1, "No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "not enough memory"),
        (RecursionError(), 1, "nested too deeply"),
        (ZeroDivisionError("x"), 1, "internal error, please report: ZeroDivisionError: x"),
        (BrokenPipeError(), 141, ""),
        (SystemExit("bad end"), 1, "bad end"),
    ],
)
def test_every_failure_has_status_and_reason(error, status, text, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("mitools.console.command._drop_output", lambda: None)
    stale = tmp_path / "out"
    stale.write_text("old")

    def body(terms):
        claim(str(stale))
        raise error

    assert run(body, []) == status
    captured = capsys.readouterr().err
    assert text in captured
    assert "Traceback" not in captured
    assert not stale.exists()


def test_outputs_stay_when_the_command_goes_well(tmp_path):
    kept = tmp_path / "out"
    kept.write_text("new")
    assert run(lambda terms: claim(str(kept)), []) == 0
    assert kept.exists()


def test_traceback_of_an_internal_error_on_request(monkeypatch, capsys):
    monkeypatch.setenv("WOLFRAMITE_DEBUG", "1")

    def body(terms):
        raise ZeroDivisionError

    assert run(body, []) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_closed_pipe_is_quiet():
    code = (
        "import sys\nfrom mitools.console import run\n"
        "sys.exit(run(lambda terms: print('x' * 10000000)))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait() == 141


def test_a_full_disk_on_standard_output_is_an_error():
    code = "import sys\nfrom mitools.console import run\nsys.exit(run(lambda t: print('x')))"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr
