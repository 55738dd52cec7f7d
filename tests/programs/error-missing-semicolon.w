xp a = 1
xp b = 2;
