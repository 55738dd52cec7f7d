// FIFOs: a ring in memory; full and empty hold up whoever writes or reads, around the end, of every type.
xp mem[4]; xp fifo ring = {.mem=mem};
sp wide[3]; sp fifo floats = {.mem=wide};
u32 longs[2]; u32 fifo pair = {.mem=longs};
xp x[3]; xp y[20]; sp z[5]; sp a[5] = {1.5, -2.5, 3.5, 4.5, 5.5}; u32 u[3]; xp sum;

∀i in [0, 3) ring[] <- i + 1;
∀i in [0, 3) x[i] <- ring[];
parallel {
  ∀i in [0, 20) ring[] <- y[i] + i;           // more than it holds
  ∀i in [0, 20) y[i] <- ring[] * 2;
}
parallel {
  ∀i in [0, 5) floats[] <- a[i];
  { ∀i in [0, 5) { z[i] <- floats[]; z[i] <- z[i] * 2.0; } }
}
parallel {
  { pair[] <- 0x10000; pair[] <- 0x20002; pair[] <- 0xffffffff; }
  ∀i in [0, 3) u[i] <- pair[];
}
ring[] <- 4; ring[] <- 5;
sum <- ring[] * 10;
sum <- sum + ring[];
