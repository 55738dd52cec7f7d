from simfabric.mesh.layout cimport *
from simfabric.mesh.compute cimport compute, account, next_issue
from simfabric.mesh.intrinsics cimport fetch, lowest
from simfabric.mesh.queues cimport leave
from simfabric.mesh.router cimport commit, land, arbitrate, retire, publish, blocked_for_ever

cdef int run_row(MachineP m, WorkerP w, int row, long long start, long long end) noexcept nogil
cdef void visit(MachineP m, WorkerP w, int index, long long now) noexcept nogil

cdef int _route(MachineP m, WorkerP w, TileP tile, int index, long long now) noexcept nogil
cdef int _enough(MachineP m, WorkerP w) noexcept nogil
cdef long long _next_visit(MachineP m, TileP tile, int index, int moved, long long now) noexcept nogil
cdef int _core_may_take(MachineP m, TileP tile, long long now) noexcept nogil
cdef void _fetch_head(MachineP m, int index, long long now) noexcept nogil
cdef void _fetch_rest(MachineP m, int index) noexcept nogil
cdef void _fetch_channels(MachineP m, int index, long long now) noexcept nogil
