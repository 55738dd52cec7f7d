// A cell with one particle: STEPS steps of motion under forces from all particles nearer than rcut,
// of which none may be more than R cells away.

import march;

xp param W, H, NT, STEPS, MOST;
xp const B = 2*R + 1;

sp socket toright [[dir=out]], fromleft [[dir=in]];
sp socket toleft [[dir=out]], fromright [[dir=in]];
sp socket toup [[dir=out]], frombelow [[dir=in]];
sp socket todown [[dir=out]], fromabove [[dir=in]];

typedef sp vec3[3];
vec3 r⃗, v⃗, F⃗;
sp rcut², Δt, scale;                      // scale: table rows per unit of r²
struct spline { sp c₀, c₁, c₂, c₃; } table[n=NT];

sp arrived[a=R][d=3], arrivedʹ[a=R][d=3];
sp row[i=B][d=3];                         // the particles of the row's cells, own in the middle
sp rows[a=R][i=B][d=3], rowsʹ[a=R][i=B][d=3];
sp block[j=B][i=B][d=3];                  // and of all cells around
sp flat[c=B*B][d=3] address(&block);

xp hits[k=MOST];                          // the compact list of neighbours
xp nhit;
xp met[step=STEPS];                       // how many there were
sp r²[c=B*B];
struct spline cf[k=MOST];

xp row_id[1] address(0x7c45);
xp column_id[1] address(0x7c46);

// In which place a line's arrival number a belongs: cells that are heads before this one come first,
// the farthest of them first; then those behind it in turn.
function distance(xp a, xp phase) {
    return a < phase ? phase - a : R + phase - a;
}

function exchange(xp px, xp pxʹ, xp py, xp pyʹ) {
    let d in [0, 3);
    let a in [0, R);
    let i in [0, B);

    parallel {
        { ∀d toright[] <- r⃗[d]; toright[] <- control(lists[0]); }
        { ∀d toleft[] <- r⃗[d]; toleft[] <- control(lists[0]); }
        ∀a ∀d arrived[a][d] <- fromleft[];
        ∀a ∀d arrivedʹ[a][d] <- fromright[];
    }
    ∀d row[R][d] <- r⃗[d];
    ∀a {
        xp west = R - distance(a, px), east = R + distance(a, pxʹ);
        ∀d row[west][d] <- arrived[a][d];
        ∀d row[east][d] <- arrivedʹ[a][d];
    }

    parallel {
        { ∀i ∀d toup[] <- row[i][d]; toup[] <- control(lists[0]); }
        { ∀i ∀d todown[] <- row[i][d]; todown[] <- control(lists[0]); }
        ∀a ∀i ∀d rows[a][i][d] <- frombelow[];
        ∀a ∀i ∀d rowsʹ[a][i][d] <- fromabove[];
    }
    ∀i ∀d block[R][i][d] <- row[i][d];
    ∀a {
        xp below = R - distance(a, py), above = R + distance(a, pyʹ);
        ∀i ∀d block[below][i][d] <- rows[a][i][d];
        ∀i ∀d block[above][i][d] <- rowsʹ[a][i][d];
    }
}

{
    make_lists();
    // The grid begins at column 1; rows of the wafer grow as y does here.
    xp x = column_id[0] - 1, y = row_id[0] - 1;
    xp px = x % (R+1), pxʹ = (W-1-x) % (R+1);
    xp py = y % (R+1), pyʹ = (H-1-y) % (R+1);

    let d in [0, 3);
    let c in [0, B*B);
    let step in [0, STEPS);
    ∀step {
        exchange(px, pxʹ, py, pyʹ);

        ∀c r²[c] <- 0.0;
        ∀d {
            sp own = r⃗[d];
            sp Δ[c=B*B];
            ∀c Δ[c] <- flat[c][d] - own;
            ∀c r²[c] <+- Δ[c]*Δ[c];
        }
        nhit <- 0;
        ∀c {
            if (r²[c] < rcut² && c != (B*B)/2) {
                hits[nhit] <- c;
                nhit <- nhit + 1;
            }
        }
        met[step] <- nhit;

        let k ∈ [0, nhit);
        sp near²[k=MOST], u[k=MOST], s[k=MOST];
        xp cell[k=MOST];
        ∀k near²[k] <- r²[hits[k]];
        ∀k u[k] <- near²[k]*scale;
        ∀k cell[k] <- u[k];
        ∀k u[k] <- u[k] - cell[k];
        ∀k cf[k] <- table[cell[k]];
        ∀k s[k] <- cf[k].c₃*u[k];
        ∀k s[k] <- s[k] + cf[k].c₂;
        ∀k s[k] <- s[k]*u[k];
        ∀k s[k] <- s[k] + cf[k].c₁;
        ∀k s[k] <- s[k]*u[k];
        ∀k s[k] <- s[k] + cf[k].c₀;
        ∀d {
            sp own = r⃗[d];
            sp f = 0.0;
            ∀k f <+- s[k]*(flat[hits[k]][d] - own);
            F⃗[d] <- f;
        }
        ∀d v⃗[d] <+- Δt*F⃗[d];
        ∀d r⃗[d] <+- Δt*v⃗[d];
    }
}
