from simfabric.mesh.layout cimport *
from simfabric.mesh.arithmetic cimport evaluate, accumulate
from simfabric.mesh.links cimport fault, log
from simfabric.mesh.memory cimport check_read, read, write
from simfabric.mesh.queues cimport *

cdef int begin(MachineP m, WorkerP w, TileP tile, int index, int slot, int op_index, long long now) noexcept nogil
cdef int advance(MachineP m, WorkerP w, TileP tile, int index, int slot, long long now) noexcept nogil

cdef int _describe(MachineP m, TileP tile, OperandP operand, OpP op, int place, SlotP slot, long long now) noexcept nogil
cdef int _wait(TileP tile, SlotP slot, int number, int state, int queue) noexcept nogil
cdef unsigned int _word(MachineP m, WorkerP w, int index, unsigned int address, int wide, long long now) noexcept nogil
cdef void _set_word(MachineP m, WorkerP w, int index, unsigned int address, int wide, unsigned int value, long long now) noexcept nogil
cdef unsigned int _fetch(MachineP m, WorkerP w, TileP tile, int index, OperandP operand, long long now) noexcept nogil
cdef void _deliver(MachineP m, WorkerP w, TileP tile, int index, OperandP operand, OpP op, unsigned int value, int flip, long long now) noexcept nogil
cdef unsigned int _walk(MachineP m, WorkerP w, int index, unsigned int record, long long now) noexcept nogil
cdef unsigned int _fifo_read(MachineP m, WorkerP w, TileP tile, int index, OperandP operand, long long now) noexcept nogil
cdef void _fifo_write(MachineP m, WorkerP w, TileP tile, int index, OperandP operand, unsigned int value, long long now) noexcept nogil
