// Thinning to a budget of common times: at every k-th row the value itself, and in each interval the smallest and the
// largest value with their times. The C++ report does the same (cardan/results/report_columns.cpp); this one serves tests.

export interface Thinned {
  at: Float64Array;
  t: Float64Array; // 2 per interval, in order of time; NaN: none beyond the interval's ends
  v: Float64Array;
}

export function common_rows(rows: number, budget: number): number[] {
  const stride = Math.max(1, Math.ceil(rows / Math.max(2, budget)));
  const out: number[] = [];
  for (let i = 0; i < rows; i += stride) out.push(i);
  if (out.length > 0 && out[out.length - 1] !== rows - 1) out.push(rows - 1);
  return out;
}

export function thin(time: Float64Array, values: Float64Array, rows: number[]): Thinned {
  const gaps = Math.max(0, rows.length - 1);
  const out = { at: Float64Array.from(rows, (r) => values[r]), t: new Float64Array(2 * gaps).fill(NaN), v: new Float64Array(2 * gaps).fill(NaN) };
  for (let g = 0; g < gaps; g++) {
    const first = rows[g], last = rows[g + 1];
    let low = first, high = first;
    for (let i = first; i <= last; i++) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    const picks = [low, high].filter((i) => i !== first && i !== last).sort((a, b) => a - b);
    picks.forEach((i, k) => {
      out.t[2 * g + k] = time[i];
      out.v[2 * g + k] = values[i];
    });
  }
  return out;
}
