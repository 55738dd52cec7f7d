"""Machine tables, one module per ARCH, and the bit layouts of their words."""

from importlib import import_module

from mitools.arch.model import Arch

NAMES = ("sdr",)
DEFAULT = "sdr"


def load(name: str = DEFAULT) -> Arch:
    """The table of the machine `name`. Raises KeyError for a machine that does not exist."""
    if name not in NAMES:
        raise KeyError(name)
    return import_module(f"mitools.arch.{name}").ARCH


__all__ = ["DEFAULT", "NAMES", "Arch", "load"]
