"""Small programs, lowered and run on the IR: the final words of one variable."""

import pytest

from tests.carbide.lower.ir_interpreter import Machine
from tests.carbide.lower.programs import lowered

PROGRAMS = {
    "union halves": (
        "union payload { u32 u; xp w[2]; }; u32 r;"
        "{ union payload data; data.w[0] <- 5; data.w[1] <- 1; r <- data.u; }",
        "r", [5, 1],
    ),
    "sign bits of a float": (
        "union w { sp sp; xp xp[2]; } t; { t.sp <- -2.0; t.xp[1] <- t.xp[1] & 0x7fff; }",
        "t", [0, 0x4000],
    ),
    "struct arrays": (
        "struct s { xp a; sp v[2]; } q[3]; xp k = 2;"
        "{ q[1].v[1] <- 1.0; q[0].a <- 7; q[k] = q[1]; q[k].a <- q[0].a + 1; }",
        "q", [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3F80, 8, 0, 0, 0, 0, 0x3F80],
    ),
    "designated initialisers": (
        "struct s { xp a, b; u32 c; } q = {.c=0x10002, .a=3};", "q", [3, 0, 2, 1],
    ),
    "nested initialisers": ("xp m[2][2] = {{1, 2}, {3}};", "m", [1, 2, 3, 0]),
    "flat initialisers": ("xp m[2][2] = {1, 2, 3};", "m", [1, 2, 3, 0]),
    "payloads": ("wv c[2] = {{0x9249, 0x0940}, {1, 2}};", "c", [0x9249, 0x0940, 1, 2]),
    "an alias": ("sp x[2]; xp h[4] address(&x); { h[3] <- 0x3F80; }", "x", [0, 0, 0, 0x3F80]),
    "a local list": (
        "xp r[4]; { xp t[4] = {1, 2}; ∀i in [0,4) r[i] <- t[i]; }", "r", [1, 2, 0, 0],
    ),
    "a long local list": (
        "xp r; { xp t[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; "
        "r <- 0; ∀i in [0,12) r += t[i]; }", "r", [78],
    ),
    "an initialiser at run time": ("xp a[2] = {4, 5}; xp b = a[1] * 2;", "b", [10]),
    "a filled array": ("xp a[3] = 7;", "a", [7, 7, 7]),
    "a window": (
        "xp x[6]; { xp w[2]; w.base = x.base + 2; w[0] <- 3; w.base = (xp)(w.base) + 1;"
        " w[1] <- 4; }", "x", [0, 0, 3, 0, 4, 0],
    ),
    "a global window": (
        "xp a[2], b[2]; { a[1] <- 1; a.base = b.base; a[0] <- 5; }", "b", [5, 0],
    ),
    "arrays by reference": (
        "function fill(xp k, xp a[]) { ∀i in [0,2) a[i] <- k + i; }"
        "xp m[3][2]; xp j = 2; { fill(5, m[0]); fill(7, m[j]); }", "m", [5, 6, 0, 0, 7, 8],
    ),
    "an unsized inner dimension": (
        "function get(xp m[][], xp i) { return m[i][1]; } xp a[2][3] = {1, 2, 3, 4, 5, 6};"
        "xp b[2][2] = {1, 2, 3, 4}; xp r[2]; { r[0] <- get(a, 1); r[1] <- get(b, 1); }",
        "r", [5, 4],
    ),
    "structs by reference": (
        "struct s { xp a; xp b; } q[3]; function swap(struct s x[], union none y) { }"
        .replace(", union none y", "")
        + "function turn(struct s x) { xp t = x.a; x.a <- x.b; x.b <- t; }"
        "xp k = 1; { q[1].a <- 4; turn(q[k]); swap(q[0]); swap(q); }", "q", [0, 0, 0, 4, 0, 0],
    ),
    "functions call functions": (
        "function two(xp k) { return 2*k; } function four(xp k) { return two(two(k)); } xp r;"
        "r <- four(3) + two(1);", "r", [14],
    ),
    "a call changes what stands to its left": (
        "xp a = 1; function set() { a <- 10; return 100; } xp r; r <- a + set();", "r", [101],
    ),
    "an early return": (
        "function first(xp a[], xp v) { ∀i in [0,4) { if (a[i] == v) return i; } return -1; }"
        "xp a[4] = {4, 5, 6, 7}; xp r[2]; { r[0] <- first(a, 6); r[1] <- first(a, 9); }",
        "r", [2, 0xFFFF],
    ),
    "iterators": (
        "xp x[6] = {1, 2, 3, 4, 5, 6}; iterator it = ∀j in [0,2) ∀i in [0,2) x[1 + 3*j + i];"
        "xp r[6]; { ∀k in [0,5) r[k] <- it[]; reset it; r[5] <- it[]; }",
        "r", [2, 3, 5, 6, 2, 2],
    ),
    "a reversed iterator": (
        "xp x[4]; { iterator it = ∀i in [0,4) x[3 - i]; ∀k in [0,3) it[] <- k + 1; }",
        "x", [0, 3, 2, 1],
    ),
    "an iterator with bounds from outside": (
        "xp x[6]; xp n = 2, b = 3; { n <- 3; iterator it = ∀i in [0,n) x[b + i];"
        "∀k in [0,4) it[] <- k + 1; }", "x", [0, 0, 0, 4, 2, 3],
    ),
    "an iterator over a parameter": (
        "function f(xp a[]) { iterator it = ∀i in [0,2) a[i]; ∀k in [0,2) it[] <- k + 8; }"
        "xp m[2][2]; xp j = 1; { f(m[j]); }", "m", [0, 0, 8, 9],
    ),
    "ranges follow other ranges": (
        "xp n = 3, r; let i in [0, n), j in [i + 1, n); { r <- 0; ∀i ∀j r += 1; }", "r", [3],
    ),
    "a range is evaluated when it is walked": (
        "xp n = 0, r; let i in [0, n); { n <- 4; r <- 0; ∀i { n <- 9; r += 1; } }", "r", [4],
    ),
    "an empty range": ("xp r; { r <- 0; i in [3,1) r <- 1; }", "r", [0]),
    "inner names hide outer ones": ("xp a = 1, r; { xp a = 2; { xp a = 3; } r <- a; }", "r", [2]),
    "logical operators stop early": (
        "xp n; function hit() { n += 1; return 1; } xp r; { n <- 0; r <- 0 && hit(); "
        "r <- r + (1 || hit()) + (n == 0 || hit()) + (n && hit()); r <- 10*r + n; }", "r", [20],
    ),
    "a choice evaluates one side": (
        "xp n; function hit(xp k) { n += k; return k; } xp r; { n <- 0; "
        "r <- n ? hit(1) : hit(2); r <- 10*r + n; }", "r", [22],
    ),
    "receives in order": (
        "xp x[4] = {1, 2, 3, 4}; iterator it = ∀i in [0,4) x[i]; xp r; r <- it[] - it[]*it[];",
        "r", [0xFFFB],
    ),
    "a gather": (
        "xp x[4] = {5, 6, 7, 8}; xp idx[3] = {3, 0, 2}; xp r[3]; ∀k in [0,3) r[k] <- x[idx[k]];",
        "r", [8, 5, 7],
    ),
    "an integer sum": ("i32 r; xp a[3] = {1, 2, 3}; ∀i in [0,3) r = ∑ a[i]*a[i];", "r", [14, 0]),
    "a sum added": (
        "sp r = 1.0, a[2] = {2.0, 3.0}; ∀i in [0,2) r += ∑ a[i]*a[i];", "r", [0, 0x4160],
    ),
    "a sum inside an expression": (
        "sp r, a[2] = {2.0, 3.0}; ∀i in [0,2) r = 1.0 + (∑ a[i]*a[i])*2.0;", "r", [0, 0x41D8],
    ),
    "two sums inside an expression": (
        "sp r, a[2] = {2.0, 3.0}; ∀i in [0,2) r = (∑ a[i]) - ∑ a[i]*a[i];", "r", [0, 0xC100],
    ),
    "a sum beside other statements": (
        "sp r, a[3], n = 1.0; ∀i in [0,3) { a[i] <- n; r = ∑ a[i]*a[i]; n += 1.0; }",
        "r", [0, 0x4160],
    ),
    "sums by rows beside other statements": (
        "sp m[2][3], y[2]; xp k = 0; ∀i in [0,2) ∀j in [0,3) { m[i][j] <- k; k += 1;"
        " y[i] = ∑ m[i][j]; }", "y", [0, 0x4040, 0, 0x4140],
    ),
    "two sums under one walk": (
        "xp a[3] = {1, 2, 3}; i32 s, q; ∀i in [0,3) { s = ∑ a[i]; q = ∑ a[i]*a[i]; }",
        "q", [14, 0],
    ),
    "two sums of one stream": (
        "xp x[4] = {1, 2, 3, 4}; iterator it = ∀i in [0,4) x[i]; xp s, q;"
        "∀i in [0,2) { s = ∑ it[]; q += ∑ it[]; }", "s", [4],
    ),
    "types as members": ("struct s { xp xp; sp sp; } q; { q.xp <- 1; q.sp <- 1.0; }", "q",
                         [1, 0, 0, 0x3F80]),
    "wavelets of two halves": (
        "xp x[4]; u32 y[2] address(&x); xp a = -2; { y[0] <- (u32)(u16)a << 16 | (u32)(u16)7; }",
        "x", [7, 0xFFFE, 0, 0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_final_words(name):
    text, variable, words = PROGRAMS[name]
    machine = Machine(lowered(text))
    machine.run()
    assert machine.words(variable) == words


def test_ports():
    sent: list[tuple[str, int]] = []
    taken = iter([0x3FC00000, 7, 9])
    ports = {
        name: (
            lambda width: next(taken) & (1 << width) - 1,
            lambda bits, n=name: sent.append((n, bits)),
        )
        for name in ("r", "s", "t")
    }  # fmt: skip
    text = """
        socket r; sp socket s; xp socket t; xp a = 2; sp f;
        wv const C = {0x9249, 0x0940};
        {
            f <- s[]; t[] <- f; a <- r[] + a; r[] <- a; wv:t[] <- f; r[] <- wavelet(a, 5);
            r[] <- control(C); s[] <- r[]; r[] <- 1; r[] <- f + 1;
        }
    """
    Machine(lowered(text), ports).run()
    expected = [("t", 1), ("r", 9), ("t", 0x3FC00000), ("r", 0x00050009), ("r", 0x09409249)]
    assert sent == [*expected, ("s", 9), ("r", 1), ("r", 0x40200000)]
