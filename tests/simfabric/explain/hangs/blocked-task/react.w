// Handles work only after somebody said go.

socket go, work;
i32 sum;

{
    dispatch(go) { wavelet() { sum <- 0; } }
    forever dispatch(work) { wavelet(x) { sum <- sum + x; } }
}
