xp param N;
socket rx;
i32 a[n=N];

{
    let i in [0, N);
    ∀i a[i] <- rx[];
}
