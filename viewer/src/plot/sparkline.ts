// A small plot without axes: the course of a channel at a glance, largest value in words.
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { pretty } from "../data/units.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { range_of } from "./ticks.ts";

export function sparkline(run: Run, name: string, shared: Shared): HTMLElement {
  const channel = run.find(name)!;
  const { t, v } = run.series(channel);
  const width = 320, height = 44;
  const [low, high] = range_of([v]);
  const [begin, end] = [run.begin, run.end];
  const columns = new Map<number, [number, number]>();
  for (let i = 0; i < t.length; i++) {
    if (!Number.isFinite(v[i])) continue;
    const x = Math.round(((t[i] - begin) / (end - begin || 1)) * width);
    const y = height - ((v[i] - low) / (high - low)) * height;
    const seen = columns.get(x);
    columns.set(x, seen ? [Math.min(seen[0], y), Math.max(seen[1], y)] : [y, y]);
  }
  const points = [...columns].map(([x, [a, b]]) => (a === b ? `${x},${a.toFixed(1)}` : `${x},${a.toFixed(1)} ${x},${b.toFixed(1)}`)).join(" ");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 -2 ${width} ${height + 4}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "spark");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Course of ${name}`);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("points", points);
  svg.append(line);
  svg.addEventListener("click", (e) => {
    const box = svg.getBoundingClientRect();
    shared.player.seek(begin + ((e.clientX - box.left) / box.width) * (end - begin));
  });
  let largest = 0, least = Infinity, most = -Infinity;
  for (const x of v) {
    if (Math.abs(x) > Math.abs(largest)) largest = x;
    if (x < least) least = x;
    if (x > most) most = x;
  }
  // Of a quantity that should stay as it is, its change says how well it did.
  const words = name === "energy.balance" ? `changes by ${format_number(most - least, 3)}` : `largest ${format_number(largest, 3)}`;
  return h("figure", { class: "sparkline" }, h("figcaption", {}, h("span", {}, name), h("span", { class: "muted" }, `${words} ${pretty(channel.unit)}`)), svg as unknown as HTMLElement);
}
