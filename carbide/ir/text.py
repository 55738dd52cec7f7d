"""The IR's text: `show` prints a program or a part of it, `parse` reads it back.

    program "heat" source "heat.w"
    region a "xp" words 1 dims n=8 bank 2 init 1 2 3
    socket tx type s direction out queue 3
    fifo ff s region buf capacity 16
    iterator it s region x offset 4 dims inf:0 8:2 length 3
    filter f socket rx limit 3 maxpass 1 data control state 64
    function f(x: s, p: u16) -> s { … }      main { … }      teardown { … }

A body declares its variables and local regions first, then has one statement a line, `@line:col`
behind it. Expressions are calls named after their operation: `add(load.s(a[shl(i:i16, 1:i16)]),
1.5:s)`; `a[e]` is e words after region a, `*(p:u16)[e]` after an address. Ports are `tx[]`,
`fifo ff[]`, `iterator it[]`, `stream e[0:i16][]`.
"""

from carbide.ir.printing import show, show_constant, show_element, show_expression, show_port
from carbide.ir.reading import TextError, parse, parse_body, parse_expression

__all__ = [
    "TextError",
    "parse",
    "parse_body",
    "parse_expression",
    "show",
    "show_constant",
    "show_element",
    "show_expression",
    "show_port",
]
