// A plot that stands still: lines, dots and marks between two axes, as SVG. For what an analysis found beside its rows.
import { h } from "../dom.ts";
import { range_of, tick_text, ticks } from "./ticks.ts";

export interface ChartLine {
  name: string; // empty: not in the legend
  x: number[];
  y: number[];
  colour: string;
  dashed?: boolean;
  dots?: boolean; // the points alone
}

export interface ChartMark {
  x: number;
  y: number;
  colour: string;
  text: string; // shown when pointed at
  open?: boolean;
}

export interface ChartSpec {
  label: string; // what a reader hears
  x: string; // names of the axes with their units
  y: string;
  lines: ChartLine[];
  marks?: ChartMark[];
  level?: number; // a thin line at this y
  upright?: number; // and one at this x
  log?: boolean; // the y axis
  tall?: boolean;
}

type Attributes = Record<string, string | number>;

export function svg(name: string, attributes: Attributes, ...children: (Node | string)[]): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

const left = 62, right = 12, top = 10, bottom = 40;

class Axes {
  readonly width: number;
  readonly height: number;
  private readonly x_range: [number, number];
  private readonly y_range: [number, number];

  constructor(private readonly spec: ChartSpec) {
    this.width = matchMedia("(max-width: 860px)").matches ? 350 : 620;
    this.height = spec.tall ? Math.min(420, this.width) : 260;
    const marks = spec.marks ?? [];
    this.x_range = range_of([...spec.lines.map((l) => l.x), marks.map((m) => m.x), spec.upright === undefined ? [] : [spec.upright]], 0.02);
    this.y_range = range_of([...spec.lines.map((l) => l.y), marks.map((m) => m.y), spec.level === undefined ? [] : [spec.level]].map((list) => this.scaled(list)));
  }

  private scaled(list: number[]): number[] {
    return this.spec.log ? list.map((v) => (v > 0 ? Math.log10(v) : NaN)) : list;
  }

  x(v: number): number {
    const [low, high] = this.x_range;
    return left + ((v - low) / (high - low)) * (this.width - left - right);
  }

  y(v: number): number {
    const [low, high] = this.y_range;
    const at = this.spec.log ? Math.log10(v) : v;
    return this.height - bottom - ((at - low) / (high - low)) * (this.height - top - bottom);
  }

  draw(): SVGElement[] {
    const out: SVGElement[] = [];
    const { width, height } = this;
    const across = ticks(...this.x_range, width > 400 ? 8 : 4);
    for (const v of across.values) {
      out.push(svg("line", { x1: this.x(v), x2: this.x(v), y1: top, y2: height - bottom, class: "grid" }));
      out.push(svg("text", { x: this.x(v), y: height - bottom + 15, "text-anchor": "middle" }, tick_text(v, across.step)));
    }
    for (const [v, words] of this.y_ticks()) {
      out.push(svg("line", { x1: left, x2: width - right, y1: this.y(v), y2: this.y(v), class: "grid" }));
      out.push(svg("text", { x: left - 6, y: this.y(v) + 4, "text-anchor": "end" }, words));
    }
    out.push(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis" }, this.spec.x));
    out.push(svg("text", { x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle", class: "axis", transform: `rotate(-90 12 ${(top + height - bottom) / 2})` }, this.spec.y));
    if (this.spec.level !== undefined) out.push(svg("line", { x1: left, x2: width - right, y1: this.y(this.spec.level), y2: this.y(this.spec.level), class: "level" }));
    if (this.spec.upright !== undefined) out.push(svg("line", { x1: this.x(this.spec.upright), x2: this.x(this.spec.upright), y1: top, y2: height - bottom, class: "level" }));
    return out;
  }

  private y_ticks(): [number, string][] {
    const [low, high] = this.y_range;
    if (!this.spec.log) {
      const { step, values } = ticks(low, high, 5);
      return values.map((v) => [v, tick_text(v, step)]);
    }
    const step = Math.max(1, Math.ceil((high - low) / 6));
    const out: [number, string][] = [];
    for (let e = Math.ceil(low); e <= high; e += step) out.push([10 ** e, `1e${e}`.replace("-", "−")]);
    return out;
  }
}

function line_of(line: ChartLine, axes: Axes): SVGElement[] {
  const known = line.x.map((x, k) => [axes.x(x), axes.y(line.y[k])]);
  if (line.dots) return known.filter((p) => p.every(Number.isFinite)).map(([x, y]) => svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 2.2, fill: line.colour }));
  let path = "", up = true;
  for (const [x, y] of known) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      up = true;
      continue;
    }
    path += `${up ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    up = false;
  }
  return [svg("path", { d: path, fill: "none", stroke: line.colour, "stroke-width": 1.8, "stroke-linejoin": "round", ...(line.dashed ? { "stroke-dasharray": "5 4" } : {}) })];
}

export function chart(spec: ChartSpec): HTMLElement {
  const axes = new Axes(spec);
  const picture = svg("svg", { viewBox: `0 0 ${axes.width} ${axes.height}`, class: "chart", role: "img", "aria-label": spec.label });
  picture.append(...axes.draw());
  for (const line of spec.lines) picture.append(...line_of(line, axes));
  for (const m of spec.marks ?? []) {
    if (!Number.isFinite(axes.x(m.x)) || !Number.isFinite(axes.y(m.y))) continue;
    picture.append(svg("circle", { cx: axes.x(m.x), cy: axes.y(m.y), r: 4.5, fill: m.open ? "none" : m.colour, stroke: m.colour, "stroke-width": 1.6, class: "spot" }, svg("title", {}, m.text)));
  }
  const named = spec.lines.filter((l) => l.name !== "");
  const legend = named.length < 2 ? null : h("ul", { class: "legend" }, ...named.slice(0, 12).map((l) => h("li", {}, h("span", { class: l.dashed ? "swatch dashed" : "swatch", style: `--colour:${l.colour}` }), l.name)),
    named.length > 12 && h("li", { class: "muted" }, `and ${named.length - 12} more`));
  return h("figure", { class: "charted" }, picture as unknown as HTMLElement, legend);
}
