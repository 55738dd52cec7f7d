// Every operator in both spellings.
xp param N = 4;
xp a[n=N] = {1, 2, 3, 4}, b[n=N], c[n=N], d[n=N];
xp sum₁, sum₂, acc, k;
xp first[2], second[2];
{
    let i ∈ [0, N);
    ∀i b[i] ← a[i];
    i in [0, N) c[i] <- a[i];
    forall i d[i] = a[i] + b[i];
    ∀i sum₁ = ∑ a[i]*b[i];
    forall i sum₂ = sum a[i]*c[i];
    ∀i acc ←̟ a[i];
    ∀i acc <+- a[i];
    ∀i acc += a[i];
    acc -= 5;
    acc *= 2;
    k = 7; k %= 4; k <<= 3; k |= 1; k ^= 3; k &= 0x1e; k >>= 1;
    iterator up = j ∈ [0, ∞) a[j], more = j in [0, inf) a[j];
    first[0] = up[]; first[1] = up[];
    second[0] = more[]; second[1] = more[];
}
