"""Checkpoint files: a run that was killed goes on from one as if nothing had happened.

A checkpoint is a sealed file (`mitools.console.sealed`): its directory names the program and the
machine that it belongs to, its blocks are the machine's state (`simfabric.mesh.checkpoint`).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve

from mitools.console.diagnostics import Place, UserError
from mitools.console.files import read_bytes, writing
from mitools.console.sealed import Form, seal, unseal

if TYPE_CHECKING:
    from mitools.arch.model import Arch
    from mitools.image.model import Image
    from simfabric.mesh.machine import Mesh

FORM = Form(b"\x89WFC\r\n\x1a\n", 1, "checkpoint", "run from the start, or from another checkpoint")


def image_digest(image: Image) -> str:
    """A number for all that an image holds."""
    import json

    from mitools.image.encode import to_parts

    parts = to_parts(image)
    digest = hashlib.sha256(json.dumps(parts.directory, sort_keys=True).encode("utf-8"))
    for part in parts.arrays:
        digest.update(repr((part.kind, part.type, part.shape, part.packed)).encode())
        digest.update(part.data)
    return digest.hexdigest()


def machine_digest(arch: Arch) -> str:
    """A number for a machine's table; the quiet cycles that end a run may differ."""
    table = evolve(arch, timing=evolve(arch.timing, quiet_cycles=0))
    return hashlib.sha256(repr(asdict(table)).encode()).hexdigest()


class Checkpoints:
    """Writes and reads the checkpoints of one run's image and machine."""

    def __init__(self, image: Image, arch: Arch, check: bool) -> None:
        self._image, self._machine = image_digest(image), machine_digest(arch)
        self._tiles = [image.width, image.height]
        self._check = check

    def save(self, path: str, mesh: Mesh, seconds: float) -> None:
        """Write a checkpoint; the one of that name stays whole until this one is. Raises UserError.

        `seconds` is the time the run has taken so far.
        """
        numbers, arrays = mesh.state()
        directory = {
            "image": self._image,
            "machine": self._machine,
            "tiles": self._tiles,
            "seconds": seconds,
            "check": self._check,
            "state": numbers,
        }
        with writing(path, lasting=True) as file:
            for piece in seal(FORM, directory, arrays):
                file.write(piece)

    def load(self, path: str, mesh: Mesh) -> float:
        """Let a mesh that has not run go on from a checkpoint; returns the seconds it had taken.

        Raises UserError for a file that is no checkpoint, is damaged or of another run.
        """
        data = read_bytes(path)
        if data[: len(FORM.magic)] != FORM.magic:
            raise UserError("this is not a checkpoint", Place(path), "give a file that save= wrote")
        directory, content = unseal(FORM, data, path)
        try:
            self._compare(path, directory)
            seconds = float(directory["seconds"])
            mesh.restore(directory["state"], content)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise FORM.damaged(path, str(error)) from None
        return seconds

    def _compare(self, path: str, directory: dict[str, Any]) -> None:
        width, height = directory["tiles"]
        if [width, height] != self._tiles:
            raise UserError(
                f"the checkpoint is of a grid of {width} by {height} PEs, the program's has"
                f" {self._tiles[0]} by {self._tiles[1]}",
                Place(path),
                "give the elf= it was saved with",
            )
        if directory["image"] != self._image:
            raise UserError(
                "the checkpoint is of another program, or of other inputs",
                Place(path),
                "give the elf= it was saved with",
            )
        if self._check and not directory["check"]:
            raise UserError(
                "the checkpoint does not tell which memory was written",
                Place(path),
                "leave out check=1, or run with it from the start",
            )
        if directory["machine"] != self._machine:
            raise UserError(
                "the checkpoint is of a machine with other timings",
                Place(path),
                "give the timing= it was saved with",
            )
