// Read, but never assigned.
xp r;
function f(xp k) { xp never; return k + never; }
{
    xp a, b[2], c;
    c <- 1;
    r <- a + b[0] + c + f(1);
}
