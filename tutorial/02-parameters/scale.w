// A table of ROWS x COLS numbers: each times SCALE, and the sum of each row.

xp param ROWS;
xp param COLS;
sp param SCALE = 1.0;

xp const LAST = COLS - 1;

sp table[row=ROWS][col=COLS];
sp scaled[row=ROWS][col=COLS];
sp total[row=ROWS];
sp last[row=ROWS];

{
    let r in [0, ROWS);
    let c in [0, COLS);

    ∀r ∀c scaled[r][c] <- SCALE * table[r][c];

    ∀r {
        sp sum = 0.0;
        ∀c sum <- sum + scaled[r][c];
        total[r] <- sum;
    }

    ∀r last[r] <- scaled[r][LAST];
}
