// Handlers: data, data with index, a named task, any control; several dispatchers side by side.
socket s, t, u;
wv const GO = {0x9249, 0x0940};      // advance with ce_ignore everywhere: no handler sees it
wv wake = {0x0000, 0x0007};          // NOPs; task 7
wv stop[2] = {{0x0000, 0x0009}, {0x0000, 0x000c}};
xp data[4]; xp at[4]; xp n; xp seven; xp nine; u32 payload; xp plain; xp last; xp values[3] = {4, 5, 6};
xp got; u16 index; xp m;

parallel {
  {
    ∀i in [0, 4) s[] <- wavelet(10 * i, 3 - i);
    s[] <- control(wake);
    t[] <- control(stop[0]);
    t[] <- control(stop[1]);
    ∀i in [0, 3) u[] <- values[i];
  }
  forever dispatch(s) {
    wavelet(x, i) { data[i] <- x; at[n] <- i; n <- n + 1; }
    control(7) { seven <- n; }
  }
  forever dispatch(t) {
    control(9) { nine <- 1; }
    control(d) { payload <- d; }
  }
  { dispatch(u) { wavelet(x) { plain <- x; } }  m <- 1; }
}
