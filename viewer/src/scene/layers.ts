// A flat drawing as one mesh: filled outlines and strokes with a colour each, later ones in front.
import { BufferGeometry, Color, Float32BufferAttribute, ShapeUtils, Vector2 } from "three";

import type { XY } from "./contour.ts";

export class Layers {
  private readonly position: number[] = [];
  private readonly colour: number[] = [];
  private level = 0;

  constructor(private readonly rise: number) {}

  fill(outline: XY[], colour: string): this {
    const points = outline.map(([x, y]) => new Vector2(x, y));
    if (ShapeUtils.isClockWise(points)) points.reverse();
    for (const [a, b, c] of ShapeUtils.triangulateShape(points, [])) this.triangle(points[a], points[b], points[c], colour);
    this.level += this.rise;
    return this;
  }

  // A band of the given width along the line, with mitred corners.
  stroke(line: XY[], width: number, colour: string, closed = true): this {
    const n = line.length;
    const half = width / 2;
    const left: Vector2[] = [], right: Vector2[] = [];
    for (let k = 0; k < n; k++) {
      const p = line[k];
      const before = closed || k > 0 ? line[(k + n - 1) % n] : p;
      const after = closed || k + 1 < n ? line[(k + 1) % n] : p;
      const [nx, ny] = mitre(before, p, after);
      left.push(new Vector2(p[0] + half * nx, p[1] + half * ny));
      right.push(new Vector2(p[0] - half * nx, p[1] - half * ny));
    }
    for (let k = 0; k + 1 < n + (closed ? 1 : 0); k++) {
      const m = (k + 1) % n;
      this.triangle(left[k], right[k], left[m], colour);
      this.triangle(right[k], right[m], left[m], colour);
    }
    this.level += this.rise;
    return this;
  }

  outlined(outline: XY[], fill: string, width: number, ink: string): this {
    return this.fill(outline, fill).stroke(outline, width, ink);
  }

  // The smaller side of the box around everything: how much it would hide.
  reach(): number {
    const span = (from: number) => {
      let low = Infinity, high = -Infinity;
      for (let i = from; i < this.position.length; i += 3) {
        low = Math.min(low, this.position[i]);
        high = Math.max(high, this.position[i]);
      }
      return high - low;
    };
    return this.position.length > 0 ? Math.min(span(0), span(1)) : 0;
  }

  geometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(this.position, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(this.colour, 3));
    return geometry;
  }

  private triangle(a: Vector2, b: Vector2, c: Vector2, colour: string): void {
    const { r, g, b: blue } = new Color(colour);
    for (const p of [a, b, c]) {
      this.position.push(p.x, p.y, this.level);
      this.colour.push(r, g, blue);
    }
  }
}

function mitre(before: XY, p: XY, after: XY): XY {
  const normal = (a: XY, b: XY): XY => {
    const d = Math.hypot(b[0] - a[0], b[1] - a[1]);
    return d === 0 ? [0, 0] : [-(b[1] - a[1]) / d, (b[0] - a[0]) / d];
  };
  const n1 = normal(before, p), n2 = normal(p, after);
  const sum: XY = [n1[0] + n2[0], n1[1] + n2[1]];
  const size = Math.hypot(...sum);
  if (size < 1e-9) return n1;
  const unit: XY = [sum[0] / size, sum[1] / size];
  const along = Math.max(0.35, Math.max(unit[0] * n1[0] + unit[1] * n1[1], unit[0] * n2[0] + unit[1] * n2[1]));
  return [unit[0] / along, unit[1] / along];
}
