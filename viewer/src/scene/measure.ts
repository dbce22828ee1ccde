// The sizes of a drawing, from what moves in it: where everything stays, and how large a pin should be.
import { Box3, Vector3 } from "three";

import type { BodyInfo, LinkInfo, Point, SceneInfo } from "../data/format.ts";
import { type Poses, spread_times } from "./pose.ts";

export interface Measure {
  bounds: Box3; // of all points at all times
  extent: number; // its diagonal
  pin: number; // radius of a revolute joint's circle
}

// The points where something is attached to each body, in its frame.
export function attachments(scene: SceneInfo): Map<string, Point[]> {
  const out = new Map<string, Point[]>();
  const add = (body: string, p: Point) => {
    const list = out.get(body) ?? [];
    if (!list.some((q) => Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) < 1e-12)) list.push(p);
    out.set(body, list);
  };
  const links: LinkInfo[] = [...scene.joints, ...scene.springs, ...scene.forces];
  for (const link of links) for (const side of link.sides) add(side.body, side.point);
  return out;
}

export function measure(scene: SceneInfo, poses: Poses): Measure {
  const attached = attachments(scene);
  const outer = new Map(scene.bodies.map((b) => [b.name, shape_points(b, scene)]));
  const bounds = new Box3();
  const at = new Vector3();
  for (const t of spread_times(poses.run, 60)) {
    poses.set(t);
    for (const body of scene.bodies) {
      bounds.expandByPoint(poses.local(body.name, body.centre, at));
      for (const p of attached.get(body.name) ?? []) bounds.expandByPoint(poses.local(body.name, p, at));
      for (const p of outer.get(body.name) ?? []) bounds.expandByPoint(poses.local(body.name, p, at));
    }
  }
  for (const p of attached.get("ground") ?? []) bounds.expandByPoint(at.set(...p));
  for (const shape of scene.ground) for (const p of shape.points) bounds.expandByPoint(at.set(...p));
  if (bounds.isEmpty()) bounds.set(new Vector3(-1, -1, 0), new Vector3(1, 1, 0));
  let extent = bounds.getSize(at).length();
  if (!(extent > 0) || !Number.isFinite(extent)) {
    extent = 1;
    bounds.expandByScalar(0.5);
  }
  const lengths = scene.bodies.map((b) => span(attached.get(b.name) ?? [], b.shapes.flatMap((s) => s.points))).filter((d) => d > 0).sort((a, b) => a - b);
  const typical = lengths.length > 0 ? lengths[Math.floor(lengths.length / 2)] : extent;
  poses.set(poses.run.begin);
  return { bounds, extent, pin: Math.max(Math.min(0.02 * extent, 0.13 * typical), Math.min(0.003 * extent, 0.35 * typical)) };
}

// Points that show how far a body's shapes, gear wheels and cams reach.
function shape_points(body: BodyInfo, scene: SceneInfo): Point[] {
  const out: Point[] = [];
  const around = (c: Point, r: number) => out.push([c[0] - r, c[1], c[2]], [c[0] + r, c[1], c[2]], [c[0], c[1] - r, c[2]], [c[0], c[1] + r, c[2]]);
  for (const shape of body.shapes) {
    const round = ["disc", "sphere"].includes(shape.kind), box = ["box", "slider"].includes(shape.kind);
    out.push(...shape.points);
    if (round || box) around(shape.points[0] ?? [0, 0, 0], round ? shape.sizes[0] ?? 0 : Math.hypot(shape.sizes[0] ?? 0, shape.sizes[1] ?? 0) / 2);
  }
  for (const joint of scene.joints)
    joint.sides.forEach((side, k) => {
      if (side.body !== body.name) return;
      if (joint.type === "gear" && joint.sizes?.[k]) around(side.point, joint.sizes[k]);
      out.push(...(joint.curves?.[k] ?? []));
    });
  return out;
}

function span(...lists: Point[][]): number {
  const points = lists.flat();
  let most = 0;
  for (const p of points) for (const q of points) most = Math.max(most, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  return most;
}
