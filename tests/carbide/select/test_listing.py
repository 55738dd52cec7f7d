"""The instructions that programs become, in full where the language's page says which."""

import re

import pytest

from carbide.compiler import compile_text
from carbide.isa.assembler import assemble
from mitools.console import Diagnostics, UserError


def assembly(text: str, **parameters) -> str:
    return compile_text(
        text, "list.w", stop="asm", parameters=parameters, diagnostics=Diagnostics(quiet=True)
    )


def code(text: str, **parameters) -> list[str]:
    """Instructions and labels, registers numbered as they appear, internal names made short."""
    listing = assembly(text, **parameters)
    body = listing[listing.index(".code") :].split(".data")[0].split("\n")[1:]
    lines = [re.sub(r"\.(descriptor|temporary)", r".", x).strip() for x in body]
    names: dict[str, str] = {}
    return [
        re.sub(r"\bR\d+", lambda m: names.setdefault(m[0], f"r{len(names)}"), x)
        for x in lines
        if x and not x.startswith(".line")
    ]


def test_vector_add_is_one_instruction():
    text = "xp a[n=8]; xp b[n=8]; xp c[n=8]; { let i in [0, 8); ∀i c[i] <- a[i] + b[i]; }"
    assert code(text) == [
        "main:",
        "ldds DS0, .0",
        "ldds DS1, .1",
        "ldds DS2, .2",
        "add16.t [DS2], [DS0], [DS1]",
    ]


def test_relay_has_one_descriptor_load_between_receive_and_send():
    text = "socket rx; socket tx; sp a[n=9]; { let i in [0, 9); ∀i a[i] <- rx[]; ∀i tx[] <- a[i]; }"
    assert code(text) == [
        "main:",
        "ldds DS0, .0",
        "ldds DS1, .1",
        "mov32 [DS1], [DS0]",
        "ldds DS2, .2",
        "mov32.t [DS2], [DS1]",
    ]


def test_eight_way_exchange():
    sockets = "".join(f"socket s{k}; " for k in range(4))
    arms = "".join(f"s{k}[] <- v; " for k in range(4)) + "".join(
        f"g{k} <- s{k}[]; " for k in range(4)
    )
    text = f"{sockets} sp v; sp g0, g1, g2, g3; sp t; {{ parallel {{ {arms} }} t <- g0 + g1; }}"
    assert code(text) == [
        "main:",
        "mov32 r0, [v]",
        *[f"mov32.u{k} OQ{k}, r0" for k in range(4)],
        *[f"mov32.u{4 + k} [g{k}], IQ{k}" for k in range(4)],
        "susp 8, 255",
        "fadds.t [t], [g0], [g1]",
    ]


def test_select_forms():
    text = "sp h; sp a; sp b; sp v; { sp r; r <- b; if (v > 0.0:sp) { r <- a; } h <- r; }"
    assert code(text) == [
        "main:",
        "lts r0, 0.0, [v]",
        "select32.t [h], r0, [a], [b]",
    ]


def test_gather_loop():
    text = """
    sp t[n=64]; xp idx[n=16]; sp f; xp cnt;
    { j in [0, cnt) { xp m = idx[j]; f += t[m] * t[m+1]; } }
    """
    assert code(text) == [
        "main:",
        "mov16 r0, [cnt]",
        "mov32 r1, [f]",
        "jge16 0, r0, .done3",
        "mov16 r2, 0",
        ".loop2:",
        "shl16 r3, [r2+idx], 1",
        "add16 r2, r2, 1",
        "fmacs r1, [r3+t], [r3+t+2], r1",
        "jlt16 r2, r0, .loop2",
        ".done3:",
        "mov32.t [f], r1",
    ]


def test_while_and_if_fuse_comparison_and_branch():
    text = "xp n; xp s; { while (n > 0) { if (n & 1) { s += n; n -= 3; } n -= 1; } }"
    assert code(text) == [
        "main:",
        "mov16 r0, [n]",
        "mov16 r1, [s]",
        "jge16 0, r0, .done5",
        ".loop2:",
        "and16 r2, r0, 1",
        "jz16 r2, .join4",
        "add16 r1, r0, r1",
        "sub16 r0, r0, 3",
        ".join4:",
        "sub16 r0, r0, 1",
        "jlt16 0, r0, .loop2",
        ".done5:",
        "mov16 [n], r0",
        "mov16.t [s], r1",
    ]


def test_descriptors_stay_loaded_over_a_loop():
    text = """
    sp m[16][8]; sp v[8]; sp y[16];
    { let r in [0, 16), k in [0, 8); ∀r { sp t = 0.0; ∀k t <- t + m[r][k]*v[k]; y[r] <- t; } }
    """
    lines = code(text)
    loop = lines[lines.index(".loop2:") :]
    assert not any(line.startswith("ldds") for line in loop)
    assert sum(line.startswith("dsbase") for line in loop) == 1


def test_text_of_the_last_stage_assembles_to_the_same_words():
    text = """
    socket rx; socket tx; sp a[n=9] bank(2); sp b[n=4][m=3]; xp r[4] address(0x7f10);
    function f(sp x[], xp k) { i in [0, k) { x[i] <- x[i] / 3.5 + x[0] / x[1]; } return k + 1; }
    {
        let i in [0, 9), j in [0, 4), k in [0, 3);
        ∀i a[i] <- rx[];
        xp n = f(a, 9); n = f(a, n - 3) + f(b[1], 2);
        ∀j ∀k b[j][k] <+- a[k]*a[j];
        parallel { ∀i tx[] <- a[i]; { sp t; t <- rx[]; tx[] <- t * t; } }
        while (n > 0) { n -= r[n & 3]; }
        r[0] <- n;
    }
    """
    made = compile_text(text, "list.w", diagnostics=Diagnostics(quiet=True))
    again = assemble(assembly(text), "list", "list.w")
    assert again.code == made.code
    assert again.data == made.data
    assert again.symbols == made.symbols
    assert again.tasks == made.tasks
    assert again.places == made.places


def test_banks_and_addresses():
    text = "sp a[n=100] bank(2); sp b[n=10] bank(0); xp c[4] address(0x7f10); sp d; { d <- 1.0; }"
    made = compile_text(text, "list.w", diagnostics=Diagnostics(quiet=True))
    at = {s.name: s.address for s in made.symbols}
    assert 0x3000 <= at["a"] < 0x4800
    assert at["b"] < 0x1800
    assert at["c"] == 0x7F10
    assert all(at[name] % 2 == 0 for name in "abd")


@pytest.mark.parametrize("address,what", [("0x0000", "code"), ("0x5fff", "stack")])
def test_arrays_over_code_or_stack_are_errors(address, what):
    text = f"socket a; xp r[1] address({address}); xp q;"
    text += "{ xp t; parallel { t <- a[]; } q <- t + r[0]; }"
    with pytest.raises(UserError, match=what) as caught:
        assembly(text)
    assert "list.w:1:" in caught.value.render()


def test_too_large_a_program_lists_what_takes_the_space():
    with pytest.raises(UserError, match=r"needs 260\d\d words") as caught:
        assembly("sp a[n=13000]; xp c; { c <- 1; a[0] <- 1.0; }")
    assert "26000 words  a" in caught.value.render()
