from simfabric.mesh.layout cimport *
from simfabric.mesh.links cimport fault, log
from simfabric.mesh.queues cimport head_word, pop, settle

cdef int op_at(MachineP m, TileP tile, unsigned int address) noexcept nogil
cdef void go_to(MachineP m, TileP tile, unsigned int address) noexcept nogil
cdef unsigned int ready_tasks(MachineP m, TileP tile) noexcept nogil
cdef int pick(MachineP m, WorkerP w, TileP tile, int index, long long now, int delay) noexcept nogil
cdef void slot_done(MachineP m, TileP tile, int slot, long long now) noexcept nogil
cdef void task_instruction(MachineP m, WorkerP w, TileP tile, int index, OpP op, long long now) noexcept nogil
cdef void end_task(TileP tile) noexcept nogil

cdef int _valid(WorkerP w, int index, unsigned int task, OpP op, long long now) noexcept nogil
cdef void _start(MachineP m, WorkerP w, TileP tile, int index, int task, long long now) noexcept nogil
