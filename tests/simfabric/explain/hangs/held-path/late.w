// Waits a while and sends a whole message to the same PE.

xp param X, Y;
xp param LENGTH;
socket mp;
xp row[1] address(0x7C45);
xp pause[n=400];

{
    u32 south = 0;
    let i in [0, LENGTH);
    let p in [0, 400);
    ∀p pause[p] <- pause[p] + 1;
    if (Y > row[0]) { south = 64; }
    mp[] <- ((u32)(u16)X << 20) | ((u32)(u16)Y << 8) | south | (u32)(u16)LENGTH;
    ∀i mp[] <- 7:u32;
}
