xp a;
{ a++; }
