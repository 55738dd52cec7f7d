// The router as a program sees it: a route is an input in bits 5 to 7 and outputs in bits 0 to 4.

u16 config[color=24] address(0x7c00);
u16 switches[word=96] address(0x7c80);

u16 const FROM_L = 0x00, FROM_R = 0x20, FROM_U = 0x40, FROM_D = 0x60, FROM_C = 0x80;
u16 const TO_L = 1, TO_R = 2, TO_U = 4, TO_D = 8, TO_C = 16;
u16 const POP_ADVANCE = 0x4000;

wv const ADVANCE  = {0x9249, 0x0940};     // and NOPs; no core sees it
wv const TEARDOWN = {0x0000, 0x01C0};

// First `own`, and after an ADVANCE, which is taken off, `others`.
function switching(xp color, u16 own, u16 others) {
    switches[4*color] <- others | POP_ADVANCE;
    switches[4*color + 1] <- 0xa0a0;
    switches[4*color + 2] <- 0;
    switches[4*color + 3] <- 0;
    config[color] <- own;                 // position 0 on both sides
}
