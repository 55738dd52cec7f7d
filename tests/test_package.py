"""What pyproject.toml and setup.py promise about the installed package."""

import re
import runpy
import tomllib
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = ("carbide", "paint", "mitools", "simfabric")
GENERATED = {".pyc", ".so", ".c"}


@pytest.mark.parametrize("tool", sorted(PROJECT["project"]["scripts"]))
def test_every_command_has_its_function(tool):
    module, _, function = PROJECT["project"]["scripts"][tool].partition(":")
    assert callable(getattr(import_module(module), function))


def test_every_folder_of_source_is_a_package():
    folders = {p.parent for top in PACKAGES for p in (ROOT / top).rglob("*.py")}
    folders = {f for f in folders if "sysroot-x86" not in f.parts}
    assert [str(f) for f in folders if not (f / "__init__.py").exists()] == []


def test_every_data_file_is_packed():
    data = PROJECT["tool"]["setuptools"]["package-data"]
    left_out = []
    for top in PACKAGES:
        for path in (ROOT / top).rglob("*"):
            if path.is_dir() or path.suffix in GENERATED or path.suffix == ".py":
                continue
            name = str(path.relative_to(ROOT / top))
            patterns = data.get(top, [])
            if not any(fnmatch(path.name, p) for p in data["*"]) and not any(
                fnmatch(name, p.replace("**/", "")) for p in patterns
            ):
                left_out.append(f"{top}/{name}")
    assert left_out == []


def test_compiled_modules_exist():
    listed = runpy.run_path(str(ROOT / "setup.py"))["COMPILED"]
    assert listed
    for name in listed:
        assert (ROOT / (name.replace(".", "/") + ".py")).exists(), name


def test_the_version_is_one():
    from mitools.version import VERSION

    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "mitools.version.VERSION"
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
