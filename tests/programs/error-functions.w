sp v[3], m[2][2];
xp n;
struct s { sp q; } t;
function twice(xp k) { return 2*k; }
function even(xp k) { return odd(k - 1); }
function odd(xp k) { return even(k - 1); }
function nothing(xp k) { n <- k; }
function total(sp a[]) { sp r = 0; ∀i in [0,3) r += a[i]; return r; }
function unused(xp k) { return k + missing; }
{
    n <- twice(1, 2);
    n <- twise(1);
    n <- even(4);
    n <- nothing(1);
    n <- total(m);
    n <- total(n);
    n <- total(t);
    n(3);
    return 4;
}
