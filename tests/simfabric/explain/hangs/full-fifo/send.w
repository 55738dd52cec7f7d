xp param N;
socket tx;
sp a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
}
