// wv: the 32 bits of a wavelet, whatever the type of what is sent or received.
socket s, t; stream e;
sp x[2] = {1.0, -2.0}; xp h[2] = {-1, 7}; sp y[2]; u32 z[2]; wv w[2]; wv v[2] = {{0x5678, 0x1234}, {0xffff, 0x0001}};
xp back[4]; sp st[2];

∀i in [0, 2) wv:s[] <- x[i];
∀i in [0, 2) y[i] <- s[];
∀i in [0, 2) wv:s[] <- h[i];        // zeros above
∀i in [0, 2) z[i] <- s[];
∀i in [0, 2) s[] <- v[i];
∀i in [0, 2) w[i] <- s[];
∀i in [0, 2) s[] <- v[i];
∀i in [0, 4) back[i] <- s[];
∀i in [0, 2) s[] <- x[i];
∀i in [0, 2) t[] <- s[];            // whole wavelets
e = t;
∀i in [0, 2) st[i] <- (sp)(e[]) * 3.0;
