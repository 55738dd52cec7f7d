// Symmetric Gauss–Seidel on a banded system of N unknowns: a sweep forward, then one backward, over
// the same values. Row i is
//
//     a[i]·x[i−2] + b[i]·x[i−1] + d[i]·x[i] + b[i+1]·x[i+1] + a[i+2]·x[i+2] = f[i]
//
// x stands in the middle of `padded`, with two zeros at each end, so that no row is special. Every
// value that a sweep writes is read by the next row: the sweep has to go one by one.

xp param N;
xp param SWEEPS;

sp padded[p=N+4];
sp x[i=N] address(&padded[2]);            // the unknowns
sp below[i=N+2] address(&padded[1]);      // below[i] is x[i-1]
sp above[i=N+1] address(&padded[3]);      // above[i] is x[i+1]

sp a[i=N+2], b[i=N+1], d[i=N], f[i=N];
sp inv[i=N];
sp residual[s=SWEEPS];
sp r[i=N];

// Reading the bands backward, as the sweep back does.
iterator diagonal = ∀inf k in [0, N) inv[N-1-k];
iterator right = ∀inf k in [0, N) f[N-1-k];

{
    let i in [0, N);
    ∀i inv[i] <- 1.0/d[i];

    let s in [0, SWEEPS);
    ∀s {
        ∀i {
            sp rest = f[i] - a[i]*padded[i];
            rest <- rest - b[i]*below[i];
            rest <- rest - b[i+1]*above[i];
            rest <- rest - a[i+2]*padded[i+4];
            x[i] <- rest*inv[i];
        }
        reset diagonal;
        reset right;
        ∀i {
            sp rest = right[] - a[N+1-i]*padded[N+3-i];
            rest <- rest - b[N-i]*above[N-1-i];
            rest <- rest - b[N-1-i]*below[N-1-i];
            rest <- rest - a[N-1-i]*padded[N-1-i];
            x[N-1-i] <- rest*diagonal[];
        }
        // r = f − A·x, row by row vectors: nothing here depends on what it writes.
        ∀i r[i] <- f[i] - d[i]*x[i];
        ∀i r[i] <- r[i] - b[i]*below[i];
        ∀i r[i] <- r[i] - b[i+1]*above[i];
        ∀i r[i] <- r[i] - a[i]*padded[i];
        ∀i r[i] <- r[i] - a[i+2]*padded[i+4];
        ∀i residual[s] = ∑ r[i]*r[i];
        // The same sum by a recurrence over one array: x moves up by one place and back, which a
        // vector may only do in the right order.
        ∀i padded[N+2-i] <- padded[N+1-i];
        ∀i padded[i+2] <- padded[i+3];
    }
}
