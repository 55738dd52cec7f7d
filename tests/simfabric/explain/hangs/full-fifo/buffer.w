// A microthread keeps what comes in a ring of memory; the main thread takes half of it.

xp param N;
socket rx;
sp ring[n=16];
sp fifo kept = {.mem=ring};
sp a[n=N];

{
    let i in [0, N);
    let half in [0, N / 2);
    parallel {
        ∀i kept[] <- rx[];
        ∀half a[half] <- kept[];
    }
}
