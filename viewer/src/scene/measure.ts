// The sizes of a drawing, from what moves in it: where everything stays, and how large a pin should be.
import { Box3, Vector3 } from "three";

import type { BodyInfo, LinkInfo, Point, SceneInfo, ShapeInfo } from "../data/format.ts";
import { type Poses, spread_times } from "./pose.ts";
import { shape_geometry } from "./spatial.ts";

export interface Measure {
  bounds: Box3; // of all points at all times
  points: Vector3[]; // spatial: places that a picture of everything must hold
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
  const at = new Vector3(), points: Vector3[] = [];
  const few = scene.space === "spatial" && scene.bodies.length <= 60;
  for (const t of spread_times(poses.run, 60)) {
    poses.set(t);
    for (const body of scene.bodies)
      for (const p of [body.centre, ...(attached.get(body.name) ?? []), ...(outer.get(body.name) ?? [])]) {
        bounds.expandByPoint(poses.local(body.name, p, at));
        if (few) points.push(at.clone());
      }
  }
  for (const p of attached.get("ground") ?? []) bounds.expandByPoint(at.set(...p));
  for (const shape of scene.ground) for (const p of scene.space === "spatial" ? solid_points(shape) : shape.points) bounds.expandByPoint(at.set(...p));
  if (bounds.isEmpty()) bounds.set(new Vector3(-1, -1, 0), new Vector3(1, 1, 0));
  let extent = bounds.getSize(at).length();
  if (!(extent > 0) || !Number.isFinite(extent)) {
    extent = 1;
    bounds.expandByScalar(0.5);
  }
  if (!few) points.push(...box_corners(bounds));
  for (const p of attached.get("ground") ?? []) points.push(new Vector3(...p));
  const lengths = scene.bodies.map((b) => span(attached.get(b.name) ?? [], b.shapes.flatMap((s) => s.points))).filter((d) => d > 0).sort((a, b) => a - b);
  const typical = lengths.length > 0 ? lengths[Math.floor(lengths.length / 2)] : extent;
  poses.set(poses.run.begin);
  const pin = Math.max(Math.min(0.02 * extent, 0.13 * typical), Math.min(0.003 * extent, 0.35 * typical));
  return { bounds, points, extent, pin: scene.space === "spatial" ? Math.min(pin, Math.max(0.004 * extent, 0.6 * thickness(scene))) : pin };
}

// The smallest measure of the solids, of the middle one among them: joints should not hide thin rods.
function thickness(scene: SceneInfo): number {
  const all = scene.bodies.flatMap((b) => b.shapes).filter((s) => s.kind !== "mesh" && s.sizes.length > 0 && s.sizes[0] > 0);
  const thin = all.map((s) => (["box", "bar"].includes(s.kind) ? Math.min(...s.sizes) : 2 * Math.max(...s.sizes))).sort((a, b) => a - b);
  return thin.length > 0 ? thin[Math.floor((thin.length - 1) / 2)] : Infinity;
}

function box_corners({ min, max }: Box3): Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}

// The corners of the box around a solid.
function solid_points(shape: ShapeInfo): Point[] {
  return shape_geometry(shape, 0).flatMap((part) => {
    part.computeBoundingBox();
    part.dispose();
    return box_corners(part.boundingBox!).map((p) => p.toArray());
  });
}

// Points that show how far a body's shapes, gear wheels and cams reach.
function shape_points(body: BodyInfo, scene: SceneInfo): Point[] {
  const out: Point[] = [];
  const around = (c: Point, r: number) => out.push([c[0] - r, c[1], c[2]], [c[0] + r, c[1], c[2]], [c[0], c[1] - r, c[2]], [c[0], c[1] + r, c[2]]);
  for (const shape of body.shapes) {
    if (scene.space === "spatial") {
      out.push(...solid_points(shape));
      continue;
    }
    const round = ["disc", "sphere"].includes(shape.kind), box = ["box", "slider"].includes(shape.kind);
    out.push(...shape.points);
    if (round || box) around(shape.points[0] ?? [0, 0, 0], round ? shape.sizes[0] ?? 0 : Math.hypot(shape.sizes[0] ?? 0, shape.sizes[1] ?? 0) / 2);
  }
  for (const joint of scene.joints)
    joint.sides.forEach((side, k) => {
      if (side.body !== body.name) return;
      if (joint.drawing === "gear" && joint.sizes?.[k]) around(side.point, joint.sizes[k]);
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
