// Attributes that have no effect here compile to what the statement says without them.
xp socket s [[dir=in]]; sp x[4] = {1.0, 2.0, 3.0, 4.0}; sp y[4]; sp z; xp socket t [[dir=out]];
[[math.fast(on)]] ∀i in [0, 4) y[i] <- x[i] / 4.0;
[[vectorize.enable(off)]] ∀i in [0, 4) y[i] <- y[i] + 1.0;
[[math.ehalf(on), vectorize.enable(on)]] z <- y[0] + y[3];
#pragma vectorize enable off
z <- z * 2.0;
#pragma nonsense whatever
z <- z + 1.0;
