"""Registers for values: liveness, interference, joining of copies, colouring, spilling."""

from typing import Any

from attrs import define, field

from carbide.isa.operands import Memory, Reference, Register
from carbide.select.code import COPY, FIRST_FREE, LAST_FREE, Block, Instruction, Routine, Value
from carbide.select.memory import HOME

ALL = (1 << (LAST_FREE + 1)) - (1 << FIRST_FREE)


@define(eq=False)
class Graph:
    """Interference of values, by their dense indices."""

    values: list[Value] = field(factory=list)
    index: dict[Value, int] = field(factory=dict)
    near: list[set[int]] = field(factory=list)
    forbidden: list[int] = field(factory=list)
    cost: list[float] = field(factory=list)
    copies: list[tuple[float, int, int]] = field(factory=list)
    wishes: dict[int, list[int]] = field(factory=dict)


def leave_ssa(routine: Routine) -> None:
    """Turn phis into copies at the ends of the paths."""
    live = liveness_before(routine)
    for block in list(routine.blocks):
        if not block.phis:
            continue
        for end in routine.predecessors()[block]:
            copies = [(phi.target, phi.sources[end]) for phi in block.phis]
            copies = [(t, s) for t, s in copies if t is not s]
            if not copies:
                continue
            made = Instruction(COPY, [], copies=copies)
            falls = end.next is block  # copies on that way cost the other way nothing
            if len(end.successors()) > 1 and (
                falls or not _may_copy_early(end, block, copies, live)
            ):
                between = _split(routine, end, block)
                between.code.append(made)
                live[between] = live[block] | {s for _, s in copies if isinstance(s, Value)}
            else:
                end.code.append(made)
    for block in routine.blocks:
        block.phis = []


def _may_copy_early(
    end: Block, block: Block, copies: list[tuple[Value, Any]], live: dict[Block, set[Value]]
) -> bool:
    """Whether the copies may stand before the branch, for both its ways."""
    targets = {t for t, _ in copies}
    if end.branch is not None and targets & set(end.branch.uses()):
        return False
    for other in end.successors():
        taken = {phi.sources.get(end) for phi in other.phis}
        if other is not block and (targets & (live[other] | taken)):
            return False
    return not (end.other is block and end.next is block)


def _split(routine: Routine, end: Block, block: Block) -> Block:
    between = Block(f"{end.name}.{block.name}", depth=min(end.depth, block.depth))
    between.next = block
    if end.other is block and end.branch is not None:
        end.other = between
        routine.blocks.append(between)
    else:
        end.next = between
        routine.blocks.insert(routine.blocks.index(end) + 1, between)
    return between


def liveness_before(routine: Routine) -> dict[Block, set[Value]]:
    """Values live at the starts of blocks, while there are phis (whose targets are not)."""
    live: dict[Block, set[Value]] = {b: set() for b in routine.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(routine.blocks):
            now: set[Value] = set()
            for successor in block.successors():
                now |= live[successor]
                now -= {phi.target for phi in successor.phis}
            for successor in block.successors():
                for phi in successor.phis:
                    source = phi.sources.get(block)
                    if isinstance(source, Value):
                        now.add(source)
            code = [*block.code, *([block.branch] if block.branch else [])]
            for ins in reversed(code):
                now.difference_update(ins.defines())
                now.update(ins.uses())
            now |= {phi.target for phi in block.phis}
            if now != live[block]:
                live[block] = now
                changed = True
    for block in routine.blocks:
        live[block] -= {phi.target for phi in block.phis}
    return live


def build_graph(routine: Routine) -> Graph:
    """Interference of all values; raises AssertionError if one lives across a barrier."""
    graph = Graph()
    for block in routine.blocks:
        for ins in _code(block):
            for value in (*ins.defines(), *ins.uses()):
                if value not in graph.index:
                    graph.index[value] = len(graph.values)
                    graph.values.append(value)
    count = len(graph.values)
    graph.near = [set() for _ in range(count)]
    graph.forbidden = [0] * count
    graph.cost = [0.0] * count
    live_out = _live_out(routine, graph.index)
    for block in routine.blocks:
        _scan(block, set(_bits(live_out[block])), graph)
    return graph


def _code(block: Block) -> list[Instruction]:
    return [*block.code, block.branch] if block.branch is not None else block.code


def _mask(values: Any, index: dict[Value, int]) -> int:
    mask = 0
    for value in values:
        mask |= 1 << index[value]
    return mask


def _live_out(routine: Routine, index: dict[Value, int]) -> dict[Block, int]:
    gen: dict[Block, int] = {}
    kill: dict[Block, int] = {}
    for block in routine.blocks:
        used = defined = 0
        for ins in reversed(_code(block)):
            defs = _mask(ins.defines(), index)
            used = (used & ~defs) | _mask(ins.uses(), index)
            defined |= defs
        gen[block], kill[block] = used, defined
    live_in = dict.fromkeys(routine.blocks, 0)
    out = dict.fromkeys(routine.blocks, 0)
    changed = True
    while changed:
        changed = False
        for block in reversed(routine.blocks):
            after = 0
            for successor in block.successors():
                after |= live_in[successor]
            before = gen[block] | (after & ~kill[block])
            out[block] = after
            if before != live_in[block]:
                live_in[block] = before
                changed = True
    return out


def _bits(mask: int) -> list[int]:
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def _fixed_uses(ins: Instruction) -> int:
    """Registers named outright that the instruction reads."""
    mask = 0
    if ins.mnemonic == COPY:
        return 0
    for place, operand in enumerate(ins.operands):
        if isinstance(operand, Register) and (place or ins.roles[0] not in ("dh", "dw")):
            mask |= (3 if ins.roles[place] == "w" else 1) << operand.number
    return mask | ins.fixed_uses


def _fixed_defs(ins: Instruction) -> int:
    mask = ins.clobbers
    if ins.operands and isinstance(ins.operands[0], Register) and ins.roles[0] in ("dh", "dw"):
        mask |= (3 if ins.roles[0] == "dw" else 1) << ins.operands[0].number
    return mask


def _scan(block: Block, live: set[int], graph: Graph) -> None:
    """Walk a block backward, from what lives at its end."""
    index, near = graph.index, graph.near
    weight = 10.0 ** min(block.depth, 6)
    fixed = 0
    for ins in reversed(_code(block)):
        defs = [(value, index[value]) for value in ins.defines()]
        writes = _fixed_defs(ins)
        for _, k in defs:
            live.discard(k)
        assert not (ins.barrier and live), (
            f"{graph.values[min(live)]} lives across a wait in {block.name}"
        )
        if writes:
            for k in live:
                graph.forbidden[k] |= writes
        fixed &= ~writes
        for value, k in defs:
            others = set(live)
            source = _copy_source(ins, value)
            if isinstance(source, Value):
                others.discard(index[source])
            others.update(j for _, j in defs if j != k)
            near[k] |= others
            for j in others:
                near[j].add(k)
            graph.forbidden[k] |= fixed
            graph.cost[k] += weight
        for value in ins.uses():
            k = index[value]
            live.add(k)
            graph.cost[k] += weight
        fixed |= _fixed_uses(ins)
        if fixed:
            for k in live:
                graph.forbidden[k] |= fixed
        _note_copies(ins, graph, weight)


def _copy_source(ins: Instruction, target: Value) -> Any:
    if ins.mnemonic == COPY:
        return next((s for t, s in ins.copies if t is target), None)
    if ins.mnemonic in ("mov16", "mov32") and not ins.slot:
        return ins.operands[1]
    return None


def _note_copies(ins: Instruction, graph: Graph, weight: float) -> None:
    index = graph.index
    pairs: list[tuple[Any, Any]] = []
    if ins.mnemonic == COPY:
        pairs = list(ins.copies)
    elif ins.mnemonic in ("mov16", "mov32") and not ins.slot:
        pairs = [(ins.operands[0], ins.operands[1])]
    for target, source in pairs:
        if isinstance(target, Value) and isinstance(source, Value):
            if target.words == source.words:
                graph.copies.append((weight, index[target], index[source]))
        elif isinstance(target, Value) and isinstance(source, Register):
            graph.wishes.setdefault(index[target], []).append(source.number)
        elif isinstance(target, Register) and isinstance(source, Value):
            graph.wishes.setdefault(index[source], []).append(target.number)


def join_copies(graph: Graph) -> list[int]:
    """Give one node to both sides of copies that do not interfere; returns each value's node."""
    node = list(range(len(graph.values)))

    def find(k: int) -> int:
        while node[k] != k:
            node[k] = node[node[k]]
            k = node[k]
        return k

    for _, a, b in sorted(graph.copies, key=lambda c: -c[0]):
        a, b = find(a), find(b)
        if a == b or b in graph.near[a]:
            continue
        forbidden = graph.forbidden[a] | graph.forbidden[b]
        if not _places(graph.values[a].words, forbidden):
            continue
        node[b] = a
        for k in graph.near[b]:
            graph.near[k].discard(b)
            graph.near[k].add(a)
        graph.near[a] |= graph.near[b]
        graph.near[b] = set()
        graph.forbidden[a] = forbidden
        graph.cost[a] += graph.cost[b]
        if b in graph.wishes:
            graph.wishes.setdefault(a, []).extend(graph.wishes[b])
    return [find(k) for k in range(len(node))]


def _places(words: int, taken: int) -> int:
    """Registers (the even ones of pairs) where a value of so many words fits."""
    free = ALL & ~taken
    if words == 2:
        free = free & (free >> 1) & 0x5555555555555555
    return free


def colour(graph: Graph, node: list[int]) -> tuple[dict[int, int], list[int]]:
    """Registers by node, and the nodes that found none."""
    nodes = [k for k in range(len(node)) if node[k] == k]
    words = [v.words for v in graph.values]
    degree = {k: sum(max(words[j], words[k]) for j in graph.near[k]) for k in nodes}
    remaining = set(nodes)
    stack: list[int] = []
    low = [k for k in nodes if _trivial(degree[k], graph.forbidden[k])]
    cheapest = sorted(nodes, key=lambda n: (graph.cost[n] / (1 + degree[n]), n), reverse=True)
    while remaining:
        k = low.pop() if low else cheapest.pop()
        if k not in remaining:
            continue
        remaining.discard(k)
        stack.append(k)
        for j in graph.near[k]:
            if j in remaining:
                degree[j] -= max(words[j], words[k])
                if _trivial(degree[j], graph.forbidden[j]):
                    low.append(j)
    registers: dict[int, int] = {}
    failed: list[int] = []
    for k in reversed(stack):
        taken = graph.forbidden[k]
        for j in graph.near[k]:
            if j in registers:
                taken |= (3 if words[j] == 2 else 1) << registers[j]
        free = _places(words[k], taken)
        if not free:
            failed.append(k)
            continue
        wished = [r for r in graph.wishes.get(k, ()) if r <= LAST_FREE and free >> r & 1]
        if wished:
            registers[k] = wished[0]
        elif words[k] == 2:
            registers[k] = (free & -free).bit_length() - 1
        else:
            registers[k] = _single(free, taken)
    return registers, failed


def _single(free: int, taken: int) -> int:
    """A register for one word: half of a pair that is broken anyway, or the highest."""
    broken = free & (((taken & 0x5555555555555555) << 1) | ((taken >> 1) & 0x5555555555555555))
    return ((broken & -broken) if broken else free).bit_length() - 1


def _trivial(degree: int, forbidden: int) -> bool:
    return degree + 2 * (forbidden & ALL).bit_count() < LAST_FREE - FIRST_FREE


def spill(routine: Routine, homes: dict[Value, Memory]) -> None:
    """Keep values in the frame: a store after each definition, a load before each use."""
    number = -1
    for block in routine.blocks:
        for made in block.code:
            for value in made.defines():
                number = min(number, value.number)

    def short(value: Value) -> Value:
        nonlocal number
        number -= 1
        return Value(number, value.words, "s")

    def move(value: Value, to: Any, source: Any, place: Any) -> Instruction:
        return Instruction("mov16" if value.words == 1 else "mov32", [to, source], place=place)

    for block in routine.blocks:
        out: list[Instruction] = []
        for ins in _code(block):
            after: list[Instruction] = []
            if ins.mnemonic == COPY:
                kept: list[tuple[Value, Any]] = []
                for target, source in ins.copies:
                    into, from_ = homes.get(target), homes.get(source)
                    if into is not None and into is from_:
                        continue
                    if from_ is not None:
                        loaded = short(target)
                        out.append(move(target, loaded, from_, ins.place))
                        source = loaded
                    if into is not None:
                        stored = short(target)
                        after.append(move(target, into, stored, ins.place))
                        target = stored
                    kept.append((target, source))
                ins.copies = kept
            else:
                change: dict[Value, Any] = {}
                for value in ins.uses():
                    if value in homes and value not in change:
                        change[value] = short(value)
                        out.append(move(value, change[value], homes[value], ins.place))
                defined = ins.target()
                ins.replace(change)
                if defined is not None and defined in homes:
                    ins.operands[0] = change.get(defined) or short(defined)
                    after.append(move(defined, homes[defined], ins.operands[0], ins.place))
            out.append(ins)
            out += after
        if block.branch is not None:
            out.remove(block.branch)
        block.code = out


def allocate(routine: Routine, name: str) -> dict[Value, int]:
    """Registers of all values of a routine, which leaves SSA form; spills go to homes."""
    leave_ssa(routine)
    spilled = 0
    for _ in range(100):
        graph = build_graph(routine)
        node = join_copies(graph)
        registers, failed = colour(graph, node)
        if not failed:
            return {v: registers[node[k]] for v, k in graph.index.items()}
        homes: dict[int, Memory] = {}
        for k in failed:
            victim = _victim(graph, k, registers) if _short(graph, k) else k
            if victim not in homes:
                homes[victim] = Memory(Reference(f"{HOME}{name}.spill{spilled}"))
                spilled += 1
        values = {v: homes[node[k]] for v, k in graph.index.items() if node[k] in homes}
        spill(routine, values)
    raise AssertionError(f"no registers for {routine.label}")


def _victim(graph: Graph, failed: int, registers: dict[int, int]) -> int:
    """What to spill so that a value which spilling made finds a register."""
    wide = graph.values[failed].words
    candidates = [
        k
        for k in graph.near[failed]
        if k in registers and graph.values[k].words >= wide and not _short(graph, k)
    ]
    return min(candidates, key=lambda k: (graph.cost[k], k), default=failed)


def _short(graph: Graph, k: int) -> bool:
    """A value that spilling made: to spill it again helps nobody."""
    return graph.values[k].number < 0
