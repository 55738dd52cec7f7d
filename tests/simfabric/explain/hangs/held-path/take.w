// Takes two messages of LENGTH words, each behind its header.

xp param LENGTH;
socket mp;
u32 a[n=2][m=LENGTH+1];

{
    let k in [0, 2);
    let i in [0, LENGTH + 1);
    ∀k ∀i a[k][i] <- mp[];
}
