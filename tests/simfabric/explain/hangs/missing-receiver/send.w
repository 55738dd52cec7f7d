// Sends N values downstream, in two statements.

xp param N;
socket tx;
i32 a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
    ∀i tx[] <- a[i] + 1;
}
