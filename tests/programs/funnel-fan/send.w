// A sender: its values, and then an ADVANCE for its own router, which takes it off.

xp param M;

sp a[m=8];
sp socket tx [[dir=out]];

wv const ADV = {0x9249, 0x0940};

{
    let m in [0, M);
    ∀m tx[] <- a[m];
    tx[] <- control(ADV);
}
