// One cell of a closed shallow basin: the surface's height η over the depth at rest, and the
// speeds u through the cell's east face and v through its south face.
//
// A step is: exchange η; momentum with gravity, rotation and drag; upwind mass fluxes through the
// two faces; exchange fluxes and speeds; continuity and smoothing. A face of the basin's edge has
// the mask 0, so that nothing flows through it; whatever a wall answers is masked too.

xp param NSTEP;

socket right, left, up, down;                   // named by the way the data moves

sp k[const=13];
sp η, u, v;
xp begin[word=3], end[word=3];
xp stamps[step=NSTEP];

xp clock[3] address(0x7b30);
xp timer[1] address(0x7b34);

{
    let word in [0, 3);
    let step in [0, NSTEP);

    sp gx = k[0], gy = k[1];                    // g·Δt/Δx, g·Δt/Δy
    sp rx = k[2], ry = k[3];                    // Δt/Δx, Δt/Δy
    sp f = k[4], drag = k[5];                   // Coriolis·Δt, friction·Δt
    sp depth = k[6];
    sp east = k[7], west = k[8], south = k[9], north = k[10];   // 1 inside, 0 at the basin's edge
    sp ε = k[11], half = k[12];

    sp h = η, uₑ = u, vₛ = v;
    sp hE, hW, hN, hS, fW, fN, vE, uS;

    timer[0] <- 4;
    ∀word begin[word] <- clock[word];

    ∀step {
        parallel {
            right[] <- h; left[] <- h; up[] <- h; down[] <- h;
            hW <- right[]; hE <- left[]; hN <- up[]; hS <- down[];
        }

        uₑ <- (uₑ - gx*(hE - h) + f*vₛ)*east;
        vₛ <- (vₛ - gy*(hS - h) - f*uₑ)*south;
        uₑ <- uₑ - drag*uₑ;
        vₛ <- vₛ - drag*vₛ;

        sp u⁺ = max(uₑ, 0.0), u⁻ = min(uₑ, 0.0);
        sp v⁺ = max(vₛ, 0.0), v⁻ = min(vₛ, 0.0);
        sp fE = (u⁺*(depth + h) + u⁻*(depth + hE))*east;
        sp fS = (v⁺*(depth + h) + v⁻*(depth + hS))*south;
        sp lap = (hE - h)*east + (hW - h)*west + (hS - h)*south + (hN - h)*north;

        parallel {
            right[] <- fE; fW <- right[];
            up[] <- fS;    fN <- up[];
            left[] <- vₛ;  vE <- left[];
            down[] <- uₑ;  uS <- down[];
        }

        h <- h - rx*(fE - fW*west) - ry*(fS - fN*north) + ε*lap;
        uₑ <- uₑ + ε*half*(uS - uₑ)*south;
        vₛ <- vₛ + ε*half*(vE - vₛ)*east;

        stamps[step] <- clock[0];
    }

    ∀word end[word] <- clock[word];
    η <- h; u <- uₑ; v <- vₛ;
}
