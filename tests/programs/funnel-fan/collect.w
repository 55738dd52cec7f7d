// The collector: all that comes, through a small FIFO, on to the fan.

xp param T;

sp socket rx [[dir=in]];
sp socket tx [[dir=out]];
sp buf[n=6];
sp fifo ff = {.mem=buf};

{
    let t in [0, T);
    parallel {
        ∀t ff[] <- rx[];
        ∀t tx[] <- ff[];
    }
}
