// One cell on a torus: its temperature u, and NSTEP steps of the nine-point heat equation.
//
// All cells run this. Where a cell stands is in the layout: at the edge of the grid its sockets
// are bound to the colors that go around.

xp param NSTEP;
sp const K = 0.04;

socket fromleft, toright;
socket fromright, toleft;
socket frombelow, toup;
socket fromabove, todown;

sp u;

{
    let i in [0, 2);
    sp beside;
    sp mine[2];
    sp under[2];
    sp over[2];

    let step in [0, NSTEP);
    ∀step {
        // Along the row: the neighbours' temperatures.
        sp l;
        sp r;
        parallel {
            toright[] <- u;
            toleft[] <- u;
            l <- fromleft[];
            r <- fromright[];
        }

        // Along the column: the temperature, and the sum of the two beside it. The sums that come
        // from below and above are the four corners.
        mine[0] <- u;
        mine[1] <- l + r;
        parallel {
            ∀i toup[] <- mine[i];
            ∀i todown[] <- mine[i];
            ∀i under[i] <- frombelow[];
            ∀i over[i] <- fromabove[];
        }

        sp edges = mine[1] + (under[0] + over[0]);
        sp corners = under[1] + over[1];
        sp around = 4.0*edges + corners;
        sp flow = around - 20.0*u;
        u <- u + K*flow;
    }
}
