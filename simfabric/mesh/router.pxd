from simfabric.mesh.layout cimport *
from simfabric.mesh.intrinsics cimport lowest
from simfabric.mesh.links cimport *
from simfabric.mesh.rooms cimport *
from simfabric.mesh.queues cimport accept
from simfabric.mesh.messages cimport head_output, may_pass, passed, check_landing

cdef ChannelP make_channel(MachineP m, WorkerP w, int index, int color, long long now) noexcept nogil
cdef void find_readers(MachineP m, TileP tile, int color) noexcept nogil
cdef void find_requests(MachineP m, WorkerP w, TileP tile, int index, ChannelP channel, long long now) noexcept nogil
cdef int commit(MachineP m, TileP tile) noexcept nogil
cdef int land(MachineP m, WorkerP w, int index, long long now) noexcept nogil
cdef int arbitrate(MachineP m, WorkerP w, int index, long long now) noexcept nogil
cdef int retire(MachineP m, WorkerP w, int index, long long now) noexcept nogil
cdef void publish(MachineP m, WorkerP w, int index, long long now, unsigned int colors, unsigned int all_sides) noexcept nogil
cdef int blocked_for_ever(MachineP m, TileP tile, long long now) noexcept nogil

cdef void _arrive(MachineP m, WorkerP w, TileP tile, int index, int side, int color, unsigned long long word, long long now) noexcept nogil
cdef int _drain(MachineP m, WorkerP w, TileP tile, int index, long long now) noexcept nogil
cdef void _wait_in_lane(MachineP m, WorkerP w, TileP tile, ChannelP channel, int side, unsigned long long word) noexcept nogil
cdef int _enter(MachineP m, WorkerP w, TileP tile, int index, int side, int color, unsigned long long word, long long now) noexcept nogil
cdef void _push(MachineP m, WorkerP w, TileP tile, int index, ChannelP channel, unsigned long long word, long long now) noexcept nogil
cdef unsigned long long _command(MachineP m, TileP tile, ChannelP channel, int place, unsigned long long word) noexcept nogil
cdef int _advanced(ChannelP channel, int position) noexcept nogil
cdef int _grant(MachineP m, WorkerP w, TileP tile, int index, int port, int color, long long now) noexcept nogil
cdef void _tell(MachineP m, WorkerP w, TileP tile, int index, int color, int side, long long now) noexcept nogil
