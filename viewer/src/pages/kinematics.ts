// Driven motions: singular poses, the range of each driver with dead centres and transmission angles, the largest speeds.
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { type Preference, pretty, shown } from "../data/units.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { chart, type ChartMark } from "../plot/chart.ts";
import { card, type Cell, facts, list, live_page, measured, number_at, stamp, table, text_at, tree } from "./parts.ts";

export function has_range(run: Run): boolean {
  return list(run.doc.summary.range).length > 0;
}

export function kinematics_page(shared: Shared): HTMLElement {
  const run = shared.runs[0];
  return live_page(shared, () => [
    h("h1", {}, has_range(run) ? "Range of motion" : "Kinematics"),
    ...list(run.doc.summary.range).flatMap((r) => driver(r, shared)),
    singular_poses(run, shared), fastest(run, shared)]);
}

export function singular_poses(run: Run, shared: Shared): HTMLElement | null {
  const poses = list(run.doc.summary.singular_poses);
  if (poses.length === 0) return null;
  return card("Singular poses", table(["time", "kind", "joint", "driver"],
    poses.map((p) => [stamp(number_at(p, "t"), shared), text_at(p, "kind"), text_at(p, "joint"), text_at(p, "driver") || "–"])));
}

// Angles in degrees unless the reader chose a unit.
function preferred(shared: Shared): Preference {
  return { rad: "deg", ...shared.units.get() };
}

function driver(range: unknown, shared: Shared): HTMLElement[] {
  const unit = text_at(range, "unit"), units = preferred(shared);
  const at = (v: number | null) => measured(v, unit, units, 8);
  const end = (side: string) => `${at(number_at(range, side))}: ${text_at(range, `${side}_end`)}${text_at(range, `${side}_joint`) ? `, joint ${text_at(range, `${side}_joint`)}` : ""}`;
  const crank = text_at(range, "kind") === "crank";
  const passed = list(tree(range).singular_poses).map((p) => `${text_at(p, "kind")} at ${at(number_at(p, "t"))}, joint ${text_at(p, "joint")}`);
  const head = card(`Driver ${text_at(range, "driver")}`, facts([
    ["Kind", crank ? "crank: it turns fully" : text_at(range, "kind")], ["From", crank ? null : end("from")], ["To", crank ? null : end("to")], ["Drawn at", at(number_at(range, "start"))],
    ["Passed", passed.length > 0 ? passed.join("; ") : null]]));
  return [head, ...outputs(range, shared), ...transmission(range, shared)];
}

function course(value: unknown): [number[], number[]] {
  const points = list(tree(value).course).map((p) => list(p).map((x) => (typeof x === "number" ? x : NaN)));
  return [points.map((p) => p[0]), points.map((p) => p[1])];
}

const scaled = (values: number[], factor: number) => values.map((v) => v * factor);

function outputs(range: unknown, shared: Shared): HTMLElement[] {
  const all = list(tree(range).outputs), units = preferred(shared), { palette } = shared.theme.get();
  const of_driver = shown(text_at(range, "unit"), units);
  const x = `${text_at(range, "driver")} [${pretty(of_driver.unit)}]`;
  const cards: HTMLElement[] = [];
  for (const unit of new Set(all.map((o) => text_at(o, "unit")))) {
    const same = all.filter((o) => text_at(o, "unit") === unit), { unit: name, factor } = shown(unit, units);
    const marks: ChartMark[] = [];
    const lines = same.map((o, k) => {
      const [s, v] = course(o), colour = palette[k % palette.length];
      for (const d of list(tree(o).dead_centres))
        marks.push({ x: (number_at(d, "driver") ?? NaN) * of_driver.factor, y: (number_at(d, "value") ?? NaN) * factor, colour, text: `dead centre of ${text_at(o, "name")}` });
      return { name: text_at(o, "name"), x: scaled(s, of_driver.factor), y: scaled(v, factor), colour };
    });
    cards.push(card(same.length === 1 ? text_at(same[0], "name") : `What moves${name ? `, in ${pretty(name)}` : ""}`,
      chart({ label: `Outputs over ${text_at(range, "driver")}`, x, y: `${same.length === 1 ? text_at(same[0], "name") : "value"} [${pretty(name) || "–"}]`, lines, marks }),
      table(["output", "kind", "least", "most", "stroke", "dead centres with the driver at", "time ratio", "velocity ratio"], same.map((o) => output_row(o, unit, range, units)))));
  }
  return cards;
}

function output_row(o: unknown, unit: string, range: unknown, units: Preference): Cell[] {
  const crank = text_at(o, "kind") === "crank";
  const at_driver = (v: number | null) => measured(v, text_at(range, "unit"), units, 8);
  const ratio = (key: string) => {
    const v = number_at(o, key, "value");
    return v === null ? "without bound" : format_number(v, 5);
  };
  return [text_at(o, "name"), text_at(o, "kind"), crank ? "–" : measured(number_at(o, "least", "value"), unit, units, 8), crank ? "–" : measured(number_at(o, "most", "value"), unit, units, 8),
    crank ? "–" : measured(number_at(o, "stroke"), unit, units, 8), list(tree(o).dead_centres).map((d) => at_driver(number_at(d, "driver"))).join(", ") || "–",
    number_at(o, "time_ratio") === null ? "–" : format_number(number_at(o, "time_ratio"), 8), `${ratio("least_ratio")} to ${ratio("most_ratio")}`];
}

function transmission(range: unknown, shared: Shared): HTMLElement[] {
  const all = list(tree(range).transmission), units = preferred(shared), { palette } = shared.theme.get();
  if (all.length === 0) return [];
  const of_driver = shown(text_at(range, "unit"), units), angle = shown("rad", units);
  const lines = all.map((a, k) => {
    const [s, v] = course(a);
    return { name: `${text_at(a, "coupler")} on ${text_at(a, "output")}`, x: scaled(s, of_driver.factor), y: scaled(v, angle.factor), colour: palette[k % palette.length] };
  });
  const marks = all.map((a, k) => {
    const at = number_at(a, "worst", "driver") ?? NaN, [s, v] = course(a);
    const near = s.reduce((best, x, i) => (Math.abs(x - at) < Math.abs(s[best] - at) ? i : best), 0);
    const worst = number_at(a, "worst", "value") ?? NaN;
    return { x: at * of_driver.factor, y: (v[near] > Math.PI / 2 ? Math.PI - worst : worst) * angle.factor, colour: palette[k % palette.length], text: "farthest from a right angle" };
  });
  const value = (a: unknown, key: string) => measured(number_at(a, key, "value"), "rad", units, 7);
  const where = (a: unknown, key: string) => measured(number_at(a, key, "driver"), text_at(range, "unit"), units, 7);
  return [card("Transmission angle",
    chart({ label: "Transmission angle over the driver", x: `${text_at(range, "driver")} [${pretty(of_driver.unit)}]`, y: `angle [${pretty(angle.unit)}]`, lines, marks, level: (Math.PI / 2) * angle.factor }),
    table(["coupler", "moves", "least", "most", "farthest from 90°", "with the driver at"], all.map((a) => [text_at(a, "coupler"), text_at(a, "output"), value(a, "least"), value(a, "most"), value(a, "worst"), where(a, "worst")])),
    h("p", { class: "muted" }, "Between the coupler and the link it moves. A right angle passes force on best; as a rule it should stay above 40°."))];
}

interface Peak {
  most: number;
  at: number;
}

// The largest speed and acceleration of every body's frame over the rows.
function fastest(run: Run, shared: Shared): HTMLElement | null {
  const units = shared.units.get();
  const peak = (names: string[]): Peak | null => {
    const columns = names.flatMap((n) => run.find(n) ?? []).map((c) => run.common(c));
    let most = -1, at = 0;
    if (columns.length > 0)
      run.time.forEach((t, k) => {
        const size = Math.hypot(...columns.map((v) => v[k]));
        if (size > most) [most, at] = [size, t];
      });
    return most < 0 ? null : { most, at };
  };
  const found: { name: string; speed: Peak; acceleration: Peak; turn: Peak | null }[] = [];
  for (const { name } of (run.doc.scene?.bodies ?? []).slice(0, 200)) {
    const speed = peak(["vx", "vy", "vz"].map((k) => `${name}.${k}`)), acceleration = peak(["ax", "ay", "az"].map((k) => `${name}.${k}`));
    const turn = peak([`${name}.omega`, ...["x", "y", "z"].map((k) => `${name}.omega_${k}`)]);
    if (speed === null || acceleration === null) continue;
    found.push({ name, speed, acceleration, turn });
  }
  // What is round-off beside the fastest stands still.
  const shown_peak = (p: Peak, all: Peak[], unit: string): Cell[] => (p.most > 1e-12 * Math.max(...all.map((x) => x.most)) ? [measured(p.most, unit, units), stamp(p.at, shared)] : [measured(0, unit, units), "–"]);
  const rows = found.map(({ name, speed, acceleration, turn }): Cell[] => [name, ...shown_peak(speed, found.map((f) => f.speed), "m/s"), ...shown_peak(acceleration, found.map((f) => f.acceleration), "m/s^2"), turn === null ? "–" : measured(turn.most, "rad/s", units)]);
  if (rows.length === 0 || run.time.length < 2) return null;
  return card("Largest speeds and accelerations", table(["body", "speed", "at", "acceleration", "at", "angular speed"], rows),
    h("p", { class: "muted" }, "Of the origin of each body's frame, over the stored rows."));
}
