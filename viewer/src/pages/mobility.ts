// Degrees of freedom and redundant equations, in words.
import type { MobilityInfo } from "../data/format.ts";
import { format_number } from "../data/number.ts";
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
  page.append(h("div", { class: "cards" }, count(m), meaning(m)));
  if (m.redundancies && m.redundancies.length > 0) page.append(redundancies(m));
  if (m.text !== "") page.append(card("In full", h("pre", {}, m.text)));
  return page;
}

function count(m: MobilityInfo): HTMLElement {
  return card("Count", facts([
    ["Bodies", String(m.bodies)], ["Coordinates", String(m.coordinates)], ["Equations", String(m.equations)], ["Redundant equations", String(m.redundant)],
    ["Degrees of freedom", h("strong", {}, String(m.dof))], ["By counting alone", m.counted_dof === undefined || m.counted_dof === m.dof ? null : String(m.counted_dof)],
    ["Distance to a singular pose", m.distance_to_singular === undefined ? null : format_number(m.distance_to_singular, 3)],
  ]));
}

function meaning(m: MobilityInfo): HTMLElement {
  const free = m.free && m.free.length > 0 ? ` They can be chosen as ${m.free.join(", ")}.` : "";
  const one = m.free && m.free.length > 0 ? ` It can be chosen as ${m.free[0]}.` : "";
  const motion = m.dof === 0 ? "Drivers and joints leave no freedom: the motion follows from them alone." : m.dof === 1 ? `One number decides the pose.${one}` : `${m.dof} numbers decide the pose.${free}`;
  const redundant = m.redundant === 0 ? "No equation is redundant: every one says something of its own, and all joint reactions are unique."
    : m.redundant === 1 ? "One equation repeats what others say." : `${m.redundant} equations repeat what others say.`;
  const consequence = m.redundant > 0 && "The motion does not depend on which one is left out; how the reactions are shared between these joints does.";
  return card("What it means", h("p", {}, motion), h("p", {}, redundant, consequence ? ` ${consequence}` : ""));
}

function redundancies(m: MobilityInfo): HTMLElement {
  return card("Redundant equations",
    h("ol", { class: "redundancies" }, ...m.redundancies!.map((r) => h("li", {},
      h("p", {}, "Any one of these can be left out ", h("span", { class: "muted" }, r.always ? "(in every pose)" : "(only in the pose at the start)"), ":"),
      h("ul", { class: "chips" }, ...r.any_one_of.split("; ").map((x) => h("li", {}, x)))))),
    m.not_unique && m.not_unique.length > 0 ? h("p", {}, h("strong", {}, "Reactions that are not unique: "), m.not_unique.join(", ")) : null);
}
