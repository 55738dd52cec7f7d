// A counter filter: period limit+1, the first maxpass+1 of a period pass; .state=64 starts with those
// dropped; control wavelets neither count nor are filtered.
socket r; socket t;
filter f[counter] = {.limit=4, .maxpass=1, .tick=wavelet, .socket=r};
filter g[counter] = {.limit=4, .maxpass=1, .tick=wavelet, .socket=t, .state=64};
wv const NONE = {0x0000, 0x0000};
u32 sent; u32 first[5]; u32 second[3]; xp n;

parallel {
  { ∀i in [0, 6) wv:r[] <- i; r[] <- control(NONE); ∀i in [0, 4) wv:r[] <- 6 + i; wv:r[] <- 10; }
  { ∀i in [0, 5) first[i] <- r[]; n <- n + 1; }   // 0 1 | 5 6 | 10
}
parallel {
  ∀i in [0, 10) wv:t[] <- i;
  { ∀i in [0, 3) second[i] <- t[]; n <- n + 1; }  // 3 4 | 8 (after three are dropped)
}
