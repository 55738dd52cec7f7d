xp a; /* never
{ a <- 1; }
