// One socket: what arrives from the left neighbour, and what goes to the right one.

xp param N;
socket r;
xp a[n=N];

{
    let i in [0, N);
    ∀i a[i] <- r[];
    ∀i r[] <- a[i] + 1;
}
