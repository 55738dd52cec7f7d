// One cell of the box: its temperature u, and NSTEP steps of exchange and update.
//
// The sockets are named by the way the data moves: what comes in on `right` has moved right,
// so it is the left neighbour's.

xp param NSTEP;
sp const K = 0.2;

socket right;
socket left;
socket up;
socket down;

sp u;
sp fromleft;
sp fromright;
sp frombelow;
sp fromabove;
sp neighbours;

// Sends `value` to all four neighbours and takes theirs. All eight transfers run side by side,
// so nobody waits for a neighbour that waits for somebody else.
function exchange(sp value) {
    parallel {
        right[] <- value;
        left[] <- value;
        up[] <- value;
        down[] <- value;
        fromleft <- right[];
        fromright <- left[];
        frombelow <- up[];
        fromabove <- down[];
    }
}

{
    // A neighbour answers 1 with 1, a wall with 0: so the sum says how many neighbours there are.
    exchange(1.0:sp);
    neighbours <- fromleft + fromright + frombelow + fromabove;

    let step in [0, NSTEP);
    ∀step {
        exchange(u);
        sp sum = fromleft + fromright + frombelow + fromabove;
        sp flow = sum - neighbours * u;
        u <- u + K * flow;
    }
}
