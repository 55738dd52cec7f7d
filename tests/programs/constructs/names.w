// Letters, digits, scripts, combining marks and primes; composed and decomposed spellings are one name.
xp rcut² = 2, Δx⁻¹ = 3, r⃗₀ = 4, x̂ = 5, ρ̅ = 6, φ′ = 7, _under_9 = 8, größe = 9;
sp φ″ = 1.5;
xp out[n=9];
{
    out[0] = rcut² + Δx⁻¹;
    out[1] = r⃗₀*x̂;
    out[2] = ρ̅ - φ′;
    out[3] = _under_9;
    out[4] = größe;
    xp ñ = 10;
    out[5] = ñ;
    xp in_ = 11, forall_ = 12, xp1 = 13;
    out[6] = in_; out[7] = forall_; out[8] = xp1;
}
