// What can be made of a series: its rate, its difference from another.
import type { Series } from "./run.ts";

export { spectrum } from "./spectrum.ts";

// Second-order differences on uneven times: the slope of the parabola through three neighbours, one-sided at the ends and
// where two rows have the same time (the two sides of an event).
export function derivative({ t, v }: Series): Series {
  const n = t.length;
  const out = new Float64Array(n);
  if (n < 2) return { t, v: out.fill(NaN) };
  const slope = (i: number, j: number) => (v[j] - v[i]) / (t[j] - t[i]);
  for (let i = 1; i + 1 < n; i++) {
    const before = t[i] - t[i - 1], after = t[i + 1] - t[i];
    if (before > 0 && after > 0) out[i] = (slope(i - 1, i) * after + slope(i, i + 1) * before) / (before + after);
    else out[i] = before > 0 ? slope(i - 1, i) : after > 0 ? slope(i, i + 1) : NaN;
  }
  if (n === 2) return { t, v: out.fill(slope(0, 1)) };
  out[0] = 2 * slope(0, 1) - out[1];
  out[n - 1] = 2 * slope(n - 2, n - 1) - out[n - 2];
  return { t, v: out };
}

// b - a at a's times; b is interpolated linearly, and nothing is said outside its range.
export function difference(a: Series, b: Series): Series {
  const out = new Float64Array(a.t.length).fill(NaN);
  const last = b.t.length - 1;
  let j = 0;
  for (let i = 0; i < a.t.length; i++) {
    const at = a.t[i];
    if (last < 0 || at < b.t[0] || at > b.t[last]) continue;
    while (j < last && b.t[j + 1] <= at) j++;
    const value = j === last || b.t[j] === at ? b.v[j] : b.v[j] + ((at - b.t[j]) / (b.t[j + 1] - b.t[j])) * (b.v[j + 1] - b.v[j]);
    out[i] = value - a.v[i];
  }
  return { t: a.t, v: out };
}
