// The pages that the kind of analysis asks for, between the motion and the summary.
import type { Shared } from "../motion.ts";
import { branches_page, has_branches } from "./branches.ts";
import { equilibria_page, has_equilibria } from "./equilibria.ts";
import { has_range, kinematics_page } from "./kinematics.ts";
import { has_modes, modes_page } from "./modes.ts";
import { has_reactions, reactions_page } from "./reactions.ts";
import { has_sensitivities, sensitivities_page } from "./sensitivities.ts";

export interface Page {
  name: string;
  make: () => HTMLElement;
}

export function analysis_pages(shared: Shared): Page[] {
  const run = shared.runs[0], out: Page[] = [];
  const add = (there: boolean, name: string, page: (shared: Shared) => HTMLElement) => {
    if (there) out.push({ name, make: () => page(shared) });
  };
  add(has_range(run), "Range", kinematics_page);
  add(!has_range(run) && run.doc.analysis === "kinematic", "Kinematics", kinematics_page);
  add(has_reactions(run), "Reactions", reactions_page);
  add(has_equilibria(run), "Equilibria", equilibria_page);
  add(has_modes(run), "Modes", modes_page);
  add(has_branches(run), "Branches", branches_page);
  add(has_sensitivities(run), "Sensitivities", sensitivities_page);
  return out;
}

// What was found matters more than a motion, of which there is none.
export function is_still(shared: Shared): boolean {
  const run = shared.runs[0];
  return has_equilibria(run) || has_modes(run) || has_branches(run) || has_range(run);
}
