xp param N = 3;
xp hits[n=10], nhit = 4, count, m[a=3][b=4], last, tail[n=6], none, turn;
{
    let k ∈ [0, nhit);
    ∀k hits[k] = k + 10;
    nhit = 2;
    i in [nhit, 6) count += i;
    let a in [0, 3), b in [0, 4);
    ∀a ∀b m[a][b] = 10*a + b;
    ∀a { last = a; if (a == 1) turn += 100; }
    xp idx = 2;
    j in [idx+1, 6) tail[j] = j;
    j in [5, 5) none += 1;
    j in [7, 5) none += 1;
    j in [-2, 2) none += j;
}
