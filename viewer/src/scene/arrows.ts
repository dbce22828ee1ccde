// Reactions and forces as arrows, all to one scale: the largest of the run is a quarter of the drawing.
import { BufferGeometry, ConeGeometry, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";

import type { SceneInfo, Side } from "../data/format.ts";
import { type Channel, index_at, type Run } from "../data/run.ts";
import type { Poses } from "./pose.ts";

interface Arrow {
  side: Side;
  channels: (Channel | undefined)[];
}

const endings = [["second.fx", "second.fy", "second.fz"], ["fx", "fy", "fz"], ["force_x", "force_y", "force_z"], ["fx_ground", "fy_ground", "fz_ground"], ["reaction.x", "reaction.y", "reaction.z"]];

// The channels that hold the force of an element in ground axes.
export function force_channels(run: Run, name: string): (Channel | undefined)[] | null {
  for (const set of endings) {
    const found = set.map((e) => run.find(`${name}.${e}`));
    if (found[0] !== undefined && found[1] !== undefined) return found;
  }
  return null;
}

export class Arrows {
  readonly shafts: InstancedMesh;
  readonly heads: InstancedMesh;
  readonly largest: number; // N
  private readonly arrows: Arrow[] = [];
  private readonly length: number; // of the largest
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly at = new Vector3();
  private readonly force = new Vector3();
  private readonly size = new Vector3();

  constructor(private readonly run: Run, scene: SceneInfo, extent: number, private readonly pin: number, colour: string) {
    for (const link of [...scene.joints, ...scene.forces]) {
      const channels = force_channels(run, link.name);
      const side = link.sides[link.sides.length - 1];
      if (channels !== null && side !== undefined) this.arrows.push({ side, channels });
    }
    this.largest = this.find_largest();
    this.length = 0.25 * extent;
    const material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
    const shaft: BufferGeometry = new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
    const head: BufferGeometry = new ConeGeometry(1, 1, 16).translate(0, -0.5, 0);
    this.shafts = new InstancedMesh(shaft, material, Math.max(1, this.arrows.length));
    this.heads = new InstancedMesh(head, material, Math.max(1, this.arrows.length));
    for (const mesh of [this.shafts, this.heads]) {
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 20;
      mesh.count = this.arrows.length;
    }
  }

  get any(): boolean {
    return this.arrows.length > 0 && this.largest > 0;
  }

  update(poses: Poses, t: number): void {
    const i = index_at(this.run.time, t);
    this.arrows.forEach((arrow, k) => {
      const value = (c: Channel | undefined) => (c === undefined ? 0 : this.run.common(c)[i]);
      this.force.set(value(arrow.channels[0]), value(arrow.channels[1]), value(arrow.channels[2]));
      const size = this.force.length();
      const length = Number.isFinite(size) && this.largest > 0 ? (this.length * size) / this.largest : 0;
      this.turn.setFromUnitVectors(up, size > 0 ? this.force.divideScalar(size) : up);
      poses.point(arrow.side, this.at);
      const head = Math.min(2.6 * this.pin, 0.45 * length);
      const thick = Math.min(0.32 * this.pin, 0.2 * head);
      this.shafts.setMatrixAt(k, this.matrix.compose(this.at, this.turn, this.size.set(thick, Math.max(1e-12, length - head), thick)));
      this.at.addScaledVector(this.force, size > 0 ? length : 0);
      this.heads.setMatrixAt(k, this.matrix.compose(this.at, this.turn, this.size.set(0.36 * head, Math.max(1e-12, head), 0.36 * head)));
    });
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }

  private find_largest(): number {
    let most = 0;
    for (const { channels } of this.arrows) {
      const columns = channels.map((c) => (c === undefined ? null : this.run.common(c)));
      for (let i = 0; i < this.run.time.length; i++) {
        const size = Math.hypot(...columns.map((c) => (c === null ? 0 : c[i])));
        if (Number.isFinite(size)) most = Math.max(most, size);
      }
    }
    return most;
  }
}

const up = new Vector3(0, 1, 0);
