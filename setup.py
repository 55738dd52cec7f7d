"""Compiles the simulator's hot modules when Cython and a C compiler work; installs without if not.

Everything else about the package is in pyproject.toml. The modules are plain Python (Cython's
pure-Python mode), so the uncompiled package does the same, slower.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

COMPILED: tuple[str, ...] = ()
"""Modules that are compiled, by dotted name."""

UNCOMPILED = "WOLFRAMITE_UNCOMPILED"
"""Set to 1, this environment variable leaves everything uncompiled."""


def say(reason: str) -> None:
    print(f"wolframite: installing without compiled modules (slower simulator): {reason}")


class BuildOrGoWithout(build_ext):
    """A failing compiler is no failing installation."""

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            self._give_up(error)

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if self.extensions:
            say(f"{type(error).__name__}: {error}".splitlines()[0][:100])
        self.extensions = []


def extensions() -> list[Extension]:
    if os.environ.get(UNCOMPILED) == "1":
        say(f"{UNCOMPILED}=1")
        return []
    try:
        from Cython.Build import cythonize
    except ImportError as error:
        say(str(error))
        return []
    modules = [
        Extension(name, [name.replace(".", "/") + ".py"], extra_compile_args=_flags())
        for name in COMPILED
        if Path(name.replace(".", "/") + ".py").exists()
    ]
    try:
        return cythonize(modules, build_dir="build/cython", language_level=3) if modules else []
    except Exception as error:
        say(f"{type(error).__name__}: {error}".splitlines()[0])
        return []


def _flags() -> list[str]:
    return ["/O2"] if sys.platform == "win32" else ["-O3"]


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildOrGoWithout})
