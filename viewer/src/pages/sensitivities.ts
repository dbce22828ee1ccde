// Derivatives of the results by parameters: ranked by their effect, and their course.
import { format_number } from "../data/number.ts";
import type { Channel, Run } from "../data/run.ts";
import { pretty } from "../data/units.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { chart } from "../plot/chart.ts";
import { card, type Cell, number_at, stamp, table, tree } from "./parts.ts";

interface Effect {
  result: Channel;
  slope: Channel;
  parameter: string;
  size: number; // largest |p dy/dp| of the range of y
  largest: number;
  at: number;
}

const round_off = 1e-6; // effects below it

export function has_sensitivities(run: Run): boolean {
  return run.channels.some((c) => c.quantity === "sensitivity");
}

// max |p dy/dp| over the range of y, as cardan sensitivity ranks them; what does not change is compared with its own size.
function effects(run: Run): Effect[] {
  const values = tree(tree(run.doc.manifest.settings).parameters);
  const slopes = run.channels.filter((c) => c.quantity === "sensitivity");
  const widest = new Map<string, number>(), extent = new Map<string, { range: number; size: number }>();
  const found: Effect[] = [];
  for (const slope of slopes) {
    const names = /^d\((.*)\)\/d\((.*)\)$/.exec(slope.name), result = names ? run.find(names[1]) : undefined;
    if (!names || !result) continue;
    if (!extent.has(result.name)) {
      let low = Infinity, high = -Infinity;
      for (const v of run.series(result).v) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
      extent.set(result.name, { range: high - low, size: Math.max(Math.abs(low), Math.abs(high)) });
      widest.set(result.unit, Math.max(widest.get(result.unit) ?? 0, high - low));
    }
    const s = run.series(slope);
    let largest = 0, at = run.begin;
    s.t.forEach((t, k) => {
      if (Math.abs(s.v[k]) > Math.abs(largest)) [largest, at] = [s.v[k], t];
    });
    found.push({ result, slope, parameter: names[2], size: 0, largest, at });
  }
  for (const e of found) {
    const { range, size } = extent.get(e.result.name)!;
    const width = Math.max(range > 1e-9 * size ? range : size, 1e-6 * (widest.get(e.result.unit) ?? 0));
    e.size = e.largest === 0 || width === 0 ? 0 : Math.abs((number_at(values, e.parameter) || 1) * e.largest) / width;
  }
  return found.filter((e) => e.size > round_off).sort((a, b) => b.size - a.size);
}

export function sensitivities_page(shared: Shared): HTMLElement {
  const run = shared.runs[0], all = effects(run);
  const results = [...new Map(all.map((e) => [e.result.name, e.result])).values()];
  const ranking = h("div", {}), course = h("div", {});
  const choice: HTMLSelectElement = h("select", { "aria-label": "Result", onchange: () => show() }, h("option", { value: "" }, "all results"), ...results.slice(0, 400).map((r) => h("option", { value: r.name }, r.name)));
  const show = () => {
    const chosen = all.filter((e) => choice.value === "" || e.result.name === choice.value).slice(0, 40);
    const most = Math.max(1e-300, ...chosen.map((e) => e.size));
    const bar = (e: Effect): Cell => h("span", { class: "bar", style: `--part:${(100 * e.size) / most}%` }, format_number(e.size, 4));
    ranking.replaceChildren(table(["parameter", "result", "effect", "largest derivative", "at"],
      chosen.map((e) => [e.parameter, e.result.name, bar(e), `${format_number(e.largest, 6)} ${pretty(e.slope.unit)}`, stamp(e.at, shared)])));
    course.replaceChildren(...courses(run, choice.value || all[0]?.result.name, all, shared));
  };
  show();
  shared.theme.watch(() => show());
  return h("main", { class: "page", id: "page" }, h("h1", {}, "Sensitivities"),
    card("Which parameters matter", h("p", {}, "Result: ", choice), ranking,
      h("p", { class: "muted" }, "Effect: the largest |p dy/dp| over time, relative to the range of the result: how much it changes, beside what it does anyway, when the parameter changes by its own size.")),
    course);
}

// p dy/dp of one result over time, for all parameters: in the unit of the result, so that they compare.
function courses(run: Run, result: string | undefined, all: Effect[], shared: Shared): Node[] {
  const own = all.filter((e) => e.result.name === result), { palette } = shared.theme.get();
  if (own.length === 0 || run.time.length < 2) return [];
  const values = tree(tree(run.doc.manifest.settings).parameters);
  const lines = own.slice(0, 8).map((e, k) => {
    const s = run.series(e.slope), p = number_at(values, e.parameter) || 1;
    return { name: e.parameter, x: [...s.t], y: [...s.v].map((v) => p * v), colour: palette[k % palette.length] };
  });
  const unit = pretty(own[0].result.unit);
  return [card(`${result}: p dy/dp`, chart({ label: `Derivatives of ${result} over time`, x: "time [s]", y: `p dy/dp${unit ? ` [${unit}]` : ""}`, lines, level: 0 }),
    h("p", { class: "muted" }, "Every derivative times its parameter. The channels themselves are among those to plot: d(result)/d(parameter)."))];
}
