// Types as field names, and what of a float lies in which word.
union word { sp sp; xp xp[2]; u32 u32; };
union word t;
struct both { union word hp; xp wv; };
struct both s;
xp low, high, field, through;
u32 bits;
sp scaled;
{
    t.sp = 1.0;
    low = t.xp[0]; high = t.xp[1]; bits = t.u32;
    t.xp[1] += 0x0080;
    scaled = t.sp;
    s.hp.sp = -2.0; s.wv = 3;
    through = s.hp.xp[1]; field = s.wv;
}
