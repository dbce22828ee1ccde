// How fast a drawn motion is, so that pictures do not mislead.
import type { Run } from "./run.ts";

// Swings or turns a second of the fastest body: an angle counts its turns, any coordinate its ways to and fro. Small
// motions do not count.
export function fastest_swing(run: Run): number {
  const duration = run.end - run.begin;
  if (!(duration > 0) || run.doc.scene === null) return 0;
  let most = 0;
  const poses = run.doc.scene.bodies.map((body) => body.pose.flatMap((name) => run.find(name) ?? []));
  const places = poses.flat().filter((c) => c.unit === "m").map((c) => extent(run.common(c)));
  const size = Math.max(0, ...places);
  for (const channel of poses.flat()) {
    const values = run.common(channel);
    const least = channel.unit === "m" ? 0.02 * size : 0.02;
    most = Math.max(most, swings(values, least));
    if (channel.unit === "rad") most = Math.max(most, way(values) / (2 * Math.PI));
  }
  return most / duration;
}

function extent(values: Float64Array): number {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return high > low ? high - low : 0;
}

// Ways to and fro that are longer than `least`.
function swings(values: Float64Array, least: number): number {
  let turns = 0, way = 0, edge = values[0];
  for (const v of values) {
    if (way >= 0 && v > edge) edge = v, way = way || 1;
    else if (way <= 0 && v < edge) edge = v, way = way || -1;
    else if (Math.abs(v - edge) > least) {
      turns++;
      way = v < edge ? -1 : 1;
      edge = v;
    }
  }
  return turns / 2;
}

function way(values: Float64Array): number {
  let sum = 0;
  for (let i = 1; i < values.length; i++) if (Number.isFinite(values[i] - values[i - 1])) sum += Math.abs(values[i] - values[i - 1]);
  return sum;
}
