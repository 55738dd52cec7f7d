// Has its turn when the switch of its router advances.

xp param N;
socket tx;
i32 a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
}
