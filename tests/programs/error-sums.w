sp a[4], acc;
xp n;
let i in [0, 4);
{
    ∀i if (∑ a[i] > 0.0) n <- 1;
    ∀i { n <- 1; acc <- 1.0 + ∑ a[i]; }
    ∀i { n <- 1; [[dot.load(off)]] acc <- ∑ a[i]; }
    [[dot.load(off)]] ∀i acc <- 1.0 + ∑ a[i];
    [[dot.load(off)]] ∀i n = ∑ i*i;
    [[dot.state(maybe)]] ∀i acc = ∑ a[i];
    acc <- ∑ a[i];
}
