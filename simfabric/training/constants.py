"""The one table of constants of the NPU-level study, as plain data."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def constants() -> dict[str, Any]:
    """The contents of constants.toml; its comments give units and sources."""
    text = resources.files("simfabric.training").joinpath("constants.toml").read_text("utf-8")
    return tomllib.loads(text)
