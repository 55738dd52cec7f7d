"""The shape of a machine table. Values live in one module per ARCH (see `sdr`)."""

from attrs import frozen

Rate = tuple[int, int]
"""Elements, cycles: so many elements issue in so many cycles."""


@frozen
class Memory:
    """Word addresses; ends are exclusive."""

    main_words: int
    config_start: int
    config_end: int
    cache_start: int
    cache_end: int
    page_words: int


@frozen
class Router:
    colors: int
    fifo_depth: int
    switching: tuple[int, ...]
    positions: int
    message_banks: tuple[tuple[int, ...], ...]
    message_header_to_core: bool
    """Whether the core at the end of a message's path gets the header before the data."""


@frozen
class Queues:
    """Depths in wavelets, by queue number."""

    inputs: int
    outputs: int
    input_depth: tuple[int, ...]
    output_depth: tuple[int, ...]


@frozen
class Tasks:
    count: int
    data: int
    first_software: int
    teardown: int
    main: int
    microthreads: int
    move_microthreads: int


@frozen
class Registers:
    cycle_counter: int
    timer_control: int
    output_queue: int
    input_queue: int
    color_config: int
    row_id: int
    column_id: int
    switch_config: int
    float_control: int


@frozen
class Timing:
    """Cycles, except where the type is `Rate`."""

    hop: int
    room_return: int
    send_to_router: int
    half_join: int
    half_leave: int
    router_to_execute: int
    arrival_to_task: int
    task_pick: int
    scalar: int
    scalar_float_result: int
    branch_not_taken: int
    branch_taken: int
    load_to_use: int
    descriptor_load: int
    descriptor_to_use: int
    vector_result: int
    copy16: Rate
    copy32: Rate
    integer16: Rate
    integer32: Rate
    float_add: Rate
    float_multiply: Rate
    float_multiply_add: Rate
    accumulate: Rate
    reduce: Rate
    fabric_wavelets: Rate
    output_words16: Rate
    quiet_cycles: int


@frozen
class Arch:
    """One machine. Everything that is a number of the machine is read from here."""

    name: str
    memory: Memory
    router: Router
    queues: Queues
    tasks: Tasks
    registers: Registers
    timing: Timing
