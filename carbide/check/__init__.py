"""Syntax tree to typed tree: names, types, constants, and what the language forbids."""

from carbide.check.program import check

__all__ = ["check"]
