// The report's data: one JSON document beside one block of packed columns. cardan/results/report.cpp writes it,
// docs/user-guide/postprocessor.md describes it.
import type { Drawing } from "./drawings.ts";

export type Point = [number, number, number];

export interface ChannelInfo {
  name: string; // "crank.x"
  unit: string; // "m", "rad", "" for pure numbers
  element: string; // "body crank", "" for the whole system
  quantity: string; // "position", "reaction", "energy", ...
}

// A column is kept whole ("rows" numbers), or thinned: values at the common times, and beside them for every interval
// between two common times its smallest and largest value with their own times. Nothing larger or smaller is lost.
export interface ColumnInfo {
  thinned: boolean;
  not_finite?: number; // values between the kept times that are not numbers, and so no extremes
}

export interface Side {
  body: string; // "ground" or a body's name
  point: Point; // in that body's frame
  axis: Point;
  across?: Point; // spatial: where angles about the axis start
}

export interface ShapeInfo {
  kind: "bar" | "disc" | "box" | "polygon" | "slider" | "hatch" | "sphere" | "cylinder" | "tube" | "cone" | "mesh" | "curve";
  sizes: number[]; // tube: outer and inner radius
  points: Point[]; // cone: the middle of its base, then its tip
  colour: string;
  orientation?: [number, number, number, number]; // of a spatial box, in its body: w, x, y, z
  triangles?: [number, number, number][]; // of a mesh: numbers of points
}

export interface BodyInfo {
  name: string;
  centre: Point; // mass centre, body frame
  shapes: ShapeInfo[];
  line: number; // in the model text, 0: none
  pose: string[]; // channels: x, y, angle; or x, y, z, qw, qx, qy, qz
  start: number[]; // the pose when a channel is missing
}

export interface LinkInfo {
  name: string;
  type: string; // for words only
  drawing: Drawing;
  sides: Side[];
  line: number;
  sizes?: number[]; // gears: pitch radii; rolling: radius; springs: stiffness, damping
  internal?: boolean; // gears: the larger wheel is a ring
  curves?: (Point[] | null)[]; // cams and tracks, in the frame of each side
}

export interface SceneInfo {
  space: "planar" | "spatial";
  gravity: Point;
  bodies: BodyInfo[];
  ground: ShapeInfo[];
  joints: LinkInfo[];
  springs: LinkInfo[]; // everything with two ends that pulls: springs, dampers, bushings
  forces: LinkInfo[];
  contacts?: LinkInfo[];
  points?: { name: string; body: string; point: Point }[]; // whose paths were asked for
}

export interface EventInfo {
  t: number;
  kind: string;
  element: string;
  text: string;
}

export interface DiagnosticInfo {
  id: string;
  severity: "note" | "warning" | "error";
  element: string;
  found: string;
  expected: string;
  hint: string;
  line: number;
  t: number | null;
  h: number | null;
  worst: { equation: string; value: number }[];
}

export interface MobilityInfo {
  bodies: number;
  coordinates: number;
  equations: number;
  dof: number;
  redundant: number; // equations
  counted_dof?: number; // coordinates less equations
  free?: string[]; // coordinates that may be chosen as the independent ones
  redundancies?: { any_one_of: string; always: boolean }[];
  not_unique?: string[]; // joints whose reactions are not
  distance_to_singular?: number;
  text: string; // the whole report as the command line prints it
}

export interface ChangedInfo {
  name: string; // of a parameter or an option
  value: string; // as it was said
  before: string; // in the model file; "": it does not say
  line: number; // there, 0: none
}

// As `cardan matrices` has them; large mechanisms have none here.
export interface EquationsInfo {
  t: number;
  rank: number;
  condition: number | null;
  coordinates: string[];
  equations: string[];
  independent: string[];
  matrices: Record<string, (number | null)[][]>;
}

export type Status = "completed" | "doubtful" | "failed" | "interrupted" | "running";

// What the model asks to see, [output] tables, plots, animation.
export interface AskedInfo {
  tables: { name: string; lines: string[][]; numbers: boolean[] }[]; // heads first
  plots: { name: string; title: string; channels: string[]; x: string; log: boolean }[];
  animation: { seconds: number; follow: string; view: "free" | "front" | "side" | "top"; traces: boolean; arrows: boolean; names: boolean } | null;
}

export interface RunDocument {
  format: "cardan-report/1";
  id: string;
  name?: string; // of the run's folder
  title: string;
  status: Status;
  analysis: string;
  segment?: number; // which of the run's analyses this is
  segments?: number;
  abscissa: string; // the channel that rows are ordered by: "t"
  rows: number; // in the store
  kept: number; // common times in this file; equal to rows when nothing is thinned
  channels: (ChannelInfo & ColumnInfo)[];
  columns: { bytes: number; packed: number }; // before and after compression
  spectra?: { channels: number; lines: number; data: string }; // thinned: of the first channels, made of all rows
  scene: SceneInfo | null;
  events: EventInfo[];
  diagnostics: DiagnosticInfo[];
  mobility: MobilityInfo | null;
  model: { path: string; text: string };
  equations?: EquationsInfo | null; // in numbers, at the start
  changed?: ChangedInfo[]; // what was said beside the model file
  asked?: AskedInfo | null;
  summary: Record<string, unknown>;
  manifest: Record<string, unknown>;
}

// The diagnostic that explains why a run failed or is doubtful.
export function reason_of(doc: RunDocument): DiagnosticInfo | undefined {
  return doc.diagnostics.find((d) => (doc.status === "doubtful" ? d.id === "numeric.doubtful" : d.severity === "error"));
}
