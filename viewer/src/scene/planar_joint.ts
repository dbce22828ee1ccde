// Joints as textbooks draw them: pins, supports on hatched ground, guides, slots.
import { Vector3 } from "three";

import type { LinkInfo, SceneInfo } from "../data/format.ts";
import { box, capsule, circle, type XY } from "./contour.ts";
import { Layers } from "./layers.ts";
import type { Measure } from "./measure.ts";
import { line_width } from "./planar_body.ts";
import { type Poses, spread_times } from "./pose.ts";
import type { Theme } from "./theme.ts";

export interface Glyph {
  carrier: string; // the body whose frame the drawing is in, or "ground"
  layers: Layers;
  link: LinkInfo | null;
  behind: boolean; // behind the bodies
}

export function draw_joints(scene: SceneInfo, poses: Poses, size: Measure, theme: Theme): Glyph[] {
  const out: Glyph[] = [];
  const make = (carrier: string, link: LinkInfo | null, behind: boolean): Layers => {
    const layers = new Layers(size.pin * 1e-3);
    out.push({ carrier, layers, link, behind });
    return layers;
  };
  const pin = size.pin, width = line_width(pin);
  for (const spring of scene.springs) wall(spring, poses, make, pin, theme);
  for (const joint of scene.joints) {
    const [i, j] = joint.sides;
    if (i === undefined || j === undefined) continue;
    const grounded = i.body === "ground" ? i : j.body === "ground" ? j : null;
    if (["pin", "weld", "pin-pin-link"].includes(joint.drawing) && grounded !== null && !on_hatch(scene, grounded.point, pin)) support(make("ground", joint, true), [grounded.point[0], grounded.point[1]], pin, theme);
    switch (joint.drawing) {
      case "slide":
      case "slot": {
        guide(make(i.body, joint, true), joint, poses, pin, theme);
        if (joint.drawing === "slot") ring(make(j.body, joint, false), [j.point[0], j.point[1]], pin, theme);
        break;
      }
      case "weld":
        make(i.body, joint, false).fill(box([i.point[0], i.point[1]], 1.5 * pin, 1.5 * pin), theme.ink);
        break;
      case "pin":
        ring(make(j.body, joint, false), [j.point[0], j.point[1]], pin, theme);
        break;
      case "pin-pin-link":
      case "rod":
        ring(make(i.body, joint, false), [i.point[0], i.point[1]], 0.8 * pin, theme);
        ring(make(j.body, joint, false), [j.point[0], j.point[1]], 0.8 * pin, theme);
        break;
      case "line": {
        const [ux, uy] = unit(i.axis);
        const long = 0.5 * size.extent;
        hatched(make(i.body, joint, true), [i.point[0] - long * ux, i.point[1] - long * uy], [i.point[0] + long * ux, i.point[1] + long * uy], pin, width, theme);
        break;
      }
      default:
        if (joint.curves?.[0] && i.body === "ground") make("ground", joint, true).stroke(joint.curves[0].map((p): XY => [p[0], p[1]]), width, theme.faint);
    }
  }
  return out;
}

// A hatched wall where a spring is held by the ground, across the spring.
function wall(spring: LinkInfo, poses: Poses, make: (carrier: string, link: LinkInfo | null, behind: boolean) => Layers, pin: number, theme: Theme): void {
  const k = spring.sides.findIndex((s) => s.body === "ground");
  if (k < 0 || spring.sides.length < 2 || spring.drawing !== "spring") return;
  const a = poses.point(spring.sides[k], new Vector3()), b = poses.point(spring.sides[1 - k], new Vector3());
  const [ux, uy] = unit([b.x - a.x, b.y - a.y]);
  const half = 2.2 * pin;
  hatched(make("ground", null, true), [a.x - half * uy, a.y + half * ux], [a.x + half * uy, a.y - half * ux], pin, line_width(pin), theme, -1);
}

// Whether the model itself draws ground where the pin is.
function on_hatch(scene: SceneInfo, point: number[], pin: number): boolean {
  return scene.ground.some((s) => s.kind === "hatch" && s.points.length > 1 && distance_to(point, s.points[0], s.points[1]) < 4 * pin);
}

function distance_to(p: number[], a: number[], b: number[]): number {
  const dx = b[0] - a[0], dy = b[1] - a[1];
  const s = Math.min(1, Math.max(0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy);
}

function unit(axis: number[]): XY {
  const n = Math.hypot(axis[0], axis[1]) || 1;
  return [axis[0] / n, axis[1] / n];
}

function ring(layers: Layers, centre: XY, pin: number, theme: Theme): void {
  layers.outlined(circle(centre, pin), theme.paper, line_width(pin), theme.ink);
}

// A triangle standing on hatched ground.
function support(layers: Layers, [x, y]: XY, pin: number, theme: Theme): void {
  const high = 3.4 * pin, half = 2.1 * pin, width = line_width(pin);
  layers.outlined([[x, y + 0.3 * pin], [x - half, y - high], [x + half, y - high]], theme.paper, width, theme.ink);
  hatched(layers, [x + 1.6 * half, y - high], [x - 1.6 * half, y - high], pin, width, theme);
}

// A line with strokes on its left side.
export function hatched(layers: Layers, a: XY, b: XY, pin: number, width: number, theme: Theme, turn = 1): void {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const u = unit([b[0] - a[0], b[1] - a[1]]);
  const back = 0.9 * pin;
  const n = Math.min(400, Math.max(2, Math.round(length / (0.85 * pin))));
  for (let k = 0; k < n; k++) {
    const s = (length * (k + 0.8)) / n;
    const p: XY = [a[0] + s * u[0], a[1] + s * u[1]];
    layers.stroke([p, [p[0] - back * (u[0] + turn * u[1]), p[1] - back * (u[1] - turn * u[0])]], 0.5 * width, theme.faint, false);
  }
  layers.stroke([a, b], width, theme.ink, false);
}

// Guides on both sides of what slides, as long as it travels.
function guide(layers: Layers, joint: LinkInfo, poses: Poses, pin: number, theme: Theme): void {
  const [i, j] = joint.sides;
  const u = unit(i.axis);
  const at = new Vector3();
  let low = Infinity, high = -Infinity, across = 0;
  for (const t of spread_times(poses.run, 120)) {
    poses.set(t);
    poses.point(j, at).applyMatrix4(poses.body(i.body).clone().invert());
    const s = (at.x - i.point[0]) * u[0] + (at.y - i.point[1]) * u[1];
    across = (at.y - i.point[1]) * u[0] - (at.x - i.point[0]) * u[1];
    low = Math.min(low, s);
    high = Math.max(high, s);
  }
  const slot = joint.drawing === "slot";
  const shapes = poses.scene.bodies.find((b) => b.name === j.body)?.shapes ?? [];
  const given = shapes.find((s) => s.kind === "box" || s.kind === "slider")?.sizes;
  const half = slot ? 1.25 * pin : Math.max(...(given ? [given[1] / 2] : [1.8 * pin])) + 0.1 * pin;
  const more = slot ? 0 : (given ? given[0] / 2 : 2.75 * pin) + 1.5 * pin;
  const offset = slot ? across : 0;
  const place = (s: number, n: number): XY => [i.point[0] + s * u[0] - n * u[1], i.point[1] + s * u[1] + n * u[0]];
  const width = line_width(pin);
  if (slot) {
    layers.outlined(capsule(place(low - more, offset), place(high + more, offset), half), theme.paper, width, theme.ink);
  } else if (i.body === "ground") {
    hatched(layers, place(low - more, half), place(high + more, half), pin, width, theme);
    hatched(layers, place(high + more, -half), place(low - more, -half), pin, width, theme);
  } else {
    layers.stroke([place(low - more, half), place(high + more, half)], width, theme.ink, false);
    layers.stroke([place(low - more, -half), place(high + more, -half)], width, theme.ink, false);
  }
}
