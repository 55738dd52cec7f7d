// Register arrays: memory addresses below the registers' window name them.
u16 clock[3] address(0x7b30); u16 timer address(0x7b34); u16 here[2] address(0x7c45);
u16 control address(0x7e0c); u16 routes[24] address(0x7c00); u16 switches[24][4] address(0x7c80);
u16 out_queues[8] address(0x7b80);
u16 a[3]; u16 b[3]; xp more; u16 rows[2]; xp early; xp near[3]; xp zero[2]; xp down[2]; xp up[2];
sp half = 2.5, high = 3.5, low = -2.7; u16 kept;
u16 route; u16 positions[4]; u16 color; socket s; xp t[3];

s[] <- 1; t[0] <- s[];
timer <- 4;
∀i in [0, 3) a[i] <- clock[i];
∀i in [0, 3) b[i] <- clock[i];
more <- b[0] - a[0];
∀i in [0, 3) clock[i] <- 0;
∀i in [0, 3) t[i] <- clock[i];
t[0] <- t[0] < 100;
∀i in [0, 2) rows[i] <- here[i];
kept <- control;
early <- low;                          // it starts toward zero
control <- 0; near[0] <- high; near[1] <- half; near[2] <- low;
control <- 1; zero[0] <- high; zero[1] <- low;
control <- 2; down[0] <- high; down[1] <- low;
control <- 3; up[0] <- high; up[1] <- low;
control <- kept;
route <- routes[5] & 255; color <- (out_queues[0] >> 4) & 31;
∀i in [0, 4) positions[i] <- switches[5][i];
