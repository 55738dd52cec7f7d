xp a[4];
{ i in [0, 3] a[i] <- i; }
