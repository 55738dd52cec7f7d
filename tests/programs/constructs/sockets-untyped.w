// The other side's type says what an element of an untyped socket is.
socket s;
xp a[5] = {1, 2, 3, 4, 5}; xp b[5]; sp f[2] = {1.5, -0.0}; sp g[2]; hp p[3] = {1.5, -2.0, 65504.0}; hp q[3];
u32 whole[3]; xp halves[4]; u32 big[2] = {0x00020001, 0x80007fff}; i32 low = -7; i32 got;
xp lone; u32 pair; xp sum; xp wide[2];

∀i in [0, 5) s[] <- a[i];           // packed pairs, and a half-wavelet at the end
∀i in [0, 5) b[i] <- s[];
∀i in [0, 2) s[] <- f[i];
∀i in [0, 2) g[i] <- s[];
∀i in [0, 3) s[] <- p[i];
∀i in [0, 3) q[i] <- s[];
∀i in [0, 4) s[] <- a[i];           // two pairs, read as two whole words
∀i in [0, 2) whole[i] <- s[];
∀i in [0, 2) s[] <- big[i];         // two words, read by halves, the low ones first
∀i in [0, 4) halves[i] <- s[];
s[] <- low; got <- s[];
s[] <- a[4]; lone <- s[];
∀i in [0, 2) s[] <- a[i]; pair <- s[];
∀i in [0, 2) s[] <- a[i + 2];
sum <- s[] + 1; 
wide[0] <- s[] * 2;
