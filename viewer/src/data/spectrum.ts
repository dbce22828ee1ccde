// The one-sided amplitude spectrum of a series.
//
// Rows at even steps are transformed as they are. Others are brought to even steps by the cubic through neighbouring rows,
// as close as a tenth of them are. What is left of the straight line
//   min sum w_i (v_i - a - b i)^2,   w_i = (1 - cos(2 pi (i + 1/2) / n)) / 2    (Hann)
// is weighted with w, continued by zeros to at least twice its length and transformed:
//   A_k = 2 |sum w_i v_i exp(-2 pi i k / N)| / sum w_i
// At a largest line the peak lies between the lines: the parabola through the logarithms of three lines gives place and
// height. A sine of amplitude A shows as A at any frequency that is a few lines away from 0 and from half the rate. The
// axis ends at half the rate. cardan/results/spectrum.cpp does the same for reports that do not keep all rows.
import { derivative } from "./derive.ts";
import type { Series } from "./run.ts";

export const spectrum_words = "amplitude, Hann window, straight line removed";

const most_points = 1 << 20;
const most_lines = 1 << 14; // drawn; of neighbours the largest

export function spectrum(series: Series): Series {
  const rows = finite(series);
  const none = { t: new Float64Array(0), v: new Float64Array(0) };
  const even = even_rows(rows);
  if (even === null || even.values.length < 8) return none;
  const { values, step } = even;
  const n = values.length;
  const size = 1 << Math.ceil(Math.log2(2 * n));
  const re = new Float64Array(size), im = new Float64Array(size);
  const sum = windowed(values, re);
  const mean = values.reduce((all, v) => all + v, 0) / n;
  fft(re, im);
  const count = size / 2 + 1;
  const amplitude = new Float64Array(count), frequency = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    frequency[k] = k / (size * step);
    amplitude[k] = (2 / sum) * Math.hypot(re[k], im[k]);
  }
  sharpen(frequency, amplitude, 1 / (size * step));
  amplitude[0] = Math.abs(mean);
  return thinned(frequency, amplitude);
}

function finite({ t, v }: Series): Series {
  if (v.every(Number.isFinite)) return { t, v };
  const kept = [...v.keys()].filter((i) => Number.isFinite(v[i]));
  return { t: Float64Array.from(kept, (i) => t[i]), v: Float64Array.from(kept, (i) => v[i]) };
}

// The values at even steps, and the step; null: too few.
export function even_rows({ t, v }: Series): { values: Float64Array; step: number } | null {
  const n = t.length;
  if (n < 4 || !(t[n - 1] > t[0])) return null;
  const span = t[n - 1] - t[0], mean = span / (n - 1);
  let even = true;
  for (let i = 1; i < n && even; i++) even = Math.abs(t[i] - t[i - 1] - mean) <= 1e-6 * mean;
  if (even) return { values: v, step: mean };
  const gaps = new Float64Array(n - 1);
  for (let i = 0; i + 1 < n; i++) gaps[i] = t[i + 1] - t[i];
  const apart = gaps.filter((gap) => gap > 1e-9 * mean).sort();
  const close = apart[Math.floor(apart.length / 10)];
  const parts = Math.min(Math.ceil(span / close), 4 * n, most_points / 2 - 1);
  const step = span / parts;
  const slopes = derivative({ t, v }).v;
  const values = new Float64Array(parts + 1);
  for (let i = 0, j = 0; i <= parts; i++) {
    const at = t[0] + i * step;
    while (j + 2 < n && t[j + 1] <= at) j++;
    const h = t[j + 1] - t[j];
    const s = h > 0 ? Math.min(1, Math.max(0, (at - t[j]) / h)) : 1, r = 1 - s;
    const bent = h * s * r * (r * slopes[j] - s * slopes[j + 1]);
    values[i] = (1 + 2 * s) * r * r * v[j] + s * s * (3 - 2 * s) * v[j + 1] + (Number.isFinite(bent) ? bent : 0);
  }
  return { values, step };
}

// Into out: without the straight line, times the window. Answers the window's sum.
function windowed(values: Float64Array, out: Float64Array): number {
  const n = values.length, middle = (n - 1) / 2;
  const weight = (i: number) => 0.5 * (1 - Math.cos((2 * Math.PI * (i + 0.5)) / n));
  let sum = 0, squares = 0, level = 0, slope = 0;
  for (let i = 0; i < n; i++) {
    const w = weight(i), x = i - middle;
    sum += w;
    squares += w * x * x;
    level += w * values[i];
    slope += w * x * values[i];
  }
  for (let i = 0; i < n; i++) out[i] = weight(i) * (values[i] - level / sum - (slope / squares) * (i - middle));
  return sum;
}

function sharpen(frequency: Float64Array, amplitude: Float64Array, line: number): void {
  for (let k = 1; k + 1 < amplitude.length; k++) {
    const before = amplitude[k - 1], here = amplitude[k], after = amplitude[k + 1];
    if (!(here >= before && here > after && before > 0 && after > 0)) continue;
    const a = Math.log(before / here), b = Math.log(after / here);
    const place = (0.5 * (a - b)) / (a + b);
    frequency[k] += place * line;
    amplitude[k] = here * Math.exp(-0.25 * (a - b) * place);
    k++; // the neighbour has been used as it was
  }
}

// Bins as wide as a share of their frequency, so that low ones keep their lines.
function thinned(frequency: Float64Array, amplitude: Float64Array): Series {
  const n = amplitude.length;
  if (n <= most_lines) return { t: frequency, v: amplitude };
  const share = (2 + Math.log(n)) / most_lines;
  const t: number[] = [], v: number[] = [];
  for (let k = 0; k < n; ) {
    const end = Math.min(n, k + Math.max(1, Math.floor(share * k)));
    let best = k;
    for (; k < end; k++) if (amplitude[k] > amplitude[best]) best = k;
    t.push(frequency[best]);
    v.push(amplitude[best]);
  }
  return { t: Float64Array.from(t), v: Float64Array.from(v) };
}

// Radix-2 transform in place.
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let length = 2; length <= n; length <<= 1) {
    const half = length >> 1;
    for (let k = 0; k < half; k++) {
      const angle = (-2 * Math.PI * k) / length;
      const c = Math.cos(angle), s = Math.sin(angle);
      for (let i = k; i < n; i += length) {
        const a = re[i + half] * c - im[i + half] * s;
        const b = re[i + half] * s + im[i + half] * c;
        re[i + half] = re[i] - a;
        im[i + half] = im[i] - b;
        re[i] += a;
        im[i] += b;
      }
    }
  }
}
