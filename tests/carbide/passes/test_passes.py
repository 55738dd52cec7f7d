"""The small passes, each on IR text."""

import pytest

from carbide import passes
from carbide.ir.text import parse, show
from mitools.console import UserError

HEAD = """program "p" source "p.w"
region a "sp" words 2 dims n=8
region n "xp" words 1
socket tx
socket rx
"""


def after(names: tuple[str, ...], text: str) -> str:
    """Main's statements after some passes, and the functions that are left."""
    program = passes.run(parse(HEAD + text), names)
    out = show(program)
    kept = out[out.index(program.sockets[-1].name) :].split("\n")[1:]
    return "\n".join(x for x in kept if not x.strip().startswith("var "))


def test_a_small_function_is_inlined():
    text = """
    function f(x:s) -> s { var y:s
      y:s = mul(x:s, x:s)
      return y:s }
    main { var z:s
      call f(2.0:s) to z:s
      a[0:i16] = z:s
      call f(3.0:s) to z:s
      a[2:i16] = z:s }
    """
    assert after(("inline",), text) == """main {
  x.f1:s = 2.0:s
  y.f1:s = mul(x.f1:s, x.f1:s)
  z:s = y.f1:s
  a[0:i16] = z:s
  x.f2:s = 3.0:s
  y.f2:s = mul(x.f2:s, x.f2:s)
  z:s = y.f2:s
  a[2:i16] = z:s
}
"""


def test_early_returns_leave_the_inlined_body():
    text = """
    function f(x:i16) -> i16 {
      if x:i16 { return 1:i16 }
      return 2:i16 }
    main { var z:i16
      call f(n:i16) to z:i16
      n[0:i16] = z:i16 }
    """.replace("f(n:i16)", "f(load.i16(n[0:i16]))")
    assert after(("inline",), text) == """main {
  x.f1:i16 = load.i16(n[0:i16])
  breakable .return.f1 {
    if x.f1:i16 {
      z:i16 = 1:i16
      leave .return.f1
    }
    z:i16 = 2:i16
    leave .return.f1
  }
  n[0:i16] = z:i16
}
"""


def test_a_large_function_called_twice_stays_a_function():
    work = "\n".join(f"a[{2 * k}:i16] = add(load.s(a[{2 * k}:i16]), x:s)" for k in range(8))
    text = f"function f(x:s) {{ {work} }} main {{ call f(1.0:s)\n call f(2.0:s) }}"
    assert after(("inline",), text).count("call f") == 2
    waiting = text.replace("main {", "main { parallel { arm { call f(3.0:s) } }")
    assert after(("inline",), waiting).count("call f") == 3
    sending = waiting.replace("x:s) {", "x:s) { send tx[] x:s\n", 1)
    assert "call f" not in after(("inline",), sending)


def test_constants_and_addresses_spread_and_integers_fold():
    text = """
    main { var p:u16
      var k:i16
      var unused:s
      p:u16 = &a
      k:i16 = add(mul(3:i16, 4:i16), neg(2:i16))
      unused:s = load.s(a[0:i16])
      *(p:u16)[shl(k:i16, 1:i16)] = mul(2.0:s, 3.0:s)
      if lt(k:i16, 3:i16) { n[0:i16] = 1:i16 } else { n[0:i16] = 2:i16 } }
    """
    assert after(("propagate",), text) == """main {
  a[20:i16] = mul(2.0:s, 3.0:s)
  block {
    n[0:i16] = 2:i16
  }
}
"""


def test_receives_stay_when_nobody_reads_them():
    text = "main { var x:s\n x:s = receive.s(rx[]) }"
    assert after(("propagate",), text) == "main {\n  evaluate receive.s(rx[])\n}\n"


def test_flip_goes_to_the_send_before_it():
    text = "main { send tx[] 1:i16\n n[0:i16] = 1:i16\n flip tx }"
    assert "send.flip tx[] 1:i16" in after(("flips",), text)
    loop = "loop i:i16 from 0:i16 below 4:i16 step 1 { send tx[] i:i16 } flip tx"
    loop = f"main {{ var i:i16\n {loop} }}"
    assert after(("flips",), loop).count("send.flip tx[] i:i16") == 1
    assert "if ge(add(i:i16, 1:i16), 4:i16)" in after(("flips",), loop)


def test_flip_without_a_send_is_an_error():
    with pytest.raises(UserError, match="nothing is sent on `tx`"):
        after(("flips",), "main { n[0:i16] = 1:i16\n flip tx }")


@pytest.mark.parametrize(
    "statement,selects",
    [
        ("if lt(0.0:s, x:s) { y:s = x:s }", 1),
        ("if lt(0.0:s, x:s) { y:s = x:s } else { y:s = neg(x:s) }", 1),
        ("if lt(0.0:s, x:s) { y:s = x:s\n x:s = 0.0:s }", 0),  # one feeds the other
        ("if lt(0.0:s, x:s) { a[0:i16] = x:s }", 0),  # a store must not happen by itself
        ("if lt(0.0:s, x:s) { y:s = receive.s(rx[]) }", 0),
        ("if lt(0.0:s, x:s) { y:s = div(x:s, y:s) }", 0),
    ],
)
def test_short_branches_become_selects(statement, selects):
    text = "main { var x:s\n var y:s\n x:s = load.s(a[0:i16])\n y:s = x:s\n" + statement
    assert after(("selects",), text + "\n a[2:i16] = y:s }").count("select(") == selects
