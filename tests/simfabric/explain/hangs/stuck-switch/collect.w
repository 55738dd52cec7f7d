xp param N;
socket rx;
i32 a[n=2][m=N];

{
    let k in [0, 2);
    let i in [0, N);
    ∀k ∀i a[k][i] <- rx[];
}
