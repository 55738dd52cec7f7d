// Should send what it has worked out, and has no socket for it.

xp param N;
i32 a[n=N];

{
    let i in [0, N);
    ∀i a[i] <- a[i] + 1;
}
