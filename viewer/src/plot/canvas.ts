// The canvas of a plot: uPlot with time, frequency or any channel as x, and a mark that follows the animation.
import uPlot from "uplot";

import { h } from "../dom.ts";
import type { Band } from "../data/run.ts";
import type { Theme } from "../scene/theme.ts";
import type { Extent } from "./export.ts";
import type { Line, Mode, PlotData } from "./spec.ts";
import { range_of, tick_text, ticks } from "./ticks.ts";

export interface Wiring {
  hover(x: number): void; // the pointer is at this x
  zoom(range: [number, number] | null): void; // the user chose a range of x
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
  private timed_ = true;

  constructor(private readonly wiring: Wiring) {}

  show(data: PlotData, mode: Mode, theme: Theme): void {
    this.plot?.destroy();
    this.plot = null;
    this.fit_xy = null;
    if (data.lines.length === 0) return;
    const width = Math.max(200, this.element.clientWidth), height = Math.max(120, this.element.clientHeight);
    this.timed_ = mode !== "xy";
    this.plot = mode === "xy" ? this.xy(data, theme, width, height) : this.timed(data, theme, width, height);
    this.mark.className = mode === "xy" ? "mark dot" : "mark line";
    this.plot.over.append(this.mark);
    this.plot.over.addEventListener("mouseenter", () => (this.over = true));
    this.plot.over.addEventListener("mouseleave", () => (this.over = false));
    if (mode === "xy" || mode === "spectrum") return;
    this.plot.over.addEventListener("dblclick", () => this.wiring.zoom(null));
  }

  resize(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (!this.plot || width <= 50 || height <= 50 || (this.plot.width === width && this.plot.height === height)) return;
    if (this.fit_xy) this.full = this.fit_xy(width, height);
    this.plot.setSize({ width, height });
    this.set_mark(...this.marked);
  }

  set_range(range: [number, number]): void {
    const now = this.plot?.scales.x;
    if (!this.plot || !this.timed_ || (now?.min === range[0] && now.max === range[1])) return;
    this.plot.setScale("x", { min: range[0], max: range[1] });
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

  private axes(data: PlotData, scales: string[], theme: Theme): uPlot.Axis[] {
    const text = theme.dark ? "#aab4c4" : "#4c5869";
    const base = { stroke: text, font: "11px Inter, system-ui, sans-serif", labelFont: "11px Inter, system-ui, sans-serif", grid: { stroke: theme.grid, width: 1 }, ticks: { stroke: theme.grid, size: 4 } };
    const values = (_: uPlot, splits: number[]) => splits.map((v) => tick_text(v, splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 1));
    const splits = (u: uPlot, axis: number, low: number, high: number) => {
      const long = axis === 0 ? u.over.clientWidth || u.width : u.over.clientHeight || u.height;
      return ticks(low, high, Math.max(3, long / (axis === 0 ? 85 : 30))).values;
    };
    const label = data.x_unit === "" ? data.x_label : `${data.x_label} [${data.x_unit}]`;
    return [
      { ...base, scale: "x", values, splits, label, labelSize: 18, size: 26, gap: 4 },
      ...scales.slice(0, 2).map((scale, k): uPlot.Axis => ({
        ...base, scale: scale_key(scale), side: k === 0 ? 3 : 1, values, splits, grid: { ...base.grid, show: k === 0 }, label: scale === "" ? "" : `[${scale}]`, labelSize: 16, gap: 4,
        size: (_, texts) => 14 + 6.4 * Math.max(2, ...(texts ?? []).map((s) => s.length)),
      })),
    ];
  }

  private series(line: Line, theme: Theme, more: Partial<uPlot.Series>): uPlot.Series {
    return { label: line.name, stroke: theme.palette[line.colour % theme.palette.length], width: 1.6, dash: line.dashed ? [6, 4] : undefined, points: { show: false }, pxAlign: 0, ...more };
  }

  private timed(data: PlotData, theme: Theme, width: number, height: number): uPlot {
    const units = [...new Set(data.lines.map((l) => l.unit))];
    const scales: uPlot.Scales = { x: { time: false } };
    for (const unit of units) scales[scale_key(unit)] = { range: (_, low, high) => (low == null || high == null ? [0, 1] : range_of([[low, high]])) };
    const options: uPlot.Options = {
      width, height, scales, legend: { show: false }, axes: this.axes(data, units, theme),
      series: [{}, ...data.lines.map((l) => this.series(l, theme, { scale: scale_key(l.unit), ...(l.band ? { paths: band_path(l.band), fill: theme.palette[l.colour % theme.palette.length] } : {}) }))],
      cursor: { sync: { key: "cardan" }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      hooks: {
        setCursor: [(u) => {
          if (this.over && u.cursor.left != null && u.cursor.left >= 0) this.wiring.hover(u.posToVal(u.cursor.left, "x"));
        }],
        setScale: [(u, key) => {
          const { min, max } = u.scales.x;
          if (key === "x" && this.over && min != null && max != null) this.wiring.zoom([min, max]);
        }],
      },
    };
    return new uPlot(options, aligned(data.lines) as uPlot.AlignedData, this.element);
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

const scale_key = (unit: string) => `y${unit}`;

// One list of x for all lines: their own where they share it, else the union with holes that are drawn over.
function aligned(lines: Line[]): Values[] {
  const plain = (y: ArrayLike<number>): Values => {
    for (let i = 0; i < y.length; i++) if (!Number.isFinite(y[i])) return Array.from(y, (v) => (Number.isFinite(v) ? v : null));
    return y;
  };
  if (lines.every((l) => l.x === lines[0].x)) return [lines[0].x, ...lines.map((l) => plain(l.y))];
  return uPlot.join(lines.map((l) => [l.x, plain(l.y)] as unknown as uPlot.AlignedData)) as Values[];
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
