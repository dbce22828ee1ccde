// What a plot shows, and the numbers it shows for it.
import { derivative, difference } from "../data/derive.ts";
import type { Band, Channel, Run, Series } from "../data/run.ts";
import { spectrum, spectrum_words } from "../data/spectrum.ts";
import { run_words } from "../pages/changes.ts";
import { pretty, rate_unit, shown, type Preference } from "../data/units.ts";

export interface Curve {
  channel: string;
  rate: number; // how often differentiated
  right?: boolean; // on an axis of its own, to the right
}

export type Mode = "time" | "xy" | "spectrum" | "difference";

export interface PlotSpec {
  mode: Mode;
  x: string; // channel on the x axis of an "xy" plot
  curves: Curve[];
  numbers?: boolean; // a table of least, largest, mean and RMS
  log?: boolean; // the y axis; what is not above zero has no place there
  title?: string; // otherwise from the curves
  limits?: Record<string, [number, number]>; // y, by axis: what the reader zoomed to
}

export interface Line {
  name: string;
  run: number;
  of_run: string; // what tells it from the other runs; "" where there is one
  unit: string; // as shown
  curve: Curve;
  colour: number;
  dashed: boolean;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  band?: Band; // thinned: what lies between the kept times
  failed: boolean; // the run ended in a fault
}

export interface PlotData {
  x_label: string;
  x_unit: string;
  lines: Line[];
}

export function curve_name(curve: Curve): string {
  const name = curve.channel.replace(/^=\s*/, "");
  return curve.rate === 0 ? name : curve.rate === 1 ? `d/dt ${name}` : `d²/dt² ${name}`;
}

function unit_of(channel: Channel, rate: number): string {
  let unit = channel.unit;
  for (let k = 0; k < rate; k++) unit = rate_unit(unit);
  return unit;
}

function scaled(values: Float64Array, factor: number): Float64Array {
  return factor === 1 ? values : values.map((v) => v * factor);
}

function series_of(run: Run, channel: Channel, rate: number): Series {
  let s: Series = rate > 0 ? { t: run.time, v: run.common(channel) } : run.series(channel);
  for (let k = 0; k < rate; k++) s = derivative(s);
  return s;
}

export function plot_data(spec: PlotSpec, runs: Run[], preference: Preference): PlotData {
  const lines: Line[] = [];
  spec.curves.forEach((curve, colour) => {
    runs.forEach((run, k) => {
      const made = make_line(spec, curve, run, k, runs, preference);
      // Two runs differ by dashes; more by colours.
      if (made !== null) lines.push({ ...made, colour: runs.length > 2 ? colour * runs.length + k : colour });
    });
  });
  const x_channel = runs[0].find(spec.x);
  if (spec.mode === "xy" && x_channel) return { x_label: spec.x, x_unit: pretty(shown(x_channel.unit, preference).unit), lines };
  if (spec.mode === "spectrum") return { x_label: "frequency", x_unit: "Hz", lines };
  return { x_label: runs[0].doc.abscissa === "t" ? "time" : runs[0].doc.abscissa, x_unit: "s", lines };
}

function make_line(spec: PlotSpec, curve: Curve, run: Run, k: number, runs: Run[], preference: Preference): Omit<Line, "colour"> | null {
  const channel = run.find(curve.channel);
  if (channel === undefined || (spec.mode === "difference" && k > 0)) return null;
  const { unit, factor } = shown(unit_of(channel, curve.rate), preference);
  const base = { name: curve_name(curve), run: k, of_run: run_words(runs, k), unit: pretty(unit), curve, dashed: k > 0 && runs.length === 2, failed: run.doc.status === "failed" };
  if (spec.mode === "xy") {
    const x = run.find(spec.x);
    if (x === undefined) return null;
    let y: Series = { t: run.time, v: run.common(channel) };
    for (let n = 0; n < curve.rate; n++) y = derivative(y);
    return { ...base, x: scaled(run.common(x), shown(x.unit, preference).factor), y: scaled(y.v, factor) };
  }
  if (spec.mode === "spectrum") {
    const made = spectrum_of(run, channel, curve.rate);
    return made === null ? null : { ...base, x: made.t, y: scaled(made.v, factor) };
  }
  let series = series_of(run, channel, curve.rate);
  if (spec.mode === "difference") {
    const other = runs[1]?.find(curve.channel);
    if (other === undefined) return null;
    series = difference(series, series_of(runs[1], other, curve.rate));
    return { ...base, name: `Δ ${base.name}`, x: series.t, y: scaled(series.v, factor) };
  }
  const band = curve.rate === 0 ? run.band(channel) : null;
  const line = { ...base, x: series.t, y: scaled(series.v, factor) };
  return band === null ? line : { ...line, band: { t: band.t, low: scaled(band.low, factor), high: scaled(band.high, factor) } };
}

// Of all rows. Null: this file keeps some of them only, and has no spectrum of the channel.
function spectrum_of(run: Run, channel: Channel, rate: number): Series | null {
  if (!run.thinned) return spectrum(series_of(run, channel, rate));
  const stored = run.stored_spectrum(channel);
  if (stored === undefined) return null;
  return { t: stored.t, v: stored.v.map((a, k) => a * (2 * Math.PI * stored.t[k]) ** rate) };
}

export function plot_title(spec: PlotSpec): string {
  if (spec.title) return spec.title;
  if (spec.curves.length === 0) return "Empty plot";
  const names = spec.curves.map(curve_name);
  const text = names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
  if (spec.mode === "xy") return path_title(spec) ?? `${text} over ${spec.x}`;
  if (spec.mode === "spectrum") return `Spectrum of ${text}: ${spectrum_words}`;
  return spec.mode === "difference" ? `Difference of the runs: ${text}` : text;
}

// "coupler curve: y over x" says what "coupler curve.y over coupler curve.x" says.
function path_title({ x, curves }: PlotSpec): string | null {
  const [y] = curves;
  const split = (name: string) => [name.slice(0, name.lastIndexOf(".")), name.slice(name.lastIndexOf(".") + 1)];
  const [[of_x, short_x], [of_y, short_y]] = [split(x), split(y.channel)];
  return curves.length === 1 && y.rate === 0 && of_x === of_y && of_x !== "" ? `${of_x}: ${short_y} over ${short_x}` : null;
}

// Those of the channels that have a unit and change by more than rounding.
function moving(run: Run, names: string[]): string[] {
  return names.filter((name) => {
    const channel = run.find(name);
    if (channel === undefined || channel.unit === "") return false;
    const values = run.common(channel), small = 1e-9 * Math.max(1e-3, run.size_of(channel.unit));
    return values.some((v) => Math.abs(v - values[0]) > small);
  });
}

// How a spatial mechanism turns: the angles in its first joints, or the angular velocity of the last body that turns.
function turning(run: Run, time: (...names: string[]) => PlotSpec): PlotSpec {
  const scene = run.doc.scene!;
  const angles = moving(run, scene.joints.map((j) => `${j.name}.angle`)).slice(0, 4);
  if (angles.length > 0) return time(...alike(run, angles)[0]);
  for (const body of [...scene.bodies].reverse()) {
    const rates = moving(run, ["x", "y", "z"].map((a) => `${body.name}.omega_${a}`));
    if (rates.length > 0) return time(...rates);
  }
  return time();
}

const unlike = 20; // one range that is so many times another has a plot of its own

// Those of the channels that go well with the first, and the others: of one unit, and with ranges of like size.
export function alike(run: Run, names: string[]): string[][] {
  const groups: { unit: string; least: number; largest: number; names: string[] }[] = [];
  for (const name of names) {
    const channel = run.find(name)!, values = run.common(channel).filter(Number.isFinite);
    let low = Infinity, high = -Infinity;
    for (const v of values) low = Math.min(low, v), high = Math.max(high, v);
    const range = high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? high - low : 0; // one that stands still fits everywhere
    const fits = groups.find((g) => g.unit === channel.unit && (range === 0 || g.largest === 0 || (range <= unlike * g.least && g.largest <= unlike * range)));
    const group = fits ?? { unit: channel.unit, least: Infinity, largest: 0, names: [] };
    if (fits === undefined) groups.push(group);
    group.names.push(name);
    if (range > 0) [group.least, group.largest] = [Math.min(group.least, range), Math.max(group.largest, range)];
  }
  return groups.map((g) => g.names.slice(0, 6));
}

const most_plots = 4;

// The plots that the model asks for; empty: none.
function asked_plots(run: Run): PlotSpec[] {
  return (run.doc.asked?.plots ?? []).map(({ title, channels, x, log }) => ({
    mode: x !== "" && run.find(x) ? "xy" : "time", x, curves: channels.filter((c) => run.find(c)).map((channel) => ({ channel, rate: 0 })), log, title,
  } satisfies PlotSpec)).filter((p) => p.curves.length > 0);
}

// What the model asks for; otherwise its requests and what its drivers need; after these, what says something about a run nobody has
// looked at yet.
export function first_plots(run: Run, paths: string[]): PlotSpec[] {
  if (!(run.end > run.begin)) return []; // poses and no motion
  const asked = asked_plots(run);
  if (asked.length > 0) return asked;
  const time = (...names: string[]): PlotSpec => ({ mode: "time", x: "", curves: names.filter((n) => run.find(n)).map((channel) => ({ channel, rate: 0 })) });
  const out: PlotSpec[] = paths.slice(0, 1).map((p) => ({ mode: "xy", x: `${p}.x`, curves: [{ channel: `${p}.y`, rate: 0 }] }));
  const requests = run.channels.filter((c) => c.element.startsWith("request") && !paths.some((p) => c.name.startsWith(`${p}.`))).map((c) => c.name);
  const drives = run.channels.filter((c) => c.quantity === "drive" || c.quantity === "drive power").map((c) => c.name);
  out.push(...alike(run, requests).map((g) => time(...g)).slice(0, most_plots - (drives.length > 0 ? 2 : 1)));
  out.push(...alike(run, drives).map((g) => time(...g)).slice(0, out.length < 2 ? 2 : 1));
  const bodies = run.doc.scene?.bodies ?? [];
  const spatial = run.doc.scene?.space === "spatial";
  const last = spatial ? [...bodies].reverse().find((b) => moving(run, b.pose).length > 0) : bodies[bodies.length - 1];
  if (last !== undefined && out.length < 2) {
    const moves = moving(run, last.pose);
    if (moves.length > 0) out.push(time(...moves.filter((name) => run.find(name)?.unit === run.find(moves[0])?.unit)));
    if (!spatial && out.length < 2) out.push(time(moves[0]?.endsWith(".angle") ? `${last.name}.omega` : `${last.name}.vx`));
  }
  if (spatial && out.length < 2) out.push(turning(run, time));
  const energy = time("energy.kinetic", "energy.potential", "energy.dissipated");
  if (energy.curves.length > 0 && out.length < most_plots) out.push(energy);
  if (out.length === 0 && run.channels.length > 0) out.push(time(run.channels[0].name));
  return out.filter((p) => p.curves.length > 0).slice(0, most_plots);
}
