// Vector code or not: element by element, in index order.
xp a[n=6] = {1, 2, 3, 4, 5, 6}, b[n=6] = {1, 2, 3, 4, 5, 6}, c[n=6] = {1, 2, 3, 4, 5, 6}, r[n=6], s[n=3], p[n=6] = {1, 0, 0, 0, 0, 0};
{
    i in [0, 5) a[i+1] = a[i];
    i in [0, 5) b[i] = b[i+1];
    i in [0, 6) r[5-i] = c[i];
    i in [0, 3) s[i] = c[2*i+1] + c[2*i];
    i in [0, 6) c[i] = c[5-i];
    i in [0, 5) p[i+1] = p[i] + p[i];
}
