// One plot with its title, legend and controls.
import { format_number } from "../data/number.ts";
import { index_at, type Run } from "../data/run.ts";
import { type Preference, shown } from "../data/units.ts";
import { button, download, h, icon, icons } from "../dom.ts";
import type { Theme } from "../scene/theme.ts";
import { range_statistics } from "../data/statistics.ts";
import { PlotCanvas, type Wiring } from "./canvas.ts";
import { to_csv, to_png, to_svg } from "./export.ts";
import { type Line, type Mode, plot_data, plot_title, type PlotData, type PlotSpec } from "./spec.ts";

export interface PanelHost extends Wiring {
  runs: Run[];
  theme(): Theme;
  units(): Preference;
  now(): number;
  pick(panel: Panel): void; // choose channels for this plot
  close(panel: Panel): void;
  changed(): void;
}

export class Panel {
  readonly element: HTMLElement;
  private readonly title = h("h3");
  private readonly legend = h("ul", { class: "legend" });
  private readonly canvas: PlotCanvas;
  private readonly modes: HTMLSelectElement;
  private readonly x_choice: HTMLSelectElement;
  private readonly empty = h("p", { class: "empty" });
  private readonly readouts: { line: Line; element: HTMLElement }[] = [];
  private readonly log_button = button("Logarithmic axis", { "aria-pressed": "false", onclick: () => {
    this.spec.log = !this.spec.log;
    this.spec.limits = {};
    this.changed();
  } }, "log");
  private readonly numbers_button = button("Least, largest, mean and RMS of what is seen", { "aria-pressed": "false", onclick: () => {
    this.spec.numbers = !this.spec.numbers;
    this.changed();
  } }, "Σ");
  private readonly numbers = h("div", { class: "numbers wide", hidden: true });
  private data: PlotData = { x_label: "", x_unit: "", lines: [] };

  constructor(readonly spec: PlotSpec, private readonly host: PanelHost) {
    this.canvas = new PlotCanvas(host);
    this.modes = this.mode_choice();
    this.x_choice = h("select", { "aria-label": "Channel on the x axis", onchange: () => this.set_x(this.x_choice.value) });
    this.element = h("section", { class: "panel", "aria-label": "Plot" },
      h("header", {}, this.title, h("div", { class: "tools" }, this.x_choice, this.modes,
        this.log_button, this.numbers_button,
        button("Choose channels or write a formula", { onclick: () => host.pick(this) }, icon(icons.plus)),
        this.export_menu(),
        button("Remove this plot", { onclick: () => host.close(this) }, icon(icons.close)))),
      this.legend, this.canvas.element, this.numbers, this.empty);
    new ResizeObserver(() => this.canvas.resize()).observe(this.canvas.element);
  }

  // Everything anew: after a change of curves, units, theme or data.
  render(): void {
    const { spec, host } = this;
    this.data = plot_data(spec, host.runs, host.units());
    this.title.textContent = plot_title(spec);
    this.title.title = this.title.textContent;
    this.modes.value = spec.mode;
    this.element.classList.toggle("xy", spec.mode === "xy");
    this.x_choice.hidden = spec.mode !== "xy";
    if (spec.mode === "xy") this.fill_x();
    this.empty.textContent = spec.curves.length > 0 ? "This file keeps some of the rows only, and no spectrum of these channels. All rows: cardan view, or cardan report --full." : "No channel chosen. Use + to pick some, or click a body or a joint in the drawing.";
    this.empty.hidden = this.data.lines.length > 0;
    this.canvas.element.hidden = this.data.lines.length === 0;
    this.canvas.element.setAttribute("role", "img");
    this.canvas.element.setAttribute("aria-label", plot_title(spec));
    const timed = spec.mode === "time" || spec.mode === "difference";
    for (const [b, on] of [[this.log_button, spec.log], [this.numbers_button, spec.numbers]] as const) {
      b.classList.toggle("on", on === true);
      b.setAttribute("aria-pressed", String(on === true));
    }
    this.log_button.hidden = spec.mode === "xy";
    this.numbers_button.hidden = !timed;
    this.numbers.hidden = !timed || !spec.numbers || this.data.lines.length === 0;
    this.canvas.show(this.data, spec.mode, host.theme(), { log: spec.log === true && spec.mode !== "xy", limits: (spec.limits ??= {}) });
    this.make_legend();
    this.measure();
    this.set_time(host.now());
  }

  set_time(t: number, read = true): void {
    const { mode } = this.spec;
    if (read) for (const { line, element } of this.readouts) element.textContent = this.readout(line, t);
    if (mode === "spectrum") return;
    const first = this.data.lines[0];
    if (first === undefined) return;
    if (mode !== "xy") return this.canvas.set_mark(t);
    if (!this.host.runs[0].lasts(t)) return this.canvas.set_mark(NaN);
    const i = nearest(this.host.runs[0].time, t);
    this.canvas.set_mark(first.x[i], first.y[i]);
  }

  set_range(range: [number, number]): void {
    if (this.spec.mode === "time" || this.spec.mode === "difference") this.canvas.set_range(range);
    this.measure();
  }

  // The x range that is seen.
  get seen(): [number, number] | null {
    return this.canvas.seen?.x ?? null;
  }

  show_cursors(): void {
    this.canvas.show_cursors();
    this.measure();
  }

  // Numbers of the range that is seen, or of that between the two cursors.
  measure(): void {
    if (this.numbers.hidden) return;
    const cursors = this.host.cursors(), seen = this.canvas.seen?.x ?? [this.host.runs[0].begin, this.host.runs[0].end];
    const [from, to] = cursors ? [Math.min(...cursors), Math.max(...cursors)] : seen;
    const cell = (v: number) => h("td", { class: "number" }, format_number(v, 5));
    const rows = this.data.lines.map((line) => {
      const s = range_statistics(line.x, line.y, from, to), run = this.host.runs[line.run], channel = run.find(line.curve.channel);
      const { factor } = shown(channel?.unit ?? "", this.host.units());
      const clean = (v: number) => (channel && line.curve.rate === 0 && this.spec.mode === "time" && run.seen(channel, v / factor) === 0 ? 0 : v);
      return h("tr", {}, h("td", {}, `${line.name}${line.of_run}${line.unit ? ` [${line.unit}]` : ""}`), ...[s.least, s.largest, s.mean, s.rms].map((v) => cell(clean(v))), ...(cursors ? [s.first, s.last, s.last - s.first].map((v) => cell(clean(v))) : []));
    });
    const heads = ["", "least", "largest", "mean", "RMS", ...(cursors ? ["at A", "at B", "B − A"] : [])];
    this.numbers.replaceChildren(h("table", {}, h("caption", {}, `${format_number(from, 6)} s to ${format_number(to, 6)} s${cursors ? `: ${format_number(to - from, 5)} s, ${format_number(1 / (to - from), 5)} Hz` : ""}`), h("thead", {}, h("tr", {}, ...heads.map((x) => h("th", {}, x)))), h("tbody", {}, ...rows)));
  }

  toggle(channel: string): void {
    const { curves } = this.spec;
    const k = curves.findIndex((c) => c.channel === channel);
    if (k >= 0) curves.splice(k, 1);
    else curves.push({ channel, rate: 0 });
    this.changed();
  }

  has(channel: string): boolean {
    return this.spec.curves.some((c) => c.channel === channel);
  }

  svg(width = 800, height = 450): string {
    return to_svg(this.data, plot_title(this.spec), this.canvas.seen, this.host.theme().dark ? light_palette : this.host.theme().palette, width, height);
  }

  csv(): string {
    return to_csv(this.data);
  }

  private changed(): void {
    this.render();
    this.host.changed();
  }

  private readout(line: Line, t: number): string {
    if (this.spec.mode === "spectrum") return line.unit;
    const run = this.host.runs[line.run];
    if (!run.lasts(t)) return "–";
    const unit = line.unit ? ` ${line.unit}` : "";
    if (this.spec.mode === "time" && run.thinned && line.curve.rate === 0) {  // of one time for all curves
      const channel = run.find(line.curve.channel)!;
      const { factor } = shown(channel.unit, this.host.units());
      return `${format_number(run.seen(channel, run.common(channel)[nearest(run.time, t)]) * factor)}${unit}`;
    }
    return `${format_number(this.value(line, nearest(this.spec.mode === "xy" ? run.time : (line.x as Float64Array), t)))}${unit}`;
  }

  // A stored value as a reader should see it.
  private value(line: Line, row: number): number {
    const run = this.host.runs[line.run], channel = run.find(line.curve.channel);
    if (channel === undefined || line.curve.rate > 0 || this.spec.mode === "difference") return line.y[row];
    const { factor } = shown(channel.unit, this.host.units());
    return run.seen(channel, line.y[row] / factor) === 0 ? 0 : line.y[row];
  }

  private make_legend(): void {
    this.readouts.length = 0;
    const palette = this.host.theme().palette;
    this.legend.replaceChildren(...this.data.lines.map((line) => {
      const value = h("output", {});
      this.readouts.push({ line, element: value });
      const swatch = h("i", { class: line.dashed ? "swatch dashed" : "swatch", style: `--colour:${palette[line.colour % palette.length]}` });
      const rate = button("Rate of change of this curve", { class: line.curve.rate > 0 ? "small on" : "small", onclick: () => {
        line.curve.rate = (line.curve.rate + 1) % 3;
        this.changed();
      } }, "d/dt");
      const right = button("On an axis of its own, to the right", { class: line.curve.right ? "small on" : "small", onclick: () => {
        line.curve.right = !line.curve.right;
        this.spec.limits = {};
        this.changed();
      } }, "axis");
      const remove = button(`Remove ${line.name}`, { class: "small", onclick: () => this.toggle(line.curve.channel) }, "×");
      const open = this.host.runs[line.run].not_unique(line.curve.channel) && h("strong", { class: "open", title: "not unique: equations are redundant, and this is the split of least size" }, "*");
      return h("li", {}, swatch, h("span", { class: "name" }, `${line.name}${line.of_run}`), open, value, line.run === 0 && h("span", { class: line.curve.rate > 0 ? "actions on" : "actions" }, rate, this.spec.mode === "time" && right, remove));
    }));
  }

  private mode_choice(): HTMLSelectElement {
    const words: [Mode, string][] = [["time", "over time"], ["xy", "over a channel"], ["spectrum", "spectrum"]];
    if (this.host.runs.length > 1) words.push(["difference", "difference of runs"]);
    const select: HTMLSelectElement = h("select", { "aria-label": "Kind of plot", onchange: () => {
      this.spec.mode = select.value as Mode;
      if (this.spec.mode === "xy" && !this.host.runs[0].find(this.spec.x)) this.spec.x = this.host.runs[0].channels[0]?.name ?? "";
      this.changed();
    } }, ...words.map(([value, text]) => h("option", { value }, text)));
    return select;
  }

  private fill_x(): void {
    if (this.x_choice.options.length === 0) this.x_choice.append(...this.host.runs[0].channels.map((c) => h("option", { value: c.name }, `x: ${c.name}`)));
    this.x_choice.value = this.spec.x;
  }

  private set_x(name: string): void {
    this.spec.x = name;
    this.changed();
  }

  private export_menu(): HTMLElement {
    const name = () => plot_title(this.spec).replace(/[^\w.-]+/g, "_").slice(0, 60);
    const menu = h("div", { class: "menu", role: "menu" });
    const item = (text: string, act: () => void) => button(`Save as ${text}`, { role: "menuitem", onclick: () => {
      act();
      details.open = false;
    } }, text);
    menu.append(
      item("PNG", () => void to_png(this.svg()).then((blob) => download(`${name()}.png`, blob))),
      item("SVG", () => download(`${name()}.svg`, new Blob([this.svg()], { type: "image/svg+xml" }))),
      item("CSV", () => download(`${name()}.csv`, new Blob([this.csv()], { type: "text/csv" }))));
    const details = h("details", { class: "dropdown" }, h("summary", { title: "Save what is shown", "aria-label": "Save what is shown" }, icon(icons.save)), menu);
    return details;
  }
}

const light_palette = ["#2563c9", "#d4582a", "#1f9d76", "#a13fb5", "#c99a06", "#0ea5c6", "#c72f55", "#5b6472"];

export function nearest(times: Float64Array, t: number): number {
  const i = index_at(times, t);
  return i + 1 < times.length && times[i + 1] - t < t - times[i] ? i + 1 : i;
}
