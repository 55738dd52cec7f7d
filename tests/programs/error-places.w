function inner() { xp k; }
xp a;
{
    min(a, 2);
    3 <- a;
    min(a, 1) <- 3;
    a;
    mian { a <- 1; }
    function no() { }
}
