// The tables that the model asks for, [output] tables, as they are in the run's folder.
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";

const most_lines = 200; // the file has them all

export function asked_tables(run: Run): HTMLElement[] {
  return (run.doc.asked?.tables ?? []).map(({ name, lines, numbers }) => {
    const cell = (tag: "th" | "td") => (text: string, k: number) => h(tag, numbers[k] ? { class: "number" } : {}, text);
    const [heads, ...rows] = lines;
    return h("section", { class: "card asked", "aria-label": `Table ${name}` }, h("h2", {}, name),
      h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map(cell("th")))), h("tbody", {}, ...rows.slice(0, most_lines).map((row) => h("tr", {}, ...row.map(cell("td"))))))),
      rows.length > most_lines ? h("p", { class: "muted" }, `the first ${most_lines} of ${rows.length} rows`) : null);
  });
}
