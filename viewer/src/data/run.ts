// A run as the viewer sees it: channels by name, each a series over time.
import type { ChannelInfo, RunDocument } from "./format.ts";
import { evaluate } from "./formula.ts";
import { unshuffle } from "./pack.ts";

const round_off = 1e-12; // of the largest value of its unit: what is smaller is shown as 0

// Residuals and steps are small as they should be, and their size is what one reads them for.
const judged = (channel: ChannelInfo): boolean => channel.unit !== "" && channel.quantity !== "residual" && channel.quantity !== "step";

export interface Series {
  t: Float64Array; // ascending
  v: Float64Array;
}

export interface Channel extends ChannelInfo {
  index: number;
  thinned: boolean;
  not_finite?: number;
}

export interface Band {
  t: Float64Array; // n + 1 times
  low: Float64Array; // n
  high: Float64Array;
}

interface Column {
  at: Float64Array; // at the common times
  extra: Series | null; // smallest and largest between them
}

export class Run {
  readonly channels: Channel[];
  private readonly names = new Map<string, Channel>();
  private readonly open: Set<unknown>;
  private columns: Column[] = [];
  private merged: (Series | undefined)[] = [];
  private readonly spectra: Series[] = [];
  private readonly sizes = new Map<string, number>();
  time: Float64Array;

  constructor(readonly doc: RunDocument, bytes: Uint8Array, spectra: Uint8Array | null = null) {
    this.channels = doc.channels.map((c, index) => ({ ...c, index }));
    for (const c of this.channels) this.names.set(c.name, c);
    this.open = new Set(Array.isArray(doc.summary.not_unique) ? doc.summary.not_unique : []);
    let at = 0;
    const next = (n: number) => {
      const column = unshuffle(bytes, at, n);
      at += 8 * n;
      return column;
    };
    this.time = next(doc.kept);
    const gaps = Math.max(0, doc.kept - 1);
    for (const c of this.channels) {
      const values = next(doc.kept);
      const extra = c.thinned ? { t: next(2 * gaps), v: next(2 * gaps) } : null;
      this.columns.push({ at: values, extra });
    }
    for (let k = 0; spectra !== null && k < (doc.spectra?.channels ?? 0); k++) {
      const lines = doc.spectra!.lines;
      const [t, v] = [unshuffle(spectra, 16 * k * lines, lines), unshuffle(spectra, (16 * k + 8) * lines, lines)];
      const n = v.findIndex(Number.isNaN);
      this.spectra.push(n < 0 ? { t, v } : { t: t.subarray(0, n), v: v.subarray(0, n) });
    }
    if (at !== bytes.length) throw new Error(`The packed columns hold ${bytes.length} bytes, ${at} were expected.`);
  }

  get thinned(): boolean {
    return this.doc.kept < this.doc.rows;
  }

  get begin(): number {
    return this.time.length > 0 ? this.time[0] : 0;
  }

  get end(): number {
    return this.time.length > 0 ? this.time[this.time.length - 1] : 0;
  }

  // A name that begins with "=" is a formula of channels, which becomes one of them; undefined where it has a fault.
  find(name: string): Channel | undefined {
    const known = this.names.get(name);
    if (known !== undefined || !name.startsWith("=")) return known;
    try {
      return this.define(name);
    } catch {
      return undefined;
    }
  }

  // Throws with the reason. Formulas are not in `channels`, which are the run's own.
  define(name: string): Channel {
    const { unit, values } = evaluate(name.slice(1), this.time.length, (of) => {
      const channel = of === "t" ? undefined : this.names.get(of);
      return of === "t" ? { unit: "s", values: this.time } : channel && { unit: channel.unit, values: this.common(channel) };
    });
    const channel: Channel = { name, unit, element: "formula", quantity: "formula", index: this.columns.length, thinned: false };
    this.columns.push({ at: values, extra: null });
    this.names.set(name, channel);
    return channel;
  }

  // The largest value among the channels of a unit that belong to something; 0: none.
  size_of(unit: string): number {
    const known = this.sizes.get(unit);
    if (known !== undefined) return known;
    let most = 0;
    for (const c of this.channels)
      if (c.unit === unit && judged(c)) for (const v of this.columns[c.index].at) if (Math.abs(v) > most && Number.isFinite(v)) most = Math.abs(v);
    this.sizes.set(unit, most);
    return most;
  }

  // What a reader should see of a value: 0 where it is round-off of others of its unit.
  seen(channel: ChannelInfo, value: number): number {
    return judged(channel) && Math.abs(value) <= round_off * this.size_of(channel.unit) ? 0 : value;
  }

  // Whether it is a reaction that redundant equations leave open.
  not_unique(name: string): boolean {
    return this.open.has(name);
  }

  // Values at the common times only: what two channels share.
  common(channel: Channel): Float64Array {
    return this.columns[channel.index].at;
  }

  // Everything that is known of a channel, with its own times.
  series(channel: Channel): Series {
    return (this.merged[channel.index] ??= this.merge(this.columns[channel.index]));
  }

  // The spectrum of all rows where this file does not hold them; undefined: it was not stored.
  stored_spectrum(channel: Channel): Series | undefined {
    return this.spectra[channel.index];
  }

  // Thinned: smallest and largest value of a channel between two common times.
  band(channel: Channel): Band | null {
    const { at, extra } = this.columns[channel.index];
    if (extra === null) return null;
    const n = Math.max(0, at.length - 1);
    const low = new Float64Array(n), high = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const values = [at[i], at[i + 1], extra.v[2 * i], extra.v[2 * i + 1]].filter(Number.isFinite);
      low[i] = Math.min(...values);
      high[i] = Math.max(...values);
    }
    return { t: this.time, low, high };
  }

  // Whether the run has something to show at this time.
  lasts(t: number): boolean {
    const room = 1e-9 * Math.max(1, Math.abs(this.end));
    return t >= this.begin - room && t <= this.end + room;
  }

  // Rows that a running simulation added, row after row: time, then one number per channel.
  append(rows: Float64Array): void {
    const width = this.channels.length + 1;
    const n = rows.length / width;
    const grow = (old: Float64Array, k: number) => {
      const longer = new Float64Array(old.length + n);
      longer.set(old);
      for (let i = 0; i < n; i++) longer[old.length + i] = rows[i * width + k];
      return longer;
    };
    this.time = grow(this.time, 0);
    this.columns = this.columns.slice(0, this.channels.length).map((c, k) => ({ at: grow(c.at, k + 1), extra: c.extra }));
    this.merged = [];
    this.sizes.clear();
    for (const name of this.names.keys()) if (name.startsWith("=")) this.names.delete(name); // made again when asked for
    this.doc.rows += n;
    this.doc.kept += n;
  }

  private merge(column: Column): Series {
    const { at, extra } = column;
    if (extra === null) return { t: this.time, v: at };
    const t: number[] = [], v: number[] = [];
    for (let i = 0; i < at.length; i++) {
      t.push(this.time[i]);
      v.push(at[i]);
      for (const k of [2 * i, 2 * i + 1]) {
        if (k >= extra.t.length || Number.isNaN(extra.t[k])) continue;
        t.push(extra.t[k]);
        v.push(extra.v[k]);
      }
    }
    return { t: Float64Array.from(t), v: Float64Array.from(v) };
  }
}

// The last index whose time is not after t (0 when all are).
export function index_at(times: Float64Array, t: number): number {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
