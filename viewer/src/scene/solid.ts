// All solids of a spatial mechanism as one mesh, like flat.ts: each vertex knows its body, and the poses (place and unit
// quaternion, two texels a body) are read from a small texture. Lit by the sky and by one sun; hundreds of bodies cost one call.
import { BufferGeometry, Color, DataTexture, Float32BufferAttribute, FloatType, Matrix4, Mesh, Quaternion, type Ray, Ray as RayOf, RGBAFormat, ShaderMaterial, Vector3 } from "three";

import type { Target } from "./drawing.ts";
import { merge_pieces, type Piece, same } from "./flat.ts";
import type { Theme } from "./theme.ts";

const vertex = `
attribute vec3 color;
attribute vec2 owner;
uniform sampler2D poses;
uniform float lit;
varying vec3 shade;
varying vec3 facing;
varying vec3 seen;
varying float glow;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  int body = int(owner.x);
  vec4 q = texelFetch(poses, ivec2(2 * body + 1, 0), 0);
  vec4 at = vec4(texelFetch(poses, ivec2(2 * body, 0), 0).xyz + turned(q, position), 1.0);
  facing = turned(q, normal);
  shade = color;
  glow = owner.y == lit ? 0.42 : 0.0;
  vec4 view = modelViewMatrix * at;
  seen = view.xyz;
  gl_Position = projectionMatrix * view;
}`;

const fragment = `
uniform vec3 accent, up, sun;
uniform float opacity, low, high;
varying vec3 shade;
varying vec3 facing;
varying vec3 seen;
varying float glow;
void main() {
  vec3 n = normalize(facing);
  float sky = mix(low, high, 0.5 + 0.5 * dot(n, up));
  float direct = max(0.0, dot(n, sun));
  vec3 eye = normalize((vec4(isOrthographic ? vec3(0.0, 0.0, 1.0) : -seen, 0.0) * viewMatrix).xyz);
  float shine = pow(max(0.0, dot(n, normalize(sun + eye))), 40.0);
  vec3 light = mix(shade, accent, glow) * (sky + 0.55 * direct) + 0.12 * shine;
  gl_FragColor = vec4(light, opacity);
  #include <colorspace_fragment>
}`;

export class SolidMesh {
  readonly mesh: Mesh;
  private readonly poses: DataTexture;
  private readonly values: Float32Array<ArrayBuffer>;
  private readonly material: ShaderMaterial;
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();

  constructor(readonly pieces: Piece[], bodies: number, up: Vector3, theme: Theme, opacity: number) {
    this.values = new Float32Array(8 * (bodies + 1));
    this.values[7] = 1; // the ground is entry 0 and stays
    this.poses = new DataTexture(this.values, 2 * (bodies + 1), 1, RGBAFormat, FloatType);
    const sun = up.y > 0.5 ? new Vector3(1, 2.2, 1.4) : new Vector3(1, -1.4, 2.2);
    this.material = new ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, transparent: opacity < 1,
      uniforms: {
        poses: { value: this.poses }, lit: { value: -1 }, accent: { value: new Color(theme.accent) }, opacity: { value: opacity },
        up: { value: up }, sun: { value: sun.normalize() }, low: { value: theme.dark ? 0.22 : 0.42 }, high: { value: theme.dark ? 0.62 : 0.78 },
      },
    });
    const geometry = merge_pieces(pieces);
    const normal: number[] = [];
    for (const piece of pieces) for (const v of piece.geometry.getAttribute("normal").array) normal.push(v);
    geometry.setAttribute("normal", new Float32BufferAttribute(normal, 3));
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
  }

  update(matrices: Matrix4[]): void {
    for (let k = 0, at = 8; k < matrices.length; k++, at += 8) {
      matrices[k].decompose(this.place, this.turn, this.scale);
      this.place.toArray(this.values, at);
      this.turn.toArray(this.values, at + 4);
    }
    this.poses.needsUpdate = true;
  }

  highlight(target: Target | null): void {
    this.material.uniforms.lit.value = target === null ? -1 : this.pieces.findIndex((p) => same(p.target, target));
  }

  // The piece that a ray meets first.
  pick(ray: Ray): Target | null {
    let near = Infinity;
    let found: Target | null = null;
    const local = new RayOf(), hit = new Vector3(), back = new Quaternion();
    for (const piece of this.pieces) {
      if (piece.target === null) continue;
      const at = 8 * (piece.carrier + 1);
      this.place.fromArray(this.values, at);
      back.fromArray(this.values, at + 4).conjugate();
      local.origin.copy(ray.origin).sub(this.place).applyQuaternion(back);
      local.direction.copy(ray.direction).applyQuaternion(back);
      const distance = first_hit(piece.geometry, local, hit);
      if (distance < near) {
        near = distance;
        found = piece.target;
      }
    }
    return found;
  }
}

const a = new Vector3(), b = new Vector3(), c = new Vector3();

function first_hit(geometry: BufferGeometry, ray: Ray, hit: Vector3): number {
  geometry.boundingBox ?? geometry.computeBoundingBox();
  if (!ray.intersectsBox(geometry.boundingBox!)) return Infinity;
  const p = geometry.getAttribute("position").array;
  const index = geometry.index?.array;
  const corner = (i: number) => 3 * (index ? index[i] : i);
  const count = index ? index.length : p.length / 3;
  let near = Infinity;
  for (let i = 0; i < count; i += 3) {
    a.fromArray(p, corner(i));
    b.fromArray(p, corner(i + 1));
    c.fromArray(p, corner(i + 2));
    if (ray.intersectTriangle(a, b, c, true, hit) !== null) near = Math.min(near, hit.distanceTo(ray.origin));
  }
  return near;
}
