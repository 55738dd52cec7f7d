"""A copy of the tutorial to run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

LESSONS = Path(__file__).parents[2] / "tutorial"
MADE = shutil.ignore_patterns(
    "test-*", "*.obj", "*.map", "*.img", "*.elf*", "*-sim.*", ".*", "*.bin"
)


class Tutorial:
    """A copy of the lessons, as a fresh clone has them."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, *command: str, folder: str = ".", **environment: str) -> str:
        """Standard output and errors of a command that has to succeed."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        done = subprocess.run(
            command,
            cwd=self.folder / folder,
            env={
                **inherited,
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                **environment,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout
