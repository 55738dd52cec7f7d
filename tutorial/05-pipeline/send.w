xp param N;
socket tx;
xp a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
}
