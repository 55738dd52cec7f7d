"""The intermediate representation: nodes, text form, verifier."""

from carbide.ir.nodes import *  # noqa: F403
