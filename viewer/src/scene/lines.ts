// Lines of constant width on the screen: traces, springs, links without mass.
import { Vector2, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export class Lines {
  private readonly materials: LineMaterial[] = [];
  private readonly size = new Vector2(1, 1);

  make(points: number[], colour: string, width: number, opacity = 1, dashed = 0): Line2 {
    const material = new LineMaterial({ color: colour, linewidth: width, transparent: opacity < 1, opacity, dashed: dashed > 0, dashSize: dashed, gapSize: dashed });
    material.resolution.copy(this.size);
    this.materials.push(material);
    const geometry = new LineGeometry();
    geometry.setPositions(points);
    const line = new Line2(geometry, material);
    if (dashed > 0) line.computeLineDistances();
    line.frustumCulled = false;
    return line;
  }

  resize(width: number, height: number): void {
    this.size.set(width, height);
    for (const m of this.materials) m.resolution.copy(this.size);
  }

  clear(): void {
    for (const m of this.materials) m.dispose();
    this.materials.length = 0;
  }
}

// A coil along x from 0 to 1; y and z in units of the coil's radius.
export function coil(turns: number, spatial: boolean): number[] {
  const out = [0, 0, 0, 0.12, 0, 0];
  if (spatial) {
    for (let k = 0; k <= 16 * turns; k++) {
      const a = (2 * Math.PI * k) / 16;
      out.push(0.12 + (0.76 * k) / (16 * turns), Math.sin(a), Math.cos(a) - (k === 0 ? 1 : 0) * 0);
    }
  } else {
    for (let k = 0; k < 2 * turns; k++) out.push(0.12 + (0.76 * (k + 0.5)) / (2 * turns), k % 2 === 0 ? 1 : -1, 0);
  }
  out.push(0.88, 0, 0, 1, 0, 0);
  return out;
}

// A piston in a pot, along x from 0 to 1.
export const dashpot = [0, 0, 0, 0.3, 0, 0, 0.3, 1, 0, 0.7, 1, 0, 0.3, 1, 0, 0.3, -1, 0, 0.7, -1, 0, 0.3, -1, 0, 0.3, 0, 0];
export const dashpot_rod = [0.55, 0.8, 0, 0.55, -0.8, 0, 0.55, 0, 0, 1, 0, 0];

// Puts a line made along x from 0 to 1 between two points, `thick` wide, shifted sideways by `aside`.
export function stretch(line: Line2, a: Vector3, b: Vector3, thick: number, aside: number): void {
  along.subVectors(b, a);
  const length = along.length() || 1e-12;
  line.position.copy(a);
  line.quaternion.setFromUnitVectors(x_axis, along.divideScalar(length));
  line.scale.set(length, thick, thick);
  if (aside !== 0) line.position.add(side.set(0, aside, 0).applyQuaternion(line.quaternion));
}

const along = new Vector3(), side = new Vector3();
const x_axis = new Vector3(1, 0, 0);
