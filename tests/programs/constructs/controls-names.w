// Whom a control wavelet starts: the handler of its name on its own socket, else the one on this
// core that waits for its name, else the socket's handler for any; without one it is dropped,
// whatever task of the compiler's own has that number.
socket s, t, u;
wv const MAIN = {0x0000, 0x0008}; wv const ARM = {0x0000, 0x0009}; wv const DATA = {0x0001, 0x0000};
wv const SEVEN = {0x0002, 0x0007}; wv const LAST = {0x0003, 0x003f};
xp starts; xp any[3]; xp seven; xp last; xp data; u32 payload;

starts <- starts + 1;
u[] <- control(MAIN); u[] <- control(ARM); u[] <- control(DATA); u[] <- control(SEVEN); u[] <- 5;
data <- u[];
parallel {
  forever dispatch(s) {
    wavelet(x) { data <- data + x; }
    control(7) { seven <- seven + 1; }
    control() { any[0] <- any[0] + 1; }
  }
  forever dispatch(t) {
    control(d) { any[1] <- any[1] + 1; payload <- d; }
    control(63) { last <- last + 1; }
  }
  {
    s[] <- control(MAIN); s[] <- control(ARM); s[] <- control(DATA); s[] <- control(SEVEN);
    s[] <- 10;
    t[] <- control(LAST); t[] <- control(DATA); t[] <- control(SEVEN);
  }
}
