// The first page: the drawing with its tools, the plots beside it, and the clock below.
import { reason_of } from "./data/format.ts";
import { format_number } from "./data/number.ts";
import type { Run } from "./data/run.ts";
import { type Preference, pretty, shown } from "./data/units.ts";
import { button, h, icon, icons, Value } from "./dom.ts";
import { key_figures } from "./pages/answers.ts";
import { asked_tables } from "./pages/asked.ts";
import type { Player } from "./player.ts";
import { Panel, type PanelHost } from "./plot/panel.ts";
import { Picker } from "./plot/picker.ts";
import { first_plots, type PlotSpec } from "./plot/spec.ts";
import type { Target } from "./scene/drawing.ts";
import { force_channels } from "./scene/arrows.ts";
import { type Theme } from "./scene/theme.ts";
import { requested_paths } from "./scene/traces.ts";
import { type Look, looks, type Shows, View } from "./scene/view.ts";

export interface Shared {
  runs: Run[];
  player: Player;
  theme: Value<Theme>;
  units: Value<Preference>;
  hovered: Value<Target | null>; // body, joint or spring under the pointer, in any page
  each_frame: ((now: number) => void)[]; // what pages move by themselves
  at_end: (() => void)[]; // what pages must give back
  look_at: (t: number) => void; // the animation at a time
}

export class Motion {
  readonly element = h("main", { class: "motion", id: "page" });
  readonly view: View | null = null;
  readonly panels: Panel[] = [];
  private readonly deck = h("div", { class: "deck" });
  private readonly picker: Picker;
  private readonly scale = h("p", { class: "scale", hidden: true });
  private readonly caption = h("p", { class: "caption", role: "status" });
  readonly cursors = new Value<[number, number] | null>(null);
  readonly followed = new Value("");
  readonly look = new Value<Look>("free");
  on_layout: () => void = () => {}; // plots, cursors or view were changed by the reader
  private moved = false;
  private read = 0; // when the numbers in the legends were written last

  constructor(private readonly shared: Shared) {
    const { runs, theme, units, player, hovered } = shared;
    this.picker = new Picker(runs[0], () => units.get());
    const view = this.make_view();
    this.view = view;
    const plots = h("section", { class: "plots", "aria-label": "Plots" }, this.fault_note(), this.thinning_note(), ...asked_tables(runs[0]), key_figures(shared), this.deck,
      this.cursor_button(),
      button("Add a plot", { class: "add", hidden: runs[0].channels.length === 0, onclick: () => this.add({ mode: "time", x: "", curves: [] }, true) }, icon(icons.plus), h("span", {}, "Add a plot")));
    this.element.append(this.stage(view), plots, this.picker.element);
    this.cursors.watch(() => {
      for (const panel of this.panels) panel.show_cursors();
      this.on_layout();
    });
    for (const spec of first_plots(runs[0], requested_paths(runs[0]))) this.add(spec, false);
    theme.watch((t) => {
      view?.set_theme(t);
      this.render_all();
    });
    units.watch(() => {
      this.render_all();
      this.picker.refresh();
    });
    player.time.watch(() => (this.moved = true));
    player.playing.watch(() => (this.moved = true));
    hovered.watch((target) => view?.highlight(target));
    this.begin_as_asked();
  }

  // The animation as the model asks for it.
  private begin_as_asked(): void {
    const asked = this.shared.runs[0].doc.asked?.animation, { player } = this.shared;
    if (this.view === null) return;
    if (!asked) return this.followed.set(this.view.traveller());
    if (asked.follow !== "") this.followed.set(asked.follow);
    if (asked.view !== "free" && !this.view.planar) this.look.set(asked.view);
    if (asked.seconds > 0) player.take(asked.seconds);
  }

  // Called once a frame.
  draw(now: number): void {
    const { player } = this.shared;
    if (this.moved) {
      this.moved = false;
      const t = player.time.get();
      this.view?.set_time(t);
      // Nobody reads digits that change sixty times a second.
      const read = !player.playing.get() || now - this.read > 100;
      if (read) this.read = now;
      for (const panel of this.panels) panel.set_time(t, read);
    }
    this.view?.draw(now);
  }

  render_all(): void {
    for (const panel of this.panels) panel.render();
  }

  add(spec: PlotSpec, pick: boolean, words = ""): Panel {
    const panel = new Panel(spec, this.host());
    this.panels.push(panel);
    this.deck.append(panel.element);
    panel.render();
    if (pick) this.picker.open(panel, words);
    this.on_layout();
    return panel;
  }

  // Other plots instead of those shown.
  replace(specs: PlotSpec[]): void {
    for (const panel of this.panels.splice(0)) panel.element.remove();
    for (const spec of specs) this.add(spec, false);
  }

  private cursor_button(): HTMLElement {
    const b = button("Two cursors to measure between (C)", { class: "add", "data-key": "c", "aria-pressed": "false", onclick: () => {
      const [begin, end] = this.panels.find((p) => p.spec.mode === "time")?.seen ?? this.shared.player.range;
      const on = this.cursors.get() === null;
      if (on) for (const panel of this.panels) panel.spec.numbers = true;
      this.cursors.set(on ? [begin + (end - begin) / 3, begin + (2 * (end - begin)) / 3] : null);
      this.render_all();
    } }, h("span", {}, "Measure between two cursors"));
    this.cursors.watch((at) => {
      b.classList.toggle("on", at !== null);
      b.setAttribute("aria-pressed", String(at !== null));
    });
    return b;
  }

  // More rows arrived.
  grown(): void {
    this.view?.changed();
    this.render_all();
    this.moved = true;
  }

  private host(): PanelHost {
    const { runs, theme, units, player } = this.shared;
    return {
      runs, theme: () => theme.get(), units: () => units.get(), now: () => player.time.get(),
      pick: (panel) => this.picker.open(panel),
      close: (panel) => {
        this.panels.splice(this.panels.indexOf(panel), 1);
        panel.element.remove();
        this.picker.close();
        this.on_layout();
      },
      changed: () => {
        this.picker.refresh();
        this.on_layout();
      },
      events: () => runs[0].doc.events.slice(0, 2000).map((e) => e.t),
      cursors: () => this.cursors.get(),
      move_cursor: (which, x) => {
        const [begin, end] = player.range, now = this.cursors.get() ?? [begin, end];
        const at = Math.min(end, Math.max(begin, x));
        this.cursors.set(which === 0 ? [at, now[1]] : [now[0], at]);
      },
      hover: (t) => {
        if (!player.playing.get()) player.seek(t);
      },
      zoom: (range) => {
        const [begin, end] = range ?? player.range;
        for (const panel of this.panels) panel.set_range([begin, end]);
        this.on_layout();
      },
    };
  }

  private make_view(): View | null {
    const { runs, theme, hovered } = this.shared;
    const drawn = runs.filter((r) => r.doc.scene !== null && r.doc.scene.bodies.length > 0).map((run) => ({ run, scene: run.doc.scene! }));
    if (drawn.length === 0) return null;
    const paths = requested_paths(runs[0]).length > 0;
    const asked = runs[0].doc.asked?.animation;
    const shows: Shows = { traces: asked?.traces && !paths ? "all" : paths ? "paths" : "none", ghosts: false, arrows: asked?.arrows ?? false, labels: asked?.names ?? false, perspective: true };
    let view: View;
    try {
      view = new View(drawn, theme.get(), shows);
    } catch {
      this.caption.textContent = "This browser shows no 3-D graphics (WebGL), so there is no animation. The plots work.";
      return null;
    }
    view.on_pick = (target) => this.picked(target);
    view.on_hover = (target) => {
      hovered.set(target);
      this.caption.textContent = target === null ? "" : `${target.kind} ${target.name}`;
    };
    return view;
  }

  private stage(view: View | null): HTMLElement {
    if (view === null) return h("section", { class: "stage" }, h("p", { class: "empty" }, this.caption.textContent || "This run has no bodies to draw."));
    const { shows } = view;
    const apply = () => {
      const largest = view.apply();
      this.scale.hidden = largest === null;
      if (largest === null) return;
      const { unit, factor } = shown("N", this.shared.units.get());
      this.scale.textContent = `longest arrow: ${format_number(largest * factor, 3)} ${pretty(unit)}`;
    };
    const toggle = (label: string, path: string, key: string, get: () => boolean, set: (on: boolean) => void) => {
      const b = button(`${label} (${key.toUpperCase()})`, { class: get() ? "on" : "", "aria-pressed": String(get()), "data-key": key, onclick: () => {
        set(!get());
        b.classList.toggle("on", get());
        b.setAttribute("aria-pressed", String(get()));
        apply();
      } }, icon(path));
      return b;
    };
    const tools = h("div", { class: "toolbar", role: "toolbar", "aria-label": "Drawing" },
      button("Fit everything (F)", { "data-key": "f", onclick: () => view.fit() }, icon(icons.fit)),
      toggle("Traces of points", icons.trace, "t", () => shows.traces !== "none", (on) => (shows.traces = on ? "paths" : "none")),
      toggle("Ghost positions", icons.ghost, "g", () => shows.ghosts, (on) => (shows.ghosts = on)),
      toggle("Reaction arrows", icons.arrow, "r", () => shows.arrows, (on) => (shows.arrows = on)),
      toggle("Names", icons.label, "n", () => shows.labels, (on) => (shows.labels = on)),
      !view.planar && toggle("Perspective", icons.cube, "p", () => shows.perspective, (on) => (shows.perspective = on)),
      this.follow_choice(view), !view.planar && this.look_choice(view),
      button("Save the drawing as PNG", { onclick: () => this.save_drawing(view) }, icon(icons.save)));
    return h("section", { class: "stage", "aria-label": "Animation" }, view.element, tools, this.scale, this.caption);
  }

  private follow_choice(view: View): HTMLElement {
    const bodies = view.drawings[0].scene.bodies.slice(0, 200);
    const choice: HTMLSelectElement = h("select", { "aria-label": "Body that the camera follows", title: "Body that the camera follows", onchange: () => this.followed.set(choice.value) },
      h("option", { value: "" }, "follow …"), ...bodies.map((b) => h("option", { value: b.name }, b.name)));
    this.followed.watch((name) => {
      choice.value = name;
      view.follow(name);
      this.on_layout();
    });
    return choice;
  }

  private look_choice(view: View): HTMLElement {
    const choice: HTMLSelectElement = h("select", { "aria-label": "Standard view", title: "Standard view", onchange: () => this.look.set(choice.value as Look) }, ...looks.map(([value, text]) => h("option", { value }, text)));
    this.look.watch((look) => {
      choice.value = look;
      if (look !== "free") view.look_from(look);
      this.on_layout();
    });
    return choice;
  }

  // An image instead of the drawing, for the printer, which does not ask for one to be drawn.
  picture(on: boolean): void {
    const { view } = this;
    view?.element.querySelector("img")?.remove();
    if (!on || !view) return;
    view.draw_now();
    view.element.append(h("img", { alt: "The mechanism", src: view.canvas.toDataURL("image/png") }));
  }

  private save_drawing(view: View): void {
    view.draw_now();
    const link = h("a", { href: view.canvas.toDataURL("image/png"), download: "drawing.png" });
    link.click();
  }

  // A click in the drawing: a joint's reactions, a body's position, a spring's force, as a new plot.
  private picked(target: Target | null): void {
    if (target === null) return;
    const run = this.shared.runs[0];
    let names: string[];
    if (target.kind === "body") names = (run.doc.scene?.bodies.find((b) => b.name === target.name)?.pose ?? []).filter((n) => run.find(n)?.unit === "m");
    else if (target.kind === "joint") names = (force_channels(run, target.name) ?? []).flatMap((c) => (c ? [c.name] : []));
    else names = [`${target.name}.force`].filter((n) => run.find(n));
    if (names.length === 0) names = run.channels.filter((c) => c.element === `${target.kind} ${target.name}`).slice(0, 2).map((c) => c.name);
    if (names.length === 0) {
      this.caption.textContent = `${target.kind} ${target.name}: no channels were stored`;
      return;
    }
    const shown_already = this.panels.find((p) => names.every((n) => p.has(n)) && p.spec.curves.length === names.length);
    const panel = shown_already ?? this.add({ mode: "time", x: "", curves: names.map((channel) => ({ channel, rate: 0 })) }, false);
    panel.element.scrollIntoView({ behavior: "smooth", block: "nearest" });
    panel.element.classList.add("flash");
    setTimeout(() => panel.element.classList.remove("flash"), 900);
  }

  // A run that did not come to its end says so where one looks first.
  private fault_note(): HTMLElement | null {
    const { doc } = this.shared.runs[0];
    if (doc.status === "completed" || doc.status === "running") return null;
    const fault = reason_of(doc);
    const at = fault?.t ?? null;
    const words = fault === undefined ? "The rows until then are here; cardan resume goes on from the last checkpoint." : `${fault.element ? `${fault.element}: ` : ""}${fault.found}.`;
    return h("section", { class: doc.status === "failed" ? "fault" : "fault warning", role: "alert" },
      h("strong", {}, { failed: "This run failed", doubtful: "These results are doubtful", interrupted: "This run was interrupted" }[doc.status]), h("p", {}, words),
      fault && fault.worst.length > 0 ? h("ul", { class: "chips" }, ...fault.worst.slice(0, 6).map((w) => h("li", {}, `${w.equation}: ${format_number(w.value, 3)}`))) : null,
      fault?.hint ? h("p", {}, fault.hint) : null,
      doc.rows === 0 ? h("p", { class: "muted" }, "No row was stored, so there is nothing to plot; the drawing shows the model as it was given.") : null,
      at !== null && doc.rows > 0 ? h("button", { type: "button", onclick: () => this.shared.player.seek(at) }, `Show t = ${format_number(at, 6)} s`) : null);
  }

  private thinning_note(): HTMLElement | null {
    const run = this.shared.runs.find((r) => r.thinned);
    if (run === undefined) return null;
    const holes = run.channels.filter((c) => (c.not_finite ?? 0) > 0);
    const named = holes.slice(0, 5).map((c) => `${c.name} (${(c.not_finite ?? 0).toLocaleString("en")})`).join(", ");
    const missing = holes.length === 0 ? "" : ` Between the kept times these channels have values that are not numbers: ${named}${holes.length > 5 ? ` and ${holes.length - 5} more channels` : ""}.`;
    return h("p", { class: "notice" }, `This file keeps ${run.doc.kept.toLocaleString("en")} of ${run.doc.rows.toLocaleString("en")} times, and between them the smallest and largest value of every channel, drawn as blocks. Spectra were made of all rows; rates, legends and the animation use the kept times. All rows: cardan view, or cardan report --full.${missing}`);
  }
}
