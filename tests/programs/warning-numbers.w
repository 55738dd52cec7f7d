// Compiles, and surely goes wrong.
xp a = 100000, n = 1.5;
sp x;
u16 u = -1;
{
    x <- x / 0.0;
    n <- n % 0;
    [[vectorize(off), mystery(on)]] a <- 1;
    [[timer.start(on)]] a <- 2;
}
