"""Iterators, streams, FIFOs, filters, sums: run on the mesh."""

import numpy as np

from tests.carbide.select.grids import Tile, run

ALONE = (0, 0)


def alone(text: str, **parameters):
    return run({ALONE: Tile(text, parameters=parameters)})


def pair(left: str, right: str):
    names = {"a": 0, "b": 1, "c": 2, "d": 3}
    west = {0: "[C>R]", 1: "[R>C]", 2: "[C>R]", 3: "[R>C]"}
    east = {0: "[L>C]", 1: "[C>L]", 2: "[L>C]", 3: "[C>L]"}

    def used(text: str) -> dict[str, int]:
        return {n: c for n, c in names.items() if f"socket {n};" in text}

    return run({(0, 0): Tile(left, used(left), west), (0, 1): Tile(right, used(right), east)})


def test_iterator_keeps_its_place_between_uses():
    ran = alone("""
    xp x[n=12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    xp got[n=9]; xp first; xp again;
    iterator it = j in [0,4) i in [0,3) x[i*4 + j];
    {
        let k in [0, 9);
        ∀k got[k] <- it[];
        first <- it[];
        reset it;
        again <- it[];
    }
    """)
    assert ran.values(ALONE, "got") == [0, 4, 8, 1, 5, 9, 2, 6, 10]
    assert ran.values(ALONE, "first") == [3]
    assert ran.values(ALONE, "again") == [0]


def test_iterator_starts_again_and_takes_so_many_at_a_time():
    ran = alone("""
    xp x[n=3] = {5, 6, 7};
    xp got[n=8]; xp sum[n=2];
    iterator it = i in [0,3) x[i];
    iterator out = i in [0,8) got[i];
    {
        let k in [0, 8), m in [0, 100);
        ∀k out[] <- it[];
        reset it;
        it.len = 2;
        sum[0] <- 0; ∀m sum[0] += it[];
        it.len = 3;
        sum[1] <- 0; ∀m sum[1] += it[];
    }
    """)
    assert ran.values(ALONE, "got") == [5, 6, 7, 5, 6, 7, 5, 6]
    assert ran.values(ALONE, "sum") == [11, 7 + 5 + 6]


def test_stream_reads_what_it_names_now():
    left = """
    socket a; sp v[n=6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    { let i in [0, 6); ∀i a[] <- v[i]; }
    """
    right = """
    socket a;
    sp zeros[n=1]; sp w[n=3] = {1.0, 10.0, 100.0}; sp acc[n=4];
    iterator z = i in [0,∞) zeros[0];
    u64 dsd[2];
    stream e;
    {
        let k in [0, 3), r in [0, 2);
        dsd[0] = a; dsd[1] = z;
        ∀r { e = dsd[r]; ∀k acc[r] = ∑ (sp)(e[]) * w[k]; }
        e = dsd[0];
        sp t = 0.0; ∀k t += (sp)(e[]);
        acc[2] <- t;
    }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "acc", "<f4") == [321.0, 0.0, 15.0, 0.0]


def test_accumulator_held_over_several_sums():
    ran = alone("""
    sp a[n=4] = {1.0, 2.0, 3.0, 4.0}; sp b[n=4] = {2.0, 2.0, 2.0, 2.0};
    sp one; sp two; sp both; sp rows[n=2];
    {
        let i in [0, 4), r in [0, 2);
        ∀i one = ∑ a[i]*b[i];
        ∀i two = ∑ a[i];
        [[dot.load(off)]] ∀i both = ∑ a[i]*b[i];
        [[dot.state(on), dot.load(off)]] ∀i both = ∑ a[i]*a[i];
        [[dot.state(on)]] ∀i both = ∑ b[i]*b[i];
        ∀r ∀i rows[r] = ∑ a[i]*b[3-i];
    }
    """)
    assert ran.values(ALONE, "one", "<f4") == [20.0]
    assert ran.values(ALONE, "two", "<f4") == [10.0]
    assert ran.values(ALONE, "both", "<f4") == [66.0]
    assert ran.values(ALONE, "rows", "<f4") == [20.0, 20.0]


def test_fifo_between_a_receiver_and_the_program():
    left = "socket a; xp v[n=9] = {1,2,3,4,5,6,7,8,9}; { let i in [0,9); ∀i a[] <- (i32)v[i]; }"
    right = """
    socket a; i32 buf[n=4]; i32 got[n=9];
    i32 fifo ff = {.mem=buf};
    {
        let i in [0, 9), j in [0, 9);
        parallel { ∀i ff[] <- a[]; ∀j got[j] <- ff[]; }
    }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "got", "<i4") == list(range(1, 10))


def test_filter_lets_its_share_through():
    left = "socket a; { let i in [0,12); ∀i a[] <- (i32)i; }"
    right = """
    socket a; i32 got[n=6];
    filter f[counter] = {.limit=3, .maxpass=1, .tick=wavelet, .socket=a};
    { let i in [0, 6); ∀i got[i] <- a[]; }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "got", "<i4") == [0, 1, 4, 5, 8, 9]


def test_teardown_runs_beside_a_waiting_program():
    left = """
    socket a; socket c;
    wv const STOP = {0x0000, 0x01C0};
    { a[] <- 1:i32; a[] <- control(STOP); c[] <- 2:i32; }
    """
    right = """
    socket a; socket c; i32 x; i32 y; xp torn;
    #pragma teardown on
    { torn += 1; }
    { x <- a[]; [[uthread.enable(on)]] y <- c[]; }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "x", "<i4") == [1]
    assert ran.values((0, 1), "y", "<i4") == [2]
    assert ran.values((0, 1), "torn") == [1]


def test_matrix_times_vector_against_numpy():
    rng = np.random.default_rng(7)
    m = rng.standard_normal((6, 5)).astype(np.float32)
    x = rng.standard_normal(5).astype(np.float32)

    def listed(values) -> str:
        return ", ".join(repr(float(v)) for v in np.ravel(values))

    ran = alone(f"""
    sp m[6][5] = {{{listed(m)}}}; sp x[5] = {{{listed(x)}}}; sp y[6]; sp z[6];
    {{
        let i in [0, 6), j in [0, 5);
        ∀i ∀j y[i] = ∑ m[i][j]*x[j];
        ∀i ∀j z[i] <+- m[i][j]*x[j];
    }}
    """)
    expected = []
    for row in m:
        total = np.float32(0)
        for a, b in zip(row, x, strict=True):
            total = np.float32(float(a) * float(b) + float(total))
        expected.append(float(total))
    assert ran.values(ALONE, "y", "<f4") == expected
    assert ran.values(ALONE, "z", "<f4") == expected


def test_a_scalar_taken_before_a_loop_is_not_read_again_in_it():
    ran = alone("""
    sp x[4] = {1.0, 2.0, 3.0, 4.0}; sp s = 2.0; sp y[4] = {1.0, 1.0, 1.0, 1.0};
    {
        let i in [0, 4);
        sp x0 = x[0]; ∀i x[i] <- x[i] - x0;
        sp c = s; ∀i s <+- c*y[i];
    }
    """)
    assert ran.values(ALONE, "x", "<f4") == [0.0, 1.0, 2.0, 3.0]
    assert ran.values(ALONE, "s", "<f4") == [10.0]
