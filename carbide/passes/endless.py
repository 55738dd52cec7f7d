"""Warnings about statements behind something that never ends."""

from typing import Any

from carbide import ir
from carbide.passes.aliases import all_functions
from mitools.console import Diagnostics, Place


def warn_unreached(program: ir.Program, diagnostics: Diagnostics) -> None:
    """One warning for the first statement behind each endless one."""
    for function in all_functions(program):
        _body(function.body, diagnostics)


def _body(body: Any, diagnostics: Diagnostics) -> None:
    for s, following in zip(body, (*body, None)[1:], strict=True):
        for child in ir.children(s):
            inner = getattr(child, "body", None) if isinstance(child, ir.Arm | ir.Handler) else None
            if inner is not None:
                _body(inner, diagnostics)
        for name in ("body", "before", "then", "otherwise"):
            inner = getattr(s, name, None)
            if isinstance(inner, tuple):
                _body(inner, diagnostics)
        if following is not None and endless(s):
            at = following.place
            if at.line:
                diagnostics.warning(
                    "this is never reached: what stands before it never ends",
                    Place(at.file, at.line, at.column),
                    "put it before, or make it an arm of a `parallel` beside it",
                    [("this never ends", Place(s.place.file, s.place.line, s.place.column))],
                )
            return


def endless(s: Any) -> bool:
    """Whether nothing can come after a statement."""
    match s:
        case ir.Forever():
            return not _leaves(s.body)
        case ir.Loop():
            return s.high is None and not _leaves(s.body)
        case ir.While():
            forever = isinstance(s.condition, ir.Const) and s.condition.bits != 0
            return forever and not _leaves(s.body)
        case ir.Dispatch():
            return s.forever
        case ir.Parallel():
            return any(any(endless(x) for x in arm.body) for arm in s.arms)
        case ir.Block() | ir.Threads():
            return any(endless(x) for x in s.body)
        case ir.If():
            return all(any(endless(x) for x in side) for side in (s.then, s.otherwise))
    return False


def _leaves(body: Any) -> bool:
    """Whether a body may leave the loop around it (or ends with streams that do)."""
    return any(isinstance(n, ir.Leave | ir.Return) or _ends(n) for n in ir.walk(tuple(body)))


def _ends(node: Any) -> bool:
    """An endless walk ends all the same where an iterator or stream bounds it."""
    ports = (ir.Receive, ir.Send)
    return isinstance(node, ports) and node.port.kind in ("iterator", "stream")
