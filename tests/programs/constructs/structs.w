typedef sp vec3[3];
typedef struct { xp key; vec3 v; } entry;
struct data { xp kind; union { sp r; xp w[2]; }; struct { xp a, b; } inner; } cf[n=3];
entry list[m=2];
vec3 centre = {1.0, 2.0, 3.0};
struct data copy;
sp got[n=4];
xp words[n=3], size;
function total(struct data d[], xp n) {
    xp s = 0;
    let i in [0, n);
    ∀i s += d[i].kind + d[i].inner.a + d[i].inner.b;
    return s;
}
{
    let i in [0, 3);
    ∀i { cf[i].kind = i; cf[i].r = 1.5; cf[i].inner.a = 10*i; cf[i].inner.b = -1; }
    copy = cf[2];
    cf[0] = copy;
    list[1].key = 5;
    ∀i list[1].v[i] = centre[i] + 0.5;
    list[0] = list[1];
    ∀i got[i] = list[0].v[i];
    got[3] = copy.r;
    words[0] = copy.w[1]; words[1] = cf[0].inner.a; words[2] = list[0].key;
    size = total(cf, 3);
}
