"""The simulator: `simfabric.run(image, cycles=…)` runs an image cycle by cycle."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simfabric.runner import Result, run

__all__ = ["Result", "run"]


def __getattr__(name: str) -> Any:
    """Import the engine only when something of it is used: `simfabric version` starts fast."""
    if name in __all__:
        from simfabric import runner

        return getattr(runner, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
