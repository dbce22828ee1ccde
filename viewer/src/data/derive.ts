// What can be made of a series: its rate and its spectrum.
import type { Series } from "./run.ts";

// Second-order differences on uneven times: the slope of the parabola through three neighbours, one-sided at the ends.
export function derivative({ t, v }: Series): Series {
  const n = t.length;
  const out = new Float64Array(n);
  if (n < 2) return { t, v: out.fill(NaN) };
  const slope = (i: number, j: number) => (v[j] - v[i]) / (t[j] - t[i]);
  for (let i = 1; i + 1 < n; i++) {
    const before = t[i] - t[i - 1], after = t[i + 1] - t[i];
    out[i] = (slope(i - 1, i) * after + slope(i, i + 1) * before) / (before + after);
  }
  if (n === 2) return { t, v: out.fill(slope(0, 1)) };
  out[0] = 2 * slope(0, 1) - out[1];
  out[n - 1] = 2 * slope(n - 2, n - 1) - out[n - 2];
  return { t, v: out };
}

// One-sided amplitude spectrum: the series is brought to even steps by linear interpolation, its mean removed, weighted
// with a Hann window and transformed; a sine of amplitude A in a bin shows as A.
export function spectrum({ t, v }: Series): Series {
  const n = t.length;
  if (n < 4 || !(t[n - 1] > t[0])) return { t: new Float64Array(0), v: new Float64Array(0) };
  const size = Math.min(1 << 17, 1 << Math.ceil(Math.log2(n)));
  const step = (t[n - 1] - t[0]) / size;
  const re = new Float64Array(size), im = new Float64Array(size);
  let j = 0, mean = 0;
  for (let i = 0; i < size; i++) {
    const at = t[0] + i * step;
    while (j + 2 < n && t[j + 1] <= at) j++;
    const part = (at - t[j]) / (t[j + 1] - t[j]);
    re[i] = v[j] + part * (v[j + 1] - v[j]);
    mean += re[i] / size;
  }
  for (let i = 0; i < size; i++) re[i] = (re[i] - mean) * 0.5 * (1 - Math.cos((2 * Math.PI * i) / size));
  fft(re, im);
  const half = size / 2;
  const frequency = new Float64Array(half), amplitude = new Float64Array(half);
  for (let k = 0; k < half; k++) {
    frequency[k] = k / (size * step);
    amplitude[k] = (4 / size) * Math.hypot(re[k], im[k]);
  }
  amplitude[0] = Math.abs(mean);
  return { t: frequency, v: amplitude };
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
