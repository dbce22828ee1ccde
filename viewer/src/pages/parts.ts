// Pieces that several pages are made of.
import { format_number } from "../data/number.ts";
import { h } from "../dom.ts";

export type Tree = Record<string, unknown>;

export function tree(value: unknown): Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Tree) : {};
}

export function number_at(value: unknown, ...path: string[]): number | null {
  let at: unknown = value;
  for (const key of path) at = tree(at)[key];
  return typeof at === "number" ? at : null;
}

export function text_at(value: unknown, ...path: string[]): string {
  let at: unknown = value;
  for (const key of path) at = tree(at)[key];
  return typeof at === "string" ? at : "";
}

// Words and values side by side; entries without a value are left out.
export function facts(entries: [string, string | Node | null][]): HTMLElement {
  const rows = entries.filter(([, v]) => v !== null && v !== "");
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value ?? "")]));
}

export function card(title: string, ...content: (Node | string | null | false)[]): HTMLElement {
  return h("section", { class: "card" }, h("h2", {}, title), ...content);
}

export function number_text(value: number | null, unit = "", digits = 4): string | null {
  return value === null ? null : `${format_number(value, digits)}${unit ? ` ${unit}` : ""}`;
}
