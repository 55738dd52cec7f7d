"""Typed tree to IR."""

from carbide.lower.program import lower

__all__ = ["lower"]
