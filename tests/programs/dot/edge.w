// An edge adds up its row, hands the sum down, and passes the result up and along its row.

import router;

xp param W, ROUNDS, top;
xp param ROW, COLUMN, RESULT;

sp socket row [[dir=in]];
sp socket column [[dir=out]];
sp socket result [[dir=in]];
xp torn;

function configure() {
    config[ROW] <- FROM_R | TO_C;
    switching(COLUMN, FROM_C | TO_D, FROM_U | TO_D);
    config[RESULT] <- top ? FROM_D | TO_R | TO_C : FROM_D | TO_U | TO_R | TO_C;
}

#pragma teardown on {
    configure();
    torn <- torn + 1;
}

{
    configure();
    let w in [0, W);
    let round in [0, ROUNDS);
    ∀round {
        sp s = 0.0;
        ∀w s <+- row[];
        column[] <- s;
        column[] <- control(ADVANCE);
        sp whole;
        #pragma uthread enable on
        whole <- result[];
    }
}
