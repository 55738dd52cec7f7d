from simfabric.mesh.layout cimport *
from simfabric.mesh.links cimport neighbour, read_mail
from simfabric.mesh.memory cimport read, write_register
from simfabric.mesh.queues cimport find_queues
from simfabric.mesh.rooms cimport told_room
from simfabric.mesh.router cimport find_readers
from simfabric.mesh.visit cimport run_row

cdef void run_part(MachineP m, WorkerP w) noexcept nogil
cdef int _runs(MachineP m, WorkerP w, int row, int level) noexcept nogil
cdef void _deal(MachineP m, int phase)
cdef void _collect(MachineP m, int number) noexcept nogil
cdef int _run_phase(MachineP m)
cdef MachineP _machine(where)
