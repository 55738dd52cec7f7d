// The last taker keeps all that is left.

xp param K;

sp socket rx;
sp got[n=200];

{
    let k in [0, K);
    ∀k got[k] <- rx[];
}
