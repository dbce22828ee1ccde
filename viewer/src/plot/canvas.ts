// The canvas of a plot: uPlot with time, frequency or any channel as x, and a mark that follows the animation.
import uPlot from "uplot";

import { h } from "../dom.ts";
import type { Band } from "../data/run.ts";
import type { Theme } from "../scene/theme.ts";
import type { Extent } from "./export.ts";
import type { Line, Mode, PlotData } from "./spec.ts";
import { calm_range, range_of, tick_text, ticks } from "./ticks.ts";

export interface Wiring {
  hover(x: number): void; // the pointer is at this x
  zoom(range: [number, number] | null): void; // the user chose a range of x
  cursors(): [number, number] | null; // two times that are measured between
  move_cursor(which: number, x: number): void;
  events(): number[]; // times to mark
}

export interface Axes {
  log: boolean;
  limits: Record<string, [number, number]>; // y, by axis; what is not there fits the curves
}

type Values = (number | null | undefined)[] | ArrayLike<number>;

export class PlotCanvas {
  readonly element = h("div", { class: "canvas" });
  private plot: uPlot | null = null;
  private readonly mark = h("div", { class: "mark" });
  private extent: Extent | null = null;
  private full: Extent = { x: [0, 1], y: [0, 1] };
  private fit_xy: ((width: number, height: number) => Extent) | null = null; // the whole curve in a plot of this size
  private marked: [number, number] = [NaN, NaN];
  private over = false;
  private calm = new Map<string, [number, number]>(); // y of curves up to the end of a failed run, by axis
  private whole = false; // also the end of a failed run that dwarfs the rest
  private readonly cut = h("p", { class: "cut", hidden: true });
  private timed_ = true;
  private readonly pair = [this.cursor(0), this.cursor(1)];

  constructor(private readonly wiring: Wiring) {}

  // A line to measure from, moved by the pointer or by the arrow keys.
  private cursor(which: number): HTMLElement {
    const line = h("div", { class: "cursor", tabindex: 0, role: "slider", "aria-label": `Cursor ${"AB"[which]}`, "data-name": "AB"[which] });
    const to = (x: number) => this.plot && this.wiring.move_cursor(which, this.plot.posToVal(x, "x"));
    line.addEventListener("pointerdown", (e) => {
      e.stopPropagation();
      line.setPointerCapture(e.pointerId);
    });
    line.addEventListener("mousedown", (e) => e.stopPropagation());
    line.addEventListener("pointermove", (e) => {
      if (this.plot && line.hasPointerCapture(e.pointerId)) to(e.clientX - this.plot.over.getBoundingClientRect().left);
    });
    line.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (by === undefined || !this.plot) return;
      e.preventDefault();
      e.stopPropagation();
      to(this.plot.valToPos(this.wiring.cursors()![which], "x") + by * (e.shiftKey ? 20 : 2));
    });
    return line;
  }

  show_cursors(): void {
    const at = this.wiring.cursors();
    this.pair.forEach((line, k) => {
      const left = at && this.timed_ && this.plot ? this.plot.valToPos(at[k], "x") : NaN;
      line.hidden = !(left >= 0 && left <= (this.plot?.over.clientWidth ?? 0));
      if (at) line.setAttribute("aria-valuenow", String(at[k]));
      if (!line.hidden) line.style.transform = `translate(${left}px, 0)`;
    });
  }

  show(data: PlotData, mode: Mode, theme: Theme, axes: Axes): void {
    this.plot?.destroy();
    this.plot = null;
    this.fit_xy = null;
    if (data.lines.length === 0) return;
    const width = Math.max(200, this.element.clientWidth), height = Math.max(120, this.element.clientHeight);
    const calm = mode === "time" && !axes.log ? calm_axes(data.lines) : new Map<string, [number, number]>();
    this.calm = this.whole ? new Map() : calm;
    this.cut.hidden = this.calm.size === 0;
    this.cut.textContent = "The last values are far larger: a double-click shows them.";
    this.element.append(this.cut);
    this.timed_ = mode !== "xy";
    this.plot = mode === "xy" ? this.xy(data, theme, width, height) : this.timed(data, theme, width, height, axes, mode === "spectrum");
    this.mark.className = mode === "xy" ? "mark dot" : "mark line";
    this.plot.over.append(this.mark, ...(mode === "xy" || mode === "spectrum" ? [] : this.pair));
    this.show_cursors();
    this.plot.over.addEventListener("mouseenter", () => (this.over = true));
    this.plot.over.addEventListener("mouseleave", () => (this.over = false));
    if (mode === "xy") return;
    this.plot.over.addEventListener("dblclick", () => {
      const zoomed = Object.keys(axes.limits).length > 0 || this.zoomed(data);
      for (const key of Object.keys(axes.limits)) delete axes.limits[key];
      if (!zoomed && calm.size > 0) {
        this.whole = !this.whole;
        this.show(data, mode, theme, axes);
        return;
      }
      this.plot?.setData(this.plot.data);
      if (mode !== "spectrum") this.wiring.zoom(null);
    });
  }

  // Whether a part of the time is shown.
  private zoomed(data: PlotData): boolean {
    const { min, max } = this.plot!.scales.x, [first, last] = range_of(data.lines.map((l) => l.x), 0);
    return min != null && max != null && max - min < 0.999 * (last - first);
  }

  resize(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (!this.plot || width <= 50 || height <= 50 || (this.plot.width === width && this.plot.height === height)) return;
    if (this.fit_xy) this.full = this.fit_xy(width, height);
    this.plot.setSize({ width, height });
    this.set_mark(...this.marked);
    this.show_cursors();
  }

  set_range(range: [number, number]): void {
    const now = this.plot?.scales.x;
    if (!this.plot || !this.timed_ || (now?.min === range[0] && now.max === range[1])) return;
    this.plot.setScale("x", { min: range[0], max: range[1] });
    this.set_mark(...this.marked);
    this.show_cursors();
  }

  set_mark(x: number, y = NaN): void {
    this.marked = [x, y];
    if (!this.plot) return;
    const left = this.plot.valToPos(x, "x");
    const top = Number.isNaN(y) ? 0 : this.plot.valToPos(y, "y");
    const inside = left >= -1 && left <= this.plot.over.clientWidth + 1;
    this.mark.style.display = inside && Number.isFinite(left + top) ? "" : "none";
    this.mark.style.transform = `translate(${left}px, ${top}px)`;
  }

  // The ranges now seen, for export.
  get seen(): Extent | null {
    if (!this.plot) return null;
    const { x } = this.plot.scales;
    const y = Object.entries(this.plot.scales).find(([key, scale]) => key !== "x" && scale.min != null)?.[1];
    if (x?.min == null || x.max == null || y?.min == null || y.max == null) return null;
    return { x: [x.min, x.max], y: [y.min, y.max] };
  }

  private axes(data: PlotData, scales: string[], theme: Theme, log = false): uPlot.Axis[] {
    const text = theme.dark ? "#aab4c4" : "#4c5869";
    const base = { stroke: text, font: "11px Inter, system-ui, sans-serif", labelFont: "11px Inter, system-ui, sans-serif", grid: { stroke: theme.grid, width: 1 }, ticks: { stroke: theme.grid, size: 4 } };
    const values = (_: uPlot, splits: number[]) => splits.map((v) => tick_text(v, splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 1));
    const splits = (u: uPlot, axis: number, low: number, high: number) => {
      const long = axis === 0 ? u.over.clientWidth || u.width : u.over.clientHeight || u.height;
      if (log && axis > 0) return decades(low, high);
      return ticks(low, high, Math.max(3, long / (axis === 0 ? 85 : 30))).values;
    };
    const label = data.x_unit === "" ? data.x_label : `${data.x_label} [${data.x_unit}]`;
    return [
      { ...base, scale: "x", values, splits, label, labelSize: 18, size: 26, gap: 4 },
      ...scales.slice(0, 2).map((scale, k): uPlot.Axis => ({
        ...base, scale: scale_key(scale), side: k === 0 ? 3 : 1, values: log ? (_: uPlot, at: number[]) => at.map((v) => tick_text(v, v)) : values, splits, grid: { ...base.grid, show: k === 0 }, label: scale.split("|")[0] === "" ? "" : `[${scale.split("|")[0]}]`, labelSize: 16, gap: 4,
        size: (_, texts) => 14 + 6.4 * Math.max(2, ...(texts ?? []).map((s) => s.length)),
      })),
    ];
  }

  private series(line: Line, theme: Theme, more: Partial<uPlot.Series>): uPlot.Series {
    return { label: line.name, stroke: theme.palette[line.colour % theme.palette.length], width: 1.6, dash: line.dashed ? [6, 4] : undefined, points: { show: false }, pxAlign: 0, ...more };
  }

  private timed(data: PlotData, theme: Theme, width: number, height: number, { log, limits }: Axes, frequencies = false): uPlot {
    const keys = [...new Set(data.lines.map(axis_of))].sort((a, b) => Number(a.endsWith("|")) - Number(b.endsWith("|")));
    const scales: uPlot.Scales = { x: { time: false } };
    for (const key of keys)
      scales[scale_key(key)] = { distr: log ? 3 : 1, range: (_, low, high) => limits[key] ?? this.calm.get(key) ?? (low == null || high == null ? [log ? 0.1 : 0, 1] : log ? log_range(low, high) : range_of([[low, high]])) };
    const lines = log ? data.lines.map((l) => ({ ...l, y: Array.from(l.y, (v) => (v > 0 ? v : NaN)), band: undefined })) : data.lines;
    const options: uPlot.Options = {
      width, height, scales, legend: { show: false }, axes: this.axes(data, keys, theme, log),
      series: [{}, ...lines.map((l) => this.series(l, theme, { scale: scale_key(axis_of(l)), ...(l.band ? { paths: band_path(l.band), fill: theme.palette[l.colour % theme.palette.length] } : {}) }))],
      cursor: { sync: { key: "cardan" }, drag: { x: true, y: true, uni: 24, setScale: false }, points: { size: 6 } },
      hooks: {
        draw: [(u) => {
          if (!frequencies) mark_events(u, this.wiring.events(), theme);
          this.show_cursors();
        }],
        setCursor: [(u) => {
          if (this.over && u.cursor.left != null && u.cursor.left >= 0) this.wiring.hover(u.posToVal(u.cursor.left, "x"));
        }],
        setSelect: [(u) => {
          const { left, top, width: w, height: v } = u.select;
          if (!this.over || (w < 2 && v < 2)) return;
          const full = [u.over.clientWidth, u.over.clientHeight];
          if (v < full[1] - 1 && v >= 2) for (const key of keys) limits[key] = [u.posToVal(top + v, scale_key(key)), u.posToVal(top, scale_key(key))];
          const range: [number, number] = [u.posToVal(left, "x"), u.posToVal(left + w, "x")];
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (v < full[1] - 1) u.setData(u.data, false), u.redraw(false, true), this.rescale(keys, limits);
          if (w < full[0] - 1 && w >= 2) {
            u.setScale("x", { min: range[0], max: range[1] });
            this.wiring.zoom(range);
          } else this.wiring.zoom([u.scales.x.min!, u.scales.x.max!]);
        }],
      },
    };
    return new uPlot(options, aligned(lines) as uPlot.AlignedData, this.element);
  }

  private rescale(keys: string[], limits: Record<string, [number, number]>): void {
    for (const key of keys) if (limits[key]) this.plot?.setScale(scale_key(key), { min: limits[key][0], max: limits[key][1] });
  }

  private xy(data: PlotData, theme: Theme, width: number, height: number): uPlot {
    const unit = data.lines[0].unit;
    const equal = unit === data.x_unit;
    this.fit_xy = (w, v) => {
      const extent: Extent = { x: range_of(data.lines.map((l) => l.x)), y: range_of(data.lines.map((l) => l.y)) };
      if (equal) make_equal(extent, (w - 70) / (v - 60));
      return extent;
    };
    this.full = this.fit_xy(width, height);
    this.extent = null;
    const now = () => this.extent ?? this.full;
    const options: uPlot.Options = {
      mode: 2, width, height, legend: { show: false }, axes: this.axes(data, [unit], theme).map((a, k) => ({ ...a, scale: k === 0 ? "x" : "y" })),
      scales: { x: { time: false, range: () => now().x }, y: { range: () => now().y } },
      series: [{}, ...data.lines.map((l) => this.series(l, theme, { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], paths: xy_path } as Partial<uPlot.Series>))],
      cursor: { drag: { x: true, y: true, setScale: false }, points: { show: false } },
      hooks: {
        setSelect: [(u) => {
          const { left, top, width: w, height: v } = u.select;
          if (w < 5 || v < 5) return;
          this.extent = { x: [u.posToVal(left, "x"), u.posToVal(left + w, "x")], y: [u.posToVal(top + v, "y"), u.posToVal(top, "y")] };
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          u.setData(u.data);
        }],
      },
    };
    const plot = new uPlot(options, [[], ...data.lines.map((l) => [l.x, l.y])] as unknown as uPlot.AlignedData, this.element);
    plot.over.addEventListener("dblclick", () => {
      this.extent = null;
      plot.setData(plot.data);
    });
    return plot;
  }
}

const scale_key = (axis: string) => `y${axis}`;

// Curves of one unit share an axis, unless a curve has its own to the right.
const axis_of = (line: Line) => (line.curve.right ? `${line.unit}|` : line.unit);

function calm_axes(lines: Line[]): Map<string, [number, number]> {
  const out = new Map<string, [number, number]>();
  if (!lines.some((l) => l.failed)) return out;
  for (const key of new Set(lines.map(axis_of))) {
    const calm = calm_range(lines.filter((l) => axis_of(l) === key));
    if (calm !== null) out.set(key, calm);
  }
  return out;
}

function log_range(low: number, high: number): [number, number] {
  return [10 ** Math.floor(Math.log10(Math.max(low, 1e-300)) + 1e-9), 10 ** Math.ceil(Math.log10(Math.max(high, 1e-300)) - 1e-9)].map((v, k) => (k === 1 && high <= low ? 10 * v : v)) as [number, number];
}

function decades(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 6));
  return Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, k) => 10 ** (first + k * step));
}

// One list of x for all lines: their own where they share it, else the union with holes that are drawn over.
function aligned(lines: Line[]): Values[] {
  const plain = (y: ArrayLike<number>): Values => {
    for (let i = 0; i < y.length; i++) if (!Number.isFinite(y[i])) return Array.from(y, (v) => (Number.isFinite(v) ? v : null));
    return y;
  };
  if (lines.every((l) => l.x === lines[0].x)) return [lines[0].x, ...lines.map((l) => plain(l.y))];
  return uPlot.join(lines.map((l) => [l.x, plain(l.y)] as unknown as uPlot.AlignedData)) as Values[];
}

// Short strokes at the foot of the plot where impacts, stops and switches were.
function mark_events(u: uPlot, times: number[], theme: Theme): void {
  const { left, top, width, height } = u.bbox, pen = u.ctx, long = 7 * devicePixelRatio;
  pen.save();
  pen.strokeStyle = theme.force;
  pen.lineWidth = devicePixelRatio;
  pen.beginPath();
  for (const t of times) {
    const x = u.valToPos(t, "x", true);
    if (x < left || x > left + width) continue;
    pen.moveTo(x, top + height - long);
    pen.lineTo(x, top + height);
  }
  pen.stroke();
  pen.restore();
}

function make_equal(extent: Extent, aspect: number): void {
  const wide = extent.x[1] - extent.x[0], high = extent.y[1] - extent.y[0];
  const grow = (range: [number, number], by: number): [number, number] => [range[0] - by / 2, range[1] + by / 2];
  if (wide / high < aspect) extent.x = grow(extent.x, high * aspect - wide);
  else extent.y = grow(extent.y, wide / aspect - high);
}

// Between two kept times the values lie somewhere from the smallest to the largest: a filled block, no line.
const band_path = (band: Band): uPlot.Series.PathBuilder => (u, index) => {
  const blocks = new Path2D();
  const scale = u.series[index].scale ?? "y";
  const { min = -Infinity, max = Infinity } = u.scales.x;
  for (let i = 0; i < band.low.length; i++) {
    if (band.t[i + 1] < min! || band.t[i] > max! || !Number.isFinite(band.low[i] + band.high[i])) continue;
    const left = u.valToPos(band.t[i], "x", true), right = u.valToPos(band.t[i + 1], "x", true);
    const top = u.valToPos(band.high[i], scale, true), bottom = u.valToPos(band.low[i], scale, true);
    blocks.rect(left, top - 0.5, Math.max(right - left, 0.5), bottom - top + 1);
  }
  return { stroke: null, fill: blocks, clip: null, band: null, gaps: null, flags: 1 } as unknown as uPlot.Series.Paths;
};

const xy_path: uPlot.Series.PathBuilder = (u, index) => {
  const line = new Path2D();
  const [xs, ys] = u.data[index] as unknown as [ArrayLike<number>, ArrayLike<number>];
  let down = false;
  for (let i = 0; i < xs.length; i++) {
    if (!Number.isFinite(xs[i]) || !Number.isFinite(ys[i])) {
      down = false;
      continue;
    }
    const x = u.valToPos(xs[i], "x", true), y = u.valToPos(ys[i], "y", true);
    if (down) line.lineTo(x, y);
    else line.moveTo(x, y);
    down = true;
  }
  return { stroke: line, fill: null, clip: null, band: null, gaps: null, flags: 1 } as unknown as uPlot.Series.Paths;
};
