// The variable of an endless walk, as a value, beside the rest of the program.
socket a; xp x[5];
∀i in [0, ∞) a[] <- i;
∀i in [0, 5) x[i] <- a[];
