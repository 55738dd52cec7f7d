"""Why a run stopped: who waits for whom, where, and what is left over (machine page, section 7)."""

from simfabric.explain.explain import explain
from simfabric.explain.model import Explanation
from simfabric.explain.snapshot import Snapshot, TileSnapshot, TileState
from simfabric.explain.text import lines

__all__ = ["Explanation", "Snapshot", "TileSnapshot", "TileState", "explain", "lines"]
