// control: any payload as control wavelet: a constant, an element, of any array of wv; what data receives see of it.
socket s, t;
wv const NOTHING = {0x0000, 0x0000};
wv steps[3] = {{0x0000, 0x0003}, {0x0000, 0x0004}, {0x0000, 0x0005}}; wv one;
xp seen[8]; xp n; xp three; u32 last; xp data; xp k = 2;

parallel {
  forever dispatch(s) {
    control(3) { three <- three + 1; seen[n] <- 3; n <- n + 1; }
    control(d) { last <- d; seen[n] <- 100; n <- n + 1; }
    wavelet(x) { data <- x; seen[n] <- x; n <- n + 1; }
  }
  {
    s[] <- control(steps[0]);
    s[] <- 7;
    s[] <- control(steps[k - 1]);
    ∀i in [0, 2) s[] <- control(steps[2 * i]);
    one <- steps[2];
    s[] <- control(one);
    s[] <- control(NOTHING);
  }
}
