# Written by simfabric/mesh/layout.py; change it there.

cdef enum:
    FIFO_MOST = 4
    LINK_SLOTS = 8
    HISTORY = 8
    PENDING = 8
    SLOT_COUNT = 13
    QUEUE_COUNT = 8
    TASK_COUNT = 31
    CONTROL_NAMES = 64
    COLOR_COUNT = 24
    REGISTER_COUNT = 64
    DESCRIPTOR_COUNT = 32
    PAGE_TABLE = 128
    PAGE_SHIFT = 8
    DATA = 1
    HALF = 2
    CONTROL = 3
    KIND_SHIFT = 32
    FLIP_SHIFT = 34
    SITE_SHIFT = 35
    SITE_BITS = 9
    NO_SITE = 511
    ORIGIN_SHIFT = 44
    MOST_TILES = 1048576
    FORM_UNDEFINED = 0
    FORM_SCALAR = 1
    FORM_LOAD = 2
    FORM_STORE = 3
    FORM_TRANSFER = 4
    FORM_BRANCH = 5
    FORM_TASK = 6
    FORM_DESCRIPTOR = 7
    ON_NOTHING = 0
    ON_VALUE = 1
    ON_REGISTER = 2
    ON_DESCRIPTOR = 3
    ON_INPUT = 4
    ON_OUTPUT = 5
    ON_ADDRESS = 6
    ON_INDIRECT = 7
    ON_INDEXED = 8
    ON_VECTOR = 9
    ON_WALK = 10
    ON_FIFO = 11
    AT_REST = 0
    AT_WORK = 1
    AT_RECEIVE = 2
    AT_SEND = 3
    AT_EMPTY = 4
    AT_FULL = 5
    AT_WAIT = 6
    AT_SLOT = 7
    FETCH_NONE = 0
    FETCH_ADDRESS = 1
    FETCH_CHANGED = 2
    MAIL_WAVELET = 0
    MAIL_ROOM = 1
    MAIL_HELLO = 2
    TIME_WORK = 0
    TIME_SEND = 1
    TIME_RECEIVE = 2
    TIME_IDLE = 3
    RUNNING = 0
    TORN = 1
    WRITTEN = 2
    PAUSE_NONE = 0
    PAUSE_PAGES = 1
    PAUSE_CHANNELS = 2
    PAUSE_CODE = 3
    PAUSE_EVENTS = 4
    FILTER_NONE = 0
    FILTER_COUNTER = 1
    FILTER_RANGE = 2
    FAULT_NONE = 0
    FAULT_COULD_NOT_LAND = 1
    FAULT_RESERVED_WRITE = 2
    FAULT_UNDEFINED = 3
    FAULT_QUEUE_REBOUND = 4
    FAULT_HALF_FOR_WORD = 5
    FAULT_HALF_ON_MESSAGE = 6
    FAULT_MESSAGE_OUTSIDE = 7
    FAULT_MESSAGE_DIRECTION = 8
    FAULT_MESSAGE_BANK = 9
    FAULT_MESSAGE_NO_HEADER = 10
    FAULT_DESCRIPTOR = 11
    FAULT_TASK = 12
    FAULT_UNWRITTEN = 13
    EVENT_ISSUE = 1
    EVENT_EXECUTE = 2
    EVENT_LAND = 3
    EVENT_DEPART = 4
    EVENT_TASK = 5
    NO_TASK = 255
    NO_QUEUE = 255
    NO_COLOR = 255
    NO_PORT = 255
    NO_BANK = 255
    MESSAGE_OPEN = 255
    LEFT = 0
    RIGHT = 1
    UP = 2
    DOWN = 3
    CORE = 4
    NO_INPUT = 5
    NOP = 0
    ADVANCE = 1
    RESET = 2
    TEARDOWN = 3
    CE_IGNORE = 4
    STREAM_LOW_SHIFT = 22
    TASK_SHIFT = 16
    ROUTE_INPUT_SHIFT = 5
    ROUTE_OUTPUTS = 31
    OUTPUT_QUEUE_SHIFT = 4
    COLOR_BITS = 31
    QUEUE_ENABLED = 32768
    HEADER_COLUMN_SHIFT = 20
    HEADER_ROW_SHIFT = 8
    HEADER_BITS = 4095
    HEADER_NORTH = 128
    HEADER_SOUTH = 64
    HEADER_OPEN = 32
    HEADER_LENGTH = 31
    POSITION_SHIFT = 11
    TORN_DOWN = 32768
    RING = 4096
    POP_SHIFT = 13
    ABSENT = 160
    SWAP_VERTICAL = 256
    STREAM_BITS = 1069613055
    POP_ALWAYS = 1
    POP_ADVANCE = 2
    POP_ADVANCE_NOP = 3
    DSD_MEMORY = 0
    DSD_WALK = 1
    DSD_FABRIC_IN = 2
    DSD_FABRIC_OUT = 3
    DSD_FIFO = 4
    UNBOUNDED = 65535
    WALK_DIMENSIONS = 0
    WALK_BASE = 1
    WALK_CURRENT = 2
    WALK_FIRST = 3
    WALK_COUNT = 0
    WALK_STRIDE = 1
    WALK_POSITION = 2
    WALK_STEP = 3
    FIFO_BASE = 0
    FIFO_CAPACITY = 1
    FIFO_WORDS = 2
    FIFO_READ = 3
    FIFO_FILL = 4
    OP_MOV16 = 1
    OP_MOV32 = 2
    OP_UMOV16 = 3
    OP_UMOV32 = 4
    OP_PACK32 = 5
    OP_SELECT16 = 6
    OP_SELECT32 = 7
    OP_MOVC = 8
    OP_ADD16 = 16
    OP_SUB16 = 17
    OP_MUL16 = 18
    OP_MAC16 = 19
    OP_AND16 = 20
    OP_OR16 = 21
    OP_XOR16 = 22
    OP_SHL16 = 23
    OP_SHR16 = 24
    OP_SAR16 = 25
    OP_MIN16 = 26
    OP_MAX16 = 27
    OP_MINU16 = 28
    OP_MAXU16 = 29
    OP_ABS16 = 30
    OP_LT16 = 31
    OP_LE16 = 32
    OP_LTU16 = 33
    OP_LEU16 = 34
    OP_EQ16 = 35
    OP_NE16 = 36
    OP_ADD32 = 48
    OP_SUB32 = 49
    OP_MUL32 = 50
    OP_MAC32 = 51
    OP_AND32 = 52
    OP_OR32 = 53
    OP_XOR32 = 54
    OP_SHL32 = 55
    OP_SHR32 = 56
    OP_SAR32 = 57
    OP_MIN32 = 58
    OP_MAX32 = 59
    OP_MINU32 = 60
    OP_MAXU32 = 61
    OP_ABS32 = 62
    OP_LT32 = 63
    OP_LE32 = 64
    OP_LTU32 = 65
    OP_LEU32 = 66
    OP_EQ32 = 67
    OP_NE32 = 68
    OP_FADDS = 80
    OP_FSUBS = 81
    OP_FMULS = 82
    OP_FMACS = 83
    OP_FMSS = 84
    OP_FMINS = 85
    OP_FMAXS = 86
    OP_FABSS = 87
    OP_FNEGS = 88
    OP_LTS = 89
    OP_LES = 90
    OP_EQS = 91
    OP_NES = 92
    OP_FADDH = 96
    OP_FSUBH = 97
    OP_FMULH = 98
    OP_FMACH = 99
    OP_FMSH = 100
    OP_FMINH = 101
    OP_FMAXH = 102
    OP_FABSH = 103
    OP_FNEGH = 104
    OP_LTH = 105
    OP_LEH = 106
    OP_EQH = 107
    OP_NEH = 108
    OP_SXT32 = 112
    OP_ZXT32 = 113
    OP_LOW16 = 114
    OP_I16TOS = 115
    OP_U16TOS = 116
    OP_I32TOS = 117
    OP_U32TOS = 118
    OP_STOI16 = 119
    OP_STOU16 = 120
    OP_STOI32 = 121
    OP_STOU32 = 122
    OP_HTOS = 123
    OP_STOH = 124
    OP_I16TOH = 125
    OP_U16TOH = 126
    OP_I32TOH = 127
    OP_U32TOH = 128
    OP_HTOI16 = 129
    OP_HTOU16 = 130
    OP_HTOI32 = 131
    OP_HTOU32 = 132
    OP_DOTS = 144
    OP_SUMS = 145
    OP_DOTH = 146
    OP_SUMH = 147
    OP_JMP = 160
    OP_JZ16 = 161
    OP_JNZ16 = 162
    OP_JEQ16 = 163
    OP_JNE16 = 164
    OP_JLT16 = 165
    OP_JGE16 = 166
    OP_JLTU16 = 167
    OP_JGEU16 = 168
    OP_CALL = 169
    OP_RET = 170
    OP_NOP = 176
    OP_TERM = 177
    OP_ACT = 178
    OP_BLOCK = 179
    OP_UNBLOCK = 180
    OP_ENTRY = 181
    OP_SUSP = 182
    OP_JOIN = 183
    OP_DTASK = 184
    OP_WAIT = 185
    OP_LDDS = 192
    OP_STDS = 193
    OP_DSBASE = 194
    OP_DSLEN = 195
    OP_DSSTEP = 196
    M16 = 65535
    B15 = 32768

cdef extern from *:
    """
    #define NEVER 4611686018427387904LL
    #define M32 4294967295U
    #define B31 2147483648U
    #define M64 18446744073709551615ULL
    """
    long long NEVER
    unsigned int M32
    unsigned int B31
    unsigned long long M64

ctypedef struct Op:
    int follow
    int target
    unsigned short address
    unsigned short next_address
    unsigned short site
    unsigned short elements
    unsigned short cycles
    unsigned short result
    unsigned char opcode
    unsigned char form
    unsigned char slot
    unsigned char ends_task
    unsigned char flip
    unsigned char keep
    unsigned char no_load
    unsigned char copies
    unsigned char count
    unsigned char first_source
    unsigned char kinds[4]
    unsigned char numbers[4]
    unsigned char wide[4]
    unsigned int values[4]
    unsigned char brings
    unsigned char pad[3]
ctypedef Op *OpP

ctypedef struct Program:
    int code_start
    int code_end
    int index
    int sites
ctypedef Program *ProgramP

ctypedef struct Operand:
    unsigned short low
    unsigned short high
    unsigned char kind
    unsigned char number
    unsigned char wide
ctypedef Operand *OperandP

ctypedef struct Slot:
    long long next
    unsigned int left
    int op
    unsigned char state
    unsigned char endless
    unsigned char queue
    unsigned char receives
    Operand operands[4]
    unsigned char pad[12]
ctypedef Slot *SlotP

ctypedef struct InputQueue:
    long long reference
    unsigned short popped
    unsigned short waiting
    unsigned short config[2]
    unsigned char head
    unsigned char count
    unsigned char half_taken
    unsigned char color
    unsigned char enabled
    unsigned char filter
    unsigned char held
ctypedef InputQueue *InputQueueP

ctypedef struct Filter:
    unsigned int limit
    unsigned int most
    unsigned int count
    unsigned char data
    unsigned char control
ctypedef Filter *FilterP

ctypedef struct OutputQueue:
    long long reference
    unsigned int pushed
    unsigned short waiting
    unsigned short config
    unsigned char head
    unsigned char count
    unsigned char color
    unsigned char open
ctypedef OutputQueue *OutputQueueP

ctypedef struct Channel:
    long long reference
    unsigned long long fifo[4]
    unsigned int room[4]
    unsigned short gone[4]
    unsigned int traffic[5]
    int lane
    unsigned char routes[4]
    unsigned char published[4]
    unsigned char marks[4]
    unsigned char readers[3]
    unsigned char color
    unsigned char positions
    unsigned char input_position
    unsigned char next_position
    unsigned char output_position
    unsigned char swap
    unsigned char pop
    unsigned char ring
    unsigned char stopped
    unsigned char head
    unsigned char count
    unsigned char done
    unsigned char wants
    unsigned char message_port
    unsigned char message_begins
    unsigned char message_left
    unsigned char pad[8]
ctypedef Channel *ChannelP

ctypedef struct Lane:
    unsigned long long words[20]
    unsigned char head[5]
    unsigned char count[5]
ctypedef Lane *LaneP

ctypedef struct Tile:
    long long main_next
    long long pipe
    long long since
    unsigned int occupied
    unsigned int laned
    int pc
    unsigned short runnable
    unsigned short busy_slots
    unsigned char arrivals
    unsigned char main
    unsigned char task
    unsigned char accounted
    unsigned char last_slot
    unsigned char sending
    unsigned char pending_count
    unsigned char logged
    unsigned char fetch
    unsigned char control_heads
    unsigned char routing
    unsigned char banks
    unsigned char teardowns
    unsigned char float_control
    unsigned char last_task
    unsigned char last_output
    unsigned char ramp_color
    unsigned int requests[5]
    unsigned int switching
    unsigned int dirty
    unsigned int reconfigured
    unsigned int finished
    int code_start
    int code_end
    unsigned short wait_mask
    unsigned short fifo_waiters
    unsigned char pointers[5]
    unsigned char main_queue
    unsigned char data_tasks
    unsigned char keeps
    unsigned char held_queues
    unsigned char old_heads
    unsigned char brought
    unsigned char pad[3]
    unsigned short stack_start
    long long spent[4]
    unsigned long long ramp
    long long ramp_due
    long long leave_at
    unsigned int active
    unsigned int blocked
    unsigned int known
    unsigned int masked
    unsigned int named
    unsigned short registers[64]
    long long pending_until[8]
    unsigned char pending_number[8]
    unsigned char queue_of[24]
    unsigned char link_color[32]
    unsigned long long link[32]
    Slot slots[13]
    int channels[24]
    int x
    int y
    int program
    int program_code
    int fetch_address
    unsigned int accumulator
    unsigned short row_id
    unsigned short column_id
    InputQueue inputs[8]
    OutputQueue outputs[8]
    Filter filters[8]
    unsigned char holders[10]
    unsigned short timer_control
    long long timer
    long long timer_since
    long long outside
    unsigned int hello[8]
    unsigned short descriptors[128]
    unsigned short entries[31]
    unsigned short masks[31]
    unsigned int payloads[31]
ctypedef Tile *TileP

ctypedef struct Worker:
    int number
    int first
    int last
    int first_row
    int last_row
    int border
    int step
    int level
    int at
    int pause
    int budget
    int pause_tile
    long long last_active
    long long next_page
    long long end_page
    long long next_channel
    long long end_channel
    long long next_lane
    long long end_lane
    int fault
    int fault_tile
    long long fault_cycle
    int issuing
    int fault_op
    unsigned int fault_details[4]
    int mail_count[2]
    int event_count
    unsigned int drained[5]
    long long visits
ctypedef Worker *WorkerP

ctypedef struct Mail:
    unsigned long long word
    long long cycle
    int tile
    unsigned char port
    unsigned char color
    unsigned char room
    unsigned char kind
ctypedef Mail *MailP

ctypedef struct LogEntry:
    long long cycle
    unsigned long long word
    int tile
    unsigned short address
    unsigned char kind
    unsigned char slot
    unsigned char task
    unsigned char color
    unsigned char port
ctypedef LogEntry *LogEntryP

ctypedef struct Machine:
    Tile *tiles
    long long *wake
    long long *row_wake
    Channel *channels
    Lane *lanes
    unsigned long long *input_words
    unsigned long long *output_words
    int *page_table
    unsigned short *pages
    unsigned int *written
    Op *ops
    int *op_at
    unsigned char *control_tasks
    Program *programs
    Worker *workers
    Mail *mail
    LogEntry *events
    int input_start[8]
    int output_start[8]
    int input_depth[8]
    int output_depth[8]
    int input_places
    int output_places
    int width
    int height
    int tile_count
    int worker_count
    int phase
    int levels
    long long window
    long long window_end
    long long now
    int mail_most
    int event_most
    int shared_pages
    int zero_page
    int check
    unsigned int switching
    unsigned char bank_of[24]
    unsigned char port_color[10]
    unsigned int bank_mask[2]
    long long log_first
    long long log_last
    int fifo_depth
    int main_words
    int config_start
    int config_end
    int memory_end
    int cycle_counter
    int timer_control
    int output_queue
    int input_queue
    int color_config
    int switch_config
    int row_id
    int column_id
    int float_control
    int task_main
    int task_teardown
    int first_software
    int header_to_core
    int hop
    int room_return
    int epoch
    int queue_leave
    int ramp
    int half_join
    int router_to_execute
    int arrival_to_task
    int task_pick
    int scalar
    int scalar_float_result
    int branch_not_taken
    int branch_taken
    int load_to_use
    int descriptor_load
    int descriptor_to_use
    int vector_result
    int fabric_wavelets
    int output_words16
    int reduce_elements
    int reduce_cycles
ctypedef Machine *MachineP
cdef enum:
    LAYOUT = 678295342
