// Spatial bodies as solids.
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, ExtrudeGeometry, Float32BufferAttribute, Matrix4, Quaternion, RingGeometry, Shape, SphereGeometry, Vector2, Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

import type { BodyInfo, Point, SceneInfo, ShapeInfo } from "../data/format.ts";

const y_axis = new Vector3(0, 1, 0);

// Round things have fewer corners where there are many bodies: each is small then.
let fineness = 1;

export function set_solid_fineness(bodies: number): void {
  fineness = Math.min(1, Math.max(0.3, Math.sqrt(20 / Math.max(1, bodies))));
}

export const corners = (n: number) => Math.max(3, Math.round(n * fineness));
export const ball = (radius: number, n = 24) => new SphereGeometry(radius, corners(n), corners((2 * n) / 3));

// Geometries of three stand along y; this lays them from a to b.
function between(geometry: BufferGeometry, a: Point, b: Point): BufferGeometry {
  const from = new Vector3(...a), to = new Vector3(...b);
  const turn = new Quaternion().setFromUnitVectors(y_axis, to.clone().sub(from).normalize());
  return geometry.applyMatrix4(new Matrix4().compose(from.add(to).multiplyScalar(0.5), turn, new Vector3(1, 1, 1)));
}

const distance = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

export function rod(a: Point, b: Point, radius: number): BufferGeometry {
  // Among many bodies the round ends are too small to be seen.
  if (fineness < 0.5) return between(new CylinderGeometry(radius, radius, distance(a, b), corners(18)), a, b);
  return between(new CapsuleGeometry(radius, distance(a, b), corners(6), corners(18)), a, b);
}

export function tube(a: Point, b: Point, radius: number): BufferGeometry {
  return between(new CylinderGeometry(radius, radius, distance(a, b), corners(32)), a, b);
}

function turned(geometry: BufferGeometry, orientation?: [number, number, number, number]): BufferGeometry {
  if (orientation === undefined) return geometry;
  const [w, x, y, z] = orientation;
  return geometry.applyQuaternion(new Quaternion(x, y, z, w));
}

// A tube with a bore: outside, inside and two rims.
function hollow(a: Point, b: Point, outer: number, inner: number): BufferGeometry {
  const length = distance(a, b), n = corners(56);
  const inside = new CylinderGeometry(inner, inner, length, n, 1, true);
  inside.setIndex(Array.from(inside.index!.array).reverse()); // seen from the axis
  const normal = inside.getAttribute("normal").array;
  for (let k = 0; k < normal.length; k++) normal[k] = -normal[k];
  const rim = (side: 1 | -1) => new RingGeometry(inner, outer, n).rotateX((-side * Math.PI) / 2).translate(0, (side * length) / 2, 0);
  return between(mergeGeometries([new CylinderGeometry(outer, outer, length, n, 1, true), inside, rim(1), rim(-1)]), a, b);
}

// Triangles as they are, each with its own normal.
function faceted(points: Point[], triangles: [number, number, number][]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(triangles.flat().flatMap((k) => points[k]), 3));
  geometry.computeVertexNormals();
  return geometry.setIndex(Array.from({ length: 3 * triangles.length }, (_, k) => k));
}

export function moved(geometry: BufferGeometry, at: Point): BufferGeometry {
  return geometry.translate(...at);
}

// A body without shapes: rods from a hub to the points where something is attached.
export function body_geometries(body: BodyInfo, scene: SceneInfo, attached: Point[], pin: number): BufferGeometry[] {
  const out: BufferGeometry[] = [];
  if (attached.length === 0) out.push(moved(ball(2.5 * pin), body.centre));
  const hub = attached.length > 2 || attached.length === 1 ? body.centre : attached[0];
  for (const p of attached) {
    if (distance(p, hub) > 0.5 * pin) out.push(rod(hub, p, 0.8 * pin));
  }
  if (attached.length === 1 || attached.length > 2) out.push(moved(ball(1.8 * pin), hub));
  const slides = scene.joints.some((j) => j.drawing === "slide" && j.sides[1]?.body === body.name);
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
    case "tube":
      return b ? [s1 > 0 ? hollow(a, b, s0, s1) : tube(a, b, s0)] : [];
    case "cone":
      return b ? [between(new ConeGeometry(s0, distance(a, b), corners(48)), a, b)] : [];
    case "mesh":
      return [faceted(shape.points, shape.triangles ?? [])];
    case "disc":
      return [moved(new CylinderGeometry(s0, s0, s1 > 0 && shape.sizes.length > 1 ? s1 : pin, corners(48)).rotateX(Math.PI / 2), a)];
    case "sphere":
      return [moved(ball(s0, 32), a)];
    case "box":
    case "slider":
      return [moved(turned(new BoxGeometry(s0, s1, s2), shape.orientation), a)];
    case "polygon":
      return [new ExtrudeGeometry(new Shape(shape.points.map((p) => new Vector2(p[0], p[1]))), { depth: pin, bevelEnabled: false }).translate(0, 0, -pin / 2)];
    default:
      return [];
  }
}
