// A taker: of every PERIOD values it keeps the first Q, and hands on the others. The router copies
// what comes onto two colors, and a counter filter stands before each of the two queues.

xp param K, R;                  // values to keep, values to hand on
xp param Q, PERIOD;

sp socket mine [[dir=in, id=2]];
sp socket rest [[dir=in, id=3]];
sp socket tx [[dir=out]];

filter keep[counter] = {.limit=PERIOD-1, .maxpass=Q-1, .tick=wavelet, .socket=mine};
filter hand[counter] = {.limit=PERIOD-1, .maxpass=PERIOD-Q-1, .tick=wavelet, .socket=rest, .state=64};

sp got[n=200];
sp buf[n=5];
sp fifo between = {.mem=buf};

{
    let k in [0, K);
    let r in [0, R);
    parallel {
        ∀k got[k] <- mine[];
        ∀r between[] <- rest[];
        ∀r tx[] <- between[];
    }
}
