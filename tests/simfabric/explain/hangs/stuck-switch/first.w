// Sends its values and should then advance the switch of the next PE.

xp param N;
socket tx;
i32 a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
}
