// Receives N values, adds 1 to each, and sends them on.

xp param N;
socket rx;
socket tx;
xp a[n=N];

{
    let i in [0, N);
    ∀i a[i] <- rx[];
    ∀i tx[] <- a[i] + 1;
}
