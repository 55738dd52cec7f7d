// A dimension may be named as a variable, a tag as a function's parameter: their name spaces are their own.
xp n = 3;
xp m[n=2][m=3] = {{1, 2, 3}, {4, 5, 6}};
struct n { xp n; };
struct n s;
xp sum;
{
    s.n = n;
    let i in [0, 2); let j in [0, 3);
    ∀i ∀j sum += m[i][j]*s.n;
}
