// What was run, what it cost, and how far to trust it.
import { reason_of } from "../data/format.ts";
import { format_count, format_number, format_time } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { pretty } from "../data/units.ts";
import { h } from "../dom.ts";
import { sparkline } from "../plot/sparkline.ts";
import type { Shared } from "../motion.ts";
import { change_text, changes_banner, changes_of, full_name, one_title } from "./changes.ts";
import { answers, answers_card } from "./answers.ts";
import { card, facts, number_at, number_text, sentence, text_at, tree } from "./parts.ts";
import { peaks } from "./peaks.ts";
import { is_motion } from "../trust.ts";

export function summary_page(shared: Shared): HTMLElement {
  const [run, ...others] = shared.runs, other = others.length > 0;
  return h("main", { class: "page", id: "page" }, ...(other ? [] : [changes_banner(run)]), other ? headlines(shared.runs) : headline(run), other ? comparison(shared.runs) : null, other ? null : answers_card(run, shared), peaks(run, shared),
    h("div", { class: "cards columns" }, what(run), cost(run), history(run, shared), trust(run, shared)), errors(run, shared));
}

export function headline(run: Run): HTMLElement {
  const words = { completed: "Completed", doubtful: "Doubtful", failed: "Stopped by a fault", interrupted: "Interrupted", running: "Running" }[run.doc.status];
  const fault = reason_of(run.doc);
  const body = fault ? `${fault.element ? `${fault.element}: ` : ""}${fault.found}. ${sentence(fault.hint)}` : `${format_count(run.doc.rows)} row${run.doc.rows === 1 ? "" : "s"} of ${format_count(run.channels.length)} channels, t = ${format_number(run.begin, 4)}${run.end > run.begin ? ` to ${format_number(run.end, 6)}` : ""} s.`;
  return h("section", { class: `banner ${run.doc.status}` }, h("h1", {}, run.doc.title), h("p", {}, h("strong", {}, words), ` · ${body}`));
}

// Of a comparison: the worst of its runs stands for all.
function headlines(runs: Run[]): HTMLElement {
  const worst = ["failed", "interrupted", "doubtful", "running", "completed"].find((s) => runs.some((r) => r.doc.status === s)) ?? runs[0].doc.status;
  const count = runs.filter((r) => r.doc.status === worst).length;
  const words = count === runs.length ? `all ${worst}` : `${count} ${worst}`;
  return h("section", { class: `banner ${worst}` }, h("h1", {}, one_title(runs) ?? runs.map((r) => r.doc.title).join(" · ")), h("p", {}, h("strong", {}, `${runs.length} runs`), ` · ${words}. What follows the table is of run 1.`));
}

export function what(run: Run): HTMLElement {
  const { summary, scene, manifest } = run.doc;
  return card("What was run", facts([
    ["Analysis", run.doc.analysis], ["Formulation", text_at(summary, "formulation")], ["Integrator", text_at(summary, "integrator")],
    ["Tolerance", tolerance(run)],
    ["Model", run.doc.model.path.split("/").slice(-2).join("/")],
    ["Bodies", scene ? format_count(scene.bodies.length) : null], ["Joints", scene ? format_count(scene.joints.length) : null],
    ["Degrees of freedom", number_text(number_at(summary, "dof"))], ["Redundant equations", number_text(number_at(summary, "redundant"))],
    ["Started", text_at(manifest, "started").replace("T", " ").replace("Z", " UTC")], ["Cardan", text_at(manifest, "versions", "cardan")], ["Processor", text_at(manifest, "host", "processor")],
  ]));
}

// Relative and absolute, of the analysis shown.
function tolerance(run: Run): string | null {
  const analyses = tree(run.doc.manifest.settings).analyses;
  const own = Array.isArray(analyses) ? analyses[run.doc.segment ?? 0] : undefined;
  const rtol = number_at(own, "rtol"), atol = number_at(own, "atol");
  if (rtol === null || number_at(run.doc.summary, "stats", "steps") === 0) return null;
  return atol === null ? number_text(rtol) : `${number_text(rtol)} relative, ${number_text(atol)} absolute`;
}

function cost(run: Run): HTMLElement {
  const stat = (key: string) => number_at(run.doc.summary, "stats", key);
  const count = (key: string) => (stat(key) === null ? null : format_count(stat(key)!));
  const time = (key: string) => (stat(key) === null ? null : format_time(stat(key)!));
  return card("What it cost", facts([
    ["Steps", count("steps")], ["Rejected steps", count("rejected")], ["Accelerations", count("rhs")], ["Jacobians", count("jacobians")], ["Factorizations", count("factorizations")],
    ["Newton iterations", count("newton_iterations")], ["Processor time", time("cpu_seconds")], ["Wall time", time("wall_seconds")],
  ]));
}

function largest(run: Run, name: string): number | null {
  const channel = run.find(name);
  if (channel === undefined) return null;
  return run.series(channel).v.reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0);
}

function trust(run: Run, shared: Shared): HTMLElement {
  const { summary } = run.doc;
  const position = number_at(summary, "constraint", "max_position") ?? largest(run, "residual.position");
  const velocity = number_at(summary, "constraint", "max_velocity") ?? largest(run, "residual.velocity");
  const moves = is_motion(run.doc), energy = (key: string) => (moves ? number_at(summary, "energy", key) : null);
  const imbalance = moves ? energy("max_imbalance") ?? largest(run, "energy.balance") : null;
  const lines = ["residual.position", "residual.velocity", ...(moves ? ["energy.balance"] : [])].filter((n) => run.find(n)).map((n) => sparkline(run, n, shared));
  return card("How far to trust it", facts([
    ["Largest position residual", number_text(position, "m")], ["Largest velocity residual", number_text(velocity, "m/s")], ["Largest energy imbalance", number_text(imbalance, "J")], ["Power imbalance, relative", number_text(number_at(summary, "power_imbalance"))],
    ["Energy at start", number_text(energy("initial"), "J", 8)], ["Energy at end", number_text(energy("final"), "J", 8)],
    ["Error estimate", Object.keys(tree(tree(summary.error_estimate).channels)).length > 0 ? "see Estimated errors" : "none"],
  ]), ...lines);
}

function history(run: Run, shared: Shared): HTMLElement | string {
  const lines = ["step.size", "step.order"].filter((n) => run.find(n)).map((n) => sparkline(run, n, shared));
  return lines.length > 0 ? card("Steps", ...lines) : "";
}

// The largest value among the channels of each unit. An error is judged by it: the size of a channel that stays at zero is
// rounding alone, and says nothing. Channels of the solver itself are no measure for anything else.
function unit_sizes(run: Run): Map<string, number> {
  const out = new Map<string, number>();
  for (const c of run.channels) if (c.element !== "") out.set(c.unit, Math.max(out.get(c.unit) ?? 0, largest(run, c.name) ?? 0));
  for (const c of run.channels) if (!out.has(c.unit)) out.set(c.unit, largest(run, c.name) ?? 0);
  return out;
}

// The largest estimated error of every channel that has one, those first that are largest beside their unit's values.
function errors(run: Run, { player }: Shared): HTMLElement | string {
  const estimate = tree(run.doc.summary.error_estimate), sizes = unit_sizes(run);
  const entries = Object.entries(tree(estimate.channels)).map(([name, e]) => {
    const most = number_at(e, "max") ?? NaN, size = sizes.get(run.find(name)?.unit ?? "") ?? 0;
    return { name, most, at: number_at(e, "at"), unit: text_at(e, "unit"), share: size > 0 ? most / size : 0 };
  }).sort((a, b) => b.share - a.share);
  if (entries.length === 0) return "";
  const shown = entries.slice(0, 12);
  const jump = (t: number | null) => (t === null ? "" : h("button", { type: "button", class: "stamp", onclick: () => player.seek(t) }, `${format_number(t, 5)} s`));
  const unmatched = number_at(estimate, "unmatched") ?? 0;
  return card("Estimated errors", h("p", { class: "muted" }, text_at(estimate, "method")),
    h("table", {}, h("thead", {}, h("tr", {}, ...["channel", "largest error", "of its unit's largest", "at"].map((x) => h("th", {}, x)))),
      h("tbody", {}, ...shown.map((e) => h("tr", {}, h("td", {}, e.name), h("td", {}, `${format_number(e.most, 2)} ${pretty(e.unit)}`), h("td", {}, e.share > 0 ? format_number(e.share, 2) : "–"), h("td", {}, jump(e.at)))))),
    entries.length > shown.length ? h("p", { class: "muted" }, `The ${shown.length} largest of ${entries.length}; all are in summary.json.`) : null,
    unmatched > 0 ? h("p", { class: "muted" }, `${format_count(unmatched)} samples have no estimate.`) : null);
}

function comparison(runs: Run[]): HTMLElement {
  const row = (name: string, value: (r: Run) => string | null) => h("tr", {}, h("th", { scope: "row" }, name), ...runs.map((r) => h("td", {}, value(r) ?? "–")));
  const stat = (key: string) => (r: Run) => number_text(number_at(r.doc.summary, "stats", key));
  const everywhere = runs[0].channels.filter((c) => runs.every((r) => r.find(c.name) !== undefined)).length;
  const apart = new Set(runs.flatMap((r) => r.channels.map((c) => c.name))).size - everywhere;
  return card("Runs beside each other", h("div", { class: "wide" }, h("table", {},
    h("thead", {}, h("tr", {}, h("td", {}), ...runs.map((_, k) => h("th", { scope: "col" }, `${k + 1}: ${full_name(runs, k)}${runs.length === 2 && k === 1 ? " (dashed)" : ""}`)))),
    h("tbody", {}, row("Run", (r) => r.doc.name ?? null), row("Changed for the run", (r) => changes_of(r).map(change_text).join(", ") || "nothing"), row("Status", (r) => r.doc.status), row("Formulation", (r) => text_at(r.doc.summary, "formulation")), row("Integrator", (r) => text_at(r.doc.summary, "integrator")),
      row("End", (r) => number_text(r.end, "s")), row("Rows", (r) => format_count(r.doc.rows)), row("Steps", stat("steps")), row("Processor time [s]", stat("cpu_seconds")),
      row("Position residual [m]", (r) => number_text(number_at(r.doc.summary, "constraint", "max_position"))), row("Energy imbalance [J]", (r) => number_text(number_at(r.doc.summary, "energy", "max_imbalance"))),
      ...peak_rows(runs)))),
    h("p", { class: "muted" }, apart === 0 ? "All runs have the same channels." : `${apart} channels are not in every run.`));

  // The peaks that matter, run beside run.
  function peak_rows(all: Run[]): HTMLElement[] {
    const found = answers(all[0]);
    return [...found.drives.slice(0, 4), ...found.reactions.slice(0, 4), ...found.asked.slice(0, 4)].map((p) => row(`${p.name} [${pretty(p.unit)}]`, (r) => {
      const of = tree(tree(r.doc.summary.channels)[p.name]), least = number_at(of, "least"), largest = number_at(of, "largest");
      return least === null || largest === null ? null : `${format_number(least, 4)} … ${format_number(largest, 4)}`;
    }));
  }
}
