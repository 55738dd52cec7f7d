// Takes N values from the root.

xp param N;
socket rx;
sp a[n=N];

{
    let i in [0, N);
    ∀i a[i] <- rx[];
}
