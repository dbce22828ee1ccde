// Degrees of freedom and redundant equations, in words.
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
  const redundant = m.redundant === 0 ? "No equation is redundant: every one says something of its own, and all joint reactions are unique."
    : `${m.redundant} of the equations repeat${m.redundant === 1 ? "s" : ""} what others say. The report below names them, and the joints whose reactions are therefore not unique.`;
  page.append(h("div", { class: "cards" },
    card("Count", facts([["Bodies", String(m.bodies)], ["Coordinates", String(m.coordinates)], ["Equations", String(m.equations)], ["Redundant equations", String(m.redundant)], ["Degrees of freedom", h("strong", {}, String(m.dof))]])),
    card("What it means", h("p", {}, m.dof === 0 ? "Drivers and joints leave no freedom: the motion follows from them alone." : `${m.dof} number${m.dof === 1 ? "" : "s"} decide the pose.`), h("p", {}, redundant))));
  if (m.text !== "") page.append(card("In full", h("pre", {}, m.text)));
  return page;
}
