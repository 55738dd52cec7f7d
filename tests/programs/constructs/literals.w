xp hex = 0x7c00, wraps = 0xFFE0, large = 65535, negative = -32768;
u16 whole = 65535;
i32 wide = 100000, minus = -100000;
u32 mask = 0xffffffff;
sp half = 0.5, dot = 0., small = 1e-4, big = 1.5E+10, typed = 2.0:sp, of_int = 3;
hp third = 0.333;
xp typed_int = 7:xp;
wv const ADV = {0x9249, 0x0940};
wv payload;
xp list[2][3] = {{1, 2, 3}, {4, 5}};
sp rest[4] = {1.0};
struct pair { xp low; sp high; };
struct pair p = {.high=2.5, .low=1}, q = {9, 8.0};
xp pl, ql; sp ph, qh;
i32 from_hex; u32 from_neg;
{
    payload = ADV;
    pl = p.low; ph = p.high; ql = q.low; qh = q.high;
    from_hex = 0x10000 + 0x1;
    from_neg = (u32)(-1:xp);
}
