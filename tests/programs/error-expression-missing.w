xp a;
{ a <- ; }
