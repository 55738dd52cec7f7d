// Attributes of sockets: direction, and the number of the input queue.
sp socket rx [[dir=in, id=5]];
socket tx [[dir=out]]; socket both; xp socket other [[id=2]];
u16 input[16] address(0x7bc0); u16 output[8] address(0x7b80);
u16 in5; u16 in2; u16 out0; sp x; xp y; xp z;
tx[] <- 1.5:sp;
x <- rx[];
both[] <- (xp)3; y <- both[];
other[] <- 4; z <- other[];
in5 <- input[10]; in2 <- input[4]; out0 <- (output[0] >> 4) & 31;
