"""Programs that came out wrong once: found at random, kept small."""

import pytest

from tests.carbide.comparison import compiled, difference, executed, interpreted, simulated

FOUND = {
    "the last value of a loop's variable, kept behind the loop": """
        xp a[2] = {0, -2};
        u16 n = 2;
        { ∀i in [0,n & 7) a[1] <- i; }
    """,
    "an element of an iterator, taken once a round": """
        hp const C = 0.1;
        u32 a[5] = {0, 0, 10, 1, 1};
        xp b[7];
        iterator it = i in [0,4) a[i];
        { ∀k in [1,4) b[k+1] <- it[] * C; }
    """,
    "a sum in a memory cell, over walks that nothing depends on": """
        u32 a = 1;
        sp s[2] = {-1e-45, 3.0};
        { i in [0,4) s[0] <+- (sp)(3 - a); }
    """,
    "a constant product that fuses with what it is taken from": """
        sp a = 0.333;
        { a -= (65535:u16 * 0.1:sp); }
    """,
    "the empty sum of another type": """
        i32 a[3] = {100000, 7, 1};
        hp b[3] = {1.0, 2.0, 3.0};
        xp n = 0;
        { i in [0,3) j in [0,n) a[i] += ∑ b[i]; }
    """,
}


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_what_was_found(text):
    object_ = compiled(text)
    assert not difference(interpreted(text), executed(object_))
    assert not difference(interpreted(text), simulated(object_))
