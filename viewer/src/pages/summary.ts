// What was run, what it cost, and how far to trust it.
import { format_count, format_number, format_time } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";
import { sparkline } from "../plot/sparkline.ts";
import type { Shared } from "../motion.ts";
import { card, facts, number_at, number_text, text_at } from "./parts.ts";

export function summary_page(shared: Shared): HTMLElement {
  const [run, other] = shared.runs;
  return h("main", { class: "page", id: "page" }, headline(run), other ? comparison(run, other) : null,
    h("div", { class: "cards" }, what(run), cost(run), trust(run, shared), history(run, shared)));
}

function headline(run: Run): HTMLElement {
  const words = { completed: "Completed", failed: "Stopped by a fault", interrupted: "Interrupted", running: "Running" }[run.doc.status];
  const fault = run.doc.diagnostics.find((d) => d.severity === "error");
  const body = fault ? `${fault.element ? `${fault.element}: ` : ""}${fault.found}. ${fault.hint}` : `${format_count(run.doc.rows)} rows of ${format_count(run.channels.length)} channels, t = ${format_number(run.begin, 4)} to ${format_number(run.end, 6)} s.`;
  return h("section", { class: `banner ${run.doc.status}` }, h("h1", {}, run.doc.title), h("p", {}, h("strong", {}, words), ` · ${body}`));
}

function what(run: Run): HTMLElement {
  const { summary, scene, manifest } = run.doc;
  return card("What was run", facts([
    ["Analysis", run.doc.analysis], ["Formulation", text_at(summary, "formulation")], ["Integrator", text_at(summary, "integrator")],
    ["Tolerance", number_text(number_at(manifest, "options", "rtol") ?? number_at(summary, "accuracy", "rtol"))],
    ["Model", run.doc.model.path],
    ["Bodies", scene ? format_count(scene.bodies.length) : null], ["Joints", scene ? format_count(scene.joints.length) : null],
    ["Degrees of freedom", number_text(number_at(summary, "dof"))], ["Redundant equations", number_text(number_at(summary, "redundant"))],
    ["Started", text_at(manifest, "started")], ["Program", text_at(manifest, "program") || text_at(manifest, "version")],
  ]));
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
  const imbalance = number_at(summary, "energy", "max_imbalance") ?? largest(run, "energy.balance");
  const estimate = number_at(summary, "accuracy", "error_estimate");
  const lines = ["residual.position", "residual.velocity", "energy.balance"].filter((n) => run.find(n)).map((n) => sparkline(run, n, shared));
  return card("How far to trust it", facts([
    ["Largest position residual", number_text(position)], ["Largest velocity residual", number_text(velocity)], ["Largest energy imbalance", number_text(imbalance, "J")],
    ["Energy at start", number_text(number_at(summary, "energy", "initial"), "J", 8)], ["Energy at end", number_text(number_at(summary, "energy", "final"), "J", 8)],
    ["Error estimate", number_text(estimate)],
  ]), ...lines);
}

function history(run: Run, shared: Shared): HTMLElement | string {
  const lines = ["step.size", "step.order"].filter((n) => run.find(n)).map((n) => sparkline(run, n, shared));
  return lines.length > 0 ? card("Steps", ...lines) : "";
}

function comparison(a: Run, b: Run): HTMLElement {
  const row = (name: string, value: (r: Run) => string | null) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value(a) ?? "–"), h("td", {}, value(b) ?? "–"));
  const stat = (key: string) => (r: Run) => number_text(number_at(r.doc.summary, "stats", key));
  const apart = b.channels.filter((c) => a.find(c.name) === undefined).length + a.channels.filter((c) => b.find(c.name) === undefined).length;
  return card("Two runs beside each other", h("table", {},
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, `1: ${a.doc.title}`), h("th", { scope: "col" }, `2: ${b.doc.title} (dashed)`))),
    h("tbody", {}, row("Status", (r) => r.doc.status), row("Formulation", (r) => text_at(r.doc.summary, "formulation")), row("Integrator", (r) => text_at(r.doc.summary, "integrator")),
      row("End", (r) => number_text(r.end, "s")), row("Rows", (r) => format_count(r.doc.rows)), row("Steps", stat("steps")), row("Processor time [s]", stat("cpu_seconds")),
      row("Position residual", (r) => number_text(number_at(r.doc.summary, "constraint", "max_position"))), row("Energy imbalance [J]", (r) => number_text(number_at(r.doc.summary, "energy", "max_imbalance"))))),
    h("p", { class: "muted" }, apart === 0 ? "Both runs have the same channels." : `${apart} channels are in one run only.`));
}
