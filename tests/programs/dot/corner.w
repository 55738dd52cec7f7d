// The corner adds up its row and then the other rows, from below; it sends the result to all, and
// tears its color down behind it: so everybody knows that the round is over.

import router;

xp param W, H, ROUNDS;
xp param ROW, COLUMN, RESULT;

sp socket row [[dir=in]];
sp socket column [[dir=in]];
sp socket result [[dir=out]];

sp sums[round=ROUNDS];
xp stamps[round=ROUNDS][word=3];          // the cycle counter when the result goes out
xp torn;

xp clock[word=3] address(0x7b30);
xp timer[1] address(0x7b34);

function configure() {
    config[RESULT] <- H > 1 ? FROM_C | TO_U | TO_R : FROM_C | TO_R;
}

#pragma teardown on {
    configure();
    torn <- torn + 1;
}

{
    timer[0] <- 4;
    config[ROW] <- FROM_R | TO_C;
    config[COLUMN] <- FROM_U | TO_C;
    configure();
    let w in [0, W);
    let h in [1, H);
    let word in [0, 3);
    let round in [0, ROUNDS);
    ∀round {
        sp s = 0.0;
        // Waiting for a microthread, so that the last round's teardown is seen meanwhile.
        [[uthread.enable(on)]] ∀w s <+- row[];
        ∀h s <+- column[];
        sums[round] <- s;
        ∀word stamps[round][word] <- clock[word];
        result[] <- s;
        result[] <- control(TEARDOWN);
    }
}
