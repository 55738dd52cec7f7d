"""An explanation as the lines that end a simulation log."""

from collections.abc import Iterable

from mitools.arch.words import PORTS
from simfabric.explain.model import Cause, Explanation, Hop, Orphans, Stall
from simfabric.explain.names import pe_name, some_names

MOST_CAUSES = 5
MOST_STALLS = 6
MOST_CHAIN = 8
MOST_ORPHANS = 8
MOST_HOPS = 9


def lines(explanation: Explanation) -> list[str]:
    """The explanation, one screen in usual cases; empty when nothing waits and nothing is left."""
    out: list[str] = []
    if explanation.waiting:
        out.append(_heading(explanation))
    for number, cause in enumerate(explanation.causes[:MOST_CAUSES], 1):
        out += _cause(number, cause, paths=not _idle(explanation) or number == 1)
    hidden = explanation.causes[MOST_CAUSES:]
    if hidden:
        stalls = sum(1 + len(s.alike) for c in hidden for s in (*c.chain, *c.stalls))
        out.append(f"{len(hidden)} more causes hold up {stalls} more threads (report= shows all)")
    if explanation.unexplored and (explanation.causes or explanation.reason == "quiet"):
        out.append(f"{explanation.unexplored} more PEs wait in the same ways")
    out += _handlers(explanation)
    out += _orphans(explanation.orphans)
    if explanation.orphans_beyond:
        out.append(f"orphan: more wavelets at {explanation.orphans_beyond} more PEs")
    return out


def _idle(explanation: Explanation) -> bool:
    """Whether nothing but receives on empty queues is left."""
    return not explanation.orphans and all(s.waits == "receive" for s in explanation.stalls)


def _heading(explanation: Explanation) -> str:
    count = explanation.waiting
    verb = "1 PE still waits" if count == 1 else f"{count} PEs still wait"
    if explanation.reason == "quiet":
        return f"{verb}:"
    if not explanation.causes:
        return f"{verb} at this moment, for others that go on"
    return f"{verb} at this moment, some of them for ever:"


def _cause(number: int, cause: Cause, paths: bool) -> list[str]:
    out = [f"{number}. {cause.text}"]
    if cause.alike:
        names = some_names([pe_name(y, x) for y, x in cause.alike], 4)
        out[0] += f" (alike at {len(cause.alike)} more: {names})"
    for stall in cause.chain[:MOST_CHAIN]:
        out += _stall(stall, paths)
    if len(cause.chain) > MOST_CHAIN:
        out.append(f"   ... {len(cause.chain) - MOST_CHAIN} more PEs in this cycle")
    for stall in cause.stalls[:MOST_STALLS]:
        out += _stall(stall, paths)
    rest = cause.stalls[MOST_STALLS:]
    if rest:
        count = sum(1 + len(s.alike) for s in rest)
        out.append(f"   ... {count} more threads wait for this")
    return out


def _stall(stall: Stall, paths: bool) -> list[str]:
    out = [f"   {stall.text}"]
    if paths and stall.path:
        out.append(f"     path: {path_text(stall)}")
    if stall.alike:
        names = some_names([pe_name(y, x) for y, x in stall.alike], 4)
        noun = "PE" if len(stall.alike) == 1 else "PEs"
        out.append(f"     and {len(stall.alike)} more {noun} alike: {names}")
    return out


def path_text(stall: Stall) -> str:
    """The buffers hop by hop, each sending to the next (`->`) or fed by it (`<-`)."""
    hops = [(" -> " if h.downstream else " <- ") + _hop(h) for h in stall.path]
    if len(hops) > MOST_HOPS:
        keep = MOST_HOPS // 2
        hidden = len(hops) - 2 * keep
        hops = [*hops[:keep], f" ... {hidden} more hops ...", *hops[-keep:]]
    return "".join(hops)[4:]


def _hop(hop: Hop) -> str:
    name = pe_name(hop.y, hop.x)
    match hop.what:
        case "FIFO":
            return f"{name} {_color(hop)} {hop.route} {hop.held}/{hop.depth}"
        case "lane":
            return f"{name} lane {PORTS[hop.number]} of {_color(hop)} holds {hop.held}"
        case "core":
            return f"{name} core"
    return f"{name} {hop.what} {hop.number} {hop.held}/{hop.depth}"


def _color(hop: Hop) -> str:
    named = hop.color_name and hop.color_name != str(hop.color)
    return hop.color_name if named else f"color {hop.color}"


def _handlers(explanation: Explanation) -> list[str]:
    if not explanation.handlers:
        return []
    groups = [
        f"{h.count} of {h.program} (first {pe_name(*h.first)})" for h in explanation.handlers
    ]
    count = sum(h.count for h in explanation.handlers)
    noun = "PE waits" if count == 1 else "PEs wait"
    return [f"{count} {noun} in handlers only, as reactive programs do: {some_names(groups)}"]


def _orphans(orphans: Iterable[Orphans]) -> list[str]:
    out = []
    found = list(orphans)
    for group in found[:MOST_ORPHANS]:
        where = some_names([_held(h) for h in group.held], 5)
        out.append(f"orphan: {group.text}: {where}")
    if len(found) > MOST_ORPHANS:
        count = sum(g.count for g in found[MOST_ORPHANS:])
        out.append(f"orphan: {count} more wavelets in {len(found) - MOST_ORPHANS} more groups")
    return out


def _held(hop: Hop) -> str:
    pe = pe_name(hop.y, hop.x)
    if hop.what == "FIFO":
        place = f"the FIFO of router {pe}"
    elif hop.what == "lane":
        place = f"landing lane {PORTS[hop.number]} of router {pe}"
    else:
        place = f"{hop.what} {hop.number} of {pe}"
    return f"{hop.held} in {place}"
