sp a[4], acc;
xp n;
let i in [0, 4);
{
    ∀i acc <- 1.0 + ∑ a[i];
    ∀i { acc = ∑ a[i]*a[i]; n <- 1; }
    [[dot.load(off)]] ∀i n = ∑ i*i;
    [[dot.state(maybe)]] ∀i acc = ∑ a[i];
}
