"""`tx.flip;` marks the send before it: its last word advances the PE's own input switch."""

from typing import Any

from attrs import evolve

from carbide import ir
from mitools.console import Place, UserError


def run(program: ir.Program) -> ir.Program:
    """Give every flip to the transfer, send or last round of a loop that it belongs to."""
    functions = tuple(evolve(f, body=_body(f.body)) for f in program.functions)
    main = evolve(program.main, body=_body(program.main.body))
    teardown = program.teardown
    if teardown is not None:
        teardown = evolve(teardown, body=_body(teardown.body))
    return evolve(program, functions=functions, main=main, teardown=teardown)


def _body(body: Any) -> tuple[Any, ...]:
    out: list[Any] = []
    for s in body:
        if isinstance(s, ir.Flip):
            _mark_before(out, s)
        else:
            out.append(_inside(s))
    return tuple(out)


def _inside(s: Any) -> Any:
    changed: dict[str, Any] = {}
    for name in ("body", "before", "then", "otherwise"):
        inner = getattr(s, name, None)
        if isinstance(inner, tuple):
            changed[name] = _body(inner)
    for name in ("arms", "handlers"):
        inner = getattr(s, name, None)
        if isinstance(inner, tuple):
            changed[name] = tuple(evolve(x, body=_body(x.body)) for x in inner)
    return evolve(s, **changed) if changed else s


def _mark_before(out: list[Any], flip: ir.Flip) -> None:
    """Mark the last of the statements before that sends on the flip's socket."""
    for place in range(len(out) - 1, -1, -1):
        marked = _marked(out[place], flip.socket)
        if marked is not None:
            out[place : place + 1] = marked
            return
    p = flip.place
    raise UserError(
        f"nothing is sent on `{flip.socket}` before this flip",
        Place(p.file, p.line, p.column) if p.line else None,
        "write the flip right after the send whose last word shall flip the switch",
    )


def _marked(s: Any, socket: str) -> list[Any] | None:
    """The statement with its last send on the socket marked; None if there is no such send."""
    match s:
        case ir.Send() | ir.SendControl():
            if s.port.kind == "socket" and s.port.name == socket:
                return [evolve(s, flip=True)]
        case ir.Transfer():
            target = s.target
            if isinstance(target, ir.Stream) and target.port == ir.Port("socket", socket):
                return [evolve(s, flip=True)]
        case ir.Block() | ir.Threads() | ir.Breakable():
            inner = _marked_body(s.body, socket)
            return None if inner is None else [evolve(s, body=inner)]
        case ir.If():
            then, otherwise = _marked_body(s.then, socket), _marked_body(s.otherwise, socket)
            if then is None and otherwise is None:
                return None
            return [
                evolve(
                    s,
                    then=s.then if then is None else then,
                    otherwise=s.otherwise if otherwise is None else otherwise,
                )
            ]
        case ir.Parallel():
            for place, arm in enumerate(s.arms):
                inner = _marked_body(arm.body, socket)
                if inner is not None:
                    arms = list(s.arms)
                    arms[place] = evolve(arm, body=inner)
                    return [evolve(s, arms=tuple(arms))]
        case ir.Loop():
            inner = _marked_body(s.body, socket)
            if inner is not None and s.high is not None:
                return _last_round(s, inner)
    return None


def _marked_body(body: Any, socket: str) -> tuple[Any, ...] | None:
    for place in range(len(body) - 1, -1, -1):
        marked = _marked(body[place], socket)
        if marked is not None:
            return (*body[:place], *marked, *body[place + 1 :])
    return None


def _last_round(s: ir.Loop, marked: tuple[Any, ...]) -> list[Any]:
    """A scalar loop whose last round flips: that round stands behind the others."""
    assert s.high is not None
    last = ir.Compare("ge", ir.Binary("add", s.variable, ir.integer("i16", s.step)), s.high)
    return [evolve(s, body=(ir.If(last, marked, s.body, place=s.place),))]
