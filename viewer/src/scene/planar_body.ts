// The outline of a planar body: the shapes its model gives, or one made from what is attached to it.
import type { BodyInfo, Point, SceneInfo, ShapeInfo } from "../data/format.ts";
import { box, capsule, circle, gear, rounded, type XY } from "./contour.ts";
import { Layers } from "./layers.ts";
import { colour_or, mix, type Theme } from "./theme.ts";

const xy = (p: Point | undefined): XY => (p === undefined ? [0, 0] : [p[0], p[1]]);

export interface Look {
  theme: Theme;
  colour: string;
  pin: number;
}

export function line_width(pin: number): number {
  return 0.28 * pin;
}

export function draw_body(body: BodyInfo, scene: SceneInfo, attached: Point[], look: Look): Layers {
  const { theme, pin } = look;
  const layers = new Layers(pin * 1e-3);
  const outlines = body.shapes.length > 0 ? given_outlines(body, scene, attached, pin) : made_outlines(body, scene, attached, pin);
  const given = body.shapes.find((s) => s.colour !== "")?.colour ?? "";
  const colour = colour_or(given, look.colour);
  const fill = mix(colour, theme.paper, theme.dark ? 0.62 : 0.72);
  const ink = theme.dark ? mix(colour, theme.ink, 0.45) : mix(colour, theme.ink, 0.72);
  const followed = (scene.points ?? []).filter((p) => p.body === body.name).map((p) => xy(p.point));
  const ends = body.shapes.length > 0 ? body.shapes.flatMap((s) => s.points.map(xy)) : attached.map(xy);
  if (followed.length > 0 && ends.length > 0) layers.outlined(rounded([...ends, ...followed], 0.6 * pin), mix(fill, theme.paper, 0.4), 0.6 * line_width(pin), mix(ink, theme.paper, 0.5));
  for (const outline of outlines) layers.outlined(outline, fill, line_width(pin), ink);
  // A radius shows how a round body turns.
  for (const { centre, radius } of round_parts(body, scene)) layers.stroke([centre, [centre[0] + 0.8 * radius, centre[1]]], 0.5 * line_width(pin), ink, false);
  for (const p of followed) layers.fill(circle(p, 0.5 * pin), theme.accent);
  return layers;
}

function round_parts(body: BodyInfo, scene: SceneInfo): { centre: XY; radius: number }[] {
  const discs = body.shapes.filter((s) => s.kind === "disc").map((s) => ({ centre: xy(s.points[0]), radius: s.sizes[0] ?? 0 }));
  if (body.shapes.length > 0) return discs;
  return scene.joints.flatMap((j) => (j.drawing === "gear" ? j.sides.flatMap((s, k) => (s.body === body.name && j.sizes?.[k] ? [{ centre: xy(s.point), radius: j.sizes[k] }] : [])) : []));
}

// The shapes of the model; a disc that is a gear's pitch circle gets teeth.
function given_outlines(body: BodyInfo, scene: SceneInfo, attached: Point[], pin: number): XY[][] {
  return body.shapes.flatMap((shape) => {
    const toothed = shape.kind !== "disc" ? [] : scene.joints.flatMap((j) => {
      const k = j.sides.findIndex((s) => s.body === body.name);
      return j.drawing === "gear" && k >= 0 && Math.abs((j.sizes?.[k] ?? 0) - shape.sizes[0]) < 1e-6 * shape.sizes[0] ? wheel(k, j, scene) : [];
    });
    return toothed.length > 0 ? [toothed[0]] : shape_outlines(shape, attached, pin);
  });
}

function shape_outlines(shape: ShapeInfo, attached: Point[], pin: number): XY[][] {
  const at = xy(shape.points[0]);
  switch (shape.kind) {
    case "bar": {
      const width = shape.sizes[0] > 0 ? shape.sizes[0] / 2 : 1.25 * pin;
      return [capsule(at, xy(shape.points[1]), Math.max(width, 1.25 * pin))];
    }
    case "disc":
    case "sphere":
      return [circle(at, shape.sizes[0] ?? pin, 128)];
    case "box":
      return [box(at, shape.sizes[0] ?? pin, shape.sizes[1] ?? pin, shape.sizes[2] ?? 0, corner(shape, pin))];
    case "slider":
      return [box(at, shape.sizes[0] ?? 5 * pin, shape.sizes[1] ?? 3.4 * pin, shape.sizes[2] ?? 0, corner(shape, pin))];
    case "polygon":
    case "curve":
      return [shape.points.map(xy)];
    default:
      return attached.length > 0 ? [rounded(attached.map(xy), 1.25 * pin)] : [];
  }
}

const corner = (shape: ShapeInfo, pin: number) => 0.3 * Math.min(pin, shape.sizes[0] ?? pin, shape.sizes[1] ?? pin);

function made_outlines(body: BodyInfo, scene: SceneInfo, attached: Point[], pin: number): XY[][] {
  const out: XY[][] = [];
  const slides = scene.joints.filter((j) => j.drawing === "slide" && j.sides[1]?.body === body.name);
  for (const joint of slides) {
    const { point, axis } = joint.sides[1];
    out.push(box(xy(point), 5.5 * pin, 3.6 * pin, Math.atan2(axis[1], axis[0]), 0.4 * pin));
  }
  for (const joint of scene.joints) out.push(...wheel(joint.sides.findIndex((s) => s.body === body.name), joint, scene));
  const points = attached.map(xy);
  const centre = xy(body.centre);
  const apart = (p: XY) => Math.hypot(p[0] - centre[0], p[1] - centre[1]);
  if (points.length === 1 && apart(points[0]) > 2 * pin) {
    out.push(capsule(points[0], centre, 0.6 * pin), circle(centre, 2.6 * pin));
  } else if (points.length > 1) {
    out.push(rounded(points, 1.25 * pin));
  } else if (out.length === 0) {
    out.push(circle(points[0] ?? centre, 2.6 * pin));
  }
  return out;
}

// Gear wheels, pinions, rolling discs and cams belong to the body that carries them.
function wheel(k: number, joint: SceneInfo["joints"][number], scene: SceneInfo): XY[][] {
  if (k < 0) return [];
  const centre = xy(joint.sides[k].point);
  const sizes = joint.sizes ?? [];
  const curve = joint.curves?.[k];
  if (curve) return [curve.map(xy)];
  if (joint.drawing === "gear" && sizes.length >= 2) {
    const tooth = (sizes[0] + sizes[1]) / 36;
    const teeth = Math.max(8, Math.round(sizes[k] / tooth));
    if (joint.internal && sizes[k] > sizes[1 - k]) return [ring_gear(centre, sizes[k], teeth, gear_phase(joint, k, teeth, scene))];
    return [gear(centre, sizes[k], teeth, gear_phase(joint, k, teeth, scene))];
  }
  if (joint.drawing === "rack" && k === 0 && sizes.length > 0) return [gear(centre, sizes[0], 18, 0)];
  if (joint.drawing === "line" && k === 1 && sizes.length > 0) return [circle(centre, sizes[0], 128)];
  return [];
}

// A ring with inner teeth as one outline: around outside, a cut, and back inside.
function ring_gear(centre: XY, radius: number, teeth: number, phase: number): XY[] {
  const outside = circle(centre, 1.1 * radius, 128), inside = gear(centre, radius, teeth, phase);
  const from = inside.reduce((best, p, k) => (Math.hypot(p[0] - outside[0][0], p[1] - outside[0][1]) < Math.hypot(inside[best][0] - outside[0][0], inside[best][1] - outside[0][1]) ? k : best), 0);
  const back = [...inside.slice(from), ...inside.slice(0, from), inside[from]].reverse();
  return [...outside, outside[0], ...back];
}

// Turns a wheel so that in the first pose a tooth of one meets a gap of the other.
function gear_phase(joint: SceneInfo["joints"][number], k: number, teeth: number, scene: SceneInfo): number {
  const place = (side: number) => {
    const { body, point } = joint.sides[side];
    const [x, y, angle] = scene.bodies.find((b) => b.name === body)?.start ?? [0, 0, 0];
    const c = Math.cos(angle), s = Math.sin(angle);
    return { x: x + c * point[0] - s * point[1], y: y + s * point[0] + c * point[1], angle };
  };
  const own = place(k), other = place(1 - k);
  const towards = Math.atan2(other.y - own.y, other.x - own.x) - own.angle;
  return towards + (k === 1 ? Math.PI / teeth : 0);
}
