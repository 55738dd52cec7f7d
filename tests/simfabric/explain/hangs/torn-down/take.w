// Expects both parts, but gives the color no new route when it is torn down.

xp param N;
socket rx;
i32 a[n=2][m=N];
xp torn;

#pragma teardown on
{
    torn <- 1;
}

{
    let k in [0, 2);
    let i in [0, N);
    ∀k ∀i a[k][i] <- rx[];
}
