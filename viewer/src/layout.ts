// What the reader arranged: plots, their axes and formulas, cursors, view, units. It is kept for the model in this browser, and
// stands in the page's address behind "#", so that the address shows the same to somebody else.
import type { PlotSpec } from "./plot/spec.ts";
import type { Preference } from "./data/units.ts";
import type { Look } from "./scene/view.ts";

export interface Layout {
  page?: string;
  plots?: PlotSpec[];
  cursors?: [number, number] | null;
  range?: [number, number] | null; // zoom in time
  follow?: string;
  look?: Look;
  units?: Preference;
  t?: number;
}

const mark = "#layout=";

export function to_hash(layout: Layout): string {
  const bytes = new TextEncoder().encode(JSON.stringify(layout));
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return mark + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// Null: there is none, or it cannot be read.
export function from_hash(hash: string): Layout | null {
  if (!hash.startsWith(mark)) return null;
  try {
    const text = atob(hash.slice(mark.length).replaceAll("-", "+").replaceAll("_", "/"));
    return checked(JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)))));
  } catch {
    return null;
  }
}

// An address comes from somebody: only what has the right form is taken.
export function checked(value: unknown): Layout | null {
  if (typeof value !== "object" || value === null) return null;
  const from = value as Record<string, unknown>, out: Layout = {};
  const numbers = (x: unknown): x is [number, number] => Array.isArray(x) && x.length === 2 && x.every((v) => typeof v === "number" && Number.isFinite(v));
  if (typeof from.page === "string") out.page = from.page;
  if (typeof from.follow === "string") out.follow = from.follow;
  if (typeof from.t === "number" && Number.isFinite(from.t)) out.t = from.t;
  if (["free", "front", "side", "top"].includes(from.look as string)) out.look = from.look as Look;
  if (numbers(from.cursors)) out.cursors = from.cursors;
  if (numbers(from.range)) out.range = from.range;
  if (typeof from.units === "object" && from.units !== null) out.units = Object.fromEntries(Object.entries(from.units).filter(([, v]) => typeof v === "string")) as Preference;
  if (Array.isArray(from.plots)) out.plots = from.plots.slice(0, 20).flatMap(plot);
  return out;
}

function plot(value: unknown): PlotSpec[] {
  const p = value as Partial<PlotSpec> | null;
  if (typeof p !== "object" || p === null || !["time", "xy", "spectrum", "difference"].includes(p.mode as string) || !Array.isArray(p.curves)) return [];
  const curves = p.curves.filter((c) => typeof c?.channel === "string" && [0, 1, 2].includes(c.rate)).slice(0, 40).map((c) => ({ channel: c.channel, rate: c.rate, right: c.right === true }));
  const limits = Object.fromEntries(Object.entries(p.limits ?? {}).filter(([, r]) => Array.isArray(r) && r.length === 2 && r.every((v) => typeof v === "number"))) as Record<string, [number, number]>;
  return [{ mode: p.mode!, x: typeof p.x === "string" ? p.x : "", curves, log: p.log === true, numbers: p.numbers === true, limits, ...(typeof p.title === "string" && p.title !== "" ? { title: p.title } : {}) }];
}
