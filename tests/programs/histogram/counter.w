// A counter: K bins, those with numbers K*ID … K*ID + K-1. It has no program of its own, only
// handlers: what arrives on two colors runs them.

xp param ID, K;

xp socket ask;
xp socket set;
xp socket report;

xp count[k=K];
xp gain = 1;
xp changes, strangers;
u32 mark;

wv const ADVANCE = {0x9249, 0x0940};

parallel {
    forever dispatch(ask) {
        wavelet(x, i) {
            xp bin = i - ID*K;
            if (bin >= 0 && bin < K) { count[bin] += x*gain; }
            else { strangers += 1; }
        }
        control(7) {
            let k in [0, K);
            ∀k report[] <- count[k];
            report[] <- strangers;
            report[] <- ID;
            report[] <- control(ADVANCE);
        }
    }
    forever dispatch(set) {
        wavelet(g) { gain <- g; }
        control(d) { mark <- d; changes += 1; }
    }
}
