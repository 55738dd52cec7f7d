"""Order of instructions within a block: results of float operations come a cycle late."""

from carbide.select.code import Routine


def schedule(routine: Routine, arch: str) -> None:
    """Nothing yet: instructions stay in the order of the source."""
