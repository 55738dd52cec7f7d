"""The version of every tool; `pyproject.toml` reads it from here."""

VERSION = "0.1.0"
