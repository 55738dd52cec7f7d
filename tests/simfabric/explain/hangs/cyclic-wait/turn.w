// Takes a block from the PE before it in the ring and then gives its own to the next.

xp param N;
socket before, next;
i32 mine[n=N];
i32 theirs[n=N];

{
    let i in [0, N);
    ∀i theirs[i] <- before[];
    ∀i next[] <- mine[i];
}
