xp param T;
xp socket report;
xp got[t=T];
{
    let t in [0, T);
    ∀t got[t] <- report[];
}
