// Pieces that several pages are made of.
import { format_number } from "../data/number.ts";
import { type Preference, pretty, shown } from "../data/units.ts";
import type { Run } from "../data/run.ts";
import { h, type Value } from "../dom.ts";
import type { Shared } from "../motion.ts";

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

export type Cell = string | Node;

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function table(heads: Cell[], rows: Cell[][]): HTMLElement {
  return h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((x) => h("th", {}, x)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((x) => h("td", {}, x)))))));
}

// A value in the unit that the reader prefers.
export function measured(value: number | null, unit: string, preference: Preference, digits = 6): string {
  if (value === null) return "–";
  const { unit: name, factor } = shown(unit, preference);
  return `${format_number(value * factor, digits)}${name === "" ? "" : name === "deg" ? "°" : `\u202f${pretty(name)}`}`;
}

// A page that is made again when the reader changes units or theme.
export function live_page(shared: Shared, make: () => (Node | null)[]): HTMLElement {
  const page = h("main", { class: "page", id: "page" });
  const fill = () => page.replaceChildren(...make().filter((x): x is Node => x !== null));
  let ready = false;
  for (const value of [shared.units, shared.theme] as Value<unknown>[])
    value.watch(() => {
      if (ready) fill();
    });
  ready = true;
  fill();
  return page;
}

// A time that can be looked at.
export function stamp(t: number | null, shared: Shared): Cell {
  if (t === null) return "–";
  return h("button", { type: "button", class: "stamp", title: "Show the mechanism there", onclick: () => shared.look_at(t) }, `${format_number(t, 8)} s`);
}

// With a capital letter.
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

// Where a run that did not reach its end was looked at last; "" otherwise.
export function until_words(run: Run): string {
  const until = number_at(run.doc.summary, "watched_until");
  const early = run.doc.status === "failed" || run.doc.status === "interrupted";
  return early && until !== null ? `Up to t = ${format_number(until, 6)} s, where the run ended. ` : "";
}
