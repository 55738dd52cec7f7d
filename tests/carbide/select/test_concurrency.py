"""Parallel arms, microthreads, dispatches, handlers, teardown: run on the mesh."""

import pytest

from carbide.isa.disassembler import object_text
from mitools.console import UserError
from tests.carbide.select.grids import Tile, compiled, run

RIGHT, LEFT = "[C>R]", "[L>C]"


def pair(left: str, right: str, extra: dict | None = None):
    """Two tiles; a (0) goes right, b (1) goes left, c (2) right, d (3) left."""
    names = {"a": 0, "b": 1, "c": 2, "d": 3}
    west = {0: "[C>R]", 1: "[R>C]", 2: "[C>R]", 3: "[R>C]"}
    east = {0: "[L>C]", 1: "[C>L]", 2: "[L>C]", 3: "[C>L]"}

    def used(text: str) -> dict[str, int]:
        return {n: c for n, c in names.items() if f"socket {n};" in text}

    return run({(0, 0): Tile(left, used(left), west), (0, 1): Tile(right, used(right), east)})


def test_arms_run_side_by_side():
    swap = """
    socket a; socket b;
    sp mine = {mine}; sp theirs[n=4]; sp v[n=4] = {{1.0, 2.0, 3.0, 4.0}};
    {{
        let i in [0, 4), j in [0, 4);
        parallel {{ ∀i {out}[] <- v[i]; ∀j theirs[j] <- {into}[]; }}
        ∀i theirs[i] <- theirs[i] + mine;
    }}
    """
    left = swap.format(mine="10.0", out="a", into="b")
    ran = pair(left, swap.format(mine="20.0", out="b", into="a"))
    assert ran.values((0, 0), "theirs", "<f4") == [11.0, 12.0, 13.0, 14.0]
    assert ran.values((0, 1), "theirs", "<f4") == [21.0, 22.0, 23.0, 24.0]


def test_scalars_received_in_arms_are_there_after_the_block():
    left = "socket a; socket b; xp x; { xp y; parallel { a[] <- 5:xp; y <- b[]; } x <- y + 1; }"
    right = "socket a; socket b; xp x; { xp y; y <- a[]; b[] <- y * 2; x <- y; }"
    ran = pair(left, right)
    assert ran.values((0, 0), "x") == [11]
    assert ran.values((0, 1), "x") == [5]


def test_block_arms_run_in_their_own_order():
    left = """
    socket a; socket b; socket c;
    xp got[n=3]; xp done;
    {
        xp t;
        parallel {
            { a[] <- 1:xp; got[0] <- b[]; t <- got[0] + 1; a[] <- t; got[1] <- b[]; }
            { c[] <- 100:xp; c[] <- 200:xp; }
            got[2] <- 7;
        }
        done <- got[0] + got[1] + t;
    }
    """
    right = """
    socket a; socket b; socket c;
    xp seen[n=4];
    {
        seen[0] <- c[]; seen[1] <- c[];
        seen[2] <- a[]; b[] <- seen[2] + 10;
        seen[3] <- a[]; b[] <- seen[3] + 20;
    }
    """
    ran = pair(left, right)
    assert ran.values((0, 0), "got") == [11, 32, 7]
    assert ran.values((0, 0), "done") == [11 + 32 + 12]
    assert ran.values((0, 1), "seen") == [100, 200, 1, 12]


def test_parallel_in_a_loop_keeps_locals_over_the_waits():
    left = """
    socket a; socket b; xp total; xp rounds;
    {
        xp sum = 0; xp k = 3;
        i in [0, 5) {
            xp x;
            parallel { a[] <- (xp)(i * k); x <- b[]; }
            sum <- sum + x + i;
            if (x > 6) { k <- k + 1; }
        }
        total <- sum; rounds <- k;
    }
    """
    right = "socket a; socket b; { i in [0, 5) { xp x; x <- a[]; b[] <- (xp)(x + 1); } }"
    total, k = 0, 3
    for i in range(5):
        x = i * k + 1
        total += x + i
        k += x > 6
    ran = pair(left, right)
    assert ran.values((0, 0), "total") == [total]
    assert ran.values((0, 0), "rounds") == [k]


def test_uthread_choice_gives_other_tasks_a_turn():
    """The handler must run while the main program waits for the microthread."""
    left = """
    socket a; socket b; socket c;
    xp seen; xp got;
    parallel {
        forever dispatch(b) { wavelet(x) { seen <- (xp)x; c[] <- (xp)(seen + 1); } }
        { [[uthread.enable(on)]] got <- d[]; a[] <- got; }
    }
    """.replace("socket c;", "socket c; socket d;")
    right = """
    socket a; socket b; socket c; socket d;
    xp back; xp last;
    { b[] <- 41:xp; back <- c[]; d[] <- back; last <- a[]; }
    """
    ran = pair(left, right)
    assert ran.values((0, 0), "seen") == [41]
    assert ran.values((0, 1), "last") == [42]


def test_dispatch_once_then_go_on():
    left = "socket a; { a[] <- wavelet(7:xp, 3:xp); a[] <- wavelet(9:xp, 4:xp); }"
    right = """
    socket a; xp value[n=2]; xp index[n=2]; xp after;
    {
        xp k = 0;
        dispatch(a) { wavelet(x, i) { value[k] <- x; index[k] <- i; k <- k + 1; } }
        after <- k;
        dispatch(a) { wavelet(x, i) { value[k] <- x; index[k] <- i; k <- k + 1; } }
        after <- after + 10 * k;
    }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "value") == [7, 9]
    assert ran.values((0, 1), "index") == [3, 4]
    assert ran.values((0, 1), "after") == [21]


def test_handler_that_receives_its_wavelet_itself():
    left = "socket a; xp v[n=6] = {1, 2, 3, 4, 5, 6}; { let i in [0, 6); ∀i a[] <- (i32)v[i]; }"
    right = """
    socket a; i32 sum; xp calls;
    forever dispatch(a) {
        wavelet() { i32 x; i32 y; x <- a[]; y <- a[]; sum += x * y; calls += 1; }
    }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "sum", "<i4") == [2 + 12 + 30]
    assert ran.values((0, 1), "calls") == [3]


def test_control_wavelets_start_the_handlers_they_name():
    left = """
    socket a;
    wv const SEVEN = {0, 7}; wv const TEN = {0, 10};
    { a[] <- control(SEVEN); a[] <- control(TEN); a[] <- 5:i32; a[] <- control(SEVEN); }
    """
    right = """
    socket a; xp seven; xp ten; i32 data;
    forever dispatch(a) {
        control(12) { ten += 1; }
        control(11) { seven += 1; }
        wavelet(x) { data <- x; }
    }
    """
    left = left.replace("{0, 7}", "{0, 11}").replace("{0, 10}", "{0, 12}")
    ran = pair(left, right)
    assert ran.values((0, 1), "seven") == [2]
    assert ran.values((0, 1), "ten") == [1]
    assert ran.values((0, 1), "data", "<i4") == [5]


def test_endless_relay_holds_nothing_up():
    left = "socket a; socket b; i32 x[n=20]; { let i in [0,20); ∀i a[] <- (i32)i; ∀i x[i] <- b[]; }"
    right = """
    socket a; socket b; xp after;
    ∀inf b[] <- a[];
    after <- 3;
    """
    ran = pair(left, right)
    assert ran.values((0, 0), "x", "<i4") == list(range(20))
    assert ran.values((0, 1), "after") == [3]


def test_endless_work_beside_the_program():
    left = "socket a; socket b; i32 x[n=6]; { let i in [0,6); ∀i a[] <- (i32)i; ∀i x[i] <- b[]; }"
    right = """
    socket a; socket b; xp after; i32 last;
    ∀inf { i32 t; t <- a[]; last <- t; b[] <- t * t + 1; }
    after <- 3;
    """
    ran = pair(left, right)
    assert ran.values((0, 0), "x", "<i4") == [k * k + 1 for k in range(6)]
    assert ran.values((0, 1), "after") == [3]
    assert ran.values((0, 1), "last", "<i4") == [5]


def test_blocked_programs_leave_true_memory():
    """A core that stops in a receive shows what the program had computed by then."""
    left = "socket a; { a[] <- 4:xp; a[] <- 5:xp; }"
    right = """
    socket a; xp count; xp sum;
    forever { xp x; x <- a[]; count += 1; sum += x; }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "count") == [2]
    assert ran.values((0, 1), "sum") == [9]


def test_nine_arms_are_too_many():
    arms = " ".join(f"s{k}[] <- 1:xp;" for k in range(5)) + " ".join(
        f"x{k} <- r{k}[];" for k in range(4)
    )
    sockets = " ".join(f"socket s{k};" for k in range(5)) + "".join(
        f"socket r{k}; xp x{k};" for k in range(4)
    )
    with pytest.raises(UserError, match="microthreads"):
        compiled(f"{sockets} parallel {{ {arms} }}")
    eight = arms.replace("s4[] <- 1:xp;", "")
    compiled(f"{sockets} parallel {{ {eight} }}")


def test_too_many_queues_are_named():
    sockets = " ".join(f"socket r{k}; xp x{k};" for k in range(9))
    body = " ".join(f"x{k} <- r{k}[];" for k in range(9))
    with pytest.raises(UserError, match="8 input queues") as caught:
        compiled(f"{sockets} {{ {body} }}")
    assert "r0" in caught.value.render()


def test_sockets_of_one_color_share_a_queue():
    text = "socket a; socket b; xp x; xp y; { x <- a[]; y <- b[]; }"
    shared = {s.name: s.input_queue for s in compiled(text, {"a": 3, "b": 3}).sockets}
    assert shared == {"a": 0, "b": 0}
    apart = {s.name: s.input_queue for s in compiled(text, {"a": 3, "b": 4}).sockets}
    assert apart == {"a": 0, "b": 1}


def test_queue_named_by_id():
    text = "socket a; socket b [[dir=in, id=0]]; xp x; xp y; { x <- a[]; y <- b[]; }"
    assert {s.name: s.input_queue for s in compiled(text).sockets} == {"a": 1, "b": 0}


def test_control_handler_for_any_task_gets_the_payload():
    left = """
    socket a;
    wv const ONE = {0x1234, 11}; wv const TWO = {5, 20};
    { a[] <- control(ONE); a[] <- 3:i32; a[] <- control(TWO); }
    """
    right = """
    socket a; u32 seen[n=2]; xp named; i32 data; xp k;
    forever dispatch(a) {
        control(11) { named += 1; }
        control(d) { seen[k] <- d; k += 1; }
        wavelet(x) { data <- x; }
    }
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "seen", "<u4") == [20 << 16 | 5, 0]
    assert ran.values((0, 1), "named") == [1]
    assert ran.values((0, 1), "data", "<i4") == [3]


def test_one_block_beside_transfers_is_no_task_of_its_own():
    """It goes on where it stands, with the main program's registers and descriptors."""
    text = """
    socket a; socket b; xp v[5] = {1, 2, 3, 4, 5}; xp x; xp y; xp z;
    { parallel { i in [0, 5) a[] <- v[i]; { x <- b[]; y <- x + 1; x <- b[]; y <- y*x; } {} }
      y <- y - 1; }
    """
    one, two = text.replace("{}", ""), text.replace("{}", "{ z <- b[]; z <- z + x; }")
    assert [" act " in object_text(compiled(t)) for t in (one, two)] == [False, True]
    answer = """
    socket a; socket b; xp got[n=5];
    { parallel { k in [0, 5) got[k] <- a[]; b[] <- 6:xp; } b[] <- 7:xp; }
    """
    ran = pair(one, answer)
    assert ran.values((0, 0), "y") == [48]
    assert ran.values((0, 1), "got") == [1, 2, 3, 4, 5]


def test_memory_that_a_microthread_writes_is_read_again():
    left = "socket a; socket b; { a[] <- 5:xp; xp go; go <- b[]; a[] <- 6:xp; }"
    right = """
    socket a; socket b; xp x; xp polls; xp got;
    ∀inf x <- a[];
    while (x != 5) { polls += 1; }
    b[] <- 1:xp;
    while (x == 5) { polls += 1; }
    got <- x;
    """
    ran = pair(left, right)
    assert ran.values((0, 1), "got") == [6]
    assert ran.values((0, 1), "polls")[0] > 2
