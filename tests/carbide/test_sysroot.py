"""The folder for users' Makefiles: its tools run with the right Python wherever it lies."""

import os
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import carbide.sysroot as sysroot_module
from carbide.sysroot import PACKAGED, TOOLS, _in_cache, environment, sysroot
from mitools.version import VERSION

ROOT = Path(__file__).parents[2]


def run(command, *terms, **variables):
    done = subprocess.run(
        [str(command), *terms],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **variables},
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_tools_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == TOOLS
    assert {path.name for path in (PACKAGED / "bin").iterdir() if path.name[0] != "."} == set(TOOLS)


def test_the_files_are_executable():
    for tool in TOOLS:
        assert os.access(PACKAGED / "bin" / tool, os.X_OK)


def test_the_folder_has_the_name_that_drivers_look_for():
    assert sysroot().name == "sysroot-x86"
    assert (sysroot() / "share" / "build").is_dir()


def test_a_source_tree_knows_its_python():
    folder = sysroot()
    said = run(folder / "bin" / "carbide", "version")
    assert said == (0, f"carbide {VERSION} (wolframite)\n", "")


def test_the_environment_is_shell():
    script = "\n".join([*environment(), "command -v paint", 'echo "$FLUTEMK $TESTMK"'])
    status, output, errors = run("/bin/sh", "-c", script)
    folder = sysroot()
    build = folder / "share" / "build"
    assert (status, errors) == (0, "")
    assert output == f"{folder}/bin/paint\n{build}/flute.mk {build}/test.mk\n"


@pytest.fixture
def copy(tmp_path):
    """The packaged folder elsewhere, in a folder that is no installation."""
    target = tmp_path / "space here" / "carbide" / "sysroot-x86"
    shutil.copytree(PACKAGED, target, symlinks=False)
    (target / "bin" / ".python").unlink(missing_ok=True)
    return target


def test_copies_of_the_files_run_the_python_that_was_noted(copy):
    (copy / "bin" / ".python").write_text(f"{sys.executable}\n")
    status, output, _ = run(copy / "bin" / "carbide", "version")
    assert (status, output) == (0, f"carbide {VERSION} (wolframite)\n")


def test_without_a_note_the_path_is_searched(copy, tmp_path):
    status, _, errors = run(copy / "bin" / "miget", "version")
    assert status == 1 and "run the 'carbide sysroot' of your installation once" in errors
    other = tmp_path / "bin"
    other.mkdir()
    (other / "miget").write_text('#!/bin/sh\necho "other $1"\n')
    (other / "miget").chmod(0o755)
    path = f"{copy}/bin:{other}:/usr/bin:/bin"
    assert run(copy / "bin" / "miget", "list", PATH=path)[:2] == (0, "other list\n")


def test_two_folders_on_the_path_do_not_call_each_other_for_ever(copy, tmp_path):
    second = tmp_path / "second" / "sysroot-x86"
    shutil.copytree(copy, second)
    path = f"{copy}/bin:{second}/bin:/usr/bin:/bin"
    assert run(copy / "bin" / "fcmp", PATH=path)[0] == 1


def test_an_installed_package_uses_the_command_of_its_prefix(tmp_path):
    package = tmp_path / "lib" / "python3" / "site-packages" / "carbide"
    shutil.copytree(PACKAGED, package / "sysroot-x86", symlinks=False)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        command = tmp_path / "bin" / tool
        command.write_text(f'#!/bin/sh\necho "{tool} of the prefix: $1"\n')
        command.chmod(0o755)
    for tool in TOOLS:
        status, output, _ = run(package / "sysroot-x86" / "bin" / tool, "a b")
        assert (status, output) == (0, f"{tool} of the prefix: a b\n")


def test_a_folder_that_cannot_be_written_is_replaced_by_one_of_the_cache(
    copy, tmp_path, monkeypatch
):
    monkeypatch.setattr(sysroot_module, "PACKAGED", copy)

    def refuse(path, text, write=sysroot_module._write):
        if path.name == ".python":
            raise PermissionError(path)
        write(path, text)

    monkeypatch.setattr(sysroot_module, "_write", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = sysroot()
    assert folder.name == "sysroot-x86" and (tmp_path / "cache") in folder.parents
    assert folder == sysroot()
    assert (folder / "share" / "build").resolve() == copy / "share" / "build"
    for tool in TOOLS:
        assert (folder / "bin" / tool).stat().st_mode & stat.S_IXUSR
    assert not (copy / "bin" / ".python").exists()


def test_the_commands_of_the_cache_run(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = _in_cache(ROOT)
    status, output, errors = run(folder / "bin" / "carbide", "version")
    assert (status, output, errors) == (0, f"carbide {VERSION} (wolframite)\n", "")


def test_files_of_the_working_folder_do_not_hide_modules(tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('hidden')\n")
    (tmp_path / "carbide.py").write_text("raise SystemExit('hidden')\n")
    command = sysroot() / "bin" / "carbide"
    done = subprocess.run(
        [str(command), "version"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
