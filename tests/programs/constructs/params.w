xp param N; xp param NSTEP = 3, MORE = NSTEP + 1; sp param Δt;
xp const w = 2*N + NSTEP;
sp const third = 1.0/3.0, rate = Δt/4.0;
sp x[n=w];
xp n, s, m; sp t, d, r;
{ n = N; s = NSTEP; m = MORE; t = third; d = Δt; r = rate; let i in [0, w); ∀i x[i] = i; }
