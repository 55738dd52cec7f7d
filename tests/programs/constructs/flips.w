// flip: the last word of a send before it advances this PE's own input switch.
xp param id; xp socket rx, tx;
xp a[3]; xp got[6]; xp own; xp n;

if (id == 0) {
  ∀i in [0, 3) a[i] <- 10 + i;
  ∀i in [0, 3) tx[] <- a[i];
  tx.flip;
}
if (id == 1) {
  ∀i in [0, 3) a[i] <- 20 + i;
  ∀i in [0, 3) tx[] <- a[i];
  tx.flip;
}
if (id == 2) {
  ∀i in [0, 6) got[i] <- rx[];
}
