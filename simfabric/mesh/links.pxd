from simfabric.mesh.layout cimport *
from simfabric.mesh.rooms cimport move_history

cdef int neighbour(MachineP m, TileP tile, int index, int port) noexcept nogil
cdef void wake(MachineP m, int index, long long cycle) noexcept nogil
cdef void fault(WorkerP w, int kind, int index, long long now, unsigned int a, unsigned int b, unsigned int c, unsigned int d) noexcept nogil
cdef void log(MachineP m, WorkerP w, int index, long long now, int kind, unsigned long long word, int address, int slot, int task, int color, int port) noexcept nogil
cdef void send_word(MachineP m, WorkerP w, int target, int side, unsigned long long word, int color, long long due) noexcept nogil
cdef void tell_room(MachineP m, WorkerP w, int target, int port, int color, int room, long long now) noexcept nogil
cdef void greet(MachineP m, WorkerP w, int target, int color, long long due) noexcept nogil
cdef void read_mail(MachineP m, WorkerP w, int sender, int box) noexcept nogil

cdef void _put_word(MachineP m, int target, int side, unsigned long long word, int color, long long due) noexcept nogil
cdef void _put_room(MachineP m, int target, int port, int color, int room, long long cycle) noexcept nogil
cdef void _put_hello(MachineP m, int target, int color, long long due) noexcept nogil
cdef void _post(MachineP m, WorkerP w, int kind, int target, int port, int color, int room, unsigned long long word, long long cycle) noexcept nogil
