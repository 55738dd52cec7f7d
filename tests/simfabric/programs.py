"""Assembly programs of the machine tests. Each keeps what it saw at named symbols.

Times are the low word of the cycle counter, read by the instruction that issues in that cycle;
the counter is started by the first instructions, so tests compare absolute cycles from `started`.
"""

from carbide.object import Object
from tests.simfabric.machine import program

COUNTER = 0x7B30
TIMER = 0x7B34


def sender(words: int, queue: int = 0) -> Object:
    """Sends `words` 32-bit values, 1, 2, …, in one vector instruction.

    `at` is the cycle in which the instruction before the send issued.
    """
    values = ", ".join(f"{k}, 0" for k in range(1, words + 1))
    return program(
        "send",
        f"""
        .socket "tx" "u32" none OQ{queue} 1 12
        .task 8 main active open
        .symbol "at" "u16" at 1
        main: .line "send.w" 3 5
        mov16 [0x{TIMER:x}], 4
        ldds DS0, out
        ldds DS1, values
        nop
        nop
        nop
        nop
        nop
        mov16 R0, [0x{COUNTER:x}]
        mov32 [DS0], [DS1]
        mov16 [at], R0
        term
        .data
        at: .word 0
        .align 2
        out: .word 3, {queue}, {words}, 0
        values: .word 0, from, {words}, 2
        .align 2
        from: .word {values}
        """,
    )


def receiver(words: int, queue: int = 0) -> Object:
    """Receives `words` 32-bit values by microthread 0; task 9 runs when it has ended.

    `done` is the cycle in which task 9's first instruction issued.
    """
    return program(
        "recv",
        f"""
        .socket "rx" "u32" IQ{queue} none 1 12
        .task 8 main active open
        .symbol "got" "u32" got 2 "k" {words}
        .symbol "done" "u16" done 1
        main: .line "recv.w" 3 5
        mov16 [0x{TIMER:x}], 4
        ldds DS0, into
        ldds DS1, values
        mov32.u0 [DS1], [DS0]
        susp 9, 1
        mov16 R0, [0x{COUNTER:x}]
        mov16 [done], R0
        term
        .data
        done: .word 0
        into: .word 2, {queue}, {words}, 0
        values: .word 0, got, {words}, 2
        .align 2
        got: .space {2 * words}
        """,
    )


def relay(words: int, source: int = 0, to: int = 0) -> Object:
    """Receives `words` 32-bit values into memory, then sends them on."""
    return program(
        "relay",
        f"""
        .socket "rx" "u32" IQ{source} none 1 12
        .socket "tx" "u32" none OQ{to} 2 12
        .task 8 main active open
        .symbol "got" "u32" got 2 "k" {words}
        main: .line "relay.w" 4 5
        ldds DS0, into
        ldds DS1, values
        mov32 [DS1], [DS0]
        .line "relay.w" 5 5
        ldds DS2, out
        ldds DS1, values
        mov32 [DS2], [DS1]
        term
        .data
        into: .word 2, {source}, {words}, 0
        out: .word 3, {to}, {words}, 0
        values: .word 0, got, {words}, 2
        .align 2
        got: .space {2 * words}
        """,
    )
