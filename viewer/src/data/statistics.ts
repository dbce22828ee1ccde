// Least, largest, mean and RMS of a line over a range. Lines are straight between their points, so are mean and RMS:
// the mean of a straight piece from a to b is (a + b)/2, that of its square (a^2 + a b + b^2)/3.

export interface Statistics {
  least: number;
  largest: number;
  mean: number;
  rms: number;
  first: number; // value at the start of the range
  last: number;
}

// NaN where the line has nothing in the range.
export function range_statistics(x: ArrayLike<number>, y: ArrayLike<number>, from: number, to: number): Statistics {
  const out = { least: NaN, largest: NaN, mean: NaN, rms: NaN, first: value_at(x, y, from), last: value_at(x, y, to) };
  let low = Infinity, high = -Infinity, length = 0, sum = 0, squares = 0;
  let before: [number, number] | null = null;
  const take = (at: number, v: number) => {
    if (!Number.isFinite(v)) return void (before = null);
    low = Math.min(low, v);
    high = Math.max(high, v);
    if (before !== null) {
      const d = at - before[0], a = before[1];
      length += d;
      sum += (d * (a + v)) / 2;
      squares += (d * (a * a + a * v + v * v)) / 3;
    }
    before = [at, v];
  };
  if (Number.isFinite(out.first)) take(from, out.first);
  for (let i = 0; i < x.length; i++) if (x[i] > from && x[i] < to) take(x[i], y[i]);
  if (Number.isFinite(out.last)) take(to, out.last);
  if (low > high) return out;
  return { ...out, least: low, largest: high, mean: length > 0 ? sum / length : low, rms: length > 0 ? Math.sqrt(squares / length) : Math.abs(low) };
}

function value_at(x: ArrayLike<number>, y: ArrayLike<number>, at: number): number {
  const last = x.length - 1;
  if (last < 0 || at < x[0] || at > x[last]) return NaN;
  let low = 0, high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  if (x[high] <= at) return y[high];
  return x[high] > x[low] ? y[low] + ((at - x[low]) / (x[high] - x[low])) * (y[high] - y[low]) : y[low];
}
