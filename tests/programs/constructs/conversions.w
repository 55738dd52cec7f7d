xp h = -3; u16 u = 65535; i32 l; u32 w, w2; sp f, g; hp e; xp back, down;
xp product; sp mixed; i32 long_product;
{
    l = h;                 // sign extends
    w = (u32)h;
    w2 = (u32)(u16)h;
    f = h + 0.5;
    mixed = h * 2.5:sp;
    g = u;
    e = h;
    back = 3.99:sp;        // toward zero
    down = -3.99:sp;
    product = 300:xp * 300;
    long_product = (i32)300:xp * 300;
}
