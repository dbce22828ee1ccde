// The window on a drawing: renderer, camera, picking, labels. Draws only when something changed.
import {
  Color, GridHelper, OrthographicCamera, PerspectiveCamera, Raycaster, Scene, SRGBColorSpace, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { SceneInfo } from "../data/format.ts";
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";
import { Drawing, type Target } from "./drawing.ts";
import { place_labels } from "./label_places.ts";
import { Lines } from "./lines.ts";
import { Quality, software_rendering } from "./quality.ts";
import type { Theme } from "./theme.ts";

export interface Shows {
  traces: "none" | "paths" | "all";
  ghosts: boolean;
  arrows: boolean;
  labels: boolean;
  perspective: boolean;
}

export type Look = "free" | "front" | "side" | "top";
export const looks: [Look, string][] = [["free", "free view"], ["front", "from the front"], ["side", "from the side"], ["top", "from above"]];

const far = 6; // a mechanism that goes so many of its sizes away is followed
const closeness = 5; // a followed body is seen from so many of its sizes

const field_of_view = 35; // degrees, vertical

// How far from the centre a camera must stand to see all points with some room around them, and half the height it sees there.
function framing(points: Vector3[], centre: Vector3, away: Vector3, up: Vector3, aspect: number, room: number): { distance: number; half: number } {
  const right = new Vector3().crossVectors(up, away).normalize(), top = new Vector3().crossVectors(away, right);
  const slope = Math.tan((field_of_view * Math.PI) / 360) / 1.12, from = new Vector3();
  let distance = 2 * room, half = room;
  for (const p of points) {
    if (!Number.isFinite(from.subVectors(p, centre).lengthSq())) continue;
    const needed = Math.max(Math.abs(from.dot(top)) + room, (Math.abs(from.dot(right)) + room) / aspect);
    half = Math.max(half, 1.12 * needed);
    distance = Math.max(distance, from.dot(away) + needed / slope);
  }
  return { distance, half };
}

// Where a standard view stands, seen from the mechanism.
function direction(look: Look, up: Vector3): Vector3 {
  const upright = up.y > 0.5;
  const tilt = 1e-4; // a camera exactly above has no side that is up
  if (look === "front") return upright ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
  if (look === "side") return new Vector3(1, 0, 0);
  if (look === "top") return up.clone().addScaledVector(direction("front", up), tilt);
  return upright ? new Vector3(1, 0.7, 1.5) : new Vector3(1, -1.5, 0.8);
}

export class View {
  readonly element = h("div", { class: "view" });
  drawings: Drawing[] = [];
  frames = 0; // drawn so far
  on_pick: (target: Target | null) => void = () => {};
  on_hover: (target: Target | null) => void = () => {};
  private readonly quality = new Quality(software_rendering());
  private readonly renderer: WebGLRenderer;
  private readonly lines = new Lines();
  private scene = new Scene();
  private camera: OrthographicCamera | PerspectiveCamera;
  private controls: OrbitControls;
  private readonly overlay = h("div", { class: "labels", "aria-hidden": "true" });
  private labels: { element: HTMLElement; place: (out: Vector3) => Vector3 }[] = [];
  private dirty = true;
  private fitted = false;
  private time = 0;
  private followed = ""; // a body that stays in the middle
  private readonly last_place = new Vector3();
  private look: Look = "free";
  private drawn_width = 0;
  private drawn_height = 0;

  constructor(private readonly runs: { run: Run; scene: SceneInfo }[], private theme: Theme, readonly shows: Shows) {
    this.renderer = new WebGLRenderer({ antialias: this.quality.smooths });
    this.renderer.outputColorSpace = SRGBColorSpace;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Animation of ${runs[0].run.doc.title}`);
    canvas.tabIndex = 0;
    this.element.append(canvas, this.overlay);
    this.camera = this.make_camera();
    this.controls = this.make_controls();
    this.build();
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen(canvas);
  }

  get planar(): boolean {
    return this.runs[0].scene.space === "planar";
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  set_theme(theme: Theme): void {
    this.theme = theme;
    this.build();
  }

  set_time(t: number): void {
    this.time = t;
    this.drawings.forEach((d, k) => {
      d.root.visible = this.runs.length === 1 || this.runs[k].run.lasts(t);
      if (d.root.visible) d.set(t);
    });
    this.move_along();
    this.dirty = true;
  }

  // The camera goes with a body and looks at it; "": it stands still.
  follow(body: string): void {
    this.followed = body;
    if (body === "") return;
    this.place_of(body, this.last_place);
    const away = this.camera.position.clone().sub(this.controls.target);
    const near = closeness * this.drawings[0].reach(body);
    if (near > 0 && this.camera instanceof PerspectiveCamera) away.setLength(Math.min(away.length(), near));
    if (near > 0 && this.camera instanceof OrthographicCamera) {
      this.camera.zoom = Math.max(this.camera.zoom, this.half / near);
      this.camera.updateProjectionMatrix();
    }
    this.controls.target.copy(this.last_place);
    this.camera.position.copy(this.last_place).add(away);
    this.controls.update();
    this.dirty = true;
  }

  // Of a mechanism that goes far beyond its own size, as a vehicle does: the body in its middle. "": it stays where it is.
  traveller(): string {
    const { scene, poses } = this.drawings[0], { run } = this.runs[0], at = new Vector3();
    if (scene.bodies.length < 3) return "";
    const places = (t: number) => {
      poses.set(t);
      return scene.bodies.map((b) => poses.local(b.name, b.centre, at).clone());
    };
    const middle = (all: Vector3[]) => all.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(all.length);
    const first = places(run.begin), start = middle(first);
    const size = Math.max(...first.map((p) => p.distanceTo(start)), ...first.map((_, k) => this.drawings[0].reach(scene.bodies[k].name)));
    const way = middle(places(run.end)).distanceTo(start);
    poses.set(this.time);
    if (!(way > far * size)) return "";
    return scene.bodies[first.reduce((best, p, k) => (p.distanceTo(start) < first[best].distanceTo(start) ? k : best), 0)].name;
  }

  look_from(look: Look): void {
    this.look = look;
    this.fit();
  }

  get middle(): Vector3 {
    return this.controls.target.clone();
  }

  private place_of(body: string, out: Vector3): Vector3 {
    const info = this.drawings[0].scene.bodies.find((b) => b.name === body);
    return this.drawings[0].poses.local(body, info?.centre ?? [0, 0, 0], out);
  }

  private move_along(): void {
    if (this.followed === "") return;
    const now = this.place_of(this.followed, new Vector3()), by = now.clone().sub(this.last_place);
    if (!Number.isFinite(by.lengthSq())) return;
    this.last_place.copy(now);
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
  }

  // Shows what `shows` says. Answers the force of the longest arrow, if arrows are shown.
  apply(): number | null {
    let largest: number | null = null;
    for (const d of this.drawings) {
      d.show_traces(this.shows.traces);
      d.show_ghosts(this.shows.ghosts && !d.faded);
      if (!d.faded) largest = d.show_arrows(this.shows.arrows);
    }
    const wanted = this.shows.perspective && !this.planar;
    if (wanted !== this.camera instanceof PerspectiveCamera) this.swap_camera();
    this.make_labels();
    this.set_time(this.time);
    return this.shows.arrows ? largest : null;
  }

  highlight(target: Target | null): void {
    for (const d of this.drawings) d.highlight(target);
    this.dirty = true;
  }

  fit(): void {
    const { bounds, points, extent, pin } = this.drawings[0].size;
    const centre = bounds.getCenter(new Vector3());
    const width = this.element.clientWidth || 1, height = this.element.clientHeight || 1;
    const up = this.up();
    if (this.planar) {
      const size = bounds.getSize(new Vector3());
      const half = Math.max((size.y / 2 + 7 * pin) * 1.04, ((size.x / 2 + 5 * pin) * 1.04 * height) / width);
      this.camera.position.set(centre.x, centre.y, 10 * extent);
      this.set_half(half);
    } else {
      const away = direction(this.look, up);
      const { distance, half } = framing(points, centre, away.normalize(), up, width / height, 3 * pin);
      this.camera.position.copy(centre).addScaledVector(away, distance);
      this.set_half(half);
    }
    this.camera.up.copy(this.look === "top" ? direction("front", up).negate() : up);
    this.camera.near = 0.01 * extent;
    this.camera.far = 100 * extent;
    this.camera.zoom = 1;
    this.controls.target.copy(centre);
    this.camera.lookAt(centre);
    this.resize_camera();
    this.controls.update();
    this.dirty = true;
  }

  private fit_followed(): void {
    this.fit();
    this.follow(this.followed);
  }

  // Called once a frame.
  draw(now = performance.now()): void {
    if (!this.dirty && !this.quality.due(now)) return;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.set_ratio(this.quality.ratio(now, this.dirty), width, height);
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.place_labels();
    this.frames++;
  }

  // One image at once, as fine as can be.
  draw_now(): void {
    this.dirty = true;
    this.draw(Infinity);
  }

  changed(): void {
    for (const d of this.drawings) d.poses.refresh();
    this.dirty = true;
  }

  set_size(width: number, height: number): void {
    this.element.style.cssText = `width:${width}px;height:${height}px;flex:none`;
    this.resize();
    this.fit_followed();
  }

  // Where the names stand on the canvas, in pixels.
  label_places(): { text: string; x: number; y: number }[] {
    const at = new Vector3();
    return this.labels.map(({ element, place }) => {
      place(at).project(this.camera);
      return { text: element.textContent ?? "", x: ((at.x + 1) / 2) * this.element.clientWidth, y: ((1 - at.y) / 2) * this.element.clientHeight };
    });
  }

  dispose(): void {
    for (const d of this.drawings) d.dispose();
    this.controls.dispose();
    this.renderer.dispose();
  }

  private half = 1;

  private set_half(half: number): void {
    this.half = half;
  }

  private up(): Vector3 {
    return this.drawings[0].up;
  }

  private build(): void {
    for (const d of this.drawings) d.dispose();
    this.lines.clear();
    this.scene = new Scene();
    this.scene.background = new Color(this.theme.paper);
    this.drawings = this.runs.map(({ run, scene }, k) => new Drawing(run, scene, this.theme, this.lines, k > 0));
    for (const d of [...this.drawings].reverse()) this.scene.add(d.root);
    if (!this.planar) this.furnish();
    this.apply();
    if (!this.fitted && this.element.clientWidth > 0) this.fit_followed();
    this.dirty = true;
  }

  private furnish(): void {
    const { bounds, extent } = this.drawings[0].size;
    const up = this.up();
    const grid = new GridHelper(2 * extent, 20, this.theme.faint, this.theme.grid);
    const centre = bounds.getCenter(new Vector3());
    if (up.z > 0.5) grid.rotateX(Math.PI / 2).position.set(centre.x, centre.y, bounds.min.z - 0.01 * extent);
    else grid.position.set(centre.x, bounds.min.y - 0.01 * extent, centre.z);
    this.scene.add(grid);
  }

  private make_camera(): OrthographicCamera | PerspectiveCamera {
    return this.shows.perspective && !this.planar ? new PerspectiveCamera(field_of_view) : new OrthographicCamera();
  }

  private make_controls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.renderer.domElement);
    controls.zoomToCursor = true;
    controls.enableRotate = !this.planar;
    if (this.planar) {
      controls.mouseButtons = { LEFT: 2, MIDDLE: 1, RIGHT: 2 };
      controls.touches = { ONE: 1, TWO: 2 };
    }
    controls.addEventListener("change", () => (this.dirty = true));
    return controls;
  }

  private swap_camera(): void {
    const { position, up } = this.camera;
    const target = this.controls.target.clone();
    this.controls.dispose();
    const next = this.make_camera();
    next.position.copy(position);
    next.up.copy(up);
    next.near = this.camera.near;
    next.far = this.camera.far;
    this.camera = next;
    this.controls = this.make_controls();
    this.controls.target.copy(target);
    this.resize_camera();
    this.controls.update();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.lines.resize(width, height);
    if (!this.fitted) this.fit_followed();
    this.fitted = true;
    this.resize_camera();
    this.draw_now();
  }

  private set_ratio(ratio: number, width: number, height: number): void {
    if (this.renderer.getPixelRatio() === ratio && this.drawn_width === width && this.drawn_height === height) return;
    this.drawn_width = width;
    this.drawn_height = height;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  private resize_camera(): void {
    const aspect = (this.element.clientWidth || 1) / (this.element.clientHeight || 1);
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = aspect;
    else {
      this.camera.top = this.half;
      this.camera.bottom = -this.half;
      this.camera.right = this.half * aspect;
      this.camera.left = -this.half * aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  private listen(canvas: HTMLCanvasElement): void {
    let down: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
    canvas.addEventListener("pointerup", (e) => {
      if (down !== null && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 5) this.on_pick(this.pick(e));
      down = null;
    });
    let hovered: string | null = null;
    canvas.addEventListener("pointermove", (e) => {
      if (e.buttons !== 0 || e.pointerType === "touch") return;
      const target = this.pick(e);
      const key = target === null ? null : `${target.kind} ${target.name}`;
      canvas.style.cursor = target === null ? "" : "pointer";
      if (key !== hovered) this.on_hover(target);
      hovered = key;
    });
    canvas.addEventListener("dblclick", () => this.fit());
  }

  pick(e: { clientX: number; clientY: number }): Target | null {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    if (this.drawings[0].flat) return this.drawings[0].flat.pick(ray.ray.origin.x, ray.ray.origin.y);
    return this.drawings[0].solid?.pick(ray.ray) ?? null;
  }

  private make_labels(): void {
    this.overlay.replaceChildren();
    this.labels = [];
    if (!this.shows.labels) return;
    const { poses, scene } = this.drawings[0];
    const add = (text: string, kind: string, place: (out: Vector3) => Vector3) => {
      const element = h("span", { class: `label ${kind}` }, text);
      this.overlay.append(element);
      this.labels.push({ element, place });
    };
    scene.bodies.slice(0, 60).forEach((b) => add(b.name, "body", (out) => poses.local(b.name, b.centre, out)));
    scene.joints.slice(0, 60).forEach((j) => j.sides[1] && add(j.name, "joint", (out) => poses.point(j.sides[1], out)));
    scene.springs.slice(0, 60).forEach((s) => s.sides[1] && add(s.name, "spring", (out) => poses.point(s.sides[0], out).lerp(poses.point(s.sides[1], new Vector3()), 0.5)));
  }

  private place_labels(): void {
    if (this.labels.length === 0) return;
    const { clientWidth: width, clientHeight: height } = this.element;
    const places = place_labels(this.label_places().map(({ x, y, text }) => ({ x, y, width: 8 + 6.6 * text.length, height: 17 })), { width, height });
    this.labels.forEach(({ element }, k) => {
      const place = places[k];
      element.hidden = place === null;
      if (place !== null) element.style.transform = `translate(${place.x}px, ${place.y}px)`;
    });
  }
}
