// Mode shapes as moving poses: q(phase) = q0 + a Re(s e^(i phase)), with turns in ground axes.
import type { Point, SceneInfo } from "./format.ts";
import type { Pose } from "./posed.ts";

export type Complex = [number, number];

export interface Mode {
  eigenvalue: Complex;
  omega: number;
  frequency: number;
  damping_ratio: number;
  shape: Record<string, Complex[]>; // of a body: its shift, then its turn
}

const part = ([re, im]: Complex, phase: number) => re * Math.cos(phase) - im * Math.sin(phase);

// The body that moves most, shifts and turns of the points where it is joined taken together.
export function leading_body(mode: Mode, scene: SceneInfo): string {
  let best = "", most = -1;
  for (const [body, size] of moved_by(mode, scene)) if (size > most) [best, most] = [body, size];
  return best;
}

// Largest movement of a joint's point or the mass centre on each body for a mode of size one.
function moved_by(mode: Mode, scene: SceneInfo): Map<string, number> {
  const points = new Map<string, Point[]>();
  for (const b of scene.bodies) points.set(b.name, [b.centre, [0, 0, 0]]);
  for (const link of [...scene.joints, ...scene.springs]) for (const side of link.sides) points.get(side.body)?.push(side.point);
  const out = new Map<string, number>();
  for (const [body, s] of Object.entries(mode.shape)) {
    const planar = s.length === 3, shifts = planar ? 2 : 3;
    const shift = Math.hypot(...s.slice(0, shifts).map(([re, im]) => Math.hypot(re, im)));
    const turn = Math.hypot(...s.slice(shifts).map(([re, im]) => Math.hypot(re, im)));
    const arm = Math.max(0, ...(points.get(body) ?? []).map((p) => Math.hypot(...p)));
    out.set(body, shift + turn * arm);
  }
  return out;
}

// How large a mode may be drawn: a tenth of the mechanism, and no turn beyond a third of a radian.
export function drawn_size(mode: Mode, scene: SceneInfo, extent: number): number {
  const moved = Math.max(1e-30, ...moved_by(mode, scene).values());
  let turn = 1e-30;
  for (const s of Object.values(mode.shape)) turn = Math.max(turn, Math.hypot(...s.slice(s.length === 3 ? 2 : 3).map(([re, im]) => Math.hypot(re, im))));
  return Math.min((0.1 * extent) / moved, 0.33 / turn);
}

function turned(q: number[], [x, y, z]: number[]): number[] {
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5, w = Math.cos(angle / 2);
  const [a, b, c, d] = [w, s * x, s * y, s * z], [qw, qx, qy, qz] = q;
  return [a * qw - b * qx - c * qy - d * qz, a * qx + b * qw + c * qz - d * qy, a * qy - b * qz + c * qw + d * qx, a * qz + b * qy - c * qx + d * qw];
}

export function mode_pose(mode: Mode, from: Pose, size: number, phase: number): Pose {
  const out: Pose = new Map(from);
  for (const [body, s] of Object.entries(mode.shape)) {
    const q = from.get(body);
    if (q === undefined) continue;
    const d = s.map((z) => size * part(z, phase));
    out.set(body, q.length === 3 ? [q[0] + d[0], q[1] + d[1], q[2] + d[2]] : [q[0] + d[0], q[1] + d[1], q[2] + d[2], ...turned(q.slice(3), d.slice(3))]);
  }
  return out;
}
