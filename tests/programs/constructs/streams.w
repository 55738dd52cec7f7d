// stream and u64: descriptors of sockets, iterators and FIFOs as values, switched while the program runs.
socket s, t; stream e, f;
sp mem[3] = {0.5, 1.5, 2.5}; sp zero[1]; sp x[3] = {1.0, 2.0, 3.0};
sp buffer[8]; sp fifo ring = {.mem=buffer};
iterator zeros = ∀inf zero[0]; iterator walk = ∀i in [0, 3) mem[i];
u64 dsd[4]; u64 kept;
sp got[4][3]; sp total; sp one; sp pair[2];

∀i in [0, 3) wv:s[] <- x[i];
∀i in [0, 3) wv:t[] <- 10.0 * x[i];
∀i in [0, 3) ring[] <- 100.0 * x[i];
dsd[0] = s; dsd[1] = walk; dsd[2] = ring; dsd[3] = zeros;
∀k in [0, 4) {
  e = dsd[k];
  ∀i in [0, 3) got[k][i] <- e[];
}
f = t;
one <- (sp)(f[]) + 0.5;
kept = f; e = kept;
pair[0] <- e[]; pair[1] <- e[];
e = walk;
∀i in [0, 3) total <- total + (sp)(e[]);
e = zeros;
total <- total + (sp)(e[]);
