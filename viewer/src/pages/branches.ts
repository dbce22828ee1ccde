// The ways to put the mechanism together.
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { pose_of } from "./equilibria.ts";
import { card, facts, list, live_page, measured, number_at, table, text_at, tree } from "./parts.ts";
import { pictures } from "./pictures.ts";

export function has_branches(run: Run): boolean {
  return list(run.doc.summary.branches).length > 0;
}

const most = 60;

export function branches_page(shared: Shared): HTMLElement {
  const run = shared.runs[0], { summary } = run.doc, found = list(summary.branches);
  const images = pictures(run, found.slice(0, most).map((b) => pose_of(tree(b).coordinates)), shared);
  const quantities = list(summary.branch_quantities).filter((q) => tree(q).differs === true);
  const value = (b: unknown, q: unknown) => measured(number_at(b, "values", text_at(q, "name")), text_at(q, "unit"), shared.units.get(), 8);
  return live_page(shared, () => [
    h("h1", {}, found.length === 1 ? "One branch" : `${found.length} branches`),
    h("p", { class: "muted" }, `Found from ${format_number(number_at(summary, "branch_starts"))} starts${summary.more_branches === true ? "; there may be more" : ""}. [assembly] branch = number chooses one.`,
      list(summary.branches_hold).length > 0 ? ` Kept as they are: ${list(summary.branches_hold).join(", ")}.` : ""),
    h("div", { class: "gallery" }, ...found.slice(0, most).map((b, k) => card(`Branch ${format_number(number_at(b, "number"))}${tree(b).chosen === true ? " (start of this run)" : ""}`, images[k] ?? null,
      facts(quantities.slice(0, 6).map((q) => [text_at(q, "name"), value(b, q)]))))),
    quantities.length > 6 ? card("What tells them apart", table(["branch", ...quantities.map((q) => text_at(q, "name"))], found.map((b) => [format_number(number_at(b, "number")), ...quantities.map((q) => value(b, q))]))) : null]);
}
