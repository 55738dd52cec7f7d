// A wall of the box. It does nothing of its own: whatever arrives is answered with zero, back the
// way it came.

socket right;
socket left;
socket up;
socket down;

parallel {
    forever dispatch(right) { wavelet() { left[] <- 0.0:sp; } }
    forever dispatch(left)  { wavelet() { right[] <- 0.0:sp; } }
    forever dispatch(up)    { wavelet() { down[] <- 0.0:sp; } }
    forever dispatch(down)  { wavelet() { up[] <- 0.0:sp; } }
}
