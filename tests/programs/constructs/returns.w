// A bare `return` outside of functions ends the program; endless transfers beside it go on.
xp a; xp b[4]; xp n; xp sent;
socket c; socket d;
xp early = 1;

function f(xp k) {
  if (k > 2) { return 7; }
  ∀i in [0, 4) { if (i == k) { return 10 + i; } }
  return 9;
}
xp results[3];
results[0] <- f(3); results[1] <- f(1); results[2] <- f(-1);

∀i in [0, ∞) d[] <- c[];
∀i in [0, 4) c[] <- (xp)5;
forever {
  ∀i in [0, 4) b[i] <- d[];
  n <- n + 1;
  if (n == 3) { return; }
  ∀i in [0, 4) c[] <- n;
  sent <- sent + 4;
}
