socket r [[dir=in]], s [[dir=out]], q [[id=9]], w [[dir=up]];
sp socket t[2];
xp a[4];
xp x;
{
    r[] <- 1;
    x <- s[];
    x[] <- 1;
    r[] <+- 1;
    x <- control(3);
    a.flip;
    s[] <- control(1.5:sp);
    dispatch(a) { wavelet(d) { x <- d; } }
    dispatch(r) { wavelett(d) { x <- d; } }
    dispatch(r) { control(3) { } control(3) { } }
}
