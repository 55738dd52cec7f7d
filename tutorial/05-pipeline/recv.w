xp param N;
socket rx;
xp a[n=N];

{
    let i in [0, N);
    ∀i a[i] <- rx[];
}
