// Tick marks at multiples of 1, 2 or 5 times a power of ten.

export function ticks(low: number, high: number, about: number): { step: number; values: number[] } {
  const raw = (high - low) / Math.max(1, about);
  if (!(raw > 0) || !Number.isFinite(raw)) return { step: 1, values: [low] };
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9)) ?? 10 * power;
  const values: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) values.push(k === 0 ? 0 : k * step);
  return { step, values };
}

export function tick_text(value: number, step: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (size >= 1e6 || size < 1e-4 || digits > 5) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step) + 1e-9))).split("e");
    return `${mantissa}e${Number(exponent)}`.replaceAll("-", "−");
  }
  return value.toFixed(digits).replace("-", "−");
}

export function range_of(lists: ArrayLike<number>[], pad = 0.05): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      if (!Number.isFinite(list[i])) continue;
      if (list[i] < low) low = list[i];
      if (list[i] > high) high = list[i];
    }
  if (low > high) return [0, 1];
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-13 * largest || high === low) {
    const half = largest > 0 ? 0.05 * largest : 1;
    return [low - half, high + half];
  }
  return [low - pad * (high - low), high + pad * (high - low)];
}

// Curves of a run that failed may end in values that dwarf all others: where they were before, or null where the end is no different.
export function calm_range(lines: { x: ArrayLike<number>; y: ArrayLike<number> }[], last_part = 0.02, dwarfed = 30): [number, number] | null {
  const before = lines.map(({ x, y }) => {
    const end = x[x.length - 1] - last_part * (x[x.length - 1] - x[0]);
    return Array.from(y).filter((_, i) => x[i] <= end);
  });
  const calm = range_of(before), all = range_of(lines.map((l) => l.y));
  return before.every((y) => y.length > 2) && all[1] - all[0] > dwarfed * (calm[1] - calm[0]) ? calm : null;
}
