from simfabric.mesh.layout cimport *
from simfabric.mesh.links cimport fault
from simfabric.mesh.rooms cimport is_message
from simfabric.mesh.queues cimport find_queues
from simfabric.mesh.router cimport make_channel, find_readers, find_requests

cdef unsigned int read(MachineP m, int index, unsigned int address, long long now) noexcept nogil
cdef void check_read(MachineP m, WorkerP w, int index, unsigned int address, int wide, long long now) noexcept nogil
cdef void write(MachineP m, WorkerP w, int index, unsigned int address, unsigned int value, long long now) noexcept nogil
cdef unsigned int read_register(MachineP m, int index, int address, long long now) noexcept nogil
cdef void write_register(MachineP m, WorkerP w, int index, int address, unsigned int value, long long now) noexcept nogil

cdef void _store(MachineP m, WorkerP w, int index, int address, unsigned int value) noexcept nogil
cdef void _own_page(MachineP m, WorkerP w, int entry) noexcept nogil
cdef long long _timer(TileP tile, long long now) noexcept nogil
cdef void _write_color(MachineP m, WorkerP w, TileP tile, int index, int color, unsigned int value, long long now) noexcept nogil
cdef void _write_switch(MachineP m, WorkerP w, TileP tile, int index, int color, int number, unsigned int value, long long now) noexcept nogil
cdef void _changed(MachineP m, WorkerP w, TileP tile, int index, ChannelP channel, long long now) noexcept nogil
