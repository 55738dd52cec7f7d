xp a;
{ if (a = 3) a <- 4; }
