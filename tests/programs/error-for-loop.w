xp a[4];
{ for (xp i = 0; i < 4; i++) a[i] <- i; }
