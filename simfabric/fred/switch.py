"""The Fred switch as a structure: Fred_m(P) built from micro-switches (Fred, section 4).

Fred_m(2) is one RD micro-switch. Fred_m(2r) has r input (R) and r output (D) micro-switches around
m copies of Fred_m(r). Fred_m(2r+1) has the same around m copies of Fred_m(r+1), and a demux and a
mux that join its last port to all of them.
"""

from collections.abc import Iterator
from functools import cache

from attrs import field, frozen

from mitools.console import UserError

REDUCE, DISTRIBUTE, BOTH = "R", "D", "RD"


@frozen
class MicroSwitch:
    """One micro-switch: `kind` R, D or RD, and where it stands.

    `path` names the chain of middle switches from the outermost one inwards, by number.
    """

    kind: str
    path: tuple[int, ...]
    place: int

    @property
    def name(self) -> str:
        """`R2` is input micro-switch 2 of the outermost stage, `1.0.D3` one two levels in."""
        return ".".join([*map(str, self.path), f"{self.kind}{self.place}"])


@frozen
class Stage:
    """One level of the recursion: the switch Fred_m(`ports`) at `path`."""

    ports: int
    middles: int
    path: tuple[int, ...] = field(default=())

    def __attrs_post_init__(self) -> None:
        if self.ports < 2:
            raise UserError(
                f"a Fred switch has at least 2 ports, not {self.ports}", None, "give switch=P,m"
            )
        if self.middles < 2:
            raise UserError(
                f"a Fred switch has at least 2 middle switches, not {self.middles}",
                None,
                "m is 2 or more: switch=P,m",
            )

    @property
    def innermost(self) -> bool:
        return self.ports == 2

    @property
    def pairs(self) -> int:
        """Input (and output) micro-switches of this level."""
        return 1 if self.innermost else self.ports // 2

    @property
    def odd(self) -> bool:
        """Whether the last port has a demux and a mux instead of micro-switches."""
        return self.ports % 2 == 1

    def group(self, port: int) -> int:
        """The micro-switch of a port, which is its port at the middle switches as well."""
        return port // 2

    def middle(self, number: int) -> "Stage":
        """Middle switch `number`."""
        inner = self.pairs + 1 if self.odd else self.pairs
        return Stage(inner, self.middles, (*self.path, number))

    def micro_switches(self) -> Iterator[MicroSwitch]:
        """All micro-switches, outermost level first."""
        if self.innermost:
            yield MicroSwitch(BOTH, self.path, 0)
            return
        for kind in (REDUCE, DISTRIBUTE):
            for place in range(self.pairs):
                yield MicroSwitch(kind, self.path, place)
        for number in range(self.middles):
            yield from self.middle(number).micro_switches()

    @property
    def levels(self) -> int:
        """Micro-switches that data passes from an input to an output."""
        return 1 if self.innermost else 2 + self.middle(0).levels


@cache
def count(ports: int, middles: int) -> int:
    """Number of micro-switches of Fred_m(P), without building it."""
    stage = Stage(ports, middles)
    if stage.innermost:
        return 1
    return 2 * stage.pairs + middles * count(stage.middle(0).ports, middles)
