"""The machine page's timelines, from programs that carbide and paint build."""

import pytest

import simfabric
from mitools.arch.words import CORE, LEFT, RIGHT
from simfabric.runner import Run
from tests.simfabric.layouts import build

PAIR = """
let c = color()
let send = rect(0 0 1 1)
send : code('send [tx:c N:N])
send : paint(c [C>R])
send : name('send)
let recv = rect(HOPS 0 1 1)
recv : code('recv [rx:c N:N])
recv : paint(c [L>C])
recv : name('recv)
let between = rect(1 0 HOPS-1 1)
between : paint(c [L>R])
union(send between recv)
"""
SEND = """
xp param N;
socket tx;
i32 a[n=N];
{
    xp i = 0;
    while (i < 10) { i += 1; }     // the receiver waits when the first word comes
    let k in [0, N);
    ∀k tx[] <- a[k];
}
"""
RECV = """
xp param N;
socket rx;
i32 a[n=N];
xp done;
{
    let k in [0, N);
    [[uthread.enable(on)]] ∀k a[k] <- rx[];
    done <- 1;
}
"""


def events_of(image):
    """The result and the event log of a whole run."""
    run = Run(image)
    run.mesh.log((0, 0, image.width - 1, image.height - 1))
    found = []
    result = run.finish(each=lambda: found.extend(run.mesh.events()))
    assert result.error is None and result.explanation.clean and not result.explanation.waiting
    return result, found


def cycles(events, x, kind, **wanted):
    return [
        e.cycle
        for e in events
        if e.x == x and e.kind == kind and all(getattr(e, k) == v for k, v in wanted.items())
    ]


@pytest.fixture
def eight_words(tmp_path):
    image = build(tmp_path, PAIR, {"send": SEND, "recv": RECV}, N=8, HOPS=1)
    return events_of(image)[1]


def test_eight_words_over_one_hop(eight_words):
    """Machine page, section 2: the timeline that must hold."""
    departures = cycles(eight_words, 0, "depart", port=RIGHT)
    start = departures[0] - 7
    (address,) = {e.wavelet.address for e in eight_words if e.kind == "depart" and e.x == 0}
    assert cycles(eight_words, 0, "issue", address=address)[0] == start
    assert [c - start for c in departures] == list(range(7, 15))
    assert [c - start for c in cycles(eight_words, 1, "land", port=LEFT)] == list(range(9, 17))
    (receive,) = {e.address for e in eight_words if e.slot and e.x == 1}
    elements = cycles(eight_words, 1, "execute", address=receive)
    assert [c - start for c in elements] == list(range(12, 20))
    after = [e.cycle for e in eight_words if e.x == 1 and e.kind == "issue" and not e.slot]
    assert min(c - start for c in after if c > elements[0]) == 19


@pytest.mark.parametrize("hops", [1, 2, 3, 7, 16])
def test_one_word_over_hops(tmp_path, hops):
    """One word executes at its receiver 10 + 2 hops after the send issues."""
    image = build(tmp_path, PAIR, {"send": SEND, "recv": RECV}, N=1, HOPS=hops)
    _, events = events_of(image)
    (address,) = {e.wavelet.address for e in events if e.kind == "depart" and e.x == 0}
    (sent,) = cycles(events, 0, "issue", address=address)
    (arrived,) = cycles(events, hops, "land", port=LEFT)
    assert arrived == cycles(events, hops, "depart", port=CORE)[0]
    (receive,) = {e.address for e in events if e.slot and e.x == hops}
    (executed,) = cycles(events, hops, "execute", address=receive)
    assert executed - sent == 10 + 2 * hops


RELAYS = """
let r = color()
let rp = color()
let row = rect(0 0 N+2 1)
row : paint(rp [CXR|R])
row : paint(r [L|LXC])
row : colorpair(r rp)
let src = rect(0 0 1 1)
src : code('send [tx:r B:B])
src : name('source)
let stages = rect(1 0 N 1)
stages : code('relay [rx:r tx:r B:B])
let sink = rect(N+1 0 1 1)
sink : code('recv [rx:r B:B])
sink : name('sink)
union(row src stages sink)
"""
CHAIN = {
    "send": """xp param B; socket tx; i32 a[n=B];
        xp clock[n=3] address(0x7B30); xp control[n=1] address(0x7B34); xp sent[n=3];
        {
            control[0] <- 4;
            let i in [0, B);
            ∀i tx[] <- a[i];
            ∀j in [0, 3) sent[j] <- clock[j];
        }""",
    "relay": """xp param B; socket rx; socket tx; i32 a[n=B];
        { let i in [0, B); ∀i a[i] <- rx[]; ∀i tx[] <- a[i]; }""",
    "recv": """xp param B; socket rx; i32 a[n=B];
        xp clock[n=3] address(0x7B30); xp control[n=1] address(0x7B34); xp taken[n=3];
        {
            control[0] <- 4;
            let i in [0, B);
            ∀i a[i] <- rx[];
            ∀j in [0, 3) taken[j] <- clock[j];
        }""",
}


@pytest.mark.parametrize("words", [64, 512])
@pytest.mark.parametrize("stages", [1, 2, 4, 8])
def test_relay_chain(tmp_path, stages, words):
    """Machine page, section 2: N PEs between a source and a sink store and forward B words.

    Measured as programs do, from the last word that the source sent to the last that the sink
    took, by their cycle counters, which both start in the same cycle.
    """
    image = build(tmp_path, RELAYS, CHAIN, N=stages, B=words)
    result = simfabric.run(image)
    assert result.reason == "quiet" and not result.explanation.waiting
    sent, taken = (result.core.get(f"{name}").ravel()[0] for name in ("source.sent", "sink.taken"))
    formula = 1.001 * stages * words + 16.1 * stages + 16.5
    assert int(taken) - int(sent) == pytest.approx(formula, rel=0.05)
