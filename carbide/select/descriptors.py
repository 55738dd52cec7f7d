"""Descriptor registers: loaded before use, kept while they hold the same, loaded before a loop
where they hold the same in all its rounds.

The main program has most of the registers to itself, so that what it loaded outlives its waits
and calls; all other code shares the rest and forgets them there. Descriptors that send to the
fabric are loaded every time, right before their instruction: the published cost of a
store-and-forward stage has one such load between the last receive and the first send.
"""

from collections.abc import Sequence
from typing import Any

from carbide import ir
from carbide.isa import table as isa
from carbide.isa.operands import Descriptor, Immediate, Memory
from carbide.select.code import Instruction, Phi, Value, plus
from carbide.select.core import LoopFrame, Pointer
from carbide.select.expressions import Expressions, Location
from carbide.select.state import Operand

ALL, OF_MAIN = range(32), range(24)

Setup = Sequence[tuple[str, Any]]
"""Instructions (mnemonic, operand) that fill a descriptor register."""


class Descriptors(Expressions):
    numbers = range(24, 32)
    lasting = False
    """Whether waits and calls leave our descriptor registers alone."""

    def descriptor(self, key: Any, setup: Setup, level: int) -> Descriptor:
        """A register filled by `setup`, which gives the same in all loops deeper than `level`.

        `key` names the contents; None: not kept.
        """
        if key is not None:
            for frame in reversed(self.loops):
                if key in frame.descriptors:
                    return Descriptor(frame.descriptors[key])
            if key in self.state.descriptors:
                number = self.state.descriptors.pop(key)
                self.state.descriptors[key] = number
                return Descriptor(number)
            place = self._outermost(level)
            if place < len(self.loops):
                unused = self._unused(place)
                if unused is not None:
                    return self._load_before(place, key, unused, setup)
        number = self._oldest()
        register = Descriptor(number)
        if key is None:
            key = ("once", self.unit.next_value())
        self.state.descriptors[key] = number
        for frame in self.loops:
            frame.used.add(number)
        for mnemonic, operand in setup:
            self.emit(mnemonic, register, operand)
        return register

    def _outermost(self, level: int) -> int:
        place = len(self.loops)
        while place > level and self._keeps(self.loops[place - 1]):
            place -= 1
        return place

    def _keeps(self, frame: LoopFrame) -> bool:
        return self.lasting or not (frame.effects.suspends or frame.effects.calls)

    def _reserved(self) -> set[int]:
        return {n for frame in self.loops for n in frame.descriptors.values()}

    def _unused(self, place: int) -> int | None:
        """A register that nothing in the loops from `place` on has used so far.

        Some stay free for what must be loaded where it is used.
        """
        taken = self._reserved()
        for frame in self.loops[place:]:
            taken |= frame.used
        free = [n for n in self.numbers if n not in taken]
        return free[-1] if len(free) > 4 else None

    def _load_before(self, place: int, key: Any, number: int, setup: Setup) -> Descriptor:
        frame = self.loops[place]
        frame.descriptors[key] = number
        for outer in self.loops[:place]:
            outer.used.add(number)
        for held, n in list(self.state.descriptors.items()):
            if n == number:
                del self.state.descriptors[held]
        for mnemonic, operand in setup:
            made = Instruction(mnemonic, [Descriptor(number), operand], place=self.place)
            frame.preheader.code.append(made)
        return Descriptor(number)

    def _oldest(self) -> int:
        """A register to load now: a free one, or the one that was used least lately."""
        held = self.state.descriptors
        reserved = self._reserved()
        used = set(held.values()) | reserved
        for number in self.numbers:
            if number not in used:
                return number
        oldest = next(key for key, number in held.items() if number not in reserved)
        return held.pop(oldest)

    def forget_descriptors(self) -> None:
        """Other code ran: it may have loaded the registers that are not ours alone."""
        if not self.lasting:
            self.state.descriptors.clear()

    # Kinds of descriptors.

    def static_descriptor(self, kind: int, word1: Any, length: int, word3: int = 0) -> Descriptor:
        """A descriptor that never changes."""
        label = self.unit.descriptor((kind, word1, length & 0xFFFF, word3 & 0xFFFF))
        key = None if kind == isa.DSD_FABRIC_OUT else label.name
        return self.descriptor(key, [("ldds", Immediate(label))], 0)

    def sized_descriptor(self, kind: int, word1: Any, length: Any) -> Descriptor:
        """A descriptor of a port: `length` is a number, an operand, or None for no bound."""
        if length is None or isinstance(length, int):
            return self.static_descriptor(kind, word1, isa.UNBOUNDED if length is None else length)
        label = self.unit.descriptor((kind, word1, isa.UNBOUNDED, 0))
        key = None if kind == isa.DSD_FABRIC_OUT else (label.name, length, self.generation)
        setup = [("ldds", Immediate(label)), ("dslen", length)]
        return self.descriptor(key, setup, self.level_of((length,)))

    def stored_descriptor(self, element: ir.Element, length: Any) -> Descriptor:
        """A descriptor that the program keeps in memory; `length` overrides its own."""
        at = self.locate(element)
        address = self.address_value(at)
        setup: list[tuple[str, Any]] = [("ldds", address)]
        if length is not None:
            setup.append(("dslen", length))
        if at.root is None:
            self.flush_roots(set(self.memory.reachable()))
            return self.descriptor(None, setup, 0)
        self.flush_roots({at.root.name})
        cell = (at.root.name, -1 if at.offset is None else at.offset, 4)
        level = self.level_of((address, length))
        for place in range(len(self.loops), level, -1):
            if not self._unchanged(cell, self.loops[place - 1].effects, waits=not self.lasting):
                level = place
                break
        if level == len(self.loops):
            return self.descriptor(None, setup, level)
        return self.descriptor(("stored", address, length), setup, level)

    def iterator_descriptor(self, name: str, length: Any) -> Descriptor:
        """The descriptor of an iterator whose length the program sets."""
        address = self.unit.iterator_descriptor(name)
        setup: list[tuple[str, Any]] = [("ldds", Immediate(address))]
        if length is not None:
            limit = self.define("mov16", 1, Memory(address + 2))
            setup.append(("dslen", self.pure("minu16", 1, limit, length)))
            return self.descriptor(None, setup, len(self.loops))
        level = 0
        for place in range(len(self.loops), 0, -1):
            if name in self.loops[place - 1].effects.resized:
                level = place
                break
        key = ("iterator", name) if level < len(self.loops) else None
        return self.descriptor(key, setup, level)

    def address_value(self, at: Location) -> Operand:
        displacement = Immediate(at.displacement)
        if at.base is None:
            return displacement
        return self.pure("add16", 1, at.base, displacement)

    def dynamic_span(self, at: Location, count: Any, stride: int) -> Descriptor:
        """Memory whose base or length is only known at run time."""
        base = self.address_value(at)
        length = isa.UNBOUNDED if count is None else count
        fixed_base = base.value if isinstance(base, Immediate) else 0
        fixed_length = 0 if isinstance(length, Value) else length
        words = (isa.DSD_MEMORY, fixed_base, fixed_length, stride & 0xFFFF)
        template = ("ldds", Immediate(self.unit.descriptor(words)))
        changes: list[tuple[str, Any]] = []
        if isinstance(base, Value):
            changes.append(("dsbase", base))
        if isinstance(length, Value):
            changes.append(("dslen", length))
        level = self.level_of((base, length))
        if level < len(self.loops):
            key = ("span", base, length, stride, self.generation)
            return self.descriptor(key, [template, *changes], level)
        moving = self.moving_span(at, length, stride, template)
        if moving is not None:
            return moving
        key = ("span", base, length, stride, self.generation)
        if key in self.state.descriptors:
            return self.descriptor(key, [], level)
        outer = self._outermost(0)
        if outer < len(self.loops):
            number = self._unused(outer)
            if number is not None:  # what stays the same is loaded before the loop
                site = ("template", self.unit.next_value())
                register = self._load_before(outer, site, number, [template])
                for mnemonic, operand in changes:
                    self.emit(mnemonic, register, operand)
                self.state.descriptors[key] = number
                return register
        return self.descriptor(key, [template, *changes], level)

    def moving_span(self, at: Location, length: Any, stride: int, template: Any) -> Any:
        """A span whose base moves evenly with the innermost loop, which then carries it along."""
        if not self.loops:
            return None
        frame = self.loops[-1]
        if frame.index is None or frame.effects.suspends or not self._keeps(frame):
            return None
        known = self.state.cells.get(frame.index)
        index = known.operand if known is not None else None
        factor = at.terms.get(index, 0) if isinstance(index, Value) else 0
        others = {v: f for v, f in at.terms.items() if v is not index}
        depth = len(self.loops)
        if not factor or self.level_of((*others, length)) >= depth:
            return None
        key = ("moving", tuple(at.terms.items()), at.displacement, length, stride)
        if key in frame.descriptors:
            return Descriptor(frame.descriptors[key])
        number = self._unused(depth - 1)
        if number is None:
            return None
        displacement = at.displacement
        if isinstance(frame.low, Value):
            others[frame.low] = others.get(frame.low, 0) + factor
        else:
            displacement = plus(displacement, factor * frame.low.value)
        run_time = self.sum_of(others)
        start: Any = Immediate(displacement)
        if run_time is not None:
            start = self.pure("add16", 1, run_time, start)
        register = self._load_before(depth - 1, key, number, [template, ("dsbase", start)])
        if isinstance(length, Value):
            made = Instruction("dslen", [register, length], place=self.place)
            frame.preheader.code.append(made)
        value = self.new_value(1)
        phi = Phi(value, {frame.preheader: start})
        assert frame.header is not None
        frame.header.phis.append(phi)
        frame.pointers.append(Pointer(value, phi, factor * frame.step, number))
        return register

    def move_pointers(self, frame: LoopFrame) -> None:
        """At the end of a round, where its last block is current."""
        for pointer in frame.pointers:
            moved = self.pure("add16", 1, pointer.value, Immediate(pointer.stride & 0xFFFF))
            self.emit("dsbase", Descriptor(pointer.number), moved)
            pointer.phi.sources[self.block] = moved
