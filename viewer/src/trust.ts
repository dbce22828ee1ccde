// One line below the title: how far to trust the numbers, and why.
import { type RunDocument, reason_of } from "./data/format.ts";
import { format_number } from "./data/number.ts";
import type { Run } from "./data/run.ts";
import { h } from "./dom.ts";
import { run_name } from "./pages/changes.ts";
import { number_at, text_at, tree } from "./pages/parts.ts";

// The largest estimated error of the channels of a unit that move: a pinned point says nothing about the others.
function largest_error(doc: RunDocument, unit: string): number | null {
  const still = (name: string) => {
    const of = tree(doc.summary.channels)[name], least = number_at(of, "least"), largest = number_at(of, "largest");
    return least !== null && largest !== null && largest - least <= 1e-12 * Math.max(1, Math.abs(least), Math.abs(largest));
  };
  const found = Object.entries(tree(tree(doc.summary.error_estimate).channels)).filter(([name, e]) => text_at(e, "unit") === unit && !still(name)).map(([, e]) => number_at(e, "max") ?? 0);
  return found.length > 0 ? Math.max(...found) : null;
}

// Poses that are no motion have energies that differ.
export const is_motion = (doc: RunDocument) => text_at(doc.summary, "integrator") !== "" || doc.analysis === "inverse";

function measured(doc: RunDocument): string[] {
  const position = number_at(doc.summary, "constraint", "max_position"), imbalance = is_motion(doc) ? number_at(doc.summary, "energy", "max_imbalance") : null;
  return [
    position !== null ? `joints closed to ${format_number(position, 2)} m` : "",
    imbalance !== null ? `energy balanced to ${format_number(imbalance, 2)} J` : "",
  ].filter((words) => words !== "");
}

export function trust_words(doc: RunDocument): string {
  if (doc.status === "running") return "Still running: not judged yet.";
  const fault = reason_of(doc);
  if (doc.status === "doubtful") return `Do not rely on these numbers: ${fault?.found ?? "the run judged itself doubtful"}.`;
  if (doc.status !== "completed") return "The rows up to the stop are kept; the run did not reach its end, so it was not judged as a whole.";
  const facts = measured(doc);
  const m = largest_error(doc, "m"), rad = largest_error(doc, "rad");
  const estimated = [m !== null ? `${format_number(m, 2)} m` : "", rad !== null ? `${format_number(rad, 2)} rad` : ""].filter((words) => words !== "");
  if (estimated.length > 0) return `Errors up to ${estimated.join(" and ")}, estimated by a finer run; ${facts.join(", ")}.`;
  const kept = facts.length > 0 ? `${facts.join(", ")}: nothing contradicts the numbers` : "solved as asked";
  return text_at(doc.summary, "integrator") === "" ? `${kept[0].toUpperCase()}${kept.slice(1)}.` : `${kept[0].toUpperCase()}${kept.slice(1)}; their error was not estimated (--error-estimate does).`;
}

const gravest = ["failed", "interrupted", "doubtful", "running", "completed"];

// Of several runs the one that can be trusted least, by its name.
export function trust_line(runs: Run[]): HTMLElement {
  const energy = (r: Run) => number_at(r.doc.summary, "energy", "max_imbalance") ?? 0;
  const order = runs.map((_, k) => k).sort((a, b) => gravest.indexOf(runs[a].doc.status) - gravest.indexOf(runs[b].doc.status) || energy(runs[b]) - energy(runs[a]));
  const { doc } = runs[order[0]];
  return h("p", { class: `trust ${doc.status}` }, runs.length > 1 ? `${run_name(runs, order[0])}, of these runs the least sure: ${trust_words(doc)}` : trust_words(doc));
}
