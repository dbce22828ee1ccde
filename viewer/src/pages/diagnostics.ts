// What the program had to say, in order of time; a click takes the animation there.
import type { DiagnosticInfo, EventInfo } from "../data/format.ts";
import { format_number } from "../data/number.ts";
import { button, h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card } from "./parts.ts";

export function diagnostics_page(shared: Shared): HTMLElement {
  const { diagnostics, events } = shared.runs[0].doc;
  const stamp = (t: number | null) => (t === null ? h("span", { class: "stamp muted" }, "before start") : button(`Show the mechanism at ${format_number(t)} s`, { class: "stamp", onclick: () => shared.look_at(t) }, `${format_number(t, 7)} s`));
  const entry = (d: DiagnosticInfo) => h("li", { class: `diagnostic ${d.severity}` },
    h("header", {}, h("span", { class: "severity" }, d.severity), h("code", {}, d.id), stamp(d.t)),
    h("p", {}, d.element ? h("strong", {}, `${d.element}: `) : null, d.found || "no details", d.expected ? h("span", { class: "muted" }, `; expected ${d.expected}`) : null),
    d.hint ? h("p", { class: "hint" }, d.hint) : null,
    d.h !== null ? h("p", { class: "muted" }, `step ${format_number(d.h)} s`) : null,
    d.worst.length > 0 ? h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "equation"), h("th", {}, "value"))), h("tbody", {}, ...d.worst.map((g) => h("tr", {}, h("td", {}, g.equation), h("td", {}, format_number(g.value)))))) : null,
    h("p", { class: "muted" }, "cardan explain ", h("code", {}, d.id)));
  const event = (e: EventInfo) => h("tr", {}, h("td", {}, stamp(e.t)), h("td", {}, e.kind), h("td", {}, e.element), h("td", {}, e.text));
  return h("main", { class: "page", id: "page" }, h("h1", {}, "Diagnostics"),
    diagnostics.length === 0 ? h("p", { class: "empty good" }, "Nothing to report: no fault, no warning, no note.") : h("ol", { class: "diagnostics" }, ...diagnostics.map(entry)),
    card("Events", events.length === 0 ? h("p", { class: "muted" }, "No events.") : h("table", {}, h("thead", {}, h("tr", {}, ...["time", "kind", "element", "what"].map((x) => h("th", {}, x)))), h("tbody", {}, ...events.slice(0, 2000).map(event))),
      events.length > 2000 ? h("p", { class: "muted" }, `The first 2,000 of ${events.length} events.`) : null));
}
