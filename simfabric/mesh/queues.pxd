from simfabric.mesh.layout cimport *
from simfabric.mesh.links cimport *
from simfabric.mesh.rooms cimport room_of

cdef int accept(MachineP m, WorkerP w, TileP tile, int index, int color, unsigned long long word, long long now) noexcept nogil
cdef int leave(MachineP m, WorkerP w, TileP tile, int index, long long now) noexcept nogil
cdef void find_queues(MachineP m, TileP tile) noexcept nogil
cdef void wake_slots(MachineP m, TileP tile, int mask, long long now) noexcept nogil
cdef void settle(MachineP m, WorkerP w, TileP tile, int index, int number, int for_receive, long long now) noexcept nogil
cdef int elements_in(MachineP m, WorkerP w, TileP tile, int index, int number, int wide, long long now) noexcept nogil
cdef unsigned int take(MachineP m, TileP tile, int index, int number, int wide, long long now) noexcept nogil
cdef void pop(MachineP m, TileP tile, int index, int number, long long now) noexcept nogil
cdef int elements_out(MachineP m, TileP tile, int index, int number, int wide, int wavelets, long long now) noexcept nogil
cdef void put(MachineP m, TileP tile, int index, int number, int wide, int kind, unsigned int value, int site, int flip, long long now) noexcept nogil
cdef unsigned long long head_word(MachineP m, TileP tile, int index, int number) noexcept nogil

cdef int _joins(MachineP m, TileP tile, int index, int number, long long now) noexcept nogil
cdef int _passes(FilterP filter_, int form, int kind, unsigned int payload) noexcept nogil
cdef int _younger(OutputQueueP queue, int cycles, long long now) noexcept nogil
cdef int _oldest(OutputQueueP queue, int cycles, long long now) noexcept nogil
cdef unsigned long long _joined(unsigned long long word, unsigned long long behind) noexcept nogil
cdef void _take_off(MachineP m, TileP tile, int index, int number, long long now) noexcept nogil
