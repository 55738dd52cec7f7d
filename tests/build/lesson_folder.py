"""A lesson's folder, and tools that only note how they were called."""

import os
import subprocess
from pathlib import Path

BUILD = Path(__file__).parents[2] / "carbide/sysroot-x86/share/build"

# Every tool writes the files it is asked for; what it was called with goes to $CALLS.
TOOL = """#!/bin/bash
tool=$(basename "$0")
printf '%s' "$tool" >> "$CALLS"; printf ' [%s]' "$@" >> "$CALLS"; echo >> "$CALLS"
declare -A given
for term in "$@"; do [[ $term == *=* ]] && given[${term%%=*}]=${term#*=}; done
sets=$(for term in "$@"; do [[ $term == set=* ]] && printf '%s ' "${term#set=}"; done)
case $tool in
paint)
    [[ -f ${given[source]} ]] || { echo "no ${given[source]}" >&2; exit 1; }
    grep -q BROKEN "${given[source]}" && { echo "bench.paint:1:1: broken" >&2; exit 1; }
    [[ -n ${given[image]} ]] && echo "image $sets" > "${given[image]}"
    [[ -n ${given[map]} ]] && echo "map $sets" > "${given[map]}"
    [[ -n ${given[listing]} ]] && echo "listing $sets" > "${given[listing]}"
    true ;;
milink | weight) [[ -f ${given[image]} ]] && [[ $FAIL_TOOL != "$tool" ]] ;;
mielf) cp "${given[image]}" "${given[elf]}" ;;
elfmi) cp "${given[elf]}" "${given[image]}" ;;
simfabric | other-simulator)
    echo "log of $tool"
    [[ $FAIL_TOOL == "$tool" ]] && { echo "machine error" >&2; exit 1; }
    cp "${given[elf]}" "${given[core]}" ;;
esac
"""
TOOLS = ["paint", "milink", "weight", "mielf", "simfabric", "other-simulator", "elfmi", "miset"]


class Lesson:
    """A folder with a Makefile, run with make."""

    def __init__(self, folder: Path, tools: Path):
        self.folder = folder
        self.calls_file = tools / "calls"
        self.environment = {
            **{
                k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
            },
            "PATH": f"{tools}:{os.environ['PATH']}",
            "CALLS": str(self.calls_file),
            "FLUTEMK": str(BUILD / "flute.mk"),
            "TESTMK": str(BUILD / "test.mk"),
        }

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_text().strip()

    def exists(self, name: str) -> bool:
        return (self.folder / name).exists()

    def make(self, *terms: str, status: int = 0, folder: str = ".", **environment: str) -> str:
        """Run make and return what it printed; fails unless it ends with `status`."""
        self.calls_file.write_text("")
        done = subprocess.run(
            ["make", *terms],
            cwd=self.folder / folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def calls(self, tool: str = "") -> list[str]:
        """The command lines of the last make, of one tool or of all."""
        lines = self.calls_file.read_text().splitlines()
        return [line for line in lines if line.startswith(tool)]
