sp x, v[3];
xp n, a[4];
struct s { xp q; } t;
u64 d;
{
    x <- x % 2.0;
    x <- x & 1;
    a[x] <- 1;
    n <- ~x;
    x <- x << 2;
    t <- 3;
    t <- v;
    n <- d;
    d <- 4;
    x <- d + 1;
    n <- t;
    a[0] += t;
    n <- 5 / 0;
    x <- sqrt(x);
    x <- max(x);
}
