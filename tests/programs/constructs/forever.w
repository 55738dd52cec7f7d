xp n, log[n=5];
function squares() {
    forever {
        if (n == 5) return;
        log[n] = n*n;
        n += 1;
    }
}
{ squares(); }
