// uthread: which thread a transfer runs on. Either way what follows waits for it; beside a transfer
// in a microthread, other tasks run.
socket s, t;
xp a[8] = {1, 2, 3, 4, 5, 6, 7, 8}; xp b[8]; xp c[8]; xp d[4]; xp e; xp n;

[[uthread.enable(on)]] ∀i in [0, 8) s[] <- a[i];
[[uthread.enable(on)]] ∀i in [0, 8) b[i] <- s[];
#pragma uthread enable on
∀i in [0, 8) t[] <- 10 * a[i];
#pragma uthread enable off
∀i in [0, 8) c[i] <- t[];
[[uthread.enable(on)]] {                                   // everything inside
  ∀i in [0, 2) s[] <- a[i + 5];
  ∀i in [0, 2) d[i] <- s[] + 1;
  [[uthread.enable(off)]] ∀i in [0, 2) s[] <- a[i];
  d[2] <- s[];
  if (d[2] == 1) d[3] <- s[];
}
parallel {                                                 // an arm runs in a microthread anyway
  ∀i in [0, 4) t[] <- a[i];
  { ∀i in [0, 3) n <- n + t[]; [[uthread.enable(on)]] e <- t[]; }
}
