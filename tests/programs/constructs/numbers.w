xp const FOUR = 4;
xp shared = 11;
function twice(xp k) { return 2*k; }
