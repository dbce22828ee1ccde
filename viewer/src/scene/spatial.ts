// Spatial bodies and joints as solids.
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, CylinderGeometry, ExtrudeGeometry, Matrix4, Quaternion, Shape, SphereGeometry, TorusGeometry, Vector2, Vector3,
} from "three";

import type { BodyInfo, LinkInfo, Point, SceneInfo, ShapeInfo } from "../data/format.ts";

const y_axis = new Vector3(0, 1, 0);

// Round things have fewer corners where there are many bodies: each is small then.
let fineness = 1;

export function set_solid_fineness(bodies: number): void {
  fineness = Math.min(1, Math.max(0.3, Math.sqrt(20 / Math.max(1, bodies))));
}

const corners = (n: number) => Math.max(3, Math.round(n * fineness));
const ball = (radius: number, n = 24) => new SphereGeometry(radius, corners(n), corners((2 * n) / 3));

// Geometries of three stand along y; this lays them from a to b.
function between(geometry: BufferGeometry, a: Point, b: Point): BufferGeometry {
  const from = new Vector3(...a), to = new Vector3(...b);
  const turn = new Quaternion().setFromUnitVectors(y_axis, to.clone().sub(from).normalize());
  return geometry.applyMatrix4(new Matrix4().compose(from.add(to).multiplyScalar(0.5), turn, new Vector3(1, 1, 1)));
}

const distance = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

function rod(a: Point, b: Point, radius: number): BufferGeometry {
  // Among many bodies the round ends are too small to be seen.
  if (fineness < 0.5) return between(new CylinderGeometry(radius, radius, distance(a, b), corners(18)), a, b);
  return between(new CapsuleGeometry(radius, distance(a, b), corners(6), corners(18)), a, b);
}

export function tube(a: Point, b: Point, radius: number): BufferGeometry {
  return between(new CylinderGeometry(radius, radius, distance(a, b), corners(32)), a, b);
}

function moved(geometry: BufferGeometry, at: Point): BufferGeometry {
  return geometry.translate(...at);
}

export function body_geometries(body: BodyInfo, scene: SceneInfo, attached: Point[], pin: number): BufferGeometry[] {
  if (body.shapes.length > 0) return body.shapes.flatMap((s) => shape_geometry(s, pin));
  const out: BufferGeometry[] = [];
  if (attached.length === 0) out.push(moved(ball(2.5 * pin), body.centre));
  const hub = attached.length > 2 || attached.length === 1 ? body.centre : attached[0];
  for (const p of attached) {
    if (distance(p, hub) > 0.5 * pin) out.push(rod(hub, p, 0.8 * pin));
  }
  if (attached.length === 1 || attached.length > 2) out.push(moved(ball(1.8 * pin), hub));
  const slides = scene.joints.some((j) => ["translational", "prismatic"].includes(j.type) && j.sides[1]?.body === body.name);
  if (slides) out.push(moved(new BoxGeometry(4 * pin, 4 * pin, 4 * pin), attached[0] ?? body.centre));
  return out;
}

export function shape_geometry(shape: ShapeInfo, pin: number): BufferGeometry[] {
  const [a = [0, 0, 0], b] = shape.points as Point[];
  const [s0 = pin, s1 = s0, s2 = s1] = shape.sizes;
  switch (shape.kind) {
    case "bar":
      return b ? [rod(a, b, Math.max(s0 / 2, 0.6 * pin))] : [];
    case "cylinder":
      return b ? [tube(a, b, s0)] : [moved(new CylinderGeometry(s0, s0, s1, corners(40)).rotateX(Math.PI / 2), a)];
    case "disc":
      return [moved(new CylinderGeometry(s0, s0, s1 > 0 && shape.sizes.length > 1 ? s1 : pin, corners(48)).rotateX(Math.PI / 2), a)];
    case "sphere":
      return [moved(ball(s0, 32), a)];
    case "box":
    case "slider":
      return [moved(new BoxGeometry(s0, s1, s2), a)];
    case "polygon":
      return [new ExtrudeGeometry(new Shape(shape.points.map((p) => new Vector2(p[0], p[1]))), { depth: pin, bevelEnabled: false }).translate(0, 0, -pin / 2)];
    default:
      return [];
  }
}

// The solid of a joint, in the frame of its second body.
export function joint_geometry(joint: LinkInfo, pin: number): BufferGeometry {
  const { point, axis } = joint.sides[1];
  const n = Math.hypot(...axis) || 1;
  const along = (d: number): Point => [point[0] + (d * axis[0]) / n, point[1] + (d * axis[1]) / n, point[2] + (d * axis[2]) / n];
  switch (joint.type) {
    case "revolute":
      return tube(along(-1.4 * pin), along(1.4 * pin), 1.05 * pin);
    case "cylindrical":
    case "translational":
    case "prismatic":
      return tube(along(-2 * pin), along(2 * pin), 1.2 * pin);
    case "universal":
      return moved(new TorusGeometry(1.2 * pin, 0.45 * pin, corners(12), corners(28)), point);
    case "fixed":
      return moved(new BoxGeometry(1.6 * pin, 1.6 * pin, 1.6 * pin), point);
    default:
      return moved(ball(1.15 * pin), point);
  }
}
