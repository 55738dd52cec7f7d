// A TEARDOWN that the program sends to itself: task 29 runs once, the color takes nothing until it is given its route.
xp socket s; socket k;
wv const END = {0x0000, 0x01C0};
u16 routes[24] address(0x7c00);
u16 kept; xp got[3]; xp torn; xp n; xp down;

#pragma teardown on { torn <- torn + 1; down <- routes[0] >> 15; routes[0] <- kept; }

kept <- routes[0];
∀i in [0, 2) s[] <- 5 + i;
s[] <- control(END);
[[uthread.enable(on)]] ∀i in [0, 2) got[i] <- s[];
[[uthread.enable(on)]] { s[] <- 9; got[2] <- s[]; }
n <- 1;
