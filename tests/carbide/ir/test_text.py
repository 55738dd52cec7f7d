"""Printing and reading back the IR."""

import pytest

from carbide.ir.nodes import Const, Var
from carbide.ir.text import TextError, parse, parse_expression, show
from carbide.ir.verify import IrError, verify

EVERYTHING = """\
program "add" source "add.w"
region a "xp" words 1 dims n=8
region b "xp" words 1 dims n=8 address 0x7f00 init 1 2 3 @4:5
region c "sp" words 2 dims n=8 m=2 bank 2 hidden
socket tx type s direction out queue 3 @1:1
fifo ff s region c capacity 16
iterator it s region c offset 4 dims inf:0 8:2 length 3
filter f socket tx limit 3 maxpass 1 data state 64
function g(x:s, p:u16) -> s {
  var y:s
  y:s = add(x:s, 1.5:s)
  return y:s @3:4
}
main {
  var i:i16
  var y:s
  loop i:i16 from 0:i16 below 8:i16 step 1 {
    a[i:i16] = add(load.i16(a[i:i16]), load.i16(b[i:i16]))
    send tx[] load.i16(a[i:i16]) @3:4
    a[add(i:i16, -3:i16)] = 0:i16
  } @2:3
  if lt(i:i16, 3:i16) {
    send fifo ff[] 0x7fc00000:s
  } else {
    y:s = receive.s(iterator it[])
  }
  while {
    flip tx
  } test lt(i:i16, 4:i16) do {
    call g(y:s, &a) to y:s
  }
  parallel {
    arm {
      forever {
      }
    }
    arm {
      dispatch tx forever {
        data value y:s {
        }
        control value i:i16 task 7 {
          return
        }
      }
    }
  }
  sum.s keep to c[0:i16] {
    accumulate.s 1.0:s, 2.0:s
  }
  loop i:i16 from 0:i16 below inf step 1 {
    evaluate receive.s(stream c[0:i16][])
  }
  length it inf
  start it &c counts (inf, 4:i16)
  transfer add16 to span.i16(a[0:i16] by 1) from span.i16(b[1:i16] by -1), 3:i16 counts (8:i16)
  transfer mov32 flip to stream.s(tx[]) from span.s(c[0:i16] by 4 2) counts (inf, 2:i16)
  transfer dots keep noload to none from span.s(c[0:i16] by 2), y:s counts (4:i16)
  transfer fadds to cell.s(c[0:i16]) from cell.s(c[0:i16]), stream.s(tx[]) counts (4:i16)
  return
}
teardown {
}
"""


def test_every_form_prints_and_reads_back():
    program = verify(parse(EVERYTHING))
    assert show(program) == EVERYTHING
    assert parse(show(program)) == program


def test_places_survive():
    program = parse(EVERYTHING)
    store = program.main.body[0]
    assert (store.place.file, store.place.line, store.place.column) == ("add.w", 2, 3)


@pytest.mark.parametrize(
    "text,bits",
    [("-0.0:s", 0x80000000), ("0x7fc00001:s", 0x7FC00001), ("1e-45:s", 1), ("1.0:h", 0x3C00)],
)
def test_float_constants_keep_their_bits(text, bits):
    constant = parse_expression(text)
    assert constant.bits == bits
    assert parse_expression(show(constant)) == constant


def test_unicode_names():
    assert parse_expression("rcut²:s") == Var("s", "rcut²")
    assert parse_expression("Δx⁻¹:i16") == Var("i16", "Δx⁻¹")


def test_integers_wrap_to_their_type():
    assert parse_expression("-1:i32") == Const("i32", 0xFFFFFFFF)


@pytest.mark.parametrize("text", ["", 'program "x" source "y"', 'program "x" source "y" main {'])
def test_damaged_text_is_an_error(text):
    with pytest.raises(TextError):
        parse(text)


@pytest.mark.parametrize(
    "statement,reason",
    [
        ("x:s = 1:i16", "assignment of another type"),
        ("z:s = 1.0:s", "undeclared variable"),
        ("b[0:i16] = 1:i16", "unknown region"),
        ("send rx[] 1:i16", "unknown socket"),
        ("x:s = add(x:s, 1:i16)", "sides of two types"),
        ("x:s = xor(x:s, x:s)", "operation"),
        ("leave out", "label outside"),
        ("call f()", "unknown function"),
        ("i:i16 = select(i:i16, receive.i16(tx[]), 0:i16)", "effect"),
    ],
)
def test_verifier_finds(statement, reason):
    text = 'program "x" source "x.w"\nregion a "xp" words 1\nsocket tx\nmain {\n'
    text += f"var x:s\nvar i:i16\n{statement}\n}}\n"
    with pytest.raises(IrError, match=reason):
        verify(parse(text))
