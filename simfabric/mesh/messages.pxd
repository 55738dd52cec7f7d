from simfabric.mesh.layout cimport *
from simfabric.mesh.links cimport fault, neighbour
from simfabric.mesh.rooms cimport is_message

cdef int check_landing(MachineP m, WorkerP w, TileP tile, int index, ChannelP channel, unsigned long long word, long long now) noexcept nogil
cdef int head_output(MachineP m, WorkerP w, TileP tile, int index, ChannelP channel, long long now) noexcept nogil
cdef int may_pass(MachineP m, TileP tile, ChannelP channel, int port) noexcept nogil
cdef void passed(MachineP m, TileP tile, ChannelP channel, unsigned long long word) noexcept nogil
cdef int _route(MachineP m, WorkerP w, TileP tile, int index, unsigned int header, unsigned int origin, int color, long long now) noexcept nogil
