// Sends N values to the east.

xp param N;
socket tx;
i32 a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
}
