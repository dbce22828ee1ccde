// All flat pieces of a planar mechanism as one mesh: each vertex knows its body, and the graphics card reads the bodies'
// poses from a small texture. Hundreds of bodies cost one call.
import { BufferGeometry, Color, DataTexture, Float32BufferAttribute, FloatType, Matrix4, Mesh, RGBAFormat, ShaderMaterial } from "three";

import type { Target } from "./drawing.ts";

export interface Piece {
  geometry: BufferGeometry; // position and colour, in the carrier's frame
  carrier: number; // body, or -1: ground
  target: Target | null;
}

const vertex = `
attribute vec3 color;
attribute vec2 owner;
uniform sampler2D poses;
uniform float lit;
varying vec3 shade;
varying float glow;
void main() {
  vec4 pose = texelFetch(poses, ivec2(int(owner.x), 0), 0);
  vec2 at = pose.xy + vec2(pose.z * position.x - pose.w * position.y, pose.w * position.x + pose.z * position.y);
  shade = color;
  glow = owner.y == lit ? 0.42 : 0.0;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(at, position.z, 1.0);
}`;

const fragment = `
uniform vec3 accent;
uniform float opacity;
varying vec3 shade;
varying float glow;
void main() {
  gl_FragColor = vec4(mix(shade, accent, glow), opacity);
  #include <colorspace_fragment>
}`;

export class FlatMesh {
  readonly mesh: Mesh;
  private readonly poses: DataTexture;
  private readonly values: Float32Array<ArrayBuffer>;
  private readonly material: ShaderMaterial;

  constructor(readonly pieces: Piece[], bodies: number, accent: string, opacity: number) {
    this.values = new Float32Array(4 * (bodies + 1));
    this.values[2] = 1; // the ground is entry 0 and stays
    this.poses = new DataTexture(this.values, bodies + 1, 1, RGBAFormat, FloatType);
    this.material = new ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, transparent: opacity < 1,
      uniforms: { poses: { value: this.poses }, lit: { value: -1 }, accent: { value: new Color(accent) }, opacity: { value: opacity } },
    });
    this.mesh = new Mesh(merge_pieces(pieces), this.material);
    this.mesh.frustumCulled = false;
  }

  update(matrices: Matrix4[]): void {
    for (let k = 0, at = 4; k < matrices.length; k++, at += 4) {
      const e = matrices[k].elements;
      this.values[at] = e[12];
      this.values[at + 1] = e[13];
      this.values[at + 2] = e[0];
      this.values[at + 3] = e[1];
    }
    this.poses.needsUpdate = true;
  }

  highlight(target: Target | null): void {
    const k = target === null ? -1 : this.pieces.findIndex((p) => same(p.target, target));
    this.material.uniforms.lit.value = k;
  }

  // The piece in front at a point of the plane.
  pick(x: number, y: number): Target | null {
    let front = -Infinity;
    let found: Target | null = null;
    for (const piece of this.pieces) {
      if (piece.target === null) continue;
      const [px, py, c, s] = this.values.subarray(4 * (piece.carrier + 1), 4 * (piece.carrier + 1) + 4);
      const u = c * (x - px) + s * (y - py), v = c * (y - py) - s * (x - px);
      const z = height_at(piece.geometry, u, v);
      if (z > front) {
        front = z;
        found = piece.target;
      }
    }
    return found;
  }
}

// All pieces in one geometry; "owner" is a vertex's entry in the table of poses and its target's first piece.
export function merge_pieces(pieces: Piece[]): BufferGeometry {
  const firsts = new Map<string, number>();
  pieces.forEach(({ target }, k) => {
    const key = target === null ? "" : `${target.kind} ${target.name}`;
    if (key !== "" && !firsts.has(key)) firsts.set(key, k);
  });
  const total = pieces.reduce((sum, p) => sum + p.geometry.getAttribute("position").count, 0);
  const position = new Float32Array(3 * total), colour = new Float32Array(3 * total), owner = new Float32Array(2 * total);
  let at = 0;
  pieces.forEach(({ geometry, carrier, target }, k) => {
    const { array, count } = geometry.getAttribute("position");
    position.set(array, 3 * at);
    colour.set(geometry.getAttribute("color").array, 3 * at);
    const first = target === null ? k : firsts.get(`${target.kind} ${target.name}`)!;
    for (let i = at; i < at + count; i++) {
      owner[2 * i] = carrier + 1;
      owner[2 * i + 1] = first;
    }
    at += count;
  });
  const geometry = new BufferGeometry();
  if (pieces.some((p) => p.geometry.index)) geometry.setIndex(merged_index(pieces));
  geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(colour, 3));
  geometry.setAttribute("owner", new Float32BufferAttribute(owner, 2));
  return geometry;
}

function merged_index(pieces: Piece[]): number[] {
  const out: number[] = [];
  let at = 0;
  for (const { geometry } of pieces) {
    const { count } = geometry.getAttribute("position");
    if (geometry.index) for (const i of geometry.index.array) out.push(at + i);
    else for (let i = 0; i < count; i++) out.push(at + i);
    at += count;
  }
  return out;
}

export const same = (a: Target | null, b: Target | null) => a !== null && b !== null && a.kind === b.kind && a.name === b.name;

function height_at(geometry: BufferGeometry, x: number, y: number): number {
  geometry.boundingBox ?? geometry.computeBoundingBox();
  const box = geometry.boundingBox!;
  if (x < box.min.x || x > box.max.x || y < box.min.y || y > box.max.y) return -Infinity;
  const p = geometry.getAttribute("position").array;
  let high = -Infinity;
  for (let i = 0; i < p.length; i += 9) {
    const a = side(p, i, i + 3, x, y), b = side(p, i + 3, i + 6, x, y), c = side(p, i + 6, i, x, y);
    if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0)) high = Math.max(high, p[i + 2]);
  }
  return high;
}

const side = (p: ArrayLike<number>, i: number, j: number, x: number, y: number) => (p[j] - p[i]) * (y - p[i + 1]) - (p[j + 1] - p[i + 1]) * (x - p[i]);
