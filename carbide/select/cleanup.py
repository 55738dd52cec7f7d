"""Routines after building: drop what nobody uses, stores that nobody reads, empty blocks."""

from typing import Any

from carbide.isa import table as isa
from carbide.isa.operands import Memory, Reference
from carbide.select.code import Block, Instruction, Phi, Routine, Value
from carbide.select.memory import HOME


def clean(routine: Routine, shared: set[str]) -> None:
    """All of the module on one routine. `shared` are home labels that other routines use."""
    drop_unreachable(routine)
    settle_phis(routine)
    drop_unused(routine)
    if drop_dead_stores(routine, shared):
        drop_unused(routine)
    thread_jumps(routine)
    drop_unused(routine)


def drop_unreachable(routine: Routine) -> None:
    reached: set[Block] = set()
    pending = [routine.blocks[0]]
    while pending:
        block = pending.pop()
        if block not in reached:
            reached.add(block)
            pending += block.successors()
    routine.blocks = [b for b in routine.blocks if b in reached]
    predecessors = routine.predecessors()
    for block in routine.blocks:
        for phi in block.phis:
            phi.sources = {b: v for b, v in phi.sources.items() if b in predecessors[block]}


def settle_phis(routine: Routine) -> None:
    """Replace phis whose sources are all one value."""
    change: dict[Value, Any] = {}

    def final(operand: Any) -> Any:
        while isinstance(operand, Value) and operand in change:
            operand = change[operand]
        return operand

    phis = [(b, phi) for b in routine.blocks for phi in b.phis]
    again = True
    while again:
        again = False
        for _, phi in phis:
            if phi.target in change:
                continue
            sources = {_identity(final(s)): final(s) for s in phi.sources.values()}
            sources.pop(_identity(phi.target), None)
            if len(sources) == 1:
                change[phi.target] = next(iter(sources.values()))
                again = True
    if not change:
        return
    whole = {value: final(value) for value in change}
    for block in routine.blocks:
        block.phis = [phi for phi in block.phis if phi.target not in change]
        for phi in block.phis:
            phi.sources = {b: final(s) for b, s in phi.sources.items()}
        for ins in block.code:
            ins.replace(whole)
        if block.branch is not None:
            block.branch.replace(whole)


def _identity(operand: Any) -> Any:
    return operand.number if isinstance(operand, Value) else ("constant", operand)


def drop_unused(routine: Routine) -> None:
    """Remove pure instructions, loads and phis whose results nobody needs."""
    made: dict[Value, Instruction | Phi] = {}
    pending: list[Value] = []
    kept: set[int] = set()
    for block in routine.blocks:
        for phi in block.phis:
            made[phi.target] = phi
        for ins in [*block.code, *([block.branch] if block.branch else [])]:
            target = ins.target()
            if target is not None and (ins.pure or ins.plain_load) and not ins.tied:
                made[target] = ins
            else:
                kept.add(id(ins))
                pending += ins.uses()
    seen: set[Value] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        maker = made.get(value)
        if isinstance(maker, Phi):
            pending += [s for s in maker.sources.values() if isinstance(s, Value)]
        elif maker is not None:
            kept.add(id(maker))
            pending += maker.uses()
    for block in routine.blocks:
        block.phis = [phi for phi in block.phis if phi.target in seen]
        block.code = [ins for ins in block.code if id(ins) in kept]


def _home(operand: Any) -> str | None:
    if isinstance(operand, Memory) and isinstance(operand.address, Reference):
        name = operand.address.name
        return name if name.startswith(HOME) else None
    return None


def drop_dead_stores(routine: Routine, shared: set[str]) -> bool:
    """Remove stores to homes of variables that are not read before the next store."""
    live_in: dict[Block, frozenset[str]] = {b: frozenset() for b in routine.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(routine.blocks):
            live: set[str] = set()
            for successor in block.successors():
                live |= live_in[successor]
            for ins in reversed(block.code):
                _home_effects(ins, live)
            if live != live_in[block]:
                live_in[block] = frozenset(live)
                changed = True
    dropped = False
    for block in routine.blocks:
        live = set()
        for successor in block.successors():
            live |= live_in[successor]
        kept = []
        for ins in reversed(block.code):
            home = _home(ins.operands[0]) if ins.operands else None
            plain = ins.mnemonic in ("mov16", "mov32") and not ins.slot
            if home and plain and home not in live and home not in shared:
                dropped = True
                continue
            _home_effects(ins, live)
            kept.append(ins)
        block.code = kept[::-1]
    return dropped


def _home_effects(ins: Instruction, live: set[str]) -> None:
    has_target = bool(ins.roles) and ins.roles[0] in (isa.DH, isa.DW)
    if ins.operands and has_target:
        home = _home(ins.operands[0])
        if home and not ins.slot:
            live.discard(home)
    for place, operand in enumerate(ins.operands):
        if place or not has_target:
            home = _home(operand)
            if home:
                live.add(home)


def thread_jumps(routine: Routine) -> None:
    """Jumps to empty blocks go where those lead."""

    def end_of(block: Block) -> Block:
        seen = set()
        while not block.code and block.branch is None and block.next and block not in seen:
            if block.pinned or block.phis or block.next.phis or block.next is block:
                break
            seen.add(block)
            block = block.next
        return block

    for block in routine.blocks:
        if block.next is not None:
            block.next = end_of(block.next)
        if block.branch is not None and block.other is not None:
            block.other = end_of(block.other)
            if block.other is block.next and not block.other.phis:
                block.branch = block.other = None
    drop_unreachable(routine)
