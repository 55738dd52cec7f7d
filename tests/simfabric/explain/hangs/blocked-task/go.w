// Sends the work, and forgets the word that opens it.

xp param N;
socket work;
i32 a[n=N];

{
    let i in [0, N);
    ∀i work[] <- a[i];
}
