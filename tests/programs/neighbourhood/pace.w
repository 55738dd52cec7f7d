// The heads before the beginning of a line: in phase t the one R+1-t places before the first cell.
// Its N values are so far away that nobody is near.

import march;

xp param N, STEPS;
sp socket tx [[dir=out]];

{
    make_lists();
    let n in [0, N);
    let t in [0, R);
    let step in [0, STEPS);
    ∀step ∀t {
        ∀n tx[] <- 1.0e6;
        tx[] <- control(lists[R-t]);
    }
}
