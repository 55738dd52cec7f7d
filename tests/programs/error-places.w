function inner() { xp k; }
xp a;
{
    min(a, 2);
    min(a, 1) <- 3;
    a;
    mian { a <- 1; }
    function no() { }
    import something;
    #pragma teardown on { a <- 1; }
    if (a) import other;
}
