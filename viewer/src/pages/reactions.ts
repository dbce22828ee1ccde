// Inverse dynamics: what drivers and joints must carry, with the times of the largest values.
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { pretty, shown } from "../data/units.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { chart } from "../plot/chart.ts";
import { singular_poses } from "./kinematics.ts";
import { card, facts, list, live_page, measured, number_at, stamp, table, text_at, tree } from "./parts.ts";

export function has_reactions(run: Run): boolean {
  return list(run.doc.summary.reaction_peaks).length > 0;
}

export function reactions_page(shared: Shared): HTMLElement {
  const run = shared.runs[0];
  return live_page(shared, () => [h("h1", {}, "Reactions"), drives(run, shared), peaks(run, shared), sums(run, shared), balance(run), singular_poses(run, shared)]);
}

function drives(run: Run, shared: Shared): HTMLElement | null {
  const { palette } = shared.theme.get(), units = shared.units.get();
  const all = run.channels.filter((c) => c.quantity === "drive");
  if (all.length === 0 || run.time.length < 2) return null;
  const charts = [...new Set(all.map((c) => c.unit))].map((unit) => {
    const { unit: name, factor } = shown(unit, units), same = all.filter((c) => c.unit === unit);
    const lines = same.map((c, k) => {
      const s = run.series(c);
      return { name: c.name, x: [...s.t], y: [...s.v].map((v) => v * factor), colour: palette[k % palette.length] };
    });
    return chart({ label: "Drives over time", x: "time [s]", y: `${same.length === 1 ? same[0].name : "drive"} [${pretty(name)}]`, lines, level: 0 });
  });
  return card("What the drivers must do", ...charts);
}

function peaks(run: Run, shared: Shared): HTMLElement {
  const units = shared.units.get();
  const all = list(run.doc.summary.reaction_peaks), open = all.some((p) => tree(p).unique === false);
  const name = (p: unknown) => (tree(p).unique === false ? h("span", {}, text_at(p, "element"), h("strong", { class: "open", title: "not unique" }, " *")) : text_at(p, "element"));
  return card("Largest values", table(["joint or driver", "quantity", "largest", "at"],
    all.map((p) => [name(p), text_at(p, "quantity"), measured(number_at(p, "largest"), text_at(p, "unit"), units), stamp(number_at(p, "at"), shared)])),
  h("p", { class: "muted" }, "Over all rows. Of a joint: the size of force and torque on its second body; of a driver: its force or torque with its sign."),
  open && h("p", {}, h("strong", { class: "open" }, "* "), "Not unique: more equations hold these bodies than needed, and rigid bodies do not tell how they share the load. Shown is the split with the least sum of squares."));
}

// What all joints do to a body together is determined, whatever the split.
function sums(run: Run, shared: Shared): HTMLElement | null {
  if (list(run.doc.summary.not_unique).length === 0) return null;
  const units = shared.units.get();
  const rows = run.channels.filter((c) => /\.joints\.(f|m|torque)/.test(c.name) && c.quantity === "reaction").map((c) => {
    const s = run.series(c);
    let most = 0, at = run.begin;
    s.t.forEach((t, k) => {
      if (Math.abs(s.v[k]) > Math.abs(most)) [most, at] = [s.v[k], t];
    });
    return [c.name, measured(most, c.unit, units), stamp(at, shared)];
  });
  if (rows.length === 0) return null;
  return card("Combinations that are unique", table(["all joints on a body together", "largest", "at"], rows),
    h("p", { class: "muted" }, "Torques about the mass centre of the body, of the ground about its origin. Every combination of reactions that is unique is a combination of these, and of reactions without a mark."));
}

function balance(run: Run): HTMLElement | null {
  const left = number_at(run.doc.summary, "power_imbalance");
  return left === null ? null : card("Powers", facts([["Imbalance, of the largest power", format_number(left, 3)]]),
    h("p", { class: "muted" }, "Power of the drivers less the rate of the energy less what is dissipated, in the worst row."));
}
