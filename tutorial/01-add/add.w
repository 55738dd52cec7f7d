// c <- a + b, eight 16-bit integers, on one PE.

xp a[n=8];
xp b[n=8];
xp c[n=8];

{
    let i in [0, 8);
    ∀i c[i] <- a[i] + b[i];
}
