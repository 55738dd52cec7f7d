// Float to integer follows the floating point control register; arithmetic does not.
xp fpc[1] address(0x7e0c);
sp x[n=6] = {2.5, 3.5, -2.5, -2.1, 1e9, -1e9};
xp start[n=6], even[n=6], zero[n=6], low[n=6], high[n=6];
i32 wide[n=6];
sp sum;
{
    let i in [0, 6);
    ∀i start[i] = x[i];
    fpc[0] = 0x03C0; ∀i even[i] = x[i];
    fpc[0] = 0x03C1; ∀i zero[i] = x[i];
    fpc[0] = 0x03C2; ∀i low[i] = x[i];
    fpc[0] = 0x03C3; ∀i high[i] = x[i];
    sum = 1.0:sp + x[0]*0.00000001;
    ∀i wide[i] = x[i];
}
