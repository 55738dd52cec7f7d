sp a[n=4] bank(1) = {1.0, 2.0, 3.0, 4.0};
xp words[n=8] address(&a);
xp const WHERE = 0x2000;
xp fixed[n=3] address(WHERE) = {7, 8, 9};
xp again[n=3] address(&fixed), near[2] bank(3);
xp ab, fb, nb, sum;
{
    ab = (xp)(a.base)/0x1800; fb = (xp)(fixed.base); nb = (xp)(near.base)/0x1800;
    words[1] = 0x4000;
    let i in [0, 3);
    ∀i sum += again[i];
    near[0] = 1;
}
