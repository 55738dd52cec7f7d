// Sets its own rules: a [LHC], and b [L>C] where b must be [LHC] too.

xp param N;
xp param A;
socket rx;
u16 rules[n=24] address(0x7C00);
i32 a[n=N];

{
    let i in [0, N);
    rules[A] <- 0x0210;
    rules[A + 1] <- 0x0010;
    ∀i a[i] <- rx[];
}
