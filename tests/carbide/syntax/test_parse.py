"""Every form of the language, and the spellings that mean the same."""

import subprocess
import sys

import pytest

from carbide.syntax import ast, parse_text
from mitools.console import UserError


def items(text: str):
    return parse_text(text, "t.w").items


def expression(text: str) -> ast.Expression:
    return items(f"a <- {text};")[0].value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a <- b;", "a ← b;"),
        ("a <- b;", "a = b;"),
        ("a <+- b;", "a ←̟ b;"),
        ("a <+- b;", "a += b;"),
        ("∀i a[i] <- 1;", "forall i a[i] <- 1;"),
        ("∀i in [0,N) a[i] <- 1;", "i ∈ [0,N) a[i] <- 1;"),
        ("let i in [0,∞);", "let i ∈ [0, inf);"),
        ("∀∞ t[] <- r[];", "∀inf t[] <- r[];"),
        ("a <- ∑ b[i]*c[i];", "a <- sum b[i]*c[i];"),
        ("a <- b <= c;", "a <- b ≤ c;"),
        ("a <- b != c;", "a <- b ≠ c;"),
        ("#pragma uthread enable on\nt[] <- a;", "[[uthread.enable(on)]] t[] <- a;"),
        ("{ a <- 1; }", "{ /* a */ a <- 1; // b\n }"),
        ("xp x\u0302;", "xp \u0078\u0302;"),
        ("xp \u00e9;", "xp e\u0301;"),
        ("a <- b; // end", "\ufeffa <- b;"),
        ("if (a < -1) b <- 2;", "if (a<-1) b<-2;"),
        ("x <- .5;", "x <- .5;"),
    ],
)
def test_spellings(one, other):
    assert items(one) == items(other)


@pytest.mark.parametrize(
    "text",
    [
        "xp param N; xp param A = 1, B = 2; sp param Δt;",
        "xp const w = 2*p; sp const C = 1.0/3.0;",
        "sp x[n=N][m=2*M], y[N], z bank(1), r[2] address(0x7c00) = {0x9249, 0x0940};",
        "xp a[4] = {1, 2} bank(2);",
        "struct data { sp r; sp v[3]; union { u32 u; xp w[2]; }; } cf[n=N];",
        "union w { sp sp; xp xp[2]; }; union w t; { t.sp <- 1.0; t.xp[1] <- 2; }",
        "typedef sp vec3[3]; vec3 r⃗₀, x̂;",
        "iterator it = ∀inf ∀zp ∀ip x[BASE+zp+ip*ZP];",
        "iterator it = i in [0,∞) j in [0,2) zz[j], two = ∀i x[i];",
        "stream e; u64 d[9]; { d[0] = s0; e = d[3]; x <- e[]; y <- (sp)(e[]); }",
        "sp fifo ff = {.mem=buf};",
        "filter f[counter] = {.limit=L, .maxpass=M, .tick=wavelet, .socket=rx, .state=64};",
        "socket r; sp socket rx, tx; xp socket c [[dir=in, id=3]];",
        "wv:tx[] ← x[i];",
        "tx[] <- control(ADV); tx[] <- wavelet(x, i); tx.flip;",
        "it.len = 3; reset it; reset a, b; av.base = (xp)(x.base);",
        "forever dispatch(s) { wavelet(x, i) { } control(7) { } control(d) { a <- 1; } }",
        "parallel { a <- r[]; { b <- 1; t[] <- b; } forever dispatch(s) { wavelet() { } } }",
        "#pragma teardown on { x <- 1; }",
        "function f(xp k, sp a[], sp b[][], sp c[n+w][m], struct S s[], union U u) { return k; }",
        "function g(sp socket s, stream e, iterator it) { return; }",
        "main { while (a) { a -= 1; } forever { b *= 2; } }",
        "{ [[dot.state(on), dot.load(off)]] ∀i acc = ∑ c[i]*d[i]; }",
        "import geometry; import a.b, c;",
        "{ #pragma uthread enable on\n }",
        "sp socket = 1.0; xp fifo, stream; { socket <- 2.0; fifo <- stream; filter <- in[sum]; }",
        "x <- (u32)(u16) hi << 16 | (u32)(u16) lo;",
        "x <- c ? 1.0:sp : -0.5:sp;",
        ";",
        "",
    ],
)
def test_forms(text):
    items(text)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", "a-b, c"),
        ("a + b * c", "a, b*c"),
        ("a * b + c", "a*b, c"),
        ("a << b + c", "a, b+c"),
        ("a & b == c", "a, b==c"),
        ("a || b && c", "a, b&&c"),
    ],
)
def test_precedence(text, tree):
    left, right = tree.split(", ")
    top = expression(text)
    assert (top.left, top.right) == (expression(left), expression(right))


def test_casts_and_sums():
    assert expression("(sp)(x) * y") == ast.Binary(
        "*", ast.Cast("sp", ast.Name("x")), ast.Name("y")
    )
    assert expression("∑ a*b + c").left == ast.Sum(expression("a*b"))
    assert expression("-a * b").left == ast.Unary("-", ast.Name("a"))


def test_typed_literals_and_ternaries():
    assert expression("0.0:sp") == ast.Number("0.0", 0.0, "sp")
    chosen = expression("c ? a : b ? d : e")
    assert chosen.no == expression("b ? d : e")


def test_places_are_where_things_stand():
    (loop,) = items("\n  ∀i\n    a[i] <- bc + 1;\n")
    assert loop.place[1:3] == (2, 3)
    assert loop.body.place[1:3] == (3, 5)
    assert loop.body.value.left.place[1:] == (3, 13, 15)


def test_long_chains_and_deep_nests():
    items("a <- " + " + ".join(["b"] * 3000) + ";")
    items("a <- " + "(" * 2000 + "b" + ")" * 2000 + ";")
    with pytest.raises(UserError, match="too deeply"):
        items("a <- " + "-" * 30000 + "b;")


def test_without_a_cache_folder(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = "from carbide.syntax import parse_text; print(len(parse_text('xp a; {}', 't').items))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"XDG_CACHE_HOME": str(blocked), "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert done.stdout == "2\n"


def test_a_damaged_cache_is_replaced(tmp_path):
    code = "from carbide.syntax import parse_text; print(len(parse_text('xp a;', 't').items))"
    environment = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env=environment,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("1\n", "")
        (tables,) = (tmp_path / "wolframite").glob("*.tables")
        tables.write_bytes(tables.read_bytes()[:1000])
