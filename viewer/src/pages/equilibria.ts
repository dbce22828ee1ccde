// Equilibria: what each one is, where the bodies are, and what the joints carry.
import type { Pose } from "../data/posed.ts";
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card, facts, list, live_page, number_at, table, text_at, tree } from "./parts.ts";
import { pictures } from "./pictures.ts";

const words: Record<string, string> = {
  stable: "it returns after a small push", saddle: "it leaves in some directions", maximum: "it leaves in all directions", neutral: "small pushes do not decide",
  unstable: "small motions grow", unknown: "stability was not judged",
};

export function has_equilibria(run: Run): boolean {
  return list(run.doc.summary.equilibria).length > 0;
}

export function pose_of(coordinates: unknown): Pose {
  return new Map(Object.entries(tree(coordinates)).map(([body, q]) => [body, list(q).map(Number)]));
}

export function equilibria_page(shared: Shared): HTMLElement {
  const run = shared.runs[0], found = list(run.doc.summary.equilibria);
  const images = pictures(run, found.slice(0, 40).map((e) => pose_of(tree(e).coordinates)), shared);
  return live_page(shared, () => [h("h1", {}, found.length === 1 ? "Equilibrium" : `${found.length} equilibria`), solved(run),
    h("div", { class: "gallery" }, ...found.slice(0, 40).map((e, k) => one(e, k, images[k] ?? null))),
    found.length > 40 ? h("p", { class: "muted" }, `The first 40 of ${found.length}; all are in summary.json.`) : null]);
}

function one(e: unknown, k: number, image: HTMLImageElement | null): HTMLElement {
  const kind = text_at(e, "kind"), reactions = Object.entries(tree(tree(e).reactions));
  const coordinates = Object.entries(tree(tree(e).coordinates));
  return card(`Equilibrium ${k + 1}`, image,
    h("p", {}, h("span", { class: `kind ${kind}` }, kind), h("span", { class: "muted" }, ` ${words[kind] ?? ""}`)),
    facts([["Potential energy", number_at(e, "potential") === null ? null : `${format_number(number_at(e, "potential"), 10)} J`], ["Found by", text_at(e, "method")]]),
    h("details", {}, h("summary", {}, "Poses of the bodies"), table(["body", coordinates.some(([, q]) => list(q).length === 3) ? "x, y [m], angle [rad]" : "x, y, z [m], quaternion"], coordinates.map(([body, q]) => [body, list(q).map((x) => format_number(Number(x), 8)).join(", ")]))),
    reactions.length > 0 ? h("details", {}, h("summary", {}, "Reactions"), table(["channel", "value"], reactions.map(([name, x]) => [name, format_number(Number(x), 8)]))) : null);
}

function solved(run: Run): HTMLElement | null {
  const x = run.doc.summary.solved;
  if (typeof x !== "object" || x === null) return null;
  return card("Found for this pose", facts([[text_at(x, "name"), `${format_number(number_at(x, "value"), 10)} ${text_at(x, "unit")}`], ["before", `${format_number(number_at(x, "before"), 6)} ${text_at(x, "unit")}`]]));
}
