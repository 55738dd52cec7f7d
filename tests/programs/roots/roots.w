// Reciprocal, square root and inverse square root of positive numbers: a first guess from the bits
// of the number, then Newton's steps.

xp param K;

sp x[k=K];
sp rec[k=K], root[k=K], inv[k=K];

union bits { sp r; u32 u; xp v[2]; };

// 1/a for normal a below 2^126: three steps from a guess good to 12 %.
function reciprocal(sp a) {
    union bits y;
    y.r = a;
    y.u = 0x7ef311c7 - y.u;
    sp g = y.r;
    let step in [0, 3);
    ∀step {
        sp ε = 1.0 - a*g;          // fused: the error, exact to one rounding
        g <- g + g*ε;
    }
    return g;
}

// 1/√a for normal a: four steps from a guess good to 3.5 %. The exponent's halving stands in
// the upper half of the number's bits, so v[1] alone would do for a rougher guess.
function rsqrt(sp a) {
    union bits y;
    y.r = a;
    y.u = 0x5f3759df - (y.u >> 1);
    sp g = y.r;
    sp h = 0.5*a;
    let step in [0, 3);
    ∀step {
        sp q = h*g;
        sp ε = 0.5 - q*g;
        g <- g + g*ε;
    }
    sp q = a*g;                    // the last step at full length
    sp ε = 1.0 - q*g;
    sp c = 0.5*g;
    return g + c*ε;
}

// √a = a/√a, with the remainder's correction. Below 2^-64 the number is scaled by 2^64 first, by
// its exponent: v[1] holds sign, exponent and the seven upper bits.
function sqrt(sp a) {
    union bits y;
    y.r = a;
    if (y.u == 0) { return a; }
    xp exponent = (y.v[1] >> 7) & 0xff;
    xp small = exponent < 63 ? 1 : 0;
    if (small) { y.v[1] += 64 << 7; }
    sp b = y.r;
    sp g = rsqrt(b);
    sp s = b*g;
    sp rest = b - s*s;             // fused: what the root's square misses
    sp half = 0.5*g;
    y.r = s + half*rest;
    if (small) { y.v[1] -= 32 << 7; }
    return y.r;
}

{
    let k in [0, K);
    ∀k {
        sp a = x[k];
        rec[k] <- reciprocal(a);
        inv[k] <- rsqrt(a);
        root[k] <- sqrt(a);
    }
}
