// Walks past an array read what lies there (tungsten page 6).
sp x[8];
iterator it = ∀i in [0, 10) x[i];
{ x[0] <- it[]; }
