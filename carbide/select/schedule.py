"""Order of instructions within a block: a float result can be used two cycles later, so
independent work goes between. Only computing and loading moves, and only between the instructions
that stay (stores, transfers, descriptors, tasks)."""

from carbide.isa.operands import Descriptor, InputQueue, Register
from carbide.select.code import Instruction, Routine, Value
from carbide.select.conflicts import memory_operands
from mitools.arch import load
from mitools.arch.model import Timing

WINDOW = 12
"""How many instructions ahead one may be taken: a limit on registers in use."""


def schedule(routine: Routine, arch: str) -> None:
    """Reorder the blocks of a routine, before registers are given out."""
    timing = load(arch).timing
    for block in routine.blocks:
        out: list[Instruction] = []
        run: list[Instruction] = []
        for ins in block.code:
            if _movable(ins):
                run.append(ins)
            else:
                out += _ordered(run, timing)
                out.append(ins)
                run = []
        block.code = out + _ordered(run, timing)


def _movable(ins: Instruction) -> bool:
    if any(isinstance(o, Register) for o in ins.operands) or ins.tied or ins.stays:
        return False
    if ins.plain_load or ins.pure:
        return True
    if ins.kind != "alu" or ins.slot or not isinstance(ins.operands[0], Value):
        return False
    return not any(isinstance(o, Descriptor | InputQueue) for o in ins.operands)


def _latency(ins: Instruction, timing: Timing) -> int:
    """Cycles from issue to the use of the result."""
    if ins.plain_load:
        return timing.load_to_use
    if memory_operands(ins, False):
        return timing.vector_result
    return timing.scalar_float_result if ins.rate.startswith("float") else timing.scalar


def _cycles(ins: Instruction, timing: Timing) -> int:
    """Cycles until the next instruction can issue."""
    if ins.plain_load or not memory_operands(ins, False):
        return timing.scalar
    elements, cycles = getattr(timing, ins.rate)
    return max(1, cycles // elements)


def _ordered(run: list[Instruction], timing: Timing) -> list[Instruction]:
    if len(run) < 3 or not any(_latency(i, timing) > 1 for i in run):
        return run
    makers = {ins.operands[0]: ins for ins in run}
    needs = {
        id(ins): [makers[v] for v in ins.uses() if v in makers and makers[v] is not ins]
        for ins in run
    }
    height: dict[int, int] = {}
    users: dict[int, list[Instruction]] = {id(ins): [] for ins in run}
    for ins in run:
        for maker in needs[id(ins)]:
            users[id(maker)].append(ins)
    for ins in reversed(run):
        after = [height[id(u)] for u in users[id(ins)]]
        height[id(ins)] = _latency(ins, timing) + max(after, default=0)
    pending = list(run)
    available: dict[int, int] = {}
    out: list[Instruction] = []
    now = 0
    while pending:
        best, best_key = 0, (1 << 30, 0)
        for place, ins in enumerate(pending[:WINDOW]):
            if any(id(maker) not in available for maker in needs[id(ins)]):
                continue
            ready = max([now, *(available[id(maker)] for maker in needs[id(ins)])])
            key = (ready, -height[id(ins)])
            if key < best_key:
                best, best_key = place, key
        ins = pending.pop(best)
        now = best_key[0]
        available[id(ins)] = now + _latency(ins, timing)
        now += _cycles(ins, timing)
        out.append(ins)
    return out
