from simfabric.mesh.layout cimport *
from simfabric.mesh.links cimport wake, read_mail, neighbour
from simfabric.mesh.rooms cimport told_room
from simfabric.mesh.router cimport commit, land, arbitrate, retire, publish, blocked_for_ever, find_readers
from simfabric.mesh.queues cimport leave, leaving_soon, find_queues
from simfabric.mesh.compute cimport compute, account, next_issue
from simfabric.mesh.memory cimport write, read, write_register

cdef void visit(MachineP m, WorkerP w, int index, long long now) noexcept nogil
cdef int run_part(MachineP m, WorkerP w, long long end) noexcept nogil
cdef int _enough(MachineP m, WorkerP w) noexcept nogil
cdef long long _next_visit(MachineP m, TileP tile, int index, int moved, long long now) noexcept nogil
cdef int _core_may_take(MachineP m, TileP tile, long long now) noexcept nogil
cdef void _collect(MachineP m, int number) noexcept nogil
cdef MachineP _machine(where)
