xp param W = 2;
struct S { xp a; sp b; };
union U { sp s; xp w[2]; };
sp x[5] = {1.0, 2.0, 3.0, 4.0, 5.0}, m[2][3] = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, sum, corner, whole;
struct S list[2], one; union U u; xp word, after, k = 3, none, from_list[2], from_one;
function f(xp k, sp a[], sp b[][], struct S s[], union U v) {
    k = k + 1;
    a[0] = a[0] + k;
    s[1].a = k;
    v.s = 1.0;
    return b[1][2];
}
function sized(sp c[W+3], sp d[2][3]) { let i in [0, W+3); sp t = 0.0; ∀i t += c[i]; return t + d[0][1]; }
function alone(struct S s[]) { s[0].a = 42; }
function pick(xp c) { if (c > 2) return 1; return 0; }
{
    corner = f(k, x, m, list, u);
    after = k;
    sum = sized(x, m);
    word = u.w[1];
    one.a = 1;
    alone(one);
    none = pick(3)*10 + pick(1);
    from_list[0] = list[0].a; from_list[1] = list[1].a; from_one = one.a;
}
