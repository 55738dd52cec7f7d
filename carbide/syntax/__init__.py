"""Tungsten source to syntax tree and back."""

from carbide.syntax.imports import parse_source, resolve
from carbide.syntax.parse import parse_text
from carbide.syntax.print import print_program

__all__ = ["parse_source", "parse_text", "print_program", "resolve"]
