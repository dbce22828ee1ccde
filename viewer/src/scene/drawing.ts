// One run drawn: bodies, joints, springs; traces, ghosts and arrows on demand. Knows nothing of cameras and pages.
import {
  BufferGeometry, Color, Float32BufferAttribute, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Vector3,
} from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

import { links } from "../data/drawings.ts";
import type { LinkInfo, SceneInfo } from "../data/format.ts";
import type { Run } from "../data/run.ts";
import { Arrows } from "./arrows.ts";
import { Contacts } from "./contacts.ts";
import { set_fineness } from "./contour.ts";
import { FlatMesh, type Piece } from "./flat.ts";
import { Layers } from "./layers.ts";
import { coil, dashpot, dashpot_rod, type Lines, stretch } from "./lines.ts";
import { attachments, measure, type Measure } from "./measure.ts";
import { draw_body, line_width } from "./planar_body.ts";
import { draw_joints, hatched } from "./planar_joint.ts";
import { Poses, spread_times } from "./pose.ts";
import { SolidMesh } from "./solid.ts";
import { body_geometries, set_solid_fineness, shape_geometry } from "./spatial.ts";
import { joint_parts } from "./spatial_joint.ts";
import { colour_or, mix, type Theme } from "./theme.ts";
import { trace_paths } from "./traces.ts";

export interface Target {
  kind: "body" | "joint" | "spring";
  name: string;
}

interface Stretched {
  line: Line2;
  link: LinkInfo;
  thick: number;
  aside: number;
}

export class Drawing {
  readonly root = new Group();
  readonly poses: Poses;
  readonly size: Measure;
  flat: FlatMesh | null = null; // planar mechanisms
  solid: SolidMesh | null = null; // spatial ones
  private readonly stretched: Stretched[] = [];
  private traces: Group | null = null;
  private ghosts: Mesh | null = null;
  private arrows_: Arrows | null = null;
  private readonly contacts: Contacts;
  private readonly a = new Vector3();
  private readonly b = new Vector3();

  constructor(readonly run: Run, readonly scene: SceneInfo, readonly theme: Theme, private readonly lines: Lines, readonly faded = false) {
    this.poses = new Poses(run, scene);
    this.size = measure(scene, this.poses);
    if (scene.space === "planar") this.draw_planar();
    else this.draw_spatial();
    this.draw_springs();
    this.contacts = new Contacts(run, scene, this.size.pin, theme);
    if (!faded && (scene.contacts ?? []).length > 0) this.root.add(this.contacts.mesh);
    this.set(run.begin);
  }

  colour(k: number): string {
    return this.theme.palette[k % this.theme.palette.length];
  }

  set(t: number): void {
    this.poses.set(t);
    this.flat?.update(this.poses.matrices);
    this.solid?.update(this.poses.matrices);
    const { a, b } = this;
    const behind = this.scene.space === "planar" ? -2 * this.size.pin : 0;
    for (const s of this.stretched) {
      this.poses.point(s.link.sides[0], a).z += behind;
      this.poses.point(s.link.sides[1], b).z += behind;
      stretch(s.line, a, b, s.thick, s.aside);
    }
    this.arrows_?.update(this.poses, t);
    this.contacts.update(this.poses, t);
  }

  // The size of a body by what is attached to it and drawn of it.
  reach(body: string): number {
    const info = this.scene.bodies.find((b) => b.name === body);
    const points = [...(attachments(this.scene).get(body) ?? []), ...(info?.shapes.flatMap((s) => s.points) ?? [])];
    let most = Math.max(0, ...(info?.shapes.flatMap((s) => s.sizes) ?? []));
    for (const p of points) for (const q of points) most = Math.max(most, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    return most;
  }

  show_traces(mode: "none" | "paths" | "all"): void {
    if (this.traces) this.root.remove(this.traces);
    this.traces = null;
    if (mode === "none") return;
    this.traces = new Group();
    for (const path of trace_paths(this.run, this.scene, this.poses, mode)) {
      if (path.points.length < 6) continue;
      const colour = path.body < 0 ? this.theme.accent : this.colour(path.body);
      const line = this.lines.make(path.points, colour, path.body < 0 ? 2.2 : 1.4, this.faded ? 0.3 : path.body < 0 ? 0.9 : 0.55);
      line.renderOrder = -5;
      if (path.body < 0 && this.scene.space === "planar") {  // what was asked for is not hidden by the body that draws it
        line.material.depthTest = false;
        line.renderOrder = 10;
      }
      this.traces.add(line);
    }
    this.root.add(this.traces);
  }

  show_ghosts(on: boolean): void {
    if (this.ghosts) this.root.remove(this.ghosts);
    this.ghosts = null;
    if (!on) return;
    const now = this.poses.matrices.map((m) => m.clone());
    const parts: BufferGeometry[] = [];
    for (const t of spread_times(this.run, 9)) {
      this.poses.set(t);
      for (const { geometry, carrier, target } of this.solids()) if (target?.kind === "body" && carrier >= 0) parts.push(baked(geometry, this.poses.matrices[carrier]));
    }
    this.poses.matrices.forEach((m, k) => m.copy(now[k]));
    if (parts.length === 0) return;
    const material = new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.16, depthWrite: false });
    this.ghosts = new Mesh(mergeGeometries(parts), material);
    this.ghosts.position.z = this.scene.space === "planar" ? -this.size.pin : 0;
    this.ghosts.renderOrder = -8;
    this.root.add(this.ghosts);
  }

  // The force that the longest arrow stands for, or nothing when the run has no forces to show.
  show_arrows(on: boolean): number | null {
    this.arrows_ ??= new Arrows(this.run, this.scene, this.size.extent, this.size.pin, this.theme.force);
    for (const mesh of [this.arrows_.shafts, this.arrows_.heads]) {
      if (on) this.root.add(mesh);
      else this.root.remove(mesh);
    }
    return this.arrows_.any ? this.arrows_.largest : null;
  }

  highlight(target: Target | null): void {
    this.flat?.highlight(target);
    this.solid?.highlight(target);
  }

  dispose(): void {
    this.root.traverse((o) => {
      if (o instanceof Mesh || o instanceof InstancedMesh) o.geometry.dispose();
    });
  }

  private solids(): Piece[] {
    return this.flat?.pieces ?? this.solid?.pieces ?? [];
  }

  // Against gravity; z without any.
  get up(): Vector3 {
    if (this.scene.space === "planar") return new Vector3(0, 1, 0);
    const [x, y, z] = this.scene.gravity;
    return Math.abs(y) > Math.abs(z) && Math.abs(y) >= Math.abs(x) ? new Vector3(0, -Math.sign(y), 0) : new Vector3(0, 0, 1);
  }

  private draw_planar(): void {
    const { scene, size, theme } = this;
    const attached = attachments(scene);
    set_fineness(scene.bodies.length);
    const step = 0.02 * size.pin;
    const pieces: Piece[] = [];
    const flat = (layers: Layers, z: number, target: Target | null, carrier: string) =>
      pieces.push({ geometry: layers.geometry().translate(0, 0, z), carrier: this.poses.index(carrier), target });
    const ground = new Layers(size.pin * 1e-3);
    for (const shape of scene.ground) draw_ground(ground, shape.points.map((p) => [p[0], p[1]]), shape.kind, shape.sizes, colour_or(shape.colour, mix(theme.faint, theme.paper, 0.7)), size.pin, theme);
    if (scene.ground.length > 0) flat(ground, -8 * size.pin, null, "ground");
    const glyphs = draw_joints(scene, this.poses, size, theme);
    glyphs.filter((g) => g.behind).forEach((g) => flat(g.layers, -4 * size.pin, g.link && { kind: "joint", name: g.link.name }, g.carrier));
    const drawn = scene.bodies.map((body, k) => {
      const layers = draw_body(body, scene, attached.get(body.name) ?? [], { theme, colour: this.colour(k), pin: size.pin });
      return { body, layers, reach: layers.reach() };
    });
    // Large bodies behind small ones; equal ones in the order of the model.
    const rank = (reach: number) => Math.round(Math.log2(Math.max(reach, 1e-9 * size.extent) / size.extent));
    drawn.sort((a, b) => rank(b.reach) - rank(a.reach));
    drawn.forEach(({ body, layers }, k) => flat(layers, k * step, { kind: "body", name: body.name }, body.name));
    const top = (scene.bodies.length + 1) * step + size.pin;
    glyphs.filter((g) => !g.behind).forEach((g) => flat(g.layers, top, g.link && { kind: "joint", name: g.link.name }, g.carrier));
    this.flat = new FlatMesh(pieces, scene.bodies.length, theme.accent, this.faded ? 0.35 : 1);
    this.root.add(this.flat.mesh);
  }

  private draw_spatial(): void {
    const { scene, size, theme } = this;
    const attached = attachments(scene);
    set_solid_fineness(scene.bodies.length);
    const pieces: Piece[] = [];
    const solid = (geometry: BufferGeometry, colour: string, target: Target | null, carrier: string) => {
      paint(geometry, colour);
      pieces.push({ geometry, carrier: this.poses.index(carrier), target });
    };
    for (const shape of scene.ground) for (const part of shape_geometry(shape, size.pin)) solid(part, colour_or(shape.colour, mix(theme.faint, theme.paper, 0.5)), null, "ground");
    scene.bodies.forEach((body, k) => {
      const target: Target = { kind: "body", name: body.name }, own = mix(this.colour(k), "#d9dee6", 0.2);
      for (const shape of body.shapes) for (const part of shape_geometry(shape, size.pin)) solid(part, colour_or(shape.colour, own), target, body.name);
      if (body.shapes.length === 0) for (const part of body_geometries(body, scene, attached.get(body.name) ?? [], size.pin)) solid(part, own, target, body.name);
    });
    const metal = mix(theme.dark ? "#c8d0dc" : "#4a5462", theme.paper, 0.15), still = mix(theme.faint, theme.paper, 0.35);
    for (const joint of scene.joints)
      for (const part of joint_parts(joint, scene, this.poses, size.pin, this.up)) solid(part.geometry, part.still ? still : metal, { kind: "joint", name: joint.name }, part.carrier);
    if (pieces.length === 0) return;
    this.solid = new SolidMesh(pieces, scene.bodies.length, this.up, theme, this.faded ? 0.35 : 1);
    this.root.add(this.solid.mesh);
  }

  private draw_springs(): void {
    const spatial = this.scene.space === "spatial";
    const { pin } = this.size;
    const add = (link: LinkInfo, points: number[], thick: number, aside: number, width: number) => {
      const line = this.lines.make(points, this.theme.ink, width, this.faded ? 0.35 : 1);
      line.renderOrder = 2;
      line.userData.target = { kind: "spring", name: link.name };
      this.stretched.push({ line, link, thick, aside });
      this.root.add(line);
    };
    for (const spring of this.scene.springs) {
      if (spring.sides.length < 2 || spring.drawing !== "spring") continue;
      const [stiffness = 1, damping = 0] = spring.sizes ?? [];
      const both = stiffness > 0 && damping > 0;
      if (stiffness > 0 || damping === 0) add(spring, coil(7, spatial), 1.7 * pin, both ? 2 * pin : 0, 1.6);
      if (damping > 0) {
        add(spring, dashpot, 1.1 * pin, both ? -2 * pin : 0, 1.6);
        add(spring, dashpot_rod, 1.1 * pin, both ? -2 * pin : 0, 1.6);
      }
    }
    for (const joint of this.scene.joints)
      if (links.includes(joint.drawing) && joint.sides.length > 1) add(joint, [0, 0, 0, 1, 0, 0], 1, 0, 2.5);
  }
}

function draw_ground(layers: Layers, points: [number, number][], kind: string, sizes: number[], colour: string, pin: number, theme: Theme): void {
  if (kind === "hatch") for (let k = 0; k + 1 < points.length; k++) hatched(layers, points[k + 1], points[k], pin, line_width(pin), theme);
  else if (kind === "polygon" || kind === "curve") layers.outlined(points, colour, line_width(pin), theme.faint);
  else if (kind === "disc") layers.outlined(Array.from({ length: 64 }, (_, k): [number, number] => [(points[0]?.[0] ?? 0) + sizes[0] * Math.cos((k * Math.PI) / 32), (points[0]?.[1] ?? 0) + sizes[0] * Math.sin((k * Math.PI) / 32)]), colour, line_width(pin), theme.faint);
  else if (kind === "box") {
    const [x, y] = points[0] ?? [0, 0];
    const [w, v] = [sizes[0] / 2, sizes[1] / 2];
    layers.outlined([[x - w, y - v], [x + w, y - v], [x + w, y + v], [x - w, y + v]], colour, line_width(pin), theme.faint);
  } else if (points.length > 1) layers.stroke(points, 2 * line_width(pin), theme.faint, false);
}

function paint(geometry: BufferGeometry, colour: string): void {
  const { r, g, b } = new Color(colour);
  const n = geometry.getAttribute("position").count;
  const colours = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) colours.set([r, g, b], 3 * i);
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 3));
}

function baked(geometry: BufferGeometry, place: Matrix4): BufferGeometry {
  const copy = new BufferGeometry();
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  copy.setAttribute("position", plain.getAttribute("position").clone());
  copy.setAttribute("color", plain.getAttribute("color").clone());
  return copy.applyMatrix4(place);
}
