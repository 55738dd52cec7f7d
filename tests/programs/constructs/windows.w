sp z[n=8] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
sp out[n=4], global[n=2], there[n=2] = {8.0, 9.0};
xp addr;
sp reached;
function middle(xp at) {
    sp av[4]; av.base = at;
    let i in [0, 4);
    ∀i out[i] = av[i];
    av[0] = -1.0;
    return 0;
}
{
    addr = (xp)(z.base) + 4;
    middle(addr);
    global.base = (xp)(there.base);
    reached = global[1];
    global[0] = 10.0;
}
