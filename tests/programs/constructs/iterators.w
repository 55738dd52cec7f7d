// Iterators: a place kept between uses, reset, one use's length, starting again, several dimensions,
// reversed, past the end, a second way to write them.

let p in [0, 4); let q in [0, 3);
xp x[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
xp z[3][2] = {{10, 11}, {20, 21}, {30, 31}};
iterator all = ∀p x[p];
iterator endless = ∀inf ∀p x[4 + p];
iterator grid = ∀p ∀q x[p + 4 * q];
iterator down = ∀q x[11 - q];
iterator pairs = i in [0, ∞) j in [0, 2) z[j][1];
iterator out = ∀p x[p];
xp a; xp b[6]; xp c[12]; xp d[4]; xp e[5]; xp f[3]; xp g[4]; xp h[4]; xp k[5]; xp m[2]; xp w[4];

a <- all[];
a <- a * 10 + all[];
a <- a * 10 + all[];                   // 0 1 2
reset all;
∀i in [0, 6) b[i] <- all[];            // 0 1 2 3, then again 0 1
∀i in [0, 12) c[i] <- grid[];
∀i in [0, 4) d[i] <- down[];           // 11 10 9 11
∀i in [0, 5) e[i] <- endless[] + 1;    // 5 6 7 8 5
all.len = 3;
reset all;
∀i in [0, 3) f[i] <- all[];
g[0] <- all[];
all.len = 4;
∀i in [0, 3) g[i + 1] <- all[];
∀i in [0, 4) h[i] <- 2 * endless[];    // from where it stopped: 5 6 7 4
∀i in [0, 5) k[i] <- pairs[];
∀i in [0, 2) out[] <- 100 + i;         // x[0], x[1]
out[] <- out[];                        // one place: read and written
m[0] <- x[0]; m[1] <- x[1];
reset all;
all.len = 2;
∀i in [0, 4) w[i] <- 7 + all[];        // one use takes two at most
a <- all[];
