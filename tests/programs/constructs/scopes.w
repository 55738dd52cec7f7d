xp x = 1, y, z, inner, loop;
{
    xp x = 2;
    { xp x = 3, w[2] = {4, 5}; inner = x + w[1]; }
    y = x;
    if (x == 2) { xp x <- 9; z ← x; }
    x in [0, 3) loop = x;
}
