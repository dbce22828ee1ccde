// What was said beside the model file: on top of the summary, at its line of the model, and in legends of comparisons.
import type { ChangedInfo } from "../data/format.ts";
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";

export const change_text = (c: ChangedInfo): string => `${c.name} = ${c.value}`;

export function changes_of(run: Run): ChangedInfo[] {
  return run.doc.changed ?? [];
}

// On top of a page; null: the run is as its model says.
export function changes_banner(run: Run): HTMLElement | null {
  const changed = changes_of(run);
  if (changed.length === 0) return null;
  return h("section", { class: "banner changed" }, h("p", {}, h("strong", {}, "Changed for this run: "),
    changed.map((c) => (c.before === "" ? change_text(c) : `${change_text(c)} (model: ${c.before})`)).join(", ")));
}

// What tells runs of a comparison from each other: the settings in which they differ, else their number.
export function run_name(runs: Run[], k: number): string {
  const own = changes_of(runs[k]);
  const telling = own.filter((c) => runs.some((other) => !changes_of(other).some((o) => o.name === c.name && o.value === c.value)));
  if (telling.length > 0) return telling.map(change_text).join(", ");
  const others = new Set(runs.flatMap((r) => changes_of(r).filter((c) => c.before !== "").map((c) => c.name)));
  const given = [...others].flatMap((name) => runs.flatMap((r) => changes_of(r)).filter((c) => c.name === name).slice(0, 1)).map((c) => `${c.name} = ${c.before}`);
  return given.length > 0 && own.length === 0 ? given.join(", ") : named(runs, k);
}

// The name of the run's folder where it tells this run from the others.
function named(runs: Run[], k: number): string {
  const name = runs[k].doc.name ?? "";
  return name !== "" && runs.every((r, j) => j === k || r.doc.name !== name) ? name : `run ${k + 1}`;
}

// One title where all runs have the same, so that what differs can be seen.
export function one_title(runs: Run[]): string | null {
  return runs.every((r) => r.doc.title === runs[0].doc.title) ? runs[0].doc.title : null;
}

// A run among several: its title where titles differ, and what tells it from the others.
export function full_name(runs: Run[], k: number): string {
  return one_title(runs) === null ? `${runs[k].doc.title}, ${run_name(runs, k)}` : run_name(runs, k);
}

// For a legend; nothing where there is one run only.
export function run_words(runs: Run[], k: number): string {
  return runs.length > 1 ? ` (${run_name(runs, k)})` : "";
}
