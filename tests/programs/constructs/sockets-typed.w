// Elements of a typed socket have its type on the wire; values convert on both sides.
sp socket s; xp socket h; u32 socket w;
xp x[3] = {1, -2, 3}; sp y[3]; sp f[3] = {1.75, -2.5, 40000.0}; xp back[3]; u32 n[2]; sp half[2];
xp one; sp sum;

∀i in [0, 3) s[] <- x[i];           // xp to sp on the wire
∀i in [0, 3) y[i] <- s[];
∀i in [0, 3) h[] <- f[i];           // sp to xp: toward zero, saturated
∀i in [0, 3) back[i] <- h[];
∀i in [0, 2) w[] <- x[i + 1];       // sign-extends
∀i in [0, 2) n[i] <- w[];
∀i in [0, 2) s[] <- f[i] * 2.0;
∀i in [0, 2) half[i] <- s[] + 0.5;
s[] <- 7;
one <- s[];
s[] <- 1.0; s[] <- 2.0;
sum <- s[] + s[] * 10.0;
