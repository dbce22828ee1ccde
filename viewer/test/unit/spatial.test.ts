import { Box3, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import type { Point, ShapeInfo } from "../../src/data/format.ts";
import { shape_geometry } from "../../src/scene/spatial.ts";
import { track } from "../../src/scene/spatial_joint.ts";

const shape = (given: Partial<ShapeInfo>): ShapeInfo => ({ kind: "box", sizes: [], points: [], colour: "", ...given });

function parts(given: Partial<ShapeInfo>) {
  const [geometry] = shape_geometry(shape(given), 0.01);
  const place = geometry.getAttribute("position"), normal = geometry.getAttribute("normal");
  const list = (a: typeof place) => Array.from({ length: a.count }, (_, k) => new Vector3().fromBufferAttribute(a, k));
  return { points: list(place), normals: list(normal), index: Array.from(geometry.index!.array) };
}

// Six times the volume that the triangles enclose; negative where they look inwards.
const volume = ({ points, index }: ReturnType<typeof parts>) => {
  let sum = 0;
  for (let k = 0; k < index.length; k += 3) sum += points[index[k]].dot(new Vector3().crossVectors(points[index[k + 1]], points[index[k + 2]]));
  return sum / 6;
};

describe("spatial shapes", () => {
  it("have a bore where they are tubes, and look outwards everywhere", () => {
    const tube = parts({ kind: "tube", sizes: [0.1, 0.08], points: [[0, 0.1, 0], [0.4, 0.1, 0]] });
    for (const p of tube.points) expect(Math.hypot(p.y - 0.1, p.z)).toBeGreaterThan(0.0799);
    expect(volume(tube) / (Math.PI * 0.4 * (0.1 ** 2 - 0.08 ** 2))).toBeCloseTo(1, 1);
    for (let k = 0; k < tube.index.length; k += 3) {
      const [a, b, c] = tube.index.slice(k, k + 3).map((i) => tube.points[i]);
      const face = new Vector3().crossVectors(b.clone().sub(a), c.clone().sub(a));
      expect(face.dot(tube.normals[tube.index[k]])).toBeGreaterThan(0);
    }
  });

  it("end in a point at the second end of a cone", () => {
    const cone = parts({ kind: "cone", sizes: [0.25], points: [[0, 1.2, 0], [0, 0, 0]] });
    expect(Math.max(...cone.points.filter((p) => p.y < 1e-6).map((p) => p.length()))).toBeLessThan(1e-6);
    expect(Math.max(...cone.points.map((p) => Math.hypot(p.x, p.z)))).toBeCloseTo(0.25, 6);
    expect(volume(cone) / ((Math.PI * 0.25 ** 2 * 1.2) / 3)).toBeCloseTo(1, 1);
  });

  it("turn with the orientation of a box", () => {
    const half = Math.PI / 4; // a quarter turn about z
    const box = new Box3().setFromPoints(parts({ sizes: [4, 2, 1], points: [[1, 0, 0]], orientation: [Math.cos(half), 0, 0, Math.sin(half)] }).points);
    expect(box.getSize(new Vector3()).toArray().map((v) => Math.round(1e5 * v) / 1e5)).toEqual([2, 4, 1]);
    expect(box.getCenter(new Vector3()).x).toBeCloseTo(1, 6);
  });

  it("are the triangles of a mesh", () => {
    const points: Point[] = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const mesh = parts({ kind: "mesh", points, triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] });
    expect(volume(mesh)).toBeCloseTo(1 / 6, 9);
    expect(mesh.normals[0].z).toBe(-1);
  });
});

describe("curves in space", () => {
  const circle = Array.from({ length: 90 }, (_, k): Point => [Math.cos((k * Math.PI) / 45), Math.sin((k * Math.PI) / 45), 0.2]);
  const side = { body: "a", point: [1, 2, 3] as Point, axis: [1, 0, 0] as Point, across: [0, 1, 0] as Point };

  it("lie in the frame of their side and close where their ends meet", () => {
    const place = track(side, circle, 0.01).getAttribute("position");
    const points = Array.from({ length: place.count }, (_, k) => new Vector3().fromBufferAttribute(place, k));
    for (const p of points) {
      expect(Math.abs(p.x - 1.2)).toBeLessThan(0.0101);
      expect(Math.abs(Math.hypot(p.y - 2, p.z - 3) - 1)).toBeLessThan(0.011);
    }
    const rings = circle.length + 1, first = points[0], last = points[(points.length / rings) * (rings - 1)];
    expect(first.distanceTo(last)).toBeLessThan(0.021); // the last ring lies on the first
  });

  it("stay open where they do not", () => {
    const place = track(side, circle.slice(0, 45), 0.01).getAttribute("position");
    for (let k = 0; k < place.count; ++k) expect(place.getZ(k)).toBeGreaterThan(2.98);
  });
});
