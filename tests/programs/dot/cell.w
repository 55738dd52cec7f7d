// A cell: its part of the vectors, a partial sum for its row, the result back for the next round.

import router;

xp param Z, ROUNDS, last;
xp param ROW, RESULT;                     // numbers of the colors

sp socket row [[dir=out]];
sp socket result [[dir=in, id=1]];

sp a[z=Z], b[z=Z];
sp got[round=ROUNDS];
xp torn;                                  // teardowns that were seen

function open_result() {
    config[RESULT] <- last ? FROM_L | TO_C : FROM_L | TO_R | TO_C;
}

#pragma teardown on {
    // The round is over. Own values first again, and the way of the result opens again.
    switching(ROW, FROM_C | TO_L, FROM_R | TO_L);
    open_result();
    torn <- torn + 1;
}

{
    switching(ROW, FROM_C | TO_L, FROM_R | TO_L);
    open_result();

    let z in [0, Z);
    let round in [0, ROUNDS);
    ∀round {
        sp partial;
        ∀z partial = ∑ a[z]*b[z];
        row[] <- partial;
        row[] <- control(ADVANCE);

        sp whole;
        [[uthread.enable(on)]] whole <- result[];
        got[round] <- whole;
        sp α = whole*0.0009765625;
        ∀z a[z] <+- α*b[z];
    }
}
