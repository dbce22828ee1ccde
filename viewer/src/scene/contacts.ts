// Contacts as dots at their moving side: small and pale where open, large and in the colour of forces where they touch.
import { Color, DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";

import type { LinkInfo, SceneInfo } from "../data/format.ts";
import { index_at, type Run } from "../data/run.ts";
import type { Poses } from "./pose.ts";
import type { Theme } from "./theme.ts";

export class Contacts {
  readonly mesh: InstancedMesh;
  private readonly list: { link: LinkInfo; closed: (row: number) => boolean }[];
  private readonly open: Color;
  private readonly touching: Color;
  private readonly at = new Vector3();
  private readonly size = new Vector3();
  private readonly matrix = new Matrix4();
  private readonly upright = new Quaternion();

  constructor(private readonly run: Run, scene: SceneInfo, private readonly pin: number, theme: Theme) {
    this.list = (scene.contacts ?? []).filter((link) => link.sides.length > 1).map((link) => ({ link, closed: this.closed_by(link.name) }));
    this.open = new Color(theme.faint);
    this.touching = new Color(theme.force);
    this.mesh = new InstancedMesh(new SphereGeometry(1, 14, 10), new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }), Math.max(1, this.list.length));
    this.mesh.count = this.list.length;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 15;
  }

  update(poses: Poses, t: number): void {
    if (this.list.length === 0) return;
    const row = index_at(this.run.time, t);
    this.list.forEach(({ link, closed }, k) => {
      const on = closed(row), r = (on ? 0.8 : 0.35) * this.pin;
      poses.point(link.sides[1], this.at);
      this.mesh.setMatrixAt(k, this.matrix.compose(this.at, this.upright, this.size.set(r, r, r)));
      this.mesh.setColorAt(k, on ? this.touching : this.open);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  // By the force where it was stored, else by the gap.
  private closed_by(name: string): (row: number) => boolean {
    const normal = this.run.find(`${name}.normal`), gap = this.run.find(`${name}.gap`);
    const forces = normal && this.run.common(normal), gaps = gap && this.run.common(gap);
    return (row) => (forces !== undefined && Math.abs(forces[row]) > 1e-12) || (gaps !== undefined && gaps[row] < 1e-9);
  }
}
