from simfabric.mesh.layout cimport *

cdef int is_message(MachineP m, TileP tile, int color) noexcept nogil
cdef int side_group(int side) noexcept nogil
cdef int free_places(MachineP m, ChannelP channel, int side) noexcept nogil
cdef int room_of(MachineP m, TileP tile, int side, int color) noexcept nogil
cdef void move_history(ChannelP channel, long long now) noexcept nogil
cdef int room_behind(MachineP m, ChannelP channel, int port, long long now) noexcept nogil
cdef int room_may_come(MachineP m, ChannelP channel, int port, long long now) noexcept nogil
cdef int told_room(MachineP m, TileP tile, int side, int color) noexcept nogil
