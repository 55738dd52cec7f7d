// Walks past an array read what lies there (tungsten page 6).
sp x[8];
iterator it = ∀i in [0, 10) x[i];
{ x[0] <- it[]; }
sp y[4];
{
    let i in [0, 4);
    ∀i y[i] <- x[2*i + 3];
    ∀i { if (i > 0) y[i] <- y[i - 1]; }
    ∀i y[i] <- i < 3 ? y[i + 1] : 0.0;
}
