"""Compiles the simulator's hot modules when Cython and a C compiler work; installs without if not.

Everything else about the package is in pyproject.toml. The modules are plain Python (Cython's
pure-Python mode), so the uncompiled package does the same, slower.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

COMPILED: tuple[str, ...] = tuple(
    f"simfabric.mesh.{name}"
    for name in (
        *("arithmetic", "rooms", "links", "messages", "queues", "router"),
        *("memory", "tasks", "transfers", "compute", "visit", "loop"),
    )
)
"""Modules that are compiled, by dotted name."""
PARALLEL = ("simfabric.mesh.loop",)
"""Those that use OpenMP where the compiler has it; without, they run on one thread."""

UNCOMPILED = "WOLFRAMITE_UNCOMPILED"
"""Set to 1, this environment variable leaves everything uncompiled."""


def say(reason: str) -> None:
    print(f"wolframite: installing without compiled modules (slower simulator): {reason}")


class BuildOrGoWithout(build_ext):
    """A failing compiler is no failing installation: all modules are compiled, or none."""

    def run(self) -> None:
        wanted = list(self.extensions)
        beside_source = bool(self.inplace or getattr(self, "editable_mode", False))
        try:
            super().run()
        except Exception as error:
            say(f"{type(error).__name__}: {error}".splitlines()[0][:100])
            self.extensions = []
            for extension in wanted:
                file = self.get_ext_filename(extension.name)
                Path(self.build_lib, file).unlink(missing_ok=True)
                if beside_source:  # one that an earlier build left there would be stale
                    Path(file).unlink(missing_ok=True)


def extensions() -> list[Extension]:
    if os.environ.get(UNCOMPILED) == "1":
        say(f"{UNCOMPILED}=1")
        return []
    try:
        from Cython.Build import cythonize
    except ImportError as error:
        say(str(error))
        return []
    openmp = _openmp()
    modules = [
        Extension(
            name,
            [name.replace(".", "/") + ".py"],
            extra_compile_args=_flags() + (openmp if name in PARALLEL else []),
            extra_link_args=openmp if name in PARALLEL else [],
        )
        for name in COMPILED
        if Path(name.replace(".", "/") + ".py").exists()
    ]
    try:
        return cythonize(modules, build_dir="build/cython", language_level=3) if modules else []
    except Exception as error:
        say(f"{type(error).__name__}: {error}".splitlines()[0])
        return []


def _flags() -> list[str]:
    # contracting a*b+c into one rounding would change results
    return ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]


def _openmp() -> list[str]:
    """The compiler's flag for OpenMP, if it works."""
    import tempfile

    from setuptools._distutils.ccompiler import new_compiler
    from setuptools._distutils.sysconfig import customize_compiler

    if sys.platform == "win32":
        return []
    compiler = new_compiler()
    customize_compiler(compiler)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "try.c")
        source.write_text("#include <omp.h>\nint main(void) { return !omp_get_max_threads(); }\n")
        try:
            objects = compiler.compile(
                [str(source)], output_dir=folder, extra_postargs=["-fopenmp"]
            )
            compiler.link_executable(
                objects, "try", output_dir=folder, extra_postargs=["-fopenmp"]
            )
        except Exception:
            return []
    return ["-fopenmp"]


if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildOrGoWithout})
