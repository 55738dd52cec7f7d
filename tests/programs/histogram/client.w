// Requests: M amounts for bins, a new gain on the way, and at last a word that everybody reports.

xp param M;

socket ask, set;
xp bin[m=M], amount[m=M];
xp gain[when=2];

wv const REPORT = {0x0000, 0x0007};       // NOP, for task 7
wv const MARK   = {0x0005, 0x000b};       // NOP, for task 11, with something in its low half

{
    let m in [0, M);
    set[] <- gain[0];
    ∀m {
        // Half way the gain changes; a mark on the same color counts the changes.
        if (m == M/2) { set[] <- gain[1]; set[] <- control(MARK); }
        ask[] <- wavelet(amount[m], bin[m]);
    }
    ask[] <- control(REPORT);
}
