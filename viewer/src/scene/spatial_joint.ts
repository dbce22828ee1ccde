// Spatial joints as solids: pins, balls, crosses and sleeves on the bodies, the rails they slide on, and what holds them to the
// ground.
import { BoxGeometry, type BufferGeometry, CatmullRomCurve3, CylinderGeometry, Matrix4, TubeGeometry, Vector3 } from "three";

import type { Drawing } from "../data/drawings.ts";
import type { BodyInfo, LinkInfo, Point, SceneInfo, Side } from "../data/format.ts";
import { type Poses, spread_times } from "./pose.ts";
import { ball, corners, moved, rod, tube } from "./spatial.ts";

export interface JointPart {
  geometry: BufferGeometry;
  carrier: string; // body
  still: boolean; // belongs to the ground, and is drawn like it
}

const sliding: Drawing[] = ["slide", "sleeve", "rail"];
const without_place: Drawing[] = ["none", "rod"];

export function joint_parts(joint: LinkInfo, scene: SceneInfo, poses: Poses, pin: number, up: Vector3): JointPart[] {
  if (joint.sides.length < 2 || without_place.includes(joint.drawing)) return [];
  const [first, second] = joint.sides;
  const out: JointPart[] = [];
  const add = (side: Side, geometry: BufferGeometry, still = false) => out.push({ geometry, carrier: side.body, still });
  const bare = (side: Side) => scene.bodies.find((b: BodyInfo) => b.name === side.body)?.shapes.length === 0;
  const pinned = (side: Side, half: number, radius: number) => add(side, tube(along(side, -half * pin), along(side, half * pin), radius * pin));
  if (sliding.includes(joint.drawing)) {
    const [low, high] = travel(first, second, poses);
    const rail = first.body === "ground" && scene.ground.length === 0;
    if (rail || joint.drawing === "rail") add(first, rod(along(first, low - 4 * pin), along(first, high + 4 * pin), 0.45 * pin), first.body === "ground");
  } else if (joint.curves?.[0]) add(first, track(first, joint.curves[0], 0.45 * pin), first.body === "ground");
  else if (first.body === "ground") add(first, support(joint, first, pin, up), true);
  switch (joint.drawing) {
    case "pin":
      pinned(second, 1.4, 1.05);
      break;
    case "slide":
    case "sleeve":
      pinned(second, 2, 1.2);
      break;
    case "cross": // the two arms of the cross
      pinned(first, 1.9, 0.55);
      pinned(second, 1.9, 0.55);
      add(second, moved(ball(0.8 * pin), second.point));
      break;
    case "ball-ball-link":
      for (const side of joint.sides) add(side, moved(ball(1.15 * pin), side.point));
      break;
    case "pin-ball-link":
    case "pin-pin-link":
    case "pin-sleeve-link":
      pinned(first, 1.4, 1.05);
      if (joint.drawing === "pin-ball-link") add(second, moved(ball(1.15 * pin), second.point));
      else pinned(second, joint.drawing === "pin-sleeve-link" ? 2.4 : 1.4, 1.05);
      break;
    case "gear":
      joint.sides.forEach((side, k) => {
        const radius = joint.sizes?.[k] ?? 0;
        if (radius > 0 && bare(side)) add(side, tube(along(side, -0.6 * pin), along(side, 0.6 * pin), radius));
      });
      break;
    case "stand":
    case "rack":
      break;
    case "wheel":
      if (bare(second) && joint.sizes?.[0]) add(second, tube(along(second, -0.6 * pin), along(second, 0.6 * pin), joint.sizes[0]));
      break;
    case "globe":
      if (bare(second) && joint.sizes?.[0]) add(second, moved(ball(joint.sizes[0], 32), second.point));
      break;
    case "plate":
      pinned(second, 0.3, 2.2);
      break;
    case "weld":
      add(second, moved(new BoxGeometry(1.6 * pin, 1.6 * pin, 1.6 * pin), second.point));
      break;
    default:
      add(second, moved(ball(1.15 * pin), second.point));
  }
  return out;
}

function along({ point, axis }: Side, d: number): Point {
  const n = Math.hypot(...axis) || 1;
  return [point[0] + (d * axis[0]) / n, point[1] + (d * axis[1]) / n, point[2] + (d * axis[2]) / n];
}

// A curve that a point runs on, in the frame of its side: z along the axis, x along `across`.
export function track(side: Side, line: Point[], radius: number): BufferGeometry {
  const z = new Vector3(...side.axis).normalize(), x = new Vector3(...(side.across ?? [1, 0, 0]));
  x.addScaledVector(z, -x.dot(z)).normalize();
  const frame = new Matrix4().makeBasis(x, z.clone().cross(x), z).setPosition(...side.point);
  const points = line.map((p) => new Vector3(...p).applyMatrix4(frame));
  const closed = points[0].distanceTo(points[points.length - 1]) < 2 * points[0].distanceTo(points[1]);
  return new TubeGeometry(new CatmullRomCurve3(points, closed), points.length, radius, corners(12), closed);
}

// How a joint stands on the ground: a bearing around its pin, or a foot below it.
function support(joint: LinkInfo, side: Side, pin: number, up: Vector3): BufferGeometry {
  if (["pin", "pin-ball-link", "pin-pin-link", "pin-sleeve-link"].includes(joint.drawing)) return tube(along(side, -0.8 * pin), along(side, 0.8 * pin), 1.7 * pin);
  const foot = new CylinderGeometry(0.5 * pin, 2.2 * pin, 3 * pin, corners(32)).translate(0, -1.5 * pin, 0);
  if (up.z > 0.5) foot.rotateX(Math.PI / 2);
  return moved(foot, side.point);
}

// Between which places on the first side's axis the second side's point moves.
function travel(first: Side, second: Side, poses: Poses): [number, number] {
  const axis = new Vector3(...first.axis).normalize(), from = new Vector3(...first.point), at = new Vector3();
  let low = Infinity, high = -Infinity;
  for (const t of spread_times(poses.run, 60)) {
    poses.set(t);
    const s = poses.point(second, at).applyMatrix4(poses.body(first.body).clone().invert()).sub(from).dot(axis);
    low = Math.min(low, s);
    high = Math.max(high, s);
  }
  poses.set(poses.run.begin);
  return Number.isFinite(low + high) ? [low, high] : [0, 0];
}
