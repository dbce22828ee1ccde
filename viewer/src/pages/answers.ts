// The answers people came for: what the drivers need, what the joints carry, how far the bodies move; when each peak was.
// From all steps of the run (the summary's channels), not from the rows alone.
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { pretty, shown } from "../data/units.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card, number_at, text_at, tree, until_words } from "./parts.ts";

export interface Peak {
  name: string;
  unit: string;
  least: number;
  largest: number;
  t_least: number;
  t_largest: number;
  rms: number | null;
  mean: number | null;
}

export interface Answers {
  drives: Peak[];
  reactions: Peak[];
  moments: Peak[];
  ranges: Peak[];
  asked: Peak[]; // requests
  contacts: Peak[];
}

function peaks_of(run: Run): Peak[] {
  return Object.entries(tree(run.doc.summary.channels)).flatMap(([name, of]) => {
    const channel = run.find(name), least = number_at(of, "least"), largest = number_at(of, "largest");
    if (channel === undefined || least === null || largest === null) return [];
    return [{ name, unit: text_at(of, "unit"), least: run.seen(channel, least), largest: run.seen(channel, largest), t_least: number_at(of, "t_least") ?? 0, t_largest: number_at(of, "t_largest") ?? 0, rms: number_at(of, "rms"), mean: number_at(of, "mean") }];
  });
}

const size = (p: Peak) => Math.max(Math.abs(p.least), Math.abs(p.largest));
export const peak_time = (p: Peak) => (Math.abs(p.largest) >= Math.abs(p.least) ? p.t_largest : p.t_least);

export function answers(run: Run): Answers {
  const all = peaks_of(run), of = (name: string) => run.find(name)!;
  const large = (list: Peak[]) => list.filter((p) => size(p) > 0).sort((a, b) => size(b) - size(a));
  const joints = all.filter((p) => of(p.name).quantity.startsWith("reaction"));
  const poses = new Set((run.doc.scene?.bodies ?? []).flatMap((b) => b.pose));
  const moves = all.filter((p) => (poses.has(p.name) || /\.(angle|position)$/.test(p.name)) && (p.unit === "m" || p.unit === "rad") && p.largest > p.least);
  return {
    drives: all.filter((p) => of(p.name).quantity.startsWith("drive") && size(p) > 0),
    reactions: large(joints.filter((p) => p.name.endsWith(".first.force"))),
    moments: large(joints.filter((p) => p.name.endsWith(".first.torque") || p.name.endsWith(".first.moment"))),
    ranges: moves.filter((p) => p.largest - p.least > 1e-9 * Math.max(1e-3, run.size_of(p.unit))),
    asked: all.filter((p) => of(p.name).element.startsWith("request")),
    contacts: large(all.filter((p) => of(p.name).quantity === "contact" && p.name.endsWith(".normal"))),
  };
}

export const any_answer = (a: Answers) => a.drives.length + a.reactions.length + a.ranges.length + a.asked.length + a.contacts.length > 0;

function text(value: number, unit: string, shared: Shared): string {
  const { unit: seen, factor } = shown(unit, shared.units.get());
  return `${format_number(value * factor, 4)}${seen === "" ? "" : `\u202f${pretty(seen)}`}`;
}

const jump = (t: number, shared: Shared) => h("button", { type: "button", class: "stamp", title: "Show the mechanism there", onclick: () => shared.look_at(t) }, `${format_number(t, 4)} s`);

function peak_rows(list: Peak[], shared: Shared): HTMLElement[] {
  return list.map((p) => h("tr", {}, h("td", {}, p.name), h("td", { class: "number" }, text(p.least, p.unit, shared)), h("td", {}, jump(p.t_least, shared)),
    h("td", { class: "number" }, text(p.largest, p.unit, shared)), h("td", {}, jump(p.t_largest, shared)), h("td", { class: "number" }, p.rms === null ? "–" : text(p.rms, p.unit, shared))));
}

function section(title: string, list: Peak[], shared: Shared, most: number, paper: boolean): HTMLElement | null {
  if (list.length === 0) return null;
  return h("section", { class: "answer" }, h("h3", {}, title), h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, ...["", "least", "at", "largest", "at", "RMS"].map((x) => h("th", {}, x)))),
    h("tbody", {}, ...peak_rows(list.slice(0, most), shared)))), list.length > most ? h("p", { class: "muted" }, `and ${list.length - most} more${paper ? ", in the report" : ", below"}`) : null);
}

// Work of a drive: the mean of its power, which is that of all steps, times the time. Without means (several analyses), and where a
// run failed, none.
export function works(run: Run, drives: Peak[]): { name: string; work: number }[] {
  const until = number_at(run.doc.summary, "watched_until") ?? run.end;
  if (run.doc.status === "failed") return [];
  return drives.filter((p) => p.unit === "W" && p.mean !== null).map((p) => ({ name: p.name.replace(/\.power$/, ""), work: p.mean! * (until - run.begin) }));
}

function works_line(run: Run, found: Answers, shared: Shared): HTMLElement | null {
  const list = works(run, found.drives), largest = Math.max(0, ...found.drives.filter((p) => p.unit === "W").map(size)) * (run.end - run.begin);
  if (list.length === 0) return null;
  const clean = (w: number) => (Math.abs(w) <= 1e-4 * largest ? `0 (within ${text(1e-4 * largest, "J", shared)})` : text(w, "J", shared));
  return h("p", {}, "Work over the whole run: ", list.map(({ name, work }) => `${name} ${clean(work)}`).join(", "));
}

const most_shown = 20;

// Impacts and other sudden changes of velocity with their impulses, as the run found them. Forces do not hold them.
function impulses(run: Run, shared: Shared, kind: "impact" | "impulse", most: number): HTMLElement | null {
  const list = run.doc.events.filter((e) => e.kind === kind);
  if (list.length === 0) return null;
  const title = kind === "impact" ? `Impacts: ${list.length}` : `Impulses of drivers: ${list.length}`;
  return h("section", { class: "answer" }, h("h3", {}, title), kind === "impulse" ? h("p", { class: "muted" }, "A velocity jumps, which takes an impulse: a force without bound that forces and torques do not show.") : null,
    h("div", { class: "wide" }, h("table", { class: "impulses" }, h("thead", {}, h("tr", {}, ...["at", kind === "impact" ? "contact" : "driver", "impulse", ""].map((x) => h("th", {}, x)))),
      h("tbody", {}, ...list.slice(0, most).map((e) => h("tr", {}, h("td", {}, jump(e.t, shared)), h("td", {}, e.element), h("td", { class: "number" }, /impulse ([^;]+)/.exec(e.text)?.[1] ?? "–"), h("td", {}, e.text.replace(/, impulse [^;]+/, ""))))))),
    list.length > most ? h("p", { class: "muted" }, `the first ${most} of ${list.length}`) : null);
}

// On top of the summary.
export function answers_card(run: Run, shared: Shared, most = 8, paper = false): HTMLElement | string {
  const found = answers(run);
  if (!any_answer(found) && !run.doc.events.some((e) => e.kind === "impact" || e.kind === "impulse")) return "";
  const body = h("div", { class: "answers" });
  shared.units.watch(() => body.replaceChildren(...[
    section("Drivers", found.drives, shared, most, paper), works_line(run, found, shared), section("Requests", found.asked, shared, most, paper), section("Joint forces", found.reactions, shared, most, paper), section("Joint torques", found.moments, shared, most, paper), section("Contact forces", found.contacts, shared, most, paper), impulses(run, shared, "impulse", paper ? 5 : most_shown), section("Ranges of motion", found.ranges, shared, most, paper), impulses(run, shared, "impact", paper ? 5 : most_shown),
  ].filter((x): x is HTMLElement => x !== null)));
  return card("Results", h("p", { class: "muted" }, `${until_words(run)}Over all steps and between them.${paper ? "" : " A time shows the mechanism there."}`), body);
}

// A line of figures above the plots; each goes to its time.
export function key_figures(shared: Shared): HTMLElement | null {
  const run = shared.runs[0];
  if (shared.runs.length > 1 || run.doc.status === "failed") return null; // its last steps would say nothing
  const { drives, reactions, ranges } = answers(run);
  const pick: [string, Peak][] = [...drives.slice(0, 2).map((p): [string, Peak] => [p.name, p]), ...reactions.slice(0, 2).map((p): [string, Peak] => [p.name.replace(/\.first\.force$/, " force"), p])];
  // The widest; of those alike the last, since the driven end of a chain of bodies comes first.
  const way = (p: Peak) => p.largest - p.least, lengths = ranges.filter((p) => p.unit === "m"), widest = Math.max(0, ...lengths.map(way));
  const wide = lengths.filter((p) => way(p) >= 0.99 * widest).at(-1);
  // Impulses of drivers, which their forces do not show.
  const hits = run.doc.events.filter((e) => e.kind === "impulse").slice(0, 2);
  if (pick.length === 0 && wide === undefined && hits.length === 0) return null;
  const line = h("ul", { class: "figures", "aria-label": "Key figures" });
  const item = (name: string, value: string, t: number) => h("li", {}, h("button", { type: "button", title: `at ${format_number(t, 5)} s; show it`, onclick: () => shared.look_at(t) }, h("span", {}, name), h("b", {}, value)));
  shared.units.watch(() => line.replaceChildren(...hits.map((e) => item(`impulse of ${e.element}`, /impulse ([^;]+)/.exec(e.text)?.[1] ?? "–", e.t)), ...pick.map(([name, p]) => item(`largest ${name}`, text(Math.abs(p.largest) >= Math.abs(p.least) ? p.largest : p.least, p.unit, shared), peak_time(p))),
    ...(wide ? [item(wide.name, `${text(wide.least, wide.unit, shared)} … ${text(wide.largest, wide.unit, shared)}`, wide.t_largest)] : [])));
  return line;
}
