"""Which loops become vector instructions, which ones, and which must not."""

import pytest

from carbide.compiler import compile_text
from mitools.console import Diagnostics

DECLARATIONS = """
xp param N = 8; wv const ADV = {0x9249, 0x0940};
xp a[n=8]; xp b[n=8]; xp c[n=8]; xp one[n=1];
sp x[n=16]; sp y[n=16]; sp z[n=16]; sp m[6][4]; sp s; sp k = 2.0; i32 w[n=8]; hp h[n=8];
socket rx; socket tx; socket ry;
xp idx[n=8];
iterator it = i in [0,4) j in [0,2) a[2*j + i];
"""


def lowered(body: str) -> list[str]:
    """The statements of main as the passes leave them, without places and blocks."""
    text = compile_text(
        DECLARATIONS + "{ let i in [0, 8), j in [0, 4), r in [0, 6), t in [0, N); " + body + " }",
        "loop.w",
        stop="ir",
        diagnostics=Diagnostics(quiet=True),
    )
    lines = text[text.index("main {") :].split("\n")
    out = [line.split(" @")[0].strip() for line in lines[1:]]
    return [line for line in out if line not in ("}", "block {", "") and line[:4] != "var "]


ONE = {
    "∀i c[i] <- a[i] + b[i];": "transfer add16 to span.i16(c[0:i16] by 1)"
    " from span.i16(a[0:i16] by 1), span.i16(b[0:i16] by 1) counts (8:i16)",
    "∀i tx[] <- a[i];": "transfer mov16 to stream.i16(tx[])"
    " from span.i16(a[0:i16] by 1) counts (8:i16)",
    "∀i a[i] <- rx[];": "transfer mov16 to span.i16(a[0:i16] by 1)"
    " from stream.i16(rx[]) counts (8:i16)",
    "∀i x[i] <- rx[] + y[i];": "transfer fadds to span.s(x[0:i16] by 2)"
    " from stream.s(rx[]), span.s(y[0:i16] by 2) counts (8:i16)",
    "∀i tx[] <- a[i] + 1;": "transfer add16 to stream.i16(tx[])"
    " from span.i16(a[0:i16] by 1), 1:i16 counts (8:i16)",
    "∀i a[i] <- a[7-i];": "transfer mov16 to span.i16(a[0:i16] by 1)"
    " from span.i16(a[7:i16] by -1) counts (8:i16)",
    "∀i x[2*i] <- y[i] * k;": "transfer fmuls to span.s(x[0:i16] by 4)"
    " from span.s(y[0:i16] by 2), load.s(k[0:i16]) counts (8:i16)",
    "∀i y[i] <+- k*x[i];": "transfer fmacs to span.s(y[0:i16] by 2)"
    " from load.s(k[0:i16]), span.s(x[0:i16] by 2), span.s(y[0:i16] by 2) counts (8:i16)",
    "∀i y[i] -= k*x[i];": "transfer fmss to span.s(y[0:i16] by 2)"
    " from load.s(k[0:i16]), span.s(x[0:i16] by 2), span.s(y[0:i16] by 2) counts (8:i16)",
    "∀i a[i] <- 0;": "transfer mov16 to span.i16(a[0:i16] by 1) from 0:i16 counts (8:i16)",
    "∀i w[i] <- a[i];": "transfer sxt32 to span.i32(w[0:i16] by 2)"
    " from span.i16(a[0:i16] by 1) counts (8:i16)",
    "∀i x[i] <- a[i];": "transfer i16tos to span.s(x[0:i16] by 2)"
    " from span.i16(a[0:i16] by 1) counts (8:i16)",
    "∀i h[i] <- x[i];": "transfer stoh to span.h(h[0:i16] by 1)"
    " from span.s(x[0:i16] by 2) counts (8:i16)",
    "∀i a[i] <- b[i] < c[i];": "transfer lt16 to span.i16(a[0:i16] by 1)"
    " from span.i16(b[0:i16] by 1), span.i16(c[0:i16] by 1) counts (8:i16)",
    "∀i a[i] <- b[i] > c[i];": "transfer lt16 to span.i16(a[0:i16] by 1)"
    " from span.i16(c[0:i16] by 1), span.i16(b[0:i16] by 1) counts (8:i16)",
    "∀i x[i] <- a[i] ? y[i] : z[i];": "transfer select32 to span.s(x[0:i16] by 2)"
    " from span.i16(a[0:i16] by 1), span.s(y[0:i16] by 2), span.s(z[0:i16] by 2) counts (8:i16)",
    "∀i if (a[i]) { x[i] <- y[i]; }": "transfer select32 to span.s(x[0:i16] by 2)"
    " from span.i16(a[0:i16] by 1), span.s(y[0:i16] by 2), span.s(x[0:i16] by 2) counts (8:i16)",
    "∀i s = ∑ x[i]*y[i];": "transfer dots to cell.s(s[0:i16])"
    " from span.s(x[0:i16] by 2), span.s(y[0:i16] by 2) counts (8:i16)",
    "∀i s = ∑ x[i];": "transfer sums to cell.s(s[0:i16]) from span.s(x[0:i16] by 2) counts (8:i16)",
    "∀i s += x[i];": "transfer fadds to cell.s(s[0:i16])"
    " from cell.s(s[0:i16]), span.s(x[0:i16] by 2) counts (8:i16)",
    "∀i s <- max(s, x[i]);": "transfer fmaxs to cell.s(s[0:i16])"
    " from cell.s(s[0:i16]), span.s(x[0:i16] by 2) counts (8:i16)",
    "∀r ∀j m[r][j] <- m[r][j] + s;": "transfer fadds to span.s(m[0:i16] by 8 2)"
    " from span.s(m[0:i16] by 8 2), load.s(s[0:i16]) counts (6:i16, 4:i16)",
    "∀r ∀j x[r] <+- m[r][j]*y[j];": "transfer fmacs to span.s(x[0:i16] by 2 0)"
    " from span.s(m[0:i16] by 8 2), span.s(y[0:i16] by 0 2), span.s(x[0:i16] by 2 0)"
    " counts (6:i16, 4:i16)",
    "∀i it[] <- a[i];": "transfer mov16 to stream.i16(iterator it[])"
    " from span.i16(a[0:i16] by 1) counts (8:i16)",
    "∀i tx[] <- control(ADV);": "transfer movc to stream.u32(tx[])"
    " from 155226697:u32 counts (8:i16)",
    "∀i { sp v; v <- rx[]; x[i] <- v; }": "transfer mov32 to span.s(x[0:i16] by 2)"
    " from stream.s(rx[]) counts (8:i16)",
    "∀i x[i] <- wv:rx[];": "transfer mov32 to span.s(x[0:i16] by 2)"
    " from stream.u32(rx[]) counts (8:i16)",
    "∀inf tx[] <- rx[];": "transfer mov32 to stream.u32(tx[]) from stream.u32(rx[]) counts (inf)",
}


@pytest.mark.parametrize("body", ONE)
def test_one_instruction(body):
    assert lowered(body) == [ONE[body]]


def mnemonics(body: str) -> list[str]:
    return [line.split()[1] if line.startswith("transfer") else line.split()[0]
            for line in lowered(body)]  # fmt: skip


@pytest.mark.parametrize(
    "body,expected",
    [
        # compound expressions go through temporaries, each operation rounding as the scalar one
        ("∀i z[i] <- x[i]*y[i] + x[i]*k;", ["fmuls", "fmuls", "fadds"]),
        ("∀i x[i] <- (x[i] + y[i]) * (x[i] - y[i]);", ["fadds", "fsubs", "fmuls"]),
        ("∀i tx[] <- x[i]*k + y[i];", ["fmuls", "fadds"]),
        ("∀i x[i] <- (rx[] + y[i]) * k;", ["fadds", "fmuls"]),
        ("∀i s = ∑ (x[i] - y[i])*z[i];", ["fsubs", "dots"]),
        # several statements
        ("∀i { x[i] <- y[i]*k; z[i] <- x[i] + k; }", ["fmuls", "fadds"]),
        ("∀i { sp d = x[i] - y[i]; z[i] <- d*d; }", ["fsubs", "fmuls"]),
        ("∀i { x[i] <- rx[]; s += x[i]; }", ["mov32", "fadds"]),
        ("∀i { x[i+1] <- y[i]; z[i] <- x[i+1]; }", ["mov32", "mov32"]),
        ("∀i { x[i] <- y[i]; z[i] <- x[i]; }", ["mov32", "mov32"]),
        ("∀i if (x[i] < k) { x[i] <- k; } else { x[i] <- y[i]; }", ["lts", "select32"]),
    ],
)
def test_several_instructions(body, expected):
    assert mnemonics(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        # what a later round reads is written by an earlier one: not through temporaries
        "∀i x[i+1] <- x[i]*k + y[i];",
        "∀i { y[i] <- x[i]; x[i+1] <- k; }",
        "∀i x[i] <- x[7-i]*k + y[i];",
        # two instructions that wait: to take all from one before the other may stop neighbours
        "∀i { tx[] <- x[i]; y[i] <- rx[]; }",
        "∀i x[i] <- rx[]*k + ry[]*s;",
        "∀i tx[] <- rx[]*k + x[i];",
        # gathers, divisions, values of the loop's own variable
        "∀i a[i] <- b[idx[i]];",
        "∀i a[i] <- b[i] / c[i];",
        "∀i a[i] <- i;",
        "∀i { s += x[i]; y[i] <- s; }",
    ],
)
def test_stays_a_loop(body):
    assert lowered(body)[0].startswith("loop")


def test_run_time_ranges():
    assert mnemonics("xp n = a[0]; t in [2, n) x[t] <- y[t];")[-1] == "mov32"
    (line,) = [x for x in lowered("xp n = a[0]; t in [2, n) x[t] <- y[t];") if "transfer" in x]
    assert line.endswith("counts (add(n:i16, -2:i16))")


def test_empty_ranges_are_nothing():
    assert lowered("i in [3, 3) x[i] <- y[i];") == []


def test_conversions_of_fused_products_stay_unfused():
    """Rounding is the scalar form's: an array element never fuses but in an accumulation."""
    assert mnemonics("∀i z[i] <- z[i] + x[i]*y[i];") == ["fmuls", "fadds"]
    assert mnemonics("∀i z[i] <+- x[i]*y[i];") == ["fmacs"]


LONG = "sp u[n=1000]; sp v[n=1000]; sp p[m=300][d=3]; xp last; sp total;"


@pytest.mark.parametrize(
    "body,rounds,left",
    [
        ("i in [0, 1000) v[i] <- u[i]*u[i] + u[i]*k;",
         "below 896:i16 step 128", "counts (104:i16)"),
        ("i in [0, 300) j in [0, 3) p[i][j] <- (p[i][j] + k)*(p[i][j] - k);",
         "below 294:i16 step 42", "counts (6:i16, 3:i16)"),
        ("i in [2, last) v[i] <- u[i]*u[i-1] + u[i]*k;", "step 128", "counts (min(128:i16"),
        ("∀q total = ∑ (u[q] - v[q])*u[q];", "below 896:i16 step 128", "counts (104:i16)"),
    ],
)  # fmt: skip
def test_long_loops_with_temporaries_go_in_strips(body, rounds, left):
    text = compile_text(
        f"{LONG} sp k; {{ let q in [0, 1000); {body} }}",
        "loop.w",
        stop="ir",
        diagnostics=Diagnostics(quiet=True),
    )
    loops = [line for line in text.split("\n") if line.strip().startswith("loop")]
    assert len(loops) == 1
    assert rounds in loops[0]
    assert left in text
