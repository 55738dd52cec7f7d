// y = A·x with 27 entries a row. Each PE holds a column of Z points and the Z rows of A that belong
// to it; its eight neighbours' columns come in as streams, each value as often as rows need it, so
// nothing of them is kept. The sum of a row stays in the accumulator over all nine columns.

xp param Z;
xp param NX;
xp param NY;

xp const ENTRIES = 9*(3*Z - 2);                 // rows at the ends of a column have 18, others 27

socket mine [[dir=out]];
socket sw, s, se, w, e, nw, n, ne;              // where the neighbour lies; n is up, towards larger y

sp A[entry=ENTRIES];
sp x[z=Z];
sp y[z=Z];
sp zero[1];
xp begin[word=3], end[word=3];

xp clock[3] address(0x7b30);
xp timer[1] address(0x7b34);
xp row[1] address(0x7c45);
xp column[1] address(0x7c46);

{
    let word in [0, 3);
    let inner in [1, Z-1);
    let j in [0, inf);                          // as many as the matrix's walk allows

    iterator zeros = i in [0, inf) zero[0];
    iterator a = i in [0, ENTRIES) A[i];
    iterator head = i in [0, 2) x[i];
    iterator own = z in [0, Z-2) i in [0, 3) x[z+i];
    iterator tail = i in [0, 2) x[Z-2+i];
    iterator out = z in [0, Z) i in [0, 3) x[z+i-1];   // but for the first and the last element

    // Beyond the edge of the grid is zero: nobody sends there.
    u64 dsd[8];
    dsd[0] = sw; dsd[1] = s; dsd[2] = se; dsd[3] = w;
    dsd[4] = e; dsd[5] = nw; dsd[6] = n; dsd[7] = ne;
    if (row[0] == 1) { dsd[0] = zeros; dsd[1] = zeros; dsd[2] = zeros; }
    if (row[0] == NY) { dsd[5] = zeros; dsd[6] = zeros; dsd[7] = zeros; }
    if (column[0] == 1) { dsd[0] = zeros; dsd[3] = zeros; dsd[5] = zeros; }
    if (column[0] == NX) { dsd[2] = zeros; dsd[4] = zeros; dsd[7] = zeros; }
    stream s0 = dsd[0], s1 = dsd[1], s2 = dsd[2], s3 = dsd[3];
    stream s4 = dsd[4], s5 = dsd[5], s6 = dsd[6], s7 = dsd[7];

    timer[0] <- 4;
    ∀word begin[word] <- clock[word];

    out[];
    sp acc;
    parallel {
        i in [0, 3*Z-2) wv:mine[] <- out[];
        [[uthread.enable(off)]] {
            a.len = 2;
            [[dot.load(off)]] ∀j acc = ∑ a[] * head[];
            [[dot.state(on), dot.load(off)]] {
                ∀j acc = ∑ a[] * (sp)(s0[]);
                ∀j acc = ∑ a[] * (sp)(s1[]);
                ∀j acc = ∑ a[] * (sp)(s2[]);
                ∀j acc = ∑ a[] * (sp)(s3[]);
                ∀j acc = ∑ a[] * (sp)(s4[]);
                ∀j acc = ∑ a[] * (sp)(s5[]);
                ∀j acc = ∑ a[] * (sp)(s6[]);
            }
            [[dot.state(on)]] ∀j acc = ∑ a[] * (sp)(s7[]);
            y[0] <- acc;

            a.len = 3;
            ∀inner {
                [[dot.load(off)]] ∀j acc = ∑ a[] * own[];
                [[dot.state(on), dot.load(off)]] {
                    ∀j acc = ∑ a[] * (sp)(s0[]);
                    ∀j acc = ∑ a[] * (sp)(s1[]);
                    ∀j acc = ∑ a[] * (sp)(s2[]);
                    ∀j acc = ∑ a[] * (sp)(s3[]);
                    ∀j acc = ∑ a[] * (sp)(s4[]);
                    ∀j acc = ∑ a[] * (sp)(s5[]);
                    ∀j acc = ∑ a[] * (sp)(s6[]);
                }
                [[dot.state(on)]] ∀j acc = ∑ a[] * (sp)(s7[]);
                y[inner] <- acc;
            }

            a.len = 2;
            [[dot.load(off)]] ∀j acc = ∑ a[] * tail[];
            [[dot.state(on), dot.load(off)]] {
                ∀j acc = ∑ a[] * (sp)(s0[]);
                ∀j acc = ∑ a[] * (sp)(s1[]);
                ∀j acc = ∑ a[] * (sp)(s2[]);
                ∀j acc = ∑ a[] * (sp)(s3[]);
                ∀j acc = ∑ a[] * (sp)(s4[]);
                ∀j acc = ∑ a[] * (sp)(s5[]);
                ∀j acc = ∑ a[] * (sp)(s6[]);
            }
            [[dot.state(on)]] ∀j acc = ∑ a[] * (sp)(s7[]);
            y[Z-1] <- acc;
        }
    }

    ∀word end[word] <- clock[word];
}
