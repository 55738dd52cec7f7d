xp param N;
xp param APART = 0;
socket tx;
xp a[n=N];
xp work[n=64];

{
    let i in [0, N);
    let k in [0, 64);

    if (APART) {
        // Each value leaves before the next one comes: alone, in a half-wavelet.
        ∀i {
            tx[] <- a[i];
            ∀k work[k] <- work[k] + 1;
        }
    } else {
        // One vector send: the queue puts two 16-bit values into each wavelet.
        ∀i tx[] <- a[i];
    }
}
