xp a = 13, b = -5, r[n=24];
sp x = 2.5, y = -1.5, f[n=6];
u16 big = 0x8000, shifted;
i32 l = -70000, ls;
{
    r[0] = a + b; r[1] = a - b; r[2] = a*b; r[3] = a/b; r[4] = a % b; r[5] = a & b;
    r[6] = a | b; r[7] = a ^ b; r[8] = ~a; r[9] = a << 2; r[10] = b >> 1; r[11] = a > b;
    r[12] = a < b; r[13] = a >= 13; r[14] = a <= 12; r[15] = a == 13; r[16] = a != 13;
    r[17] = a > 0 && b > 0; r[18] = a > 0 || b > 0; r[19] = !a; r[20] = -a; r[21] = min(a, b);
    r[22] = max(a, b); r[23] = abs(b);
    f[0] = -x; f[1] = min(x, y); f[2] = max(x, y); f[3] = abs(y); f[4] = x > y ? 1.0 : 2.0; f[5] = x*y - x;
    shifted = big >> 15;
    ls = l >> 4;
}
