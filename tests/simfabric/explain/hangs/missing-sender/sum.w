// Adds what comes from both sides.

xp param N;
socket left, right;
i32 a[n=N];
i32 b[n=N];

{
    let i in [0, N);
    ∀i a[i] <- left[];
    ∀i b[i] <- right[];
    ∀i a[i] <- a[i] + b[i];
}
