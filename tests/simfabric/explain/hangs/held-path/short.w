// Announces LENGTH words to the PE at (X, Y) and sends one less.

xp param X, Y;
xp param LENGTH;
socket mp;
xp row[1] address(0x7C45);

{
    u32 south = 0;
    let i in [0, LENGTH - 1);
    if (Y > row[0]) { south = 64; }
    mp[] <- ((u32)(u16)X << 20) | ((u32)(u16)Y << 8) | south | (u32)(u16)LENGTH;
    ∀i mp[] <- 5:u32;
}
