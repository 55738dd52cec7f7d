// Top level statements, in order; no block.
xp i, total, odd, early, limit = 5;
xp b[n=6];
while (i < limit) { total += i; i += 1; }
if (total == 10) odd = 1; else odd = 2;
k in [0, 3) b[k] = k*k;
early = total > 3 ? b[2] : -1;
