// Transfers over an infinite range run beside what follows them.
sp socket a, b; xp socket c; sp x[5]; xp y[6]; sp socket d;
∀i in [0, ∞) b[] <- a[] * 2.0;
∀inf c[] <- d[];
∀i in [0, 5) a[] <- 1.5 + i;
∀i in [0, 5) x[i] <- b[];
∀i in [0, 6) { d[] <- 10.0 * i; y[i] <- c[]; }
