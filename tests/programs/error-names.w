xp param N = 4;
xp count, a[n=N];
xp count;
struct point { sp x, y; } p;
{
    cuont <- 1;
    p.z <- 2;
    a[N] <- 1;
    a[-1] <- 1;
    let i in [0, N);
    a[i] <- 1;
    a <- 3;
    b[0] <- 1;
    i <- 2;
    N <- 5;
    count[0] <- 1;
    ∀j a[j] <- 1;
    { int k; k <- 1; break; }
}
