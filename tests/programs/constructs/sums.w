// The accumulator: sums over several statements by `dot` attributes, blocks, several dimensions, types.
let i in [0, 4); let j in [0, 2);
sp a[4] = {1.0, 2.0, 3.0, 4.0}; sp b[4] = {10.0, 20.0, 30.0, 40.0};
sp m[2][4] = {{1.0, 2.0, 3.0, 4.0}, {5.0, 6.0, 7.0, 8.0}};
hp h[4] = {1.0, 0.5, 0.25, 0.125}; xp n[4] = {1, 2, 3, 4};
sp plain; sp kept; sp whole; sp block; sp two; sp rows[2]; sp mixed; hp halves; sp wide; xp total; sp again; sp off = 9.0;
sp alone;

∀i plain = ∑ a[i] * b[i];
[[dot.load(off)]] ∀i off = ∑ a[i] * b[i];
[[dot.state(on), dot.load(off)]] ∀i off = ∑ a[i] * a[i];
[[dot.state(on)]] ∀i kept = ∑ b[i];
∀i again = ∑ a[i];                                 // a plain one clears
[[dot.load(off)]] ∀i block = ∑ a[i];
[[dot.state(on), dot.load(off)]] {
  ∀i block = ∑ a[i] * b[i];
  ∀i block = ∑ b[i];
}
[[dot.state(on)]] ∀i block = ∑ a[i] * a[i];
∀i ∀j two = ∑ m[j][i] * a[i];
∀j { ∀i rows[j] = ∑ m[j][i] * b[i]; }
∀i mixed = ∑ a[i] * b[i] + 1.0;
∀i halves = ∑ h[i];
∀i wide = ∑ h[i] * h[i];
∀i total = ∑ n[i] * n[i];
alone = ∑ a[2] * b[2];
