// A run made of given poses of the bodies, so that a drawing can show them: modes, branches, equilibria.
import type { RunDocument } from "./format.ts";
import { shuffle } from "./pack.ts";
import { Run } from "./run.ts";

export type Pose = Map<string, number[]>; // by body: x, y, angle; or x, y, z, qw, qx, qy, qz

// The poses of a run's first row, or those of the model where a body has no channels.
export function first_pose(run: Run): Pose {
  const out: Pose = new Map();
  for (const body of run.doc.scene?.bodies ?? [])
    out.set(body.name, body.pose.map((name, k) => {
      const channel = run.find(name);
      const column = channel === undefined ? undefined : run.common(channel);
      return column === undefined || column.length === 0 ? body.start[k] ?? 0 : column[0];
    }));
  return out;
}

// One row for each pose, at times 0, 1, 2, ...; bodies that a pose does not name stay as they are.
export function posed_run(run: Run, poses: Pose[]): Run {
  const bodies = run.doc.scene?.bodies ?? [], own = first_pose(run);
  const channels = bodies.flatMap((b) => b.pose.map((name) => ({ name, unit: "", element: `body ${b.name}`, quantity: "position", thinned: false })));
  const columns = [Float64Array.from(poses, (_, k) => k)];
  for (const b of bodies) b.pose.forEach((_, c) => columns.push(Float64Array.from(poses, (p) => (p.get(b.name) ?? own.get(b.name)!)[c] ?? 0)));
  const bytes = new Uint8Array(columns.reduce((n, c) => n + 8 * c.length, 0));
  let at = 0;
  for (const c of columns) {
    shuffle(c, bytes, at);
    at += 8 * c.length;
  }
  const doc: RunDocument = { ...run.doc, rows: poses.length, kept: poses.length, channels, events: [], diagnostics: [] };
  return new Run(doc, bytes);
}
