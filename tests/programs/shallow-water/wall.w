// A wall of the basin: it answers whatever arrives with zero, back the way it came.

socket right, left, up, down;

parallel {
    forever dispatch(right) { wavelet() { left[] <- 0.0:sp; } }
    forever dispatch(left)  { wavelet() { right[] <- 0.0:sp; } }
    forever dispatch(up)    { wavelet() { down[] <- 0.0:sp; } }
    forever dispatch(down)  { wavelet() { up[] <- 0.0:sp; } }
}
