"""Broken Tungsten sources, through `carbide`."""

from pathlib import Path

import pytest
from broken import SEND, Case, check, put, run

COMPILE = "carbide source=send.w set=N=4 object=out.object listing=out.json"


def source(name: str, text: bytes | str, *says: str, command: str = COMPILE) -> Case:
    """A send.w that does not compile; the first thing said of it names the place in the file."""
    return Case(
        name,
        command,
        (
            r"send\.w:(\d+:\d+| error: (this program is nested too deeply|the program needs \d+))",
            *says,
        ),
        {"send.w": text},
        outputs=("out.object", "out.json"),
    )


HEAD = "xp param N;\nsocket tx;\nxp a[n=N];\nlet i in [0, N);\n"
CASES = [
    source("binary junk", bytes(range(256)) * 8),
    source("an ELF in place of a source", b"\x7fELF\x02\x01\x01" + bytes(200)),
    source("null bytes inside", HEAD + "a[0] <- 1;\0\0 a[1] <- 2;\n"),
    source("UTF-8 that is none", HEAD.encode() + b"a[0] <- \xff\xfe1;\n", "UTF-8"),
    source("UTF-16", HEAD.encode("utf-16")),
    source("a quarter of a word", HEAD + "∀i a[i"),
    source("an open brace", HEAD + "{ a[0] <- 1;"),
    source("a brace too many", HEAD + "{ a[0] <- 1; } }"),
    source("an open comment", HEAD + "/* a[0] <- 1;"),
    source("a missing semicolon", HEAD + "a[0] <- 1\na[1] <- 2;"),
    source("an unknown name", HEAD + "b[0] <- 1;", "did you mean|no .*b|not declared|unknown"),
    source("a misspelt name", HEAD + "∀i aa[i] <- 1;", "aa"),
    source("a misspelt type", "xq a;\na <- 1;", "xq"),
    source("one name twice", HEAD + "xp a;", "a"),
    source("an index outside", "xp a[n=4];\na[4] <- 1;", "4"),
    source("a negative index", "xp a[n=4];\na[-1] <- 1;"),
    source("an array of negative size", "xp a[n=-3];\na[0] <- 1;"),
    source("an array larger than memory", "xp param N;\nxp a[n=30000];\na[0] <- 1;"),
    source("a huge array", "sp a[n=99999999999999999999];\na[0] <- 1.0;"),
    source("a huge number", "i32 a;\na <- 99999999999999999999999999999999999999;"),
    source("a digit string without end", "i32 a;\na <- " + "9" * 100_000 + ";"),
    source("division of constants by zero", "xp const z = 1 / 0;\nxp a;\na <- z;"),
    source("a dimension that is no constant", "xp k;\nxp a[n=k];\na[0] <- 1;"),
    source("parentheses nested deeply", "xp a;\na <- " + "(" * 20_000 + "1" + ")" * 20_000 + ";"),
    source("blocks nested deeply", "{" * 20_000 + "}" * 20_000),
    source("a minus after another", "xp a;\na <- " + "-" * 50_000 + "1;"),
    source("a list nested deeply", "xp a[n=1] = " + "{" * 9_000 + "1" + "}" * 9_000 + ";"),
    source("a recursion", "function f(xp k) { return f(k); }\nxp a;\na <- f(1);", "recurs"),
    source("too many arguments", "function f(xp k) { return k; }\nxp a;\na <- f(1, 2);"),
    source("a function that is not there", "xp a;\na <- g(1);", "g"),
    source("a call of a variable", "xp a;\na <- a(1);"),
    source("an import that is not there", "import nowhere;\nxp a;\na <- 1;", "nowhere"),
    source("an import of itself's junk", "import ;\n"),
    source(
        "more arms than microthreads",
        "socket s;\nxp a[n=20];\nparallel {\n"
        + "".join(f"a[{k}] <- s[];\n" for k in range(20))
        + "}",
    ),
    source(
        "nine sockets that receive",
        "xp param N;\n" + "".join(f"socket s{k};\nxp a{k};\na{k} <- s{k}[];\n" for k in range(9)),
    ),
    source("a receive on an output", "socket s [[dir=out]];\nxp a;\na <- s[];"),
    source("an assignment to a param", HEAD + "N <- 3;", "N"),
    source("an assignment to a number", "3 <- 4;"),
    source("a string", 'xp a;\na <- "text";'),
    source("a line of a million characters", "xp a; a <- " + "1+" * 50_000 + ";"),
    source("an escape sequence", "xp a;\na <- \x1b[31mred;\n"),
    source("only an operator", "∀"),
    source("an error in a long line", "xp a;\n" + "a <- 1; " * 5_000 + "a <- q;", "q"),
    source("thousands of errors", "".join(f"x{k} <- {k};\n" for k in range(3_000))),
    source("param without a value", "xp param M;\nxp a;\na <- M;", "M"),
    Case(
        "a value for no param",
        "carbide source=send.w set=N=4 set=NN=5 object=out.object",
        ("NN", "N"),
        outputs=("out.object",),
    ),
    Case(
        "a value that is no number",
        "carbide source=send.w set=N=four object=out.object",
        ("four",),
        outputs=("out.object",),
    ),
    Case(
        "no such source",
        "carbide source=nowhere.w object=out.object",
        (r"nowhere\.w",),
        outputs=("out.object",),
    ),
    Case(
        "a folder as source",
        "carbide source=send.w set=N=4 object=out.object",
        (r"send\.w",),
        folders=("send.w",),
        outputs=("out.object",),
    ),
    Case(
        "a folder as object", "carbide source=send.w set=N=4 object=out", ("out",), folders=("out",)
    ),
    Case("a stage that is not there", "carbide source=send.w set=N=4 stop=asmm", ("asmm", "asm")),
    Case("a misspelt key", "carbide sauce=send.w", ("sauce", "source")),
    Case(
        "a key twice", "carbide source=send.w source=recv.w set=N=4 object=out.object", ("source",)
    ),
    Case(
        "an unknown machine",
        "carbide source=send.w set=N=4 arch=sdrr object=out.object",
        ("sdrr", "sdr"),
    ),
    Case("an object that is none", "carbide dis object=send.w", (r"send\.w",)),
    Case(
        "an empty object",
        "carbide dis object=send.object",
        (r"send\.object",),
        {"send.object": b""},
    ),
    Case(
        "a truncated object",
        "carbide dis object=send.object",
        (r"send\.object",),
        changes={"send.object": lambda data: data[:-7]},
    ),
    Case(
        "a damaged object",
        "carbide dis object=send.object",
        (r"send\.object",),
        changes={"send.object": lambda data: data[:90] + bytes([data[90] ^ 1]) + data[91:]},
    ),
    Case(
        "assembly junk",
        "carbide asm source=x.s object=out.object",
        (r"x\.s:1",),
        {"x.s": "frob R1, R2\n"},
    ),
    Case(
        "an assembly operand",
        "carbide asm source=x.s object=out.object",
        (r"x\.s:2",),
        {"x.s": "; fine\nadd16 R1, R99, R2\n"},
        outputs=("out.object",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_broken_source(case: Case, good: Path) -> None:
    check(case, good)


@pytest.mark.parametrize(
    "text",
    [
        SEND.replace("\n", "\r\n"),
        "\ufeffxp param N;\nsocket tx;\nxp a[n=N];\n{ let i in [0, N); ∀i tx[] <- a[i]; }",
        "xp param N;socket tx;xp a[n=N];{let i in[0,N);∀i tx[]<-a[i];}",
        "// nothing but what has to be there\nxp param N; socket tx; xp a[n=N];",
        "",
    ],
    ids=["CRLF", "byte order mark", "no blanks, no last line end", "only declarations", "empty"],
)
def test_unusual_source_is_fine(text: str, good: Path) -> None:
    put(good, "send.w", text)
    done = run(["carbide", "source=send.w", *(["set=N=4"] if text else []), "object=o"], good)
    assert done.returncode == 0, done.stderr
    assert (good / "o").exists()
