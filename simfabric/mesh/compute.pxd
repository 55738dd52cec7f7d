from simfabric.mesh.layout cimport *
from simfabric.mesh.intrinsics cimport lowest
from simfabric.mesh.arithmetic cimport evaluate, takes
from simfabric.mesh.links cimport fault, log
from simfabric.mesh.memory cimport check_read, read, write
from simfabric.mesh.queues cimport settle
from simfabric.mesh.tasks cimport *
from simfabric.mesh.transfers cimport begin, advance

cdef int compute(MachineP m, WorkerP w, TileP tile, int index, long long now) noexcept nogil
cdef void account(TileP tile, int issued, long long now) noexcept nogil
cdef long long next_issue(TileP tile, long long now) noexcept nogil

cdef int _microthreads(MachineP m, WorkerP w, TileP tile, int index, long long now) noexcept nogil
cdef int _step(MachineP m, WorkerP w, TileP tile, int index, long long now) noexcept nogil
cdef void _group_done(MachineP m, WorkerP w, TileP tile, int index, int slot, long long now) noexcept nogil
cdef void _launch(MachineP m, WorkerP w, TileP tile, int index, OpP op, long long now) noexcept nogil
cdef unsigned int _value(TileP tile, OpP op, int place) noexcept nogil
cdef void _result(TileP tile, OpP op, unsigned int value, long long until, long long now) noexcept nogil
cdef unsigned int _address(TileP tile, OpP op, int place) noexcept nogil
cdef void _branch(MachineP m, TileP tile, OpP op, long long now) noexcept nogil
cdef void _descriptor(MachineP m, WorkerP w, TileP tile, int index, OpP op, long long now) noexcept nogil
cdef void _pend(TileP tile, int number, long long until, long long now) noexcept nogil
cdef long long _ready_at(TileP tile, OpP op, long long now) noexcept nogil
cdef void _forget(TileP tile, long long now) noexcept nogil
cdef int _uses(OpP op, int number) noexcept nogil
cdef int _waiting(TileP tile) noexcept nogil
