// Paths that points take: those the model asked for, or the mass centres of all bodies.
import { Vector3 } from "three";

import type { SceneInfo } from "../data/format.ts";
import type { Run } from "../data/run.ts";
import type { Poses } from "./pose.ts";

export interface Path {
  body: number; // -1: a requested path
  points: number[]; // x, y, z, x, y, z, ...
}

// Names n such that n.x and n.y are the path of a point.
export function requested_paths(run: Run): string[] {
  return run.channels.filter((c) => c.name.endsWith(".x") && c.element.startsWith("request") && c.unit === "m")
    .map((c) => c.name.slice(0, -2)).filter((n) => run.find(`${n}.y`) !== undefined);
}

export function trace_paths(run: Run, scene: SceneInfo, poses: Poses, mode: "paths" | "all"): Path[] {
  const out: Path[] = requested_paths(run).map((name) => {
    const column = (c: string) => {
      const channel = run.find(`${name}.${c}`);
      return channel === undefined ? null : run.common(channel);
    };
    const x = column("x"), y = column("y"), z = column("z");
    const points: number[] = [];
    for (let i = 0; i < run.time.length; i++) {
      const p = [x?.[i] ?? 0, y?.[i] ?? 0, z?.[i] ?? 0];
      if (p.every(Number.isFinite)) points.push(...p);
    }
    return { body: -1, points };
  });
  if (mode === "paths" && out.length > 0) return out;
  const stride = Math.max(1, Math.ceil((run.time.length * scene.bodies.length) / 200_000));
  const centres: Path[] = scene.bodies.map((_, k) => ({ body: k, points: [] }));
  const at = new Vector3();
  for (let i = 0; i < run.time.length; i += stride) {
    poses.set(run.time[i]);
    scene.bodies.forEach((b, k) => {
      poses.local(b.name, b.centre, at);
      if (Number.isFinite(at.x + at.y + at.z)) centres[k].points.push(at.x, at.y, at.z);
    });
  }
  return [...out, ...centres];
}
