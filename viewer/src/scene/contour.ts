// Plane outlines: capsules, circles, boxes, hulls, and gear wheels, as closed lists of points.

export type XY = [number, number];

// How finely arcs are drawn, in radians a segment: coarser when there are many small ones.
let fineness = 0.16;

export function set_fineness(bodies: number): void {
  fineness = bodies > 100 ? 0.7 : bodies > 40 ? 0.35 : 0.16;
}

export function circle(centre: XY, radius: number, n = Math.ceil((2 * Math.PI) / fineness)): XY[] {
  return Array.from({ length: n }, (_, k) => {
    const a = (2 * Math.PI * k) / n;
    return [centre[0] + radius * Math.cos(a), centre[1] + radius * Math.sin(a)];
  });
}

export function capsule(a: XY, b: XY, radius: number): XY[] {
  return rounded([a, b], radius);
}

export function box(centre: XY, width: number, height: number, angle = 0, corner = 0): XY[] {
  const c = Math.cos(angle), s = Math.sin(angle);
  const w = width / 2 - corner, v = height / 2 - corner;
  const corners: XY[] = [[-w, -v], [w, -v], [w, v], [-w, v]];
  const placed = corners.map(([x, y]): XY => [centre[0] + c * x - s * y, centre[1] + s * x + c * y]);
  return corner > 0 ? rounded(placed, corner) : placed;
}

// The outline at a distance around the convex hull of the points: a circle, a capsule or a rounded polygon.
export function rounded(points: XY[], radius: number): XY[] {
  const corners = hull(points);
  if (corners.length === 1) return circle(corners[0], radius);
  const out: XY[] = [];
  const n = corners.length;
  for (let k = 0; k < n; k++) {
    const p = corners[k], before = corners[(k + n - 1) % n], after = corners[(k + 1) % n];
    const from = Math.atan2(p[1] - before[1], p[0] - before[0]) - Math.PI / 2;
    let to = Math.atan2(after[1] - p[1], after[0] - p[0]) - Math.PI / 2;
    while (to < from) to += 2 * Math.PI;
    const steps = Math.max(2, Math.ceil((to - from) / fineness));
    for (let i = 0; i <= steps; i++) {
      const a = from + ((to - from) * i) / steps;
      out.push([p[0] + radius * Math.cos(a), p[1] + radius * Math.sin(a)]);
    }
  }
  return out;
}

// Convex hull, anticlockwise (monotone chain).
export function hull(points: XY[]): XY[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]).filter((p, i, all) => i === 0 || p[0] !== all[i - 1][0] || p[1] !== all[i - 1][1]);
  if (sorted.length < 3) return sorted;
  const half = (list: XY[]) => {
    const out: XY[] = [];
    for (const p of list) {
      while (out.length >= 2 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half([...sorted].reverse())];
}

const turn = (a: XY, b: XY, c: XY) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

// A wheel with teeth about its pitch circle; `phase` turns the first tooth.
export function gear(centre: XY, radius: number, teeth: number, phase: number): XY[] {
  const depth = radius / teeth;
  const out: XY[] = [];
  const profile: [number, number][] = [[-0.27, -1.2], [-0.12, 0.9], [0.12, 0.9], [0.27, -1.2]];
  for (let k = 0; k < teeth; k++)
    for (const [part, high] of profile) {
      const a = phase + (2 * Math.PI * (k + part)) / teeth;
      const r = radius + high * depth;
      out.push([centre[0] + r * Math.cos(a), centre[1] + r * Math.sin(a)]);
    }
  return out;
}
