"""Registers for values: liveness, interference, joining of copies, colouring, spilling."""

from typing import Any

from attrs import define, field

from carbide.isa.operands import Memory, Reference, Register
from carbide.select.code import COPY, FIRST_FREE, LAST_FREE, Block, Instruction, Routine, Value
from carbide.select.memory import HOME

ALL = (1 << (LAST_FREE + 1)) - (1 << FIRST_FREE)


@define(eq=False)
class Graph:
    """Interference. Sets of values are bit masks over their dense indices."""

    values: list[Value] = field(factory=list)
    index: dict[Value, int] = field(factory=dict)
    near: list[int] = field(factory=list)
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
        if other is not block and (targets & live[other]):
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
    graph.near = [0] * count
    graph.forbidden = [0] * count
    graph.cost = [0.0] * count
    live_out = _live_out(routine, graph.index)
    for block in routine.blocks:
        _scan(block, live_out[block], graph)
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


def _scan(block: Block, live: int, graph: Graph) -> None:
    """Walk a block backward, from what lives at its end."""
    index, near = graph.index, graph.near
    weight = 10.0 ** min(block.depth, 6)
    fixed = 0
    for ins in reversed(_code(block)):
        defs = ins.defines()
        def_mask = _mask(defs, index)
        writes = _fixed_defs(ins)
        across = live & ~def_mask
        assert not (ins.barrier and across), (
            f"{graph.values[_bits(across)[0]]} lives across a wait in {block.name}"
        )
        if writes:
            for k in _bits(across):
                graph.forbidden[k] |= writes
        fixed &= ~writes
        for value in defs:
            k = index[value]
            others = live & ~(1 << k)
            source = _copy_source(ins, value)
            if isinstance(source, Value):
                others &= ~(1 << index[source])
            if len(defs) > 1:
                others |= def_mask & ~(1 << k)
            near[k] |= others
            for j in _bits(others):
                near[j] |= 1 << k
            graph.forbidden[k] |= fixed
            graph.cost[k] += weight
        live = across
        for value in ins.uses():
            k = index[value]
            live |= 1 << k
            graph.cost[k] += weight
        fixed |= _fixed_uses(ins)
        if fixed:
            for k in _bits(live):
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
        if a == b or graph.near[a] >> b & 1:
            continue
        forbidden = graph.forbidden[a] | graph.forbidden[b]
        if not _places(graph.values[a].words, forbidden):
            continue
        node[b] = a
        for k in _bits(graph.near[b]):
            graph.near[k] = (graph.near[k] & ~(1 << b)) | 1 << a
        graph.near[a] |= graph.near[b]
        graph.near[b] = 0
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
    degree = {k: sum(max(words[j], words[k]) for j in _bits(graph.near[k])) for k in nodes}
    remaining = set(nodes)
    stack: list[int] = []
    low = [k for k in nodes if _trivial(degree[k], graph.forbidden[k])]
    while remaining:
        if low:
            k = low.pop()
            if k not in remaining:
                continue
        else:
            k = min(remaining, key=lambda n: (graph.cost[n] / (1 + degree[n]), n))
        remaining.discard(k)
        stack.append(k)
        for j in _bits(graph.near[k]):
            if j in remaining:
                degree[j] -= max(words[j], words[k])
                if _trivial(degree[j], graph.forbidden[j]):
                    low.append(j)
    registers: dict[int, int] = {}
    failed: list[int] = []
    for k in reversed(stack):
        taken = graph.forbidden[k]
        for j in _bits(graph.near[k]):
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


def spill(routine: Routine, values: set[Value], label: str) -> None:
    """Keep values in the frame: a store after each definition, a load before each use."""
    home = Memory(Reference(label))
    words = next(iter(values)).words
    move = "mov16" if words == 1 else "mov32"
    number = -1
    for block in routine.blocks:
        out: list[Instruction] = []
        for ins in _code(block):
            after: list[Instruction] = []
            if ins.mnemonic == COPY:
                kept = []
                for target, source in ins.copies:
                    if target in values and source in values:
                        continue
                    if target in values:
                        short = Value(number, words, "s")
                        kept.append((short, source))
                        after.append(Instruction(move, [home, short], place=ins.place))
                    elif isinstance(source, Value) and source in values:
                        short = Value(number, words, "s")
                        out.append(Instruction(move, [short, home], place=ins.place))
                        kept.append((target, short))
                    else:
                        kept.append((target, source))
                    number -= 1
                ins.copies = kept
            else:
                used = [v for v in ins.uses() if v in values]
                defined = ins.target()
                short = Value(number, words, "s")
                number -= 1
                if used:
                    out.append(Instruction(move, [short, home], place=ins.place))
                    ins.replace(dict.fromkeys(used, short))
                if defined in values:
                    ins.operands[0] = short
                    after.append(Instruction(move, [home, short], place=ins.place))
            out.append(ins)
            out += after
        if block.branch is not None:
            out.remove(block.branch)
        block.code = out


def allocate(routine: Routine, name: str) -> dict[Value, int]:
    """Registers of all values of a routine, which leaves SSA form; spills go to homes."""
    leave_ssa(routine)
    for attempt in range(200):
        graph = build_graph(routine)
        node = join_copies(graph)
        registers, failed = colour(graph, node)
        if not failed:
            return {v: registers[node[k]] for v, k in graph.index.items()}
        victim = _victim(graph, failed[0])
        values = {v for v, k in graph.index.items() if node[k] == victim}
        spill(routine, values, f"{HOME}{name}.spill{attempt}")
    raise AssertionError(f"no registers for {routine.label}")


def _victim(graph: Graph, failed: int) -> int:
    """The cheapest value among one without a register and its neighbours."""
    candidates = [failed, *_bits(graph.near[failed])]
    wide = graph.values[failed].words
    candidates = [k for k in candidates if graph.values[k].words >= wide and not _short(graph, k)]
    if not candidates:
        candidates = [failed]
    return min(candidates, key=lambda k: (graph.cost[k] / (1 + graph.near[k].bit_count()), k))


def _short(graph: Graph, k: int) -> bool:
    """A value that spilling made: to spill it again helps nobody."""
    return graph.values[k].number < 0
