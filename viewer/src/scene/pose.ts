// Where the bodies are at a time, from the channels of a run.
import { Matrix4, Quaternion, Vector3 } from "three";

import type { BodyInfo, Point, SceneInfo, Side } from "../data/format.ts";
import { index_at, type Run } from "../data/run.ts";

export class Poses {
  readonly matrices: Matrix4[];
  private readonly columns: (Float64Array | number)[][];
  private readonly names = new Map<string, number>();
  private readonly identity = new Matrix4();
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly next = new Quaternion();
  private readonly one = new Vector3(1, 1, 1);

  constructor(readonly run: Run, readonly scene: SceneInfo) {
    this.matrices = scene.bodies.map(() => new Matrix4());
    this.columns = scene.bodies.map((b) => this.columns_of(b));
    scene.bodies.forEach((b, k) => this.names.set(b.name, k));
    this.set(run.begin);
  }

  refresh(): void {
    this.scene.bodies.forEach((b, k) => (this.columns[k] = this.columns_of(b)));
  }

  body(name: string): Matrix4 {
    const k = this.names.get(name);
    return k === undefined ? this.identity : this.matrices[k];
  }

  index(name: string): number {
    return this.names.get(name) ?? -1;
  }

  point(side: Side, out: Vector3): Vector3 {
    return out.set(...side.point).applyMatrix4(this.body(side.body));
  }

  local(name: string, point: Point, out: Vector3): Vector3 {
    return out.set(...point).applyMatrix4(this.body(name));
  }

  // Linear between rows; rotations along the shorter arc.
  set(t: number): void {
    const times = this.run.time;
    const i = index_at(times, t);
    const j = Math.min(i + 1, times.length - 1);
    const part = j > i ? Math.min(1, Math.max(0, (t - times[i]) / (times[j] - times[i]))) : 0;
    for (let k = 0; k < this.matrices.length; k++) this.pose(k, i, j, part);
  }

  private pose(k: number, i: number, j: number, part: number): void {
    const c = this.columns[k];
    if (c.length === 3) {
      this.place.set(between(c[0], i, j, part), between(c[1], i, j, part), 0);
      const half = between(c[2], i, j, part) / 2;
      this.turn.set(0, 0, Math.sin(half), Math.cos(half));
    } else {
      this.place.set(between(c[0], i, j, part), between(c[1], i, j, part), between(c[2], i, j, part));
      this.turn.set(at(c[4], i), at(c[5], i), at(c[6], i), at(c[3], i));
      if (part > 0) this.turn.slerp(this.next.set(at(c[4], j), at(c[5], j), at(c[6], j), at(c[3], j)), part);
      this.turn.normalize();
    }
    this.matrices[k].compose(this.place, this.turn, this.one);
  }

  private columns_of(body: BodyInfo): (Float64Array | number)[] {
    return body.pose.map((name, c) => {
      const channel = this.run.find(name);
      const column = channel === undefined ? undefined : this.run.common(channel);
      return column === undefined || column.length === 0 ? body.start[c] ?? 0 : column;
    });
  }
}

const at = (column: Float64Array | number, row: number) => (typeof column === "number" ? column : column[row]);
const between = (column: Float64Array | number, i: number, j: number, part: number) => (part === 0 ? at(column, i) : at(column, i) * (1 - part) + at(column, j) * part);

// Up to n times spread over the run, first and last among them.
export function spread_times(run: Run, n: number): number[] {
  const rows = run.time.length;
  const count = Math.min(n, rows);
  return Array.from({ length: count }, (_, k) => run.time[count === 1 ? 0 : Math.round((k * (rows - 1)) / (count - 1))]);
}
