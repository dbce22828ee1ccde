// What an analysis found beside its rows: singular poses, equilibria, eigenvalues, the largest reactions.
import { format_number } from "../data/number.ts";
import type { Channel, Run } from "../data/run.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card, number_at, text_at } from "./parts.ts";

type Cell = string | Node;

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function table(heads: string[], rows: Cell[][]): HTMLElement {
  return h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((x) => h("th", {}, x)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((x) => h("td", {}, x))))));
}

function stamp(shared: Shared, t: number | null): Cell {
  if (t === null) return "–";
  return h("button", { type: "button", class: "stamp", onclick: () => shared.player.seek(t) }, `${format_number(t, 8)} s`);
}

function singular_poses(run: Run, shared: Shared): HTMLElement | null {
  const poses = list(run.doc.summary.singular_poses);
  if (poses.length === 0) return null;
  return card("Singular poses", table(["time", "kind", "joint", "driver"],
    poses.map((p) => [stamp(shared, number_at(p, "t")), text_at(p, "kind"), text_at(p, "joint"), text_at(p, "driver") || "–"])));
}

function equilibria(run: Run): HTMLElement | null {
  const found = list(run.doc.summary.equilibria);
  if (found.length === 0) return null;
  const potential = (e: unknown) => number_at(e, "potential");
  return card("Equilibria", table(["", "kind", "potential energy"],
    found.map((e, k) => [String(k + 1), text_at(e, "kind"), potential(e) === null ? "–" : `${format_number(potential(e)!, 8)} J`])));
}

// lambda = re + i im: frequency |lambda|, damping ratio -re/|lambda|.
function eigenvalues(run: Run): HTMLElement | null {
  const pairs = list(run.doc.summary.eigenvalues).map((x) => list(x)).filter((x) => typeof x[0] === "number" && typeof x[1] === "number") as number[][];
  if (pairs.length === 0) return null;
  const rows = pairs.filter(([, im]) => im >= 0).map(([re, im]) => {
    const size = Math.hypot(re, im);
    return [format_number(re, 8), format_number(im, 8), im > 0 ? format_number(size / (2 * Math.PI), 6) : "–", im > 0 && size > 0 ? format_number(-re / size, 4) : "–", re > 1e-9 * size ? "grows" : re < -1e-9 * size ? "decays" : "stays"];
  });
  return card("Eigenvalues", complex_plane(pairs), table(["real part [1/s]", "imaginary part [1/s]", "frequency [Hz]", "damping ratio", "motion"], rows));
}

// Points of the complex plane; left of the axis motions decay.
function complex_plane(pairs: number[][]): Node {
  const size = 260, most = Math.max(1e-30, ...pairs.map(([re, im]) => Math.max(Math.abs(re), Math.abs(im)))) * 1.1;
  const place = (x: number) => (size / 2) * (1 + x / most);
  const svg = (name: string, attributes: Record<string, string>) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, width: String(size), height: String(size), role: "img", "aria-label": "Eigenvalues in the complex plane" });
  for (const [x1, y1, x2, y2] of [[0, size / 2, size, size / 2], [size / 2, 0, size / 2, size]])
    picture.append(svg("line", { x1: String(x1), y1: String(y1), x2: String(x2), y2: String(y2), stroke: "currentColor", "stroke-opacity": "0.35" }));
  for (const [re, im] of pairs)
    picture.append(svg("circle", { cx: String(place(re)), cy: String(place(-im)), r: "4", fill: re > 1e-9 * most ? "#c0392b" : "#2471a3" }));
  return picture;
}

// The largest force at every joint over the stored rows, with the time it occurs.
function reactions(run: Run, shared: Shared): HTMLElement | null {
  if (run.doc.analysis !== "inverse") return null;
  const joints = new Map<string, Channel[]>();
  for (const c of run.channels) {
    const found = /^(.*)\.second\.f[xyz]$/.exec(c.name);
    if (found) joints.set(found[1], [...(joints.get(found[1]) ?? []), c]);
  }
  const rows: Cell[][] = [];
  for (const [joint, parts] of joints) {
    const values = parts.map((c) => run.common(c));
    let most = -1, at = 0;
    run.time.forEach((t, k) => {
      const size = Math.hypot(...values.map((v) => v[k]));
      if (size > most) [most, at] = [size, t];
    });
    rows.push([joint, `${format_number(most, 6)} N`, stamp(shared, at)]);
  }
  for (const c of run.channels.filter((x) => x.quantity === "drive")) {
    const s = run.series(c);
    let most = 0, at = 0;
    s.t.forEach((t, k) => {
      if (Math.abs(s.v[k]) > Math.abs(most)) [most, at] = [s.v[k], t];
    });
    rows.push([c.name, `${format_number(most, 6)} ${c.unit.replace("*", " ")}`, stamp(shared, at)]);
  }
  return rows.length === 0 ? null : card("Largest forces", table(["joint or driver", "largest", "at"], rows),
    h("p", { class: "muted" }, "Over the stored rows. Of a joint: the size of the force on its second body; of a driver: its force or torque."));
}

export function findings(run: Run, shared: Shared): HTMLElement[] {
  return [singular_poses(run, shared), equilibria(run), eigenvalues(run), reactions(run, shared)].filter((x): x is HTMLElement => x !== null);
}

// Equilibria and eigenvalues: what was found matters more than a motion, of which there is none.
export function is_still(run: Run): boolean {
  return list(run.doc.summary.equilibria).length > 0 || list(run.doc.summary.eigenvalues).length > 0;
}
