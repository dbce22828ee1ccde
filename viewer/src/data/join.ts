// Several analyses of one run on one time line: rows one after the other, channels of all, nothing where an analysis has none.
import type { ChannelInfo, RunDocument } from "./format.ts";
import { shuffle } from "./pack.ts";
import { Run } from "./run.ts";

// Those that go on in time where the one before ended: their numbers, in order.
export function chain_of(runs: { begin: number; end: number; rows: number }[]): number[] {
  const out: number[] = [];
  let end = -Infinity;
  runs.forEach(({ begin, end: last, rows }, k) => {
    if (rows < 2 || !(begin >= end - 1e-9 * Math.max(1, Math.abs(end)))) return;
    out.push(k);
    end = last;
  });
  return out;
}

export function joined(runs: Run[]): Run {
  const channels = new Map<string, ChannelInfo>();
  for (const run of runs) for (const c of run.channels) if (!channels.has(c.name)) channels.set(c.name, c);
  const rows = runs.reduce((n, r) => n + r.time.length, 0);
  const bytes = new Uint8Array(8 * rows * (channels.size + 1));
  const column = (of: (run: Run) => Float64Array, at: number) => {
    const all = new Float64Array(rows);
    let row = 0;
    for (const run of runs) {
      all.set(of(run), row);
      row += run.time.length;
    }
    shuffle(all, bytes, 8 * rows * at);
  };
  column((run) => run.time, 0);
  [...channels.values()].forEach((c, k) => column((run) => {
    const own = run.find(c.name);
    return own ? run.common(own) : new Float64Array(run.time.length).fill(NaN);
  }, k + 1));
  const last = runs[runs.length - 1].doc;
  const doc: RunDocument = { ...last, analysis: runs.map((r) => r.doc.analysis).join(", "), segment: -1, rows: runs.reduce((n, r) => n + r.doc.rows, 0), kept: rows,
    channels: [...channels.values()].map(({ name, unit, element, quantity }) => ({ name, unit, element, quantity, thinned: false })), events: runs.flatMap((r) => r.doc.events), spectra: undefined,
    summary: { ...last.summary, channels: merged_peaks(runs) } };
  if (runs.every((r) => !r.thinned)) doc.kept = doc.rows = rows;
  return new Run(doc, bytes);
}

// Least and largest of all analyses, with their times; means of one analysis alone are left out.
function merged_peaks(runs: Run[]): Record<string, unknown> {
  const out: Record<string, Record<string, unknown>> = {};
  for (const run of runs)
    for (const [name, value] of Object.entries((run.doc.summary.channels ?? {}) as Record<string, Record<string, unknown>>)) {
      const old = out[name];
      if (old === undefined) {
        out[name] = { unit: value.unit, least: value.least, t_least: value.t_least, largest: value.largest, t_largest: value.t_largest };
        continue;
      }
      if (Number(value.least) < Number(old.least)) [old.least, old.t_least] = [value.least, value.t_least];
      if (Number(value.largest) > Number(old.largest)) [old.largest, old.t_largest] = [value.largest, value.t_largest];
    }
  return out;
}
