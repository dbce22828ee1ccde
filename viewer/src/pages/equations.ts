// The equations behind the motion, in numbers, at the start: constraints, their Jacobian, masses and forces.
import { format_number } from "../data/number.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card, facts } from "./parts.ts";

const meanings: [string, string][] = [
  ["phi", "Constraints Φ(q, t): zero where the joints are closed"], ["phi_q", "Jacobian Φ_q: constraints by coordinates"], ["nu", "Right-hand side of velocities: Φ_q v = ν"],
  ["gamma", "Right-hand side of accelerations: Φ_q a = γ"], ["M", "Mass matrix M"], ["Q", "Applied forces Q"], ["a", "Accelerations a"], ["lambda", "Multipliers λ: M a + Φ_qᵀ λ = Q"],
];

export const has_equations = (shared: Shared) => (shared.runs[0].doc.equations ?? null) !== null;

export function equations_page(shared: Shared): HTMLElement {
  const e = shared.runs[0].doc.equations!;
  const page = h("main", { class: "page", id: "page" }, h("h1", {}, "Equations"),
    h("p", { class: "muted" }, `In numbers, at t = ${format_number(e.t, 6)} s. At other times, with all digits and as files: cardan matrices MODEL --at 0.5 -o FOLDER`),
    card("Count", facts([["Coordinates", String(e.coordinates.length)], ["Equations", String(e.equations.length)], ["Rank of Φ_q", String(e.rank)], ["Degrees of freedom", h("strong", {}, `${e.coordinates.length} − ${e.rank} = ${e.coordinates.length - e.rank}`)],
      ["Independent coordinates", e.independent.join(", ") || null], ["Condition of the saddle-point matrix", e.condition === null ? null : format_number(e.condition, 3)]])));
  for (const [name, meaning] of meanings) {
    const rows = e.matrices[name];
    if (rows === undefined || rows.length === 0) continue;
    const of_equations = ["phi", "phi_q", "nu", "gamma", "lambda"].includes(name), wide = name === "phi_q" || name === "M";
    page.append(card(meaning, matrix(rows, of_equations ? e.equations : e.coordinates, wide ? e.coordinates : [""], name === "phi" ? shared.runs[0].size_of("m") : 0)));
  }
  return page;
}

// size: what the numbers are measured by where all of them are round-off.
function matrix(rows: (number | null)[][], names: string[], heads: string[], size: number): HTMLElement {
  let most = size;
  for (const row of rows) for (const v of row) most = Math.max(most, Math.abs(v ?? 0));
  const text = (v: number | null) => (v === null ? "–" : Math.abs(v) <= 1e-13 * most ? "·" : format_number(v, 4));
  return h("div", { class: "wide" }, h("table", { class: "matrix" }, heads.length > 1 && h("thead", {}, h("tr", {}, h("td", {}), ...heads.map((x) => h("th", { scope: "col" }, x)))),
    h("tbody", {}, ...rows.map((row, k) => h("tr", {}, h("th", { scope: "row" }, names[k] ?? ""), ...row.map((v) => h("td", { class: "number" }, text(v))))))));
}
