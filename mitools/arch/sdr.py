"""The machine table of ARCH=sdr: every size, address and timing of the machine, once.

Marks: N the Architecture Notes, P published, D decided by this project.
A new ARCH is a new module with another `ARCH` value; nothing else in the tree repeats a number.
"""

from mitools.arch.model import Arch, Memory, Queues, Registers, Router, Tasks, Timing

ARCH = Arch(
    name="sdr",
    memory=Memory(
        main_words=0x6000,  # N: 48 KB of code, data and stack
        config_start=0x7200,  # N
        config_end=0x7F00,
        cache_start=0x7F00,  # N: 256-word data cache
        cache_end=0x8000,
        page_words=0x100,  # D: granule in which the simulator keeps private memory
    ),
    router=Router(
        colors=24,  # N
        fifo_depth=4,  # N
        switching=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 20, 21),  # N
        positions=4,  # N
        message_banks=((14, 15, 16, 17, 18), (19, 20, 21, 22, 23)),  # N; order N, S, E, W, CE is D
        message_header_to_core=True,  # D: the notes hand the message to the CE; a header is part
    ),
    queues=Queues(
        inputs=8,  # N
        outputs=8,  # N
        input_depth=(8, 8, 4, 4, 4, 4, 4, 4),  # P, within the notes' 4 to 16
        output_depth=(8, 8, 8, 8, 8, 8, 8, 8),  # P
    ),
    tasks=Tasks(
        count=31,  # N: 0-7 data tasks of the input queues, 8-30 software
        data=8,
        first_software=8,
        teardown=29,  # P
        main=8,  # D: the task of a program's top-level code
        microthreads=8,  # N
        move_microthreads=4,  # N: these run only umov
    ),
    registers=Registers(
        cycle_counter=0x7B30,  # P: 48 bits, low word first
        timer_control=0x7B34,  # P: bit 2 counts every cycle
        output_queue=0x7B80,  # P: + q; color in bits 4-8
        input_queue=0x7BC0,  # P: + 2q; color in bits 0-4, bit 15 enabled (D)
        color_config=0x7C00,  # P: + c
        row_id=0x7C45,  # N
        column_id=0x7C46,  # N
        switch_config=0x7C80,  # P: + 4c, four words
        float_control=0x7E0C,  # P: bits 0-1 rounding of float to integer
    ),
    timing=Timing(
        hop=2,  # P: link cycles per hop
        room_return=2,  # D: a place freed at t can be used upstream at t+2
        send_to_router=7,  # P: a send issued at t leaves the PE's router at t+7
        half_join=3,  # N, D: a lone half is in its queue from issue+3 ...
        half_leave=6,  # ... and leaves at issue+6 at the earliest
        router_to_execute=3,  # P: an element executes 3 after its wavelet reaches the router
        arrival_to_task=3,  # P: first issue of a task readied by an arrival or a completion
        task_pick=3,  # D: back-to-back task pick
        scalar=1,  # P: integer or move, issue to next issue
        scalar_float_result=2,  # P: dependent result
        branch_not_taken=3,  # P
        branch_taken=6,  # P
        load_to_use=1,  # P
        descriptor_load=1,  # P
        descriptor_to_use=4,  # P
        vector_result=2,  # P: last result after the last issue
        # elements per cycle, as (elements, cycles)
        copy16=(8, 1),  # P
        copy32=(4, 1),  # P
        integer16=(4, 1),  # P: add, sub, mul, multiply-add
        integer32=(2, 1),  # D
        float_add=(2, 1),  # D
        float_multiply=(1, 1),  # D
        float_multiply_add=(1, 2),  # P
        accumulate=(1, 1),  # D from P: the dot accumulator
        reduce=(1, 2),  # P: into a scalar without the accumulator
        fabric_wavelets=(1, 1),  # N, D: fabric operand of an instruction
        output_words16=(4, 1),  # D: memory to output queue
        quiet_cycles=50,  # N, D
    ),
)
