// Everything that was stored about the run.
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card } from "./parts.ts";

export function manifest_page({ runs }: Shared): HTMLElement {
  return h("main", { class: "page", id: "page" }, h("h1", {}, "Manifest"),
    ...runs.map((run) => card(runs.length > 1 ? run.doc.title : "This run", table({ id: run.doc.id, ...run.doc.manifest }))),
    card("Summary as stored", table(runs[0].doc.summary)));
}

function table(value: Record<string, unknown>): HTMLElement {
  return h("dl", { class: "tree" }, ...Object.entries(value).flatMap(([key, v]) => [h("dt", {}, key), h("dd", {}, shown(v))]));
}

function shown(value: unknown): Node | string {
  if (Array.isArray(value)) return value.length > 0 && typeof value[0] === "object" ? h("ol", {}, ...value.map((v) => h("li", {}, shown(v)))) : value.join(", ");
  if (typeof value === "object" && value !== null) return table(value as Record<string, unknown>);
  return value === null ? "–" : String(value);
}
