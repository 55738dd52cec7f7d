"""Broken layouts, through `paint`."""

from pathlib import Path

import pytest
from broken import LAYOUT, Case, check, put, run

BUILD = "paint source=bench.paint lib=. set=N=4 image=out.obj map=out.map"
OUTPUTS = ("out.obj", "out.map")


def layout(name: str, text: bytes | str, *says: str, command: str = BUILD) -> Case:
    return Case(
        name,
        command,
        (r"bench\.paint:(\d+:\d+:| error:)", *says),
        {"bench.paint": text},
        outputs=OUTPUTS,
    )


def program(name: str, file: str, text: bytes | str, *says: str) -> Case:
    """A good layout with a broken program."""
    return Case(name, BUILD, says, {file: text}, outputs=OUTPUTS)


def instead(old: str, new: str) -> str:
    assert old in LAYOUT
    return LAYOUT.replace(old, new)


CASES = [
    layout("binary junk", bytes(range(256)) * 8),
    layout("UTF-8 that is none", b"let a = \xff\n", "UTF-8"),
    layout("null bytes", LAYOUT + "\0\0"),
    layout("an open parenthesis", "let a = rect(0 0 1 1\na"),
    layout("a parenthesis too many", LAYOUT + ")"),
    layout("an open bracket", instead("[C>R]", "[C>R")),
    layout("an open comment", "(* (* *)\n" + LAYOUT),
    layout("an open string", 'include "part.paint\n'),
    layout("an unknown operation", instead("hstack(", "hstak("), "hstak", "hstack"),
    layout(
        "an unknown name", instead("hstack(send recv)", "hstack(sender recv)"), "sender", "send"
    ),
    layout("a misspelt value", instead("N:N", "N:NN"), "NN"),
    layout("no last expression", "let a = tile()\n"),
    layout("a number as layout", "let a = 3\na\n"),
    layout("an empty layout", "rect(0 0 0 5)\n"),
    layout("a negative width", "rect(0 0 -1 5)\n"),
    layout("a huge width", "rect(0 0 99999999999999 99999999999999)\n"),
    layout("a layout beyond any wafer", "let a = rect(0 0 100000 100000)\na : name('a)\na\n"),
    layout("a division by zero", "rect(0 0 1 1//0)\n"),
    layout("too few arguments", "rect(0 0 1)\n"),
    layout("too many arguments", "rect(0 0 1 1 1)\n"),
    layout("a symbol as a number", "rect(0 0 'one 1)\n"),
    layout("a route without input", instead("[C>R]", "[Q>R]")),
    layout("a route with two inputs", instead("[C>R]", "[CL>R]")),
    layout("five switch positions", instead("[C>R]", "[C>R ; C>R ; C>R ; C>R ; C>R]")),
    layout("mixed swaps", instead("[C>R]", "[CXR ; CHR]")),
    layout("a color that is none", instead("let c = color()", "let c = color(24)"), "24"),
    layout(
        "a switching rule on a color that cannot",
        instead("let c = color()", "let c = color(10)").replace("[C>R]", "[C>R ; L>R]"),
        "10",
    ),
    layout("two programs on a PE", LAYOUT.replace("hstack(", "union("), "paint:3", "paint:7"),
    layout("two rules on a PE", instead("send : name", "send : paint(c [C>L])\nsend : name")),
    layout("a route nobody takes", instead("recv : paint(c [L>C])\n", "")),
    layout("a program that is not there", instead("code('send", "code('sand"), "sand"),
    layout("a socket that nobody binds", instead("tx:c ", ""), "tx"),
    layout("a socket that is not there", instead("tx:c", "tz:c"), "tz"),
    layout("a param that is not there", instead("[tx:c N:N]", "[tx:c N:N M:2]"), "M"),
    layout("a param without a value", instead("[tx:c N:N]", "[tx:c]"), "N"),
    layout(
        "a broken pair",
        "let a = color(3)\nlet b = color(5)\nlet t = tile()\nt : paint(a [L>R])\n"
        "t : paint(b [L>R])\nt : colorpair(a b)\nt\n",
    ),
    layout(
        "more colors than there are",
        "let t = tile()\n"
        + "".join(f"let c{k} = color()\nt : paint(c{k} [L>R])\n" for k in range(25))
        + "t\n",
    ),
    Case(
        "nine colors to receive on",
        BUILD,
        (r"many\.w:25:8", "input queue"),
        {
            "bench.paint": "let t = tile()\nt : code('many ["
            + " ".join(f"s{k}:color({k})" for k in range(9))
            + "])\nt\n",
            "many.w": "".join(f"socket s{k};\nxp a{k};\na{k} <- s{k}[];\n" for k in range(9)),
        },
        outputs=OUTPUTS,
    ),
    layout("operations nested deeply", "hstack(" * 20_000 + "tile()" + ")" * 20_000),
    layout("operations that stay open", "hstack(" * 20_000),
    layout("a definition that calls itself", "define f(n) { f(n+1) }\nf(0)\n"),
    layout("an include of itself", 'include "bench.paint"\ntile()\n'),
    layout("an include that is not there", 'include "part.paint"\ntile()\n', "part.paint"),
    layout("a sum without end", "rect(0 0 1 " + "1+" * 200_000 + "1)\n"),
    layout("a repetition without end", "hstackrep(tile() 999999999)\n"),
    layout("an escape sequence", "let a = \x1b[31m\n"),
    Case("no such layout", BUILD, (r"bench\.paint",), {"bench.paint": None}, outputs=OUTPUTS),
    Case(
        "a folder as layout", BUILD, (r"bench\.paint",), folders=("bench.paint",), outputs=OUTPUTS
    ),
    layout("an empty file", ""),
    layout("only a comment", "(* nothing *)\n"),
    Case(
        "a missing value",
        "paint source=bench.paint image=out.obj map=out.map",
        ("N",),
        outputs=OUTPUTS,
    ),
    Case("a value that is none", BUILD.replace("N=4", "N=four"), ("four",), outputs=OUTPUTS),
    Case("an odd set", BUILD.replace("set=N=4", "set=4"), ("set=`4`",)),
    Case("a misspelt key", BUILD.replace("image=", "imag="), ("imag", "image")),
    Case("an unknown word", BUILD + " verbos", ("verbos", "verbose")),
    Case("threads that are none", BUILD + " threads=many", ("many",)),
    Case("an unknown machine", BUILD + " arch=wse9", ("wse9", "sdr")),
    Case("half a toolname", BUILD + " toolname w", ("toolname",)),
    Case(
        "a compiler that is not there", BUILD + " toolname w carbid", ("carbid",), outputs=OUTPUTS
    ),
    program(
        "a broken program",
        "send.w",
        "xp param N;\nsocket tx;\nxp a[n=N];\na[0] <- b;\n",
        r"send\.w:4:9",
    ),
    program("a program of junk", "recv.w", bytes(range(200)), r"recv\.w:\d"),
    program(
        "a program that is too large",
        "send.w",
        "xp param N;\nsocket tx;\nxp a[n=24000];\nxp b[n=24000];\ntx[] <- a[0];\ntx[] <- b[0];\n",
        r"24,?576",
    ),
    program("both programs broken", "send.w", "a", r"send\.w:1"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_broken_layout(case: Case, good: Path) -> None:
    check(case, good)


@pytest.mark.parametrize(
    "text",
    [LAYOUT.replace("\n", "\r\n"), "\ufeff" + LAYOUT, LAYOUT.rstrip(), LAYOUT.replace("\n", " ")],
    ids=["CRLF", "byte order mark", "no last line end", "one line"],
)
def test_unusual_layout_is_fine(text: str, good: Path) -> None:
    put(good, "bench.paint", text)
    done = run(BUILD.split(), good)
    assert done.returncode == 0, done.stderr
    assert (good / "out.obj").exists() and (good / "out.map").exists()
