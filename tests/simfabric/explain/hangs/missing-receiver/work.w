// Was meant to take N values, and works on its own ones instead.

xp param N;
socket rx;
i32 a[n=N];
i32 first;

{
    let i in [0, N);
    first <- rx[];
    ∀i a[i] <- a[i] + first;
}
