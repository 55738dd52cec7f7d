// What moves a marching multicast on: a list of commands, one for each router from a head to its
// tail, which drops it (`pop=always`). No core sees them.

xp param R;

u32 const ADVANCE = 5, RESET = 6, NOP = 4;

u32 bits[k=R+1];
wv lists[k=R+1] address(&bits);           // lists[k] begins with the k-th command

// The head becomes the tail, the cell before it the head, the old tail a body.
function make_lists() {
    u32 stream = R == 1 ? ADVANCE | ADVANCE << 3 : ADVANCE | ADVANCE << 3;
    let k in [2, 8);
    ∀k stream |= (k == R ? RESET : NOP) << 3*k;
    let j in [0, R+1);
    ∀j {
        // Commands 0 to 2 and two bits of the third stand above the task's six bits.
        bits[j] <- (stream & 0xff) << 22 | stream >> 8;
        stream <- stream >> 3 | NOP << 21;
    }
}
