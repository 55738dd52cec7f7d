// Sends, tears the color down, and sends again.

xp param N;
wv const TEARDOWN = {0x0000, 0x01C0};
socket tx;
i32 a[n=N];

{
    let i in [0, N);
    ∀i tx[] <- a[i];
    tx[] <- control(TEARDOWN);
    ∀i tx[] <- a[i];
}
