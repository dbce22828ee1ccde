// Degrees of freedom, redundant equations in words, singular poses.
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card, facts } from "./parts.ts";

export function mobility_page({ runs }: Shared): HTMLElement {
  const m = runs[0].doc.mobility;
  const page = h("main", { class: "page", id: "page" }, h("h1", {}, "Mobility"));
  if (m === null) {
    page.append(h("p", { class: "empty" }, "This run stored no mobility report. cardan check prints one."));
    return page;
  }
  page.append(h("div", { class: "cards" },
    card("Count", facts([["Bodies", String(m.bodies)], ["Coordinates", String(m.coordinates)], ["Equations", String(m.equations)], ["Redundant", String(m.redundant.length)], ["Degrees of freedom", h("strong", {}, String(m.dof))], ["Pose", m.singular || "regular"]])),
    card("Redundant equations", m.redundant.length === 0 ? h("p", {}, "None: every equation says something of its own, and all joint reactions are unique.")
      : h("ul", {}, ...m.redundant.map((r) => h("li", {}, h("strong", {}, r.equation), r.structural ? " (by structure)" : " (in this pose only)", r.set.length > 0 ? h("p", { class: "muted" }, `Any one of: ${r.set.join("; ")}. The reactions of these are not unique.`) : null))))));
  if (m.text !== "") page.append(card("As printed", h("pre", {}, m.text)));
  return page;
}
