xp order[n=3], at;
function note(xp k) { order[at] = k; at += 1; return at; }
main {
    note(5);
    note(6);
    if (at == 2) { note(7); }
    if (at == 2) { note(8); }
}
